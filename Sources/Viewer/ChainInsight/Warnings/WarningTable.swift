// SPDX-License-Identifier: MIT

import ChainModel

/// The warnings of one forest.
///
/// Faults (``WarningKind/isFault``) are found among changed nodes. Conditions that depend on time are found by sweeps,
/// in slices and at most twice a second. A sweep examines changed and due nodes (a list of six bits for each node) or,
/// at intervals, all nodes. A warning ends when its node changes and the condition no longer holds, or with a later
/// sweep.
package struct WarningTable: Sendable {
    /// The maximum number of kept warnings of a kind; warnings beyond that number are only counted.
    package static let keptLimit = WarningList.limit

    /// Increases with each change of the warnings.
    package internal(set) var revision: UInt64 = 0

    var rules = WarningRules(WarningOptions())
    var lists = Array(repeating: WarningList(), count: WarningKind.allCases.count)
    /// By node, the kinds of its warnings that a change of the node may end, with one bit for each kind.
    var held: [NodeID: WarningBits] = [:]
    /// The slots of nodes that were searched for faults because they may have some, so that their eviction does not
    /// report the faults again.
    var reported = SlotSet()
    /// The slots of the nodes in `held`, and some outdated slots: a quick filter for changed nodes.
    var heldSlots = SlotSet()
    /// The nodes that the next sweep examines.
    var watch = WatchList()
    var dismissed: Set<Warning.ID> = []
    /// The maximum number of warnings that were kept after any tick.
    private var keptHighWater = 0
    /// How many lost events the user has dismissed.
    var dismissedLossCount: UInt64 = 0
    /// Races that were decided before all members settled.
    var races: Set<NodeID> = []
    var sweep: WarningSweep?
    /// Whether something changed since the last sweep began.
    var hasChangedSinceSweep = true
    /// Whether something changed since the last whole sweep began.
    var hasChangedSinceWholeSweep = true
    /// Whether the next sweep has to search for faults, because not every change was listed.
    var needsFaultSearch = true
    /// When the last sweep began, in nanoseconds of the process's clock.
    var sweepBegan: UInt64?
    /// The least time from `sweepBegan` to the beginning of the next sweep, in nanoseconds.
    var pause: UInt64 = 0
    /// When the last whole sweep began, in nanoseconds of the process's clock.
    var wholeBegan: UInt64?
    /// When a sweep is due although nothing changes; nil for never.
    var nextDue: UInt64?
    /// By root, how many nodes its chain had at its last depth search, and whether it was too deep.
    var depths: [NodeID: (nodeCount: Int, isDeep: Bool)] = [:]

    /// The maximum number of stored dismissals. Beyond this limit all dismissals are forgotten, and the warnings may
    /// come back.
    static let dismissedLimit = 10_000
    static let raceLimit = 4_096

    /// Makes an empty table.
    package init() {}

    /// Returns the kept warnings of a kind: first the warnings that hold, longest first, then recently ended warnings.
    /// O(n log n).
    package func warnings(of kind: WarningKind) -> [Warning] { lists[kind.index].sorted }

    /// One warning, if it is kept.
    package subscript(_ id: Warning.ID) -> Warning? { lists[id.kind.index].kept[id.node] }

    /// Returns the kept warnings that hold for one node, the worst first. O(kinds).
    package func warnings(of node: NodeID) -> [Warning] {
        WarningKind.byWeight.compactMap { lists[$0.index].kept[node] }.filter { $0.ended == nil }
    }

    /// Returns how many warnings of a kind hold.
    package func count(of kind: WarningKind) -> Int { lists[kind.index].count }

    /// Returns the ``Warning/serial`` of the last warning of a kind that was found; 0 if none was found.
    package func lastSerial(of kind: WarningKind) -> UInt64 { lists[kind.index].serial }

    /// How many warnings of all kinds hold.
    package var count: Int { lists.reduce(0) { $0 + $1.count } }

    /// The kinds of kept warnings that hold, by node, with one bit for each kind: for ``QueryMatcher/warnings``. O(kept
    /// warnings).
    package var kindsByNode: [NodeID: WarningBits] {
        lists.indices.reduce(into: [:]) { kinds, index in
            for warning in lists[index].kept.values where warning.ended == nil {
                kinds[warning.node, default: 0] |= warning.kind.bit
            }
        }
    }

    /// Whether one tick per second suffices, because nothing but the passing of time can change the warnings.
    package var isIdle: Bool { sweep == nil && !hasChangedSinceSweep && !needsFaultSearch }

    /// Whether a sweep is under way, for which ``tick(_:now:options:budget:)`` is to be called again soon.
    package var isSweeping: Bool { sweep != nil }

    /// The sizes of the tables of kept warnings, dismissed warnings and races with losers.
    package var queueStatistics: [QueueStatistics] {
        let kept = lists.reduce(0) { $0 + $1.kept.count }
        return [
            QueueStatistics(
                name: "warnings", count: kept, highWaterMark: keptHighWater, limit: lists.count * Self.keptLimit),
            QueueStatistics(
                name: "dismissed warnings", count: dismissed.count, highWaterMark: dismissed.count,
                limit: Self.dismissedLimit),
            QueueStatistics(
                name: "races with losers", count: races.count, highWaterMark: races.count, limit: Self.raceLimit),
        ]
    }

    // MARK: Updating

    /// Applies changes: some nanoseconds for each node.
    package mutating func update(with changes: ForestChanges, of forest: ChainForest, now: UInt64) {
        guard !changes.isEverything else {
            (needsFaultSearch, hasChangedSinceSweep, hasChangedSinceWholeSweep, sweep) = (true, true, true, nil)
            reported.removeAll()
            // The search for faults will count the faults that are not kept.
            for kind in WarningKind.all where kind.isFault { lists[kind.index].recount() }
            return
        }
        if !changes.nodes.isEmpty || !changes.evicted.isEmpty || changes.includesBatch {
            (hasChangedSinceSweep, hasChangedSinceWholeSweep) = (true, true)
        }
        watch.reserve(forest.indexBound)
        changes.evicted.withUnsafeBufferPointer { evicted in
            for index in evicted.indices { update(evicted[index], forest, now) }
        }
        changes.nodes.withUnsafeBufferPointer { entries in
            for index in entries.indices { update(entries[index], forest, now) }
        }
    }

    @inline(__always)
    private mutating func update(_ entry: ForestChanges.Entry, _ forest: borrowing ChainForest, _ now: UInt64) {
        let slot = entry.index.rawValue
        watch(entry, forest)
        if entry.changes.contains(.state), !entry.state.isLive, entry.traits.contains(.mayHaveLinks) {
            watchHolders(of: entry.index, forest)
        }
        if entry.traits.contains(.needsAttention) {
            let view = forest.node(entry.index)
            noteReported(view)
            recordFaults(view, forest)
        }
        if heldSlots.contains(slot), case let view = forest.node(entry.index), let kinds = held[view.id] {
            retest(view, kinds, forest, now)
        }
    }

    private mutating func update(
        _ eviction: ForestChanges.Eviction, _ forest: ChainForest, _ now: UInt64
    ) {
        // Faults are recorded once only: an evicted node has no links, so it looks like the origin of faults that
        // followed from other nodes.
        let wasReported = reported.remove(eviction.node.index.rawValue)
        if eviction.needsAttention, !wasReported { recordFaults(eviction.node, forest) }
        if heldSlots.contains(eviction.node.index.rawValue), let kinds = held[eviction.id] {
            end(eviction.id, kinds, now)
        }
    }

    /// Notes in ``reported`` that the faults of a node were searched for, if the node may have any.
    mutating func noteReported(_ view: NodeView) {
        guard view.state == .abandoned || !view.marks.isDisjoint(with: WarningRules.faultMarks) else { return }
        _ = reported.insert(view.index.rawValue)
    }

    private mutating func recordFaults(_ view: NodeView, _ forest: ChainForest) {
        let kinds = rules.faults(of: view, forest)
        if kinds != 0 {
            for kind in WarningKind.all where kinds & kind.bit != 0 {
                guard !lists[kind.index].has(view.id) else { continue }
                var warning = Warning(kind, view.id, since: rules.since(kind, view, now: forest.now))
                guard !isDismissed(warning.id) else { continue }
                describe(&warning, view, forest)
                if lists[kind.index].add(warning) { revision += 1 }
            }
        }
        if rules.isDecided(view) { watchRace(view, forest) }
    }

    /// Stores in a warning the facts about the node that its row shows. The label of an evicted node is lost.
    func describe(_ warning: inout Warning, _ view: NodeView, _ forest: ChainForest) {
        let index = forest.index(of: view.id)
        warning.describe(view, label: index.flatMap { forest.label(of: $0) }, site: forest.sites[view.site])
    }

    /// Adds a decided race to `races` if some of its members have not settled.
    mutating func watchRace(_ view: NodeView, _ forest: ChainForest) {
        guard rules.isEnabled(.raceLoserRunning), races.count < Self.raceLimit, !races.contains(view.id),
            forest.index(of: view.id) == view.index
        else { return }
        let hasLosers = forest.targets(of: view.index).contains {
            $0.role == .hasMember && forest.state(of: $0.node).isLive
        }
        if hasLosers { races.insert(view.id) }
    }

    // MARK: Ending

    private mutating func end(_ node: NodeID, _ kinds: WarningBits, _ now: UInt64) {
        for kind in WarningKind.all where kinds & kind.bit != 0 { lists[kind.index].end(node, at: now) }
        held[node] = nil
        revision += 1
    }

    /// Ends the warnings of a changed node that no longer hold.
    private mutating func retest(_ view: NodeView, _ kinds: WarningBits, _ forest: ChainForest, _ now: UInt64) {
        var ended: WarningBits = 0
        for kind in WarningKind.all where kinds & kind.bit != 0 {
            guard let warning = lists[kind.index].kept[view.id] else { continue }
            if !rules.holds(warning, of: view, forest, now: now) {
                lists[kind.index].end(view.id, at: now)
                ended |= kind.bit
                revision += 1
            }
        }
        let rest = kinds & ~ended
        held[view.id] = rest == 0 ? nil : rest
    }

    // MARK: Time

    /// Expires ended warnings, and begins or continues a sweep if one is due. Returns whether any warning changed.
    ///
    /// - Parameter budget: How much the sweep examines. A node without rules to test counts as 1, some 15 ns.
    @discardableResult
    package mutating func tick(
        _ forest: ChainForest, now: UInt64, options: WarningOptions, budget: Int = 16_384
    ) -> Bool {
        let before = revision
        if options != rules.options { apply(options) }
        for index in lists.indices where lists[index].expire(at: now) { revision += 1 }
        recordLostEvents(forest, now)
        continueSweep(forest, now, budget)
        if revision != before { keptHighWater = max(keptHighWater, lists.reduce(0) { $0 + $1.kept.count }) }
        return revision != before
    }

    private mutating func apply(_ options: WarningOptions) {
        rules = WarningRules(options)
        for kind in WarningKind.all where !rules.isEnabled(kind) {
            lists[kind.index].removeAll()
            for node in held.keys { held[node]? &= ~kind.bit }
        }
        held = held.filter { $0.value != 0 }
        sweep = nil
        (hasChangedSinceSweep, hasChangedSinceWholeSweep, needsFaultSearch, sweepBegan) = (true, true, true, nil)
        depths = [:]
        revision += 1
    }

    private mutating func recordLostEvents(_ forest: ChainForest, _ now: UInt64) {
        let lost = forest.lostCount
        guard rules.isEnabled(.lostEvents), lost > dismissedLossCount else { return }
        let amount = lost - dismissedLossCount
        let index = WarningKind.lostEvents.index
        if let known = lists[index].kept[.none] {
            guard known.amount != amount else { return }
            lists[index].setAmount(amount, of: .none)
        } else {
            _ = lists[index].add(Warning(.lostEvents, .none, since: now, amount: amount))
        }
        revision += 1
    }
}
