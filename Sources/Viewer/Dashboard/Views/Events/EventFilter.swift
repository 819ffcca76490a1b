// SPDX-License-Identifier: MIT

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
    func keptRows(_ context: ViewContext) -> [Range<UInt64>] {
        let limit = rowLimit(context)
        return context.programs.map { $0.insight.events.rows(limit: limit) }
    }

    /// Returns the maximum number of rows of each program that are shown.
    func rowLimit(_ context: ViewContext) -> Int {
        min(EventsInsight.limit, max(1_000, Self.indexLimit / max(1, context.programs.count)))
    }

    /// Returns whether there are kept rows that were not tested yet.
    func isIncomplete(_ context: ViewContext) -> Bool {
        !index.isComplete(keptRows(context))
    }

    func isIdle(_ context: ViewContext) -> Bool { !isIncomplete(context) && !needsRenewal(context) }

    mutating func forgetRows() { indexFilter = nil }

    /// Returns whether a renewal of the index is needed or under way, because nodes changed and other events may match.
    func needsRenewal(_ context: ViewContext) -> Bool {
        guard indexFilter?.dependsOnNodes == true else { return false }
        return renewal != nil || nodeRevision != currentNodeRevision(context)
    }

    /// Returns a number that changes when a change of nodes may change which events match.
    private func currentNodeRevision(_ context: ViewContext) -> UInt64 {
        context.programs.reduce(context.filterRevision) { sum, program in
            sum &+ program.forest.totals.eventCount &+ program.forest.totals.evictedCount
        }
    }

    /// Returns the filter that the present state asks for.
    func currentFilter(_ context: ViewContext) -> EventFilter {
        EventFilter(
            context.filter.query, dims: context.filter.dims, scope: scope, level: level,
            processes: context.processKeys)
    }

    /// Adds to the index the rows that arrived since the last update. Begins a new index if the filter, the scope, the
    /// level or the programs changed.
    mutating func updateIndex(_ context: ViewContext) {
        let kept = keptRows(context)
        if isFilterStale(context) {
            indexFilter = currentFilter(context)
            index = EventIndex(ends: kept.map(\.upperBound))
            renewal = nil
            nodeRevision = currentNodeRevision(context)
            renewed = context.wall
            extendIndex(kept, budget: Self.budget, context)
        } else {
            extendIndex(kept, budget: 0, context)
        }
    }

    /// Returns whether the index was made with another filter than the state asks for.
    private func isFilterStale(_ context: ViewContext) -> Bool {
        guard let current = indexFilter else { return true }
        return current.query != context.filter.query || current.dims != context.filter.dims
            || current.scope != scope || current.level != level
            || current.processes != context.processKeys
    }

    /// Tests a slice of the kept rows that were not tested yet. Once all are tested, tests a slice of a renewal that is
    /// due. Returns whether the rows on the screen may have changed.
    mutating func tick(_ context: ViewContext) -> Bool {
        guard !isFilterStale(context), let filter = indexFilter else {
            return false
        }
        let kept = keptRows(context)
        guard index.isComplete(kept) else {
            extendIndex(kept, budget: Self.budget, context)
            return true
        }
        guard filter.dependsOnNodes else { return false }
        // A renewal is due immediately while the clocks of all programs are stopped, because `wall` may stand still.
        let isDue =
            context.programs.allSatisfy(\.isClockStopped) || context.wall &- renewed >= Self.renewalInterval
        if isDue, renewal == nil, nodeRevision != currentNodeRevision(context) {
            nodeRevision = currentNodeRevision(context)
            renewed = context.wall
            renewal = EventIndex(ends: kept.map(\.upperBound))
        }
        guard var renewal else { return false }
        // The view's renewal is cleared, because a second reference would make the change copy the entries.
        self.renewal = nil
        extend(&renewal, kept, budget: Self.renewalBudget, context)
        guard renewal.isComplete(kept) else {
            self.renewal = renewal
            return false
        }
        let hasChanged = renewal.entries != index.entries
        index = renewal
        return hasChanged
    }

    /// Extends the index on the screen.
    private mutating func extendIndex(_ kept: [Range<UInt64>], budget: Int, _ context: ViewContext) {
        // `extend` also reads the view, so the index is taken out of it, by a swap, which copies no entries.
        var index = EventIndex(ends: [])
        swap(&index, &self.index)
        extend(&index, kept, budget: budget, context)
        self.index = index
    }

    /// Drops rows that are no longer kept, tests all new rows, then older rows backwards with what is left of the
    /// budget. If a program has more than ``budget`` new rows, its part of the index begins anew from the newest row.
    private func extend(
        _ index: inout EventIndex, _ kept: [Range<UInt64>], budget: Int, _ context: ViewContext
    ) {
        guard let filter = indexFilter else { return }
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
                test(new, of: programIndex, filter, into: &index, context)
                rest -= new.count
            }
        }
        let share = max(1, max(0, rest) / max(1, kept.count))
        for programIndex in kept.indices where rest > 0 {
            let end = index.covered[programIndex].lowerBound
            let start = max(kept[programIndex].lowerBound, end - min(end, UInt64(share)))
            if start < end { test(start..<end, of: programIndex, filter, into: &index, context) }
        }
    }

    /// Tests rows of a program, and adds to the index the rows that are shown.
    private func test(
        _ rows: Range<UInt64>, of programIndex: Int, _ filter: EventFilter, into index: inout EventIndex,
        _ context: ViewContext
    ) {
        var found: [EventIndex.Entry] = []
        let offset = context.programs[programIndex].wallOffset
        let ring = context.programs[programIndex].insight.events
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
            let forest = context.programs[programIndex].forest
            var root: NodeIndex?
            if let scope = filter.scope, let found = context.find(scope), found.programIndex == programIndex {
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
                    || node.map { context.filterMatches($0, in: programIndex) } ?? false
                guard isMatch else { return }
                add(time, number)
            }
        }
        index.add(found, rows, of: programIndex)
    }

    /// Returns whether an entry is an event that matches the query, for dimming and for going to matches. Notes and
    /// dropped rows do not match.
    func isMatch(_ entry: EventIndex.Entry, _ filter: EventFilter, _ context: ViewContext) -> Bool {
        guard case .event(let event, _)? = row(of: entry, context) else { return false }
        guard filter.query?.selects(event.kind) ?? true else { return false }
        if filter.matchesWord(of: event.kind) || filter.query?.matchesAllNodes == true { return true }
        guard let node = context.programs[entry.programIndex].forest.index(of: event.node) else { return false }
        return context.filterMatches(node, in: entry.programIndex)
    }
}
