import ChainInsight
import ChainModel
import ChainText

struct EventFilter: Equatable {
    /// The query; nil for all. A plain text also matches the word for the event's kind.
    var query: Query?
    /// Whether events that do not match are shown as well, dimmed.
    var dims: Bool
    /// The only chain that is shown; nil for all.
    var scope: RowID?
    var level = EventLevel.all
    /// The runs of programs that the index covers.
    var processes: [ProcessKey?]
    /// Whether the word for a kind contains the query's plain text, by the kind's raw value.
    private var words: [Bool]

    init(_ query: Query?, dims: Bool, scope: RowID?, level: EventLevel, processes: [ProcessKey?]) {
        self.query = query
        self.level = level
        self.dims = dims
        self.scope = scope
        self.processes = processes
        words = Array(repeating: false, count: 256)
        guard let plain = query?.plainText else { return }
        let needle = Needle(plain)
        for kind in EventKind.allCases { words[Int(kind.rawValue)] = needle.matches(EventText.word(kind)) }
    }

    func matchesWord(of kind: EventKind) -> Bool { words[Int(kind.rawValue)] }

    /// Whether changes of nodes change which events are shown.
    var dependsOnNodes: Bool { scope != nil || hides }
    /// Whether events of nodes that do not match are left out.
    var hides: Bool { query.map { !$0.matchesAllNodes } ?? false && !dims }
    /// Whether some kinds of events are left out.
    var restrictsKinds: Bool { level != .all || query?.eventKinds != nil && !dims }
    /// Whether anything is left out.
    var restricts: Bool { dependsOnNodes || restrictsKinds }

    func shows(_ kind: EventKind) -> Bool { level.shows(kind) && (dims || query?.selects(kind) ?? true) }

    /// Whether a note is shown. A chain, or a query that hides, leaves out all notes; a level, those of snapshots only.
    func shows(_ note: EventsInsight.Note) -> Bool {
        guard !dependsOnNodes, query?.eventKinds == nil || dims else { return false }
        if case .snapshot = note { return level == .all }
        return true
    }
}

// Keeps the index of events up to date.
extension EventsView {
    /// Rows that are tested in one slice, of all programs together.
    static let budget = 8_000
    /// Rows that are tested in one slice of a renewal, while the old index is on the screen.
    private static let renewalBudget = 2_500
    /// Rows of the index, of all programs together; see ``rowLimit(_:)``.
    private static let indexLimit = 100_000
    /// The least time from one renewal of the index to the next, in nanoseconds.
    private static let renewalInterval: UInt64 = 250_000_000

    /// The rows of each program that are kept.
    static func keptRows(_ state: borrowing State) -> [Range<UInt64>] {
        let limit = rowLimit(state)
        return state.programs.map { $0.insight.events.rows(limit: limit) }
    }

    /// The most rows of each program that are shown.
    static func rowLimit(_ state: borrowing State) -> Int {
        min(EventsInsight.limit, max(1_000, indexLimit / max(1, state.programs.count)))
    }

    /// Whether some kept rows were not tested yet.
    static func isIncomplete(_ state: borrowing State) -> Bool {
        state.view == .events && !state.events.index.isComplete(keptRows(state))
    }

    /// Whether nodes changed since the index on the screen was made, so that other events may match.
    static func needsRenewal(_ state: borrowing State) -> Bool {
        guard state.view == .events, state.events.filtering?.dependsOnNodes == true else { return false }
        return state.events.renewal != nil || state.events.facts != factCount(state)
    }

    /// A number that changes when a change of nodes may change which events match.
    private static func factCount(_ state: borrowing State) -> UInt64 {
        state.programs.reduce(state.filterRevision) { sum, program in
            sum &+ program.forest.totals.eventCount &+ program.forest.totals.evictedCount
        }
    }

    static func currentFilter(_ state: borrowing State) -> EventFilter {
        EventFilter(
            state.filter.query, dims: state.filter.dims, scope: state.events.scope, level: state.events.level,
            processes: state.processKeys)
    }

    /// Adds the events that arrived since the last update; begins a new index if the filter, the scope, the level or
    /// the programs changed.
    static func updateIndex(_ state: inout State) {
        let kept = keptRows(state)
        if isFilterStale(state) {
            state.events.filtering = currentFilter(state)
            state.events.index = EventIndex(ends: kept.map(\.upperBound))
            state.events.renewal = nil
            state.events.facts = factCount(state)
            state.events.renewed = state.wall
            extendIndex(kept, budget: budget, &state)
        } else {
            extendIndex(kept, budget: 0, &state)
        }
    }

    private static func isFilterStale(_ state: borrowing State) -> Bool {
        guard let current = state.events.filtering else { return true }
        return current.query != state.filter.query || current.dims != state.filter.dims
            || current.scope != state.events.scope || current.level != state.events.level
            || current.processes != state.processKeys
    }

    /// Tests a slice of the rows that are not in the index yet; true if the rows on the screen may have changed.
    static func tick(_ state: inout State) -> Bool {
        guard state.view == .events, !isFilterStale(state), let filtering = state.events.filtering else {
            return false
        }
        let kept = keptRows(state)
        guard state.events.index.isComplete(kept) else {
            extendIndex(kept, budget: budget, &state)
            return true
        }
        guard filtering.dependsOnNodes else { return false }
        if state.events.renewal == nil, state.events.facts != factCount(state),
            state.wall &- state.events.renewed >= renewalInterval
        {
            state.events.facts = factCount(state)
            state.events.renewed = state.wall
            state.events.renewal = EventIndex(ends: kept.map(\.upperBound))
        }
        guard var renewal = state.events.renewal else { return false }
        state.events.renewal = nil
        extend(&renewal, kept, budget: renewalBudget, state)
        guard renewal.isComplete(kept) else {
            state.events.renewal = renewal
            return false
        }
        let isOther = renewal.entries != state.events.index.entries
        state.events.index = renewal
        return isOther
    }

    private static func extendIndex(_ kept: [Range<UInt64>], budget: Int, _ state: inout State) {
        var index = EventIndex(ends: [])
        swap(&index, &state.events.index)
        extend(&index, kept, budget: budget, state)
        state.events.index = index
    }

    /// Tests the new rows, then older ones backwards within the budget. If more new rows came than one slice tests, the
    /// program's part of the index begins anew from the newest row.
    private static func extend(
        _ index: inout EventIndex, _ kept: [Range<UInt64>], budget: Int, _ state: borrowing State
    ) {
        guard let filtering = state.events.filtering else { return }
        index.prune(kept)
        var rest = budget
        for programIndex in kept.indices {
            let end = index.covered[programIndex].upperBound
            let new = end..<max(end, kept[programIndex].upperBound)
            if new.count > Self.budget {
                index.restart(programIndex, at: new.upperBound)
                // Divided among the programs below.
                rest = max(rest, Self.budget)
            } else if !new.isEmpty {
                test(new, of: programIndex, filtering, into: &index, state)
                rest -= new.count
            }
        }
        let share = max(1, max(0, rest) / max(1, kept.count))
        for programIndex in kept.indices where rest > 0 {
            let end = index.covered[programIndex].lowerBound
            let start = max(kept[programIndex].lowerBound, end - min(end, UInt64(share)))
            if start < end { test(start..<end, of: programIndex, filtering, into: &index, state) }
        }
    }

    private static func test(
        _ rows: Range<UInt64>, of programIndex: Int, _ filtering: EventFilter, into index: inout EventIndex,
        _ state: borrowing State
    ) {
        var found: [EventIndex.Entry] = []
        let offset = state.programs[programIndex].wallOffset
        let ring = state.programs[programIndex].insight.events
        func add(_ time: UInt64, _ number: UInt64) {
            found.append(EventIndex.Entry(time: time &+ offset, programIndex: programIndex, number: number))
        }
        if !filtering.dependsOnNodes {
            found.reserveCapacity(rows.count)
            ring.forEach(in: rows) { number, time, event in
                if filtering.restrictsKinds {
                    if let event {
                        guard filtering.shows(event.kind) else { return }
                    } else {
                        guard case .note(let note)? = ring.row(number), filtering.shows(note) else { return }
                    }
                }
                add(time, number)
            }
        } else {
            let forest = state.programs[programIndex].forest
            var root: NodeIndex?
            if let scope = filtering.scope, let found = state.find(scope), found.programIndex == programIndex {
                root = forest.root(of: found.node)
            }
            // No notes here, because they belong to no node.
            ring.forEach(in: rows) { number, time, event in
                guard let event, filtering.shows(event.kind) else { return }
                let node = forest.index(of: event.node)
                if filtering.scope != nil {
                    guard let node, let root, forest.root(of: node) == root else { return }
                }
                let isMatch =
                    !filtering.hides || filtering.matchesWord(of: event.kind)
                    || node.map { state.filterMatches($0, in: programIndex) } ?? false
                guard isMatch else { return }
                add(time, number)
            }
        }
        index.add(found, rows, of: programIndex)
    }

    /// Whether a row is an event that matches the filter; notes never match.
    static func isMatch(_ entry: EventIndex.Entry, _ filtering: EventFilter, _ state: borrowing State) -> Bool {
        guard case .event(let event, _)? = row(of: entry, state) else { return false }
        guard filtering.query?.selects(event.kind) ?? true else { return false }
        if filtering.matchesWord(of: event.kind) || filtering.query?.matchesAllNodes == true { return true }
        guard let node = state.programs[entry.programIndex].forest.index(of: event.node) else { return false }
        return state.filterMatches(node, in: entry.programIndex)
    }
}
