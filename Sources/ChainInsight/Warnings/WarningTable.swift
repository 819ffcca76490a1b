import ChainEvents
import ChainModel

/// What looks wrong in one forest, kept up all the time.
///
/// What is about a moment (``WarningKind/isFault``) is found among the nodes that changed. What depends on time is found by
/// looks, in slices and at most twice a second, and only while something may be another than before: at who changed or is
/// due, two bits of memory a node, and now and then at everything. What was found goes as soon as its node changes and it
/// holds no more.
public struct WarningTable: Sendable {
    /// How many warnings are kept of a kind; all are counted.
    public static let keptLimit = WarningList.limit

    /// Changes with whatever can be seen.
    public internal(set) var revision: UInt64 = 0

    var rules = WarningRules(WarningOptions())
    var lists = Array(repeating: WarningList(), count: WarningKind.allCases.count)
    /// Nodes of which something holds that their next change may end, and what: a bit a kind.
    var held: [NodeID: UInt16] = [:]
    /// Where these are, and others: most nodes that change are told apart from them by this.
    var heldSlots = SlotSet()
    /// Who is to be looked at next.
    var watch = WatchList()
    private var dismissed: Set<Warning.ID> = []
    /// The most warnings that were kept at a tick.
    private var keptHighWater = 0
    private var dismissedLossCount: UInt64 = 0
    /// Races that were decided before all members had settled.
    var races: Set<NodeID> = []
    var sweep: WarningSweep?
    /// Whether something changed since the last look began, and since the last one at everything did.
    var isStale = true, isBehind = true
    /// Whether the next look has to find marks, too: not every change was told.
    var misses = true
    var sweepBegan: UInt64?
    /// The least time from then to the beginning of the next one, in nanoseconds.
    var pause: UInt64 = 0
    var wholeBegan: UInt64?
    /// When something comes to hold by the passing of time alone.
    var nextDue: UInt64?
    /// By root, how many nodes its chain had when it was last looked through, and whether it was too deep.
    var depths: [NodeID: (nodeCount: Int, isDeep: Bool)] = [:]

    private static let dismissedLimit = 10_000
    static let raceLimit = 4_096

    /// Nothing found yet.
    public init() {}

    /// The warnings of a kind that are kept, since longest first; at the end those that held until lately. O(n log n).
    public func warnings(of kind: WarningKind) -> [Warning] { lists[kind.place].sorted }

    /// One warning, if it is kept.
    public subscript(_ id: Warning.ID) -> Warning? { lists[id.kind.place].kept[id.node] }

    /// The warnings that hold of one node, the worst first. O(kinds).
    public func warnings(of node: NodeID) -> [Warning] {
        WarningKind.byWeight.compactMap { lists[$0.place].kept[node] }.filter { $0.ended == nil }
    }

    /// How many warnings of a kind hold.
    public func count(of kind: WarningKind) -> Int { lists[kind.place].count }

    /// What reading ahead gave; nobody needs it.
    var warmed: UInt64 = 0

    /// How many warnings hold.
    public var count: Int { lists.reduce(0) { $0 + $1.count } }

    /// Whether it is enough to let time go on once a second: what comes then comes by time alone, or not at all.
    public var isIdle: Bool { sweep == nil && !isStale && !misses && !lists.contains { $0.hasHistory } }

    /// Whether a look at everything is under way, for which ``tick(_:now:options:budget:)`` is to be called again soon.
    public var isSweeping: Bool { sweep != nil }

    /// What is kept of warnings, and of nodes for them.
    public var queueStatistics: [QueueStatistics] {
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

    // MARK: Taking away

    /// Takes a warning away that somebody has seen: it does not come back for this node. Losses come back as they go on.
    public mutating func dismiss(_ id: Warning.ID) {
        guard let warning = self[id] else { return }
        remember(warning)
        lists[id.kind.place].remove(id.node)
        if !id.kind.isFault { held[id.node]? &= ~id.kind.bit }
        revision += 1
    }

    /// Takes all of a kind away that are kept.
    public mutating func dismissAll(of kind: WarningKind) {
        for warning in lists[kind.place].kept.values {
            remember(warning)
            if !kind.isFault { held[warning.node]? &= ~kind.bit }
        }
        lists[kind.place].removeAll()
        revision += 1
    }

    private mutating func remember(_ warning: Warning) {
        if warning.kind == .lostEvents { dismissedLossCount = dismissedLossCount.addingClamped(warning.amount) }
        guard warning.node != .none else { return }
        if dismissed.count >= Self.dismissedLimit { dismissed.removeAll() }
        dismissed.insert(warning.id)
    }

    func isDismissed(_ id: Warning.ID) -> Bool { !dismissed.isEmpty && dismissed.contains(id) }

    // MARK: Following

    /// Takes in what changed: some nanoseconds a node.
    public mutating func update(with changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        guard !changes.isEverything else {
            (misses, isStale, isBehind, sweep) = (true, true, true, nil)
            for kind in WarningKind.all where kind.isFault { lists[kind.place].recount() }
            return
        }
        if !changes.nodes.isEmpty || !changes.evicted.isEmpty || changes.tables { (isStale, isBehind) = (true, true) }
        watch.reserve(forest.indexBound)
        changes.evicted.withUnsafeBufferPointer { evicted in
            for place in evicted.indices { update(evicted[place], forest, now) }
        }
        changes.nodes.withUnsafeBufferPointer { entries in
            for place in entries.indices { update(entries[place], forest, now) }
        }
    }

    @inline(__always)
    private mutating func update(_ entry: ForestChanges.Entry, _ forest: borrowing ChainForest, _ now: UInt64) {
        let slot = entry.index.rawValue
        watch(entry, forest)
        if entry.changes.contains(.state), !entry.state.isLive { watchHolders(of: entry.index, forest) }
        if entry.traits.contains(.needsAttention) { noteMoments(forest.node(entry.index), forest) }
        if heldSlots.contains(slot), case let view = forest.node(entry.index), let kinds = held[view.id] {
            check(view, kinds, forest, now)
        }
    }

    @inline(__always)
    private mutating func update(
        _ eviction: ForestChanges.Eviction, _ forest: borrowing ChainForest, _ now: UInt64
    ) {
        if eviction.needsAttention { noteMoments(eviction.node, forest) }
        if heldSlots.contains(eviction.node.index.rawValue), let kinds = held[eviction.id] {
            end(eviction.id, kinds, now)
        }
    }

    /// Takes in what a node's marks and state say for ever.
    private mutating func noteMoments(_ view: NodeView, _ forest: borrowing ChainForest) {
        let kinds = rules.moments(of: view)
        if kinds != 0 {
            for kind in WarningKind.all where kinds & kind.bit != 0 {
                guard lists[kind.place].kept[view.id] == nil else { continue }
                var warning = Warning(kind, view.id, since: rules.since(kind, view, now: forest.now))
                guard !isDismissed(warning.id) else { continue }
                remember(&warning, view, forest)
                if lists[kind.place].add(warning) { revision += 1 }
            }
        }
        if rules.isDecided(view) { noteRace(view, forest) }
    }

    /// Of one that is evicted the label is gone.
    func remember(_ warning: inout Warning, _ view: NodeView, _ forest: borrowing ChainForest) {
        let index = forest.index(of: view.id)
        warning.remember(view, label: index.flatMap { forest.label(of: $0) }, site: forest.sites[view.site])
    }

    /// Keeps a decided race in mind whose members have not all settled.
    mutating func noteRace(_ view: NodeView, _ forest: borrowing ChainForest) {
        guard rules.tells(.raceLoserRunning), races.count < Self.raceLimit, !races.contains(view.id),
            forest.index(of: view.id) == view.index
        else { return }
        let hasLosers = forest.targets(of: view.index).contains {
            $0.role == .hasMember && forest.state(of: $0.node).isLive
        }
        if hasLosers { races.insert(view.id) }
    }

    // MARK: What holds no more

    private mutating func end(_ node: NodeID, _ kinds: UInt16, _ now: UInt64) {
        for kind in WarningKind.all where kinds & kind.bit != 0 { lists[kind.place].end(node, at: now) }
        held[node] = nil
        revision += 1
    }

    private mutating func check(_ view: NodeView, _ kinds: UInt16, _ forest: borrowing ChainForest, _ now: UInt64) {
        var gone: UInt16 = 0
        for kind in WarningKind.all where kinds & kind.bit != 0 {
            guard let warning = lists[kind.place].kept[view.id] else { continue }
            if !rules.holds(warning, of: view, forest, now: now) {
                lists[kind.place].end(view.id, at: now)
                gone |= kind.bit
                revision += 1
            }
        }
        let rest = kinds & ~gone
        held[view.id] = rest == 0 ? nil : rest
    }

    // MARK: Time

    /// Lets time go on: looks at a slice of everything where that is due. True if anything that can be seen is another.
    ///
    /// - Parameter budget: How much is looked at; some 15 ns each.
    @discardableResult
    public mutating func tick(
        _ forest: borrowing ChainForest, now: UInt64, options: WarningOptions, budget: Int = 16_384
    ) -> Bool {
        let before = revision
        if options != rules.options { take(options) }
        for place in lists.indices where lists[place].expire(at: now) { revision += 1 }
        noteLoss(forest, now)
        goOn(forest, now, budget)
        if revision != before { keptHighWater = max(keptHighWater, lists.reduce(0) { $0 + $1.kept.count }) }
        return revision != before
    }

    private mutating func take(_ options: WarningOptions) {
        rules = WarningRules(options)
        for kind in WarningKind.all where !rules.tells(kind) {
            lists[kind.place].removeAll()
            for node in held.keys { held[node]? &= ~kind.bit }
        }
        held = held.filter { $0.value != 0 }
        sweep = nil
        (isStale, isBehind, misses, sweepBegan) = (true, true, true, nil)
        depths = [:]
        revision += 1
    }

    private mutating func noteLoss(_ forest: borrowing ChainForest, _ now: UInt64) {
        let lost = forest.lostCount
        guard rules.tells(.lostEvents), lost > dismissedLossCount else { return }
        let amount = lost - dismissedLossCount
        let place = WarningKind.lostEvents.place
        if let known = lists[place].kept[.none] {
            guard known.amount != amount else { return }
            lists[place].setAmount(amount, of: .none)
        } else {
            _ = lists[place].add(Warning(.lostEvents, .none, since: now, amount: amount))
        }
        revision += 1
    }
}
