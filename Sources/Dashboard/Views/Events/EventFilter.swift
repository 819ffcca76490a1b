import ChainInsight
import ChainModel
import ChainText

/// The filter of the view of events: the query, the chain, the level (a choice of kinds of events), and the programs.
struct EventFilter: Equatable {
    /// The query; nil for all events. A plain text also matches the word for the event's kind.
    var query: Query?
    /// Whether events that do not match are shown as well, dimmed.
    var dims: Bool
    /// The root of the only chain that is shown; nil for all chains.
    var scope: RowID?
    var level = EventLevel.all
    /// The run of each program; nil for a program that was not reached.
    var processes: [ProcessKey?]
    /// By raw value of a kind of events, whether the word for the kind contains the query's plain text.
    private var wordMatches: [Bool]

    init(_ query: Query?, dims: Bool, scope: RowID?, level: EventLevel, processes: [ProcessKey?]) {
        self.query = query
        self.level = level
        self.dims = dims
        self.scope = scope
        self.processes = processes
        wordMatches = Array(repeating: false, count: 256)
        guard let plain = query?.plainText else { return }
        let needle = Needle(plain)
        for kind in EventKind.allCases { wordMatches[Int(kind.rawValue)] = needle.matches(EventText.word(kind)) }
    }

    /// Returns whether the word for a kind contains the query's plain text.
    func matchesWord(of kind: EventKind) -> Bool { wordMatches[Int(kind.rawValue)] }

    /// Whether changes of nodes can change which events are shown.
    var dependsOnNodes: Bool { scope != nil || hides }
    /// Whether events of nodes that do not match are left out.
    var hides: Bool { query.map { !$0.matchesAllNodes } ?? false && !dims }
    /// Whether some kinds of events are left out.
    var restrictsKinds: Bool { level != .all || query?.eventKinds != nil && !dims }
    /// Whether any events are left out.
    var restricts: Bool { dependsOnNodes || restrictsKinds }

    func shows(_ kind: EventKind) -> Bool { level.shows(kind) && (dims || query?.selects(kind) ?? true) }

    /// Returns whether a note is shown. All notes are left out where ``scope`` is set, and where the query hides events
    /// by node or by kind. A level other than `all` leaves out the notes of snapshots.
    func shows(_ note: EventsInsight.Note) -> Bool {
        guard !dependsOnNodes, query?.eventKinds == nil || dims else { return false }
        if case .snapshot = note { return level == .all }
        return true
    }
}

// Keeps the index of events up to date.
extension EventsView {
    /// The maximum number of rows of all programs together that are tested in one slice, that is in one tick. New rows
    /// are tested even beyond this budget: up to this many rows of each program.
    static let budget = 8_000
    /// The maximum number of rows that are tested in one slice of a renewal. A renewal makes the index anew after
    /// changes of nodes; meanwhile the old index is on the screen.
    private static let renewalBudget = 2_500
    /// The maximum number of rows of the index, of all programs together, except that each program may have 1,000; see
    /// ``rowLimit(_:)``.
    private static let indexLimit = 100_000
    /// The minimum time from one renewal of the index to the next, in nanoseconds. There is no minimum while the
    /// clocks of all programs are stopped.
    private static let renewalInterval: UInt64 = 250_000_000

    /// Returns the numbers of the rows of each program that can be shown: the latest ``rowLimit(_:)`` rows.
    static func keptRows(_ state: borrowing State) -> [Range<UInt64>] {
        let limit = rowLimit(state)
        return state.programs.map { $0.insight.events.rows(limit: limit) }
    }

    /// Returns the maximum number of rows of each program that are shown.
    static func rowLimit(_ state: borrowing State) -> Int {
        min(EventsInsight.limit, max(1_000, indexLimit / max(1, state.programs.count)))
    }

    /// Returns whether there are kept rows that were not tested yet.
    static func isIncomplete(_ state: borrowing State) -> Bool {
        !state.events.index.isComplete(keptRows(state))
    }

    static func isIdle(_ state: borrowing State) -> Bool { !isIncomplete(state) && !needsRenewal(state) }

    static func forgetRows(_ state: inout State) { state.events.indexFilter = nil }

    /// Returns whether a renewal of the index is needed or under way, because nodes changed and other events may match.
    static func needsRenewal(_ state: borrowing State) -> Bool {
        guard state.events.indexFilter?.dependsOnNodes == true else { return false }
        return state.events.renewal != nil || state.events.nodeRevision != nodeRevision(state)
    }

    /// Returns a number that changes when a change of nodes may change which events match.
    private static func nodeRevision(_ state: borrowing State) -> UInt64 {
        state.programs.reduce(state.filterRevision) { sum, program in
            sum &+ program.forest.totals.eventCount &+ program.forest.totals.evictedCount
        }
    }

    /// Returns the filter that the present state asks for.
    static func currentFilter(_ state: borrowing State) -> EventFilter {
        EventFilter(
            state.filter.query, dims: state.filter.dims, scope: state.events.scope, level: state.events.level,
            processes: state.processKeys)
    }

    /// Adds to the index the rows that arrived since the last update. Begins a new index if the filter, the scope, the
    /// level or the programs changed.
    static func updateIndex(_ state: inout State) {
        let kept = keptRows(state)
        if isFilterStale(state) {
            state.events.indexFilter = currentFilter(state)
            state.events.index = EventIndex(ends: kept.map(\.upperBound))
            state.events.renewal = nil
            state.events.nodeRevision = nodeRevision(state)
            state.events.renewed = state.wall
            extendIndex(kept, budget: budget, &state)
        } else {
            extendIndex(kept, budget: 0, &state)
        }
    }

    /// Returns whether the index was made with another filter than the state asks for.
    private static func isFilterStale(_ state: borrowing State) -> Bool {
        guard let current = state.events.indexFilter else { return true }
        return current.query != state.filter.query || current.dims != state.filter.dims
            || current.scope != state.events.scope || current.level != state.events.level
            || current.processes != state.processKeys
    }

    /// Tests a slice of the kept rows that were not tested yet. Once all are tested, tests a slice of a renewal that is
    /// due. Returns whether the rows on the screen may have changed.
    static func tick(_ state: inout State) -> Bool {
        guard !isFilterStale(state), let filter = state.events.indexFilter else {
            return false
        }
        let kept = keptRows(state)
        guard state.events.index.isComplete(kept) else {
            extendIndex(kept, budget: budget, &state)
            return true
        }
        guard filter.dependsOnNodes else { return false }
        // A renewal is due immediately while the clocks of all programs are stopped, because `wall` may stand still.
        let isDue =
            state.programs.allSatisfy(\.isClockStopped) || state.wall &- state.events.renewed >= renewalInterval
        if isDue, state.events.renewal == nil, state.events.nodeRevision != nodeRevision(state) {
            state.events.nodeRevision = nodeRevision(state)
            state.events.renewed = state.wall
            state.events.renewal = EventIndex(ends: kept.map(\.upperBound))
        }
        guard var renewal = state.events.renewal else { return false }
        // The state's renewal is cleared, because a second reference would make the change copy the entries.
        state.events.renewal = nil
        extend(&renewal, kept, budget: renewalBudget, state)
        guard renewal.isComplete(kept) else {
            state.events.renewal = renewal
            return false
        }
        let hasChanged = renewal.entries != state.events.index.entries
        state.events.index = renewal
        return hasChanged
    }

    /// Extends the index on the screen.
    private static func extendIndex(_ kept: [Range<UInt64>], budget: Int, _ state: inout State) {
        // `extend` also reads the state, so the index is taken out of the state, by a swap, which copies no entries.
        var index = EventIndex(ends: [])
        swap(&index, &state.events.index)
        extend(&index, kept, budget: budget, state)
        state.events.index = index
    }

    /// Drops rows that are no longer kept, tests all new rows, then older rows backwards with what is left of the
    /// budget. If a program has more than ``budget`` new rows, its part of the index begins anew from the newest row.
    private static func extend(
        _ index: inout EventIndex, _ kept: [Range<UInt64>], budget: Int, _ state: borrowing State
    ) {
        guard let filter = state.events.indexFilter else { return }
        index.prune(kept)
        var rest = budget
        for programIndex in kept.indices {
            let end = index.covered[programIndex].upperBound
            let new = end..<max(end, kept[programIndex].upperBound)
            if new.count > Self.budget {
                index.restart(programIndex, at: new.upperBound)
                // The loop below tests these rows, even if the caller gave no budget.
                rest = max(rest, Self.budget)
            } else if !new.isEmpty {
                test(new, of: programIndex, filter, into: &index, state)
                rest -= new.count
            }
        }
        let share = max(1, max(0, rest) / max(1, kept.count))
        for programIndex in kept.indices where rest > 0 {
            let end = index.covered[programIndex].lowerBound
            let start = max(kept[programIndex].lowerBound, end - min(end, UInt64(share)))
            if start < end { test(start..<end, of: programIndex, filter, into: &index, state) }
        }
    }

    /// Tests rows of a program, and adds to the index the rows that are shown.
    private static func test(
        _ rows: Range<UInt64>, of programIndex: Int, _ filter: EventFilter, into index: inout EventIndex,
        _ state: borrowing State
    ) {
        var found: [EventIndex.Entry] = []
        let offset = state.programs[programIndex].wallOffset
        let ring = state.programs[programIndex].insight.events
        func add(_ time: UInt64, _ number: UInt64) {
            found.append(EventIndex.Entry(time: time &+ offset, programIndex: programIndex, number: number))
        }
        if !filter.dependsOnNodes {
            found.reserveCapacity(rows.count)
            ring.forEach(in: rows) { number, time, event in
                if filter.restrictsKinds {
                    if let event {
                        guard filter.shows(event.kind) else { return }
                    } else {
                        guard case .note(let note)? = ring.row(number), filter.shows(note) else { return }
                    }
                }
                add(time, number)
            }
        } else {
            let forest = state.programs[programIndex].forest
            var root: NodeIndex?
            if let scope = filter.scope, let found = state.find(scope), found.programIndex == programIndex {
                root = forest.root(of: found.node)
            }
            // Notes are not shown here, because they belong to no node.
            ring.forEach(in: rows) { number, time, event in
                guard let event, filter.shows(event.kind) else { return }
                let node = forest.index(of: event.node)
                if filter.scope != nil {
                    guard let node, let root, forest.root(of: node) == root else { return }
                }
                let isMatch =
                    !filter.hides || filter.matchesWord(of: event.kind)
                    || node.map { state.filterMatches($0, in: programIndex) } ?? false
                guard isMatch else { return }
                add(time, number)
            }
        }
        index.add(found, rows, of: programIndex)
    }

    /// Returns whether an entry is an event that matches the query, for dimming and for going to matches. Notes and
    /// dropped rows do not match.
    static func isMatch(_ entry: EventIndex.Entry, _ filter: EventFilter, _ state: borrowing State) -> Bool {
        guard case .event(let event, _)? = row(of: entry, state) else { return false }
        guard filter.query?.selects(event.kind) ?? true else { return false }
        if filter.matchesWord(of: event.kind) || filter.query?.matchesAllNodes == true { return true }
        guard let node = state.programs[entry.programIndex].forest.index(of: event.node) else { return false }
        return state.filterMatches(node, in: entry.programIndex)
    }
}
