import ChainEvents
import ChainInsight
import ChainModel
import ChainText

/// Which events are shown.
struct EventFilter: Equatable {
    /// What is looked for; nil for all. A plain text is looked for in the event's own word, too.
    var query: Query?
    /// Whether what does not match is shown as well, dimmed.
    var dims: Bool
    /// The only chain whose events are shown.
    var scope: RowID?
    /// The programs that the index is of.
    var processes: [ProcessKey?]
    /// By the raw value of a kind, whether its word holds the text.
    private var words: [Bool]

    init(_ query: Query?, dims: Bool, scope: RowID?, processes: [ProcessKey?]) {
        self.query = query
        self.dims = dims
        self.scope = scope
        self.processes = processes
        words = Array(repeating: false, count: 256)
        guard let plain = query?.plainText else { return }
        let needle = Needle(plain)
        for kind in EventKind.allCases { words[Int(kind.rawValue)] = needle.matches(EventText.word(kind)) }
    }

    func holdsWord(of kind: EventKind) -> Bool { words[Int(kind.rawValue)] }

    /// Whether what nodes become changes which events are shown.
    var dependsOnNodes: Bool { scope != nil || hides }
    var hides: Bool { query != nil && !dims }
}

extension State {
    /// Rows that are looked at in one go, of all programs together.
    static let eventBudget = 8_000
    /// The same for rows that are made anew while those that are shown stand.
    private static let renewalBudget = 2_500
    /// Entries of the index of all programs together; see ``EventsInsight/limit``.
    private static let eventIndexLimit = 100_000
    /// How long the rows stand before they are made anew because of what nodes became, in nanoseconds.
    private static let renewalInterval: UInt64 = 250_000_000

    /// How many rows of each program are shown.
    var eventRowLimit: Int { min(EventsInsight.limit, max(1_000, Self.eventIndexLimit / max(1, programs.count))) }

    var keptEvents: [Range<UInt64>] { programs.map { $0.insight.events.rows(limit: eventRowLimit) } }

    /// Whether rows are still looked for.
    var isFindingEvents: Bool { view == .events && !events.index.isComplete(keptEvents) }

    /// Changes when nodes became what may put other rows on the screen.
    private var eventFacts: UInt64 {
        programs.reduce(filterRevision) { sum, program in
            sum &+ (program.forest.map { $0.totals.eventCount &+ $0.totals.evictedCount } ?? 0)
        }
    }

    /// The filter that is in force.
    func eventFilter() -> EventFilter {
        EventFilter(filter.query, dims: filter.dims, scope: events.scope, processes: processKeys)
    }

    /// Takes up what the programs said since the last time; a first slice of everything where it is another filter,
    /// scope or program.
    mutating func followEvents() {
        let kept = keptEvents
        if isEventFilterStale {
            events.filtering = eventFilter()
            events.index = EventIndex(ends: kept.map(\.upperBound))
            events.renewal = nil
            events.facts = eventFacts
            events.renewed = wall
            extendEvents(kept, budget: Self.eventBudget)
        } else {
            extendEvents(kept, budget: 0)
        }
    }

    private var isEventFilterStale: Bool {
        guard let current = events.filtering else { return true }
        return current.query != filter.query || current.dims != filter.dims || current.scope != events.scope
            || current.processes != processKeys
    }

    /// Looks at rows that are not in the index yet, a slice at a time; true if that changed anything.
    mutating func tickEvents() -> Bool {
        guard view == .events, !isEventFilterStale, let filtering = events.filtering else { return false }
        let kept = keptEvents
        guard events.index.isComplete(kept) else {
            extendEvents(kept, budget: Self.eventBudget)
            return true
        }
        guard filtering.dependsOnNodes else { return false }
        if events.renewal == nil, events.facts != eventFacts, wall &- events.renewed >= Self.renewalInterval {
            events.facts = eventFacts
            events.renewed = wall
            events.renewal = EventIndex(ends: kept.map(\.upperBound))
        }
        guard var renewal = events.renewal else { return false }
        events.renewal = nil
        extend(&renewal, kept, budget: Self.renewalBudget)
        guard renewal.isComplete(kept) else {
            events.renewal = renewal
            return false
        }
        let isOther = renewal.entries != events.index.entries
        events.index = renewal
        return isOther
    }

    private mutating func extendEvents(_ kept: [Range<UInt64>], budget: Int) {
        var index = EventIndex(ends: [])
        swap(&index, &events.index)
        extend(&index, kept, budget: budget)
        events.index = index
    }

    /// First what is new, then backwards as far as the budget goes. What is new beyond all bounds is looked at from its
    /// end backwards, too.
    private func extend(_ index: inout EventIndex, _ kept: [Range<UInt64>], budget: Int) {
        guard let filtering = events.filtering else { return }
        index.prune(kept)
        var rest = budget
        for programIndex in kept.indices {
            let new =
                index.covered[programIndex]
                .upperBound..<max(index.covered[programIndex].upperBound, kept[programIndex].upperBound)
            if new.count > Self.eventBudget {
                index.restart(programIndex, at: new.upperBound)
                rest = max(rest, Self.eventBudget / kept.count)
            } else if !new.isEmpty {
                look(at: new, of: programIndex, filtering, into: &index)
                rest -= new.count
            }
        }
        let share = max(1, max(0, rest) / max(1, kept.count))
        for programIndex in kept.indices where rest > 0 {
            let end = index.covered[programIndex].lowerBound
            let start = max(kept[programIndex].lowerBound, end - min(end, UInt64(share)))
            if start < end { look(at: start..<end, of: programIndex, filtering, into: &index) }
        }
    }

    private func look(
        at rows: Range<UInt64>, of programIndex: Int, _ filtering: EventFilter, into index: inout EventIndex
    ) {
        var found: [EventIndex.Entry] = []
        let offset = programs[programIndex].wallOffset
        let ring = programs[programIndex].insight.events
        func add(_ time: UInt64, _ number: UInt64) {
            found.append(EventIndex.Entry(time: time &+ offset, programIndex: programIndex, number: number))
        }
        if !filtering.dependsOnNodes {
            found.reserveCapacity(rows.count)
            ring.forEach(in: rows) { number, time, _ in add(time, number) }
        } else if let forest = programs[programIndex].forest {
            let scope = filtering.scope.map(find)
            let root = scope.flatMap { $0?.programIndex == programIndex ? $0!.node : nil }.map { forest.root(of: $0) }
            // Notes have rows only where nothing is left out.
            ring.forEach(in: rows) { number, time, event in
                guard let event else { return }
                let node = forest.index(of: event.node)
                if filtering.scope != nil {
                    guard let node, let root, forest.root(of: node) == root else { return }
                }
                guard !filtering.hides || isMatch(event, node, of: programIndex, filtering) else { return }
                add(time, number)
            }
        }
        index.add(found, rows, of: programIndex)
    }

    private func isMatch(_ event: ChainEvent, _ node: NodeIndex?, of programIndex: Int, _ filtering: EventFilter)
        -> Bool
    {
        filtering.holdsWord(of: event.kind) || node.map { filterMatches($0, in: programIndex) } ?? false
    }

    /// Whether the filter finds a row.
    func isMatch(_ entry: EventIndex.Entry, _ filtering: EventFilter) -> Bool {
        guard case .event(let event, _)? = row(of: entry) else { return false }
        return isMatch(
            event, programs[entry.programIndex].forest?.index(of: event.node), of: entry.programIndex, filtering)
    }
}
