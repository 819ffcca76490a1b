import ChainModel

// The order of the chains. Changed chains are repositioned once a second, so that rows do not jump about. A new order
// is made in slices beside the old order.
extension RowModel {
    struct Order {
        /// The order that was set; the lists are in it unless ``pendingSort`` is set.
        var wanted = TreeOrder()
        /// The ranks of the order that the lists are in.
        var rank = SortRank(order: TreeOrder())
        var groups = GroupTable()
        /// Groups that the user unfolded.
        var unfoldedSites: Set<CodeLocation> = []
        /// The sort that makes the wanted order.
        var pendingSort: IncrementalSort?
        /// Storage of old orders. A slice frees one part: with a million chains that takes a millisecond or two.
        var retiredStorage: [Any] = [] {
            didSet {
                if retiredStorage.count > Self.retiredStorageLimit {
                    retiredStorage.removeFirst(retiredStorage.count - Self.retiredStorageLimit)
                }
                retiredHighWater = max(retiredHighWater, retiredStorage.count)
            }
        }
        private(set) var retiredHighWater = 0
        /// The limit of ``retiredStorage``; past it the oldest parts are freed immediately.
        static let retiredStorageLimit = 256
        /// Chains to reposition. The queue may have evicted and repeated chains; a full queue drops them.
        var outdated = Queue<NodeIndex>()
        /// How many chains of ``outdated``, from the first on, are to be repositioned in the next slices.
        var dueCount = 0
        let leastOutdatedLimit: Int
        /// The limit of ``outdated``: twice the number of chains, but at least ``leastOutdatedLimit``.
        var outdatedLimit: Int
        var outdatedHighWater = 0
        /// The most changes that a sort had to catch up with.
        var catchUpHighWater = 0
        /// The second of the wall clock in which the order was last advanced.
        var second: UInt64 = 0
        /// The moment at which growing durations are compared, in nanoseconds of the program's clock.
        var moment: UInt64 = 0

        init(queueLimit: Int = RowModel.leastQueueLimit) {
            leastOutdatedLimit = queueLimit
            outdatedLimit = queueLimit
        }

        var shown: TreeOrder { rank.order }
        var isGrouped: Bool { shown.isGrouped }
        var isSorting: Bool { pendingSort != nil }
        /// Whether a chain waits to be repositioned, or a sort is under way.
        var isBusy: Bool { pendingSort != nil || !outdated.isEmpty }
        /// Whether a slice has anything to do.
        var hasWork: Bool { pendingSort != nil || dueCount > 0 }
        /// Whether storage of old orders is still to be freed.
        var hasRetiredStorage: Bool { !retiredStorage.isEmpty }
        /// Whether an event may move a chain, in the order of the lists or in the order that is being made.
        @inline(__always) var eventsMoveChains: Bool {
            rank.order.column != .start || rank.order.isGrouped || pendingSort != nil && eventsMoveChainsInPendingSort
        }

        /// Whether an event may move a chain in the order that is being made. Not inlined, because reading
        /// `pendingSort` copies it.
        @inline(never) private var eventsMoveChainsInPendingSort: Bool {
            (pendingSort?.rank.order.column ?? .start) != .start || pendingSort?.rank.order.isGrouped ?? false
        }

        /// Returns the key of a chain in the order of the lists; adds its group if the group is new.
        mutating func key(
            of root: NodeIndex, id: UInt64, isArchived: Bool, in forest: borrowing ChainForest
        ) -> RootKey {
            let group = isGrouped ? groups.addedNumber(of: forest.node(root).site, in: forest) : 0
            return RootKey(group: group, rank: rank.rank(ofRoot: root, isArchived: isArchived, in: forest), id: id)
        }
    }

    /// How many chains a slice repositions: 0.2 ms, or 0.4 ms with cold caches.
    static let repositionLimit = 400
    /// How long a newly set order is sorted immediately, in nanoseconds.
    static let firstSortBudget = 200_000
    /// How long a slice sorts, in nanoseconds.
    static let sortBudget = 1_500_000

    // MARK: Setting the order

    /// Sets the order. A small forest is sorted immediately, a large forest in slices.
    package mutating func setOrder(_ wanted: TreeOrder, in forest: borrowing ChainForest, now: UInt64) {
        setOrder(wanted, in: forest, now: now, budget: Self.firstSortBudget)
    }

    /// Sets the order, and sorts for `budget` nanoseconds.
    mutating func setOrder(_ wanted: TreeOrder, in forest: borrowing ChainForest, now: UInt64, budget: Int) {
        if wanted.sortsSiblings || order.wanted.sortsSiblings {
            order.moment = now
            cachedRows = [:]
            cachedMatchRows = [:]
        }
        let didSortSiblings = sortsSiblings
        order.wanted = wanted
        if sortsSiblings != didSortSiblings { forgetLists() }
        beginSort(in: forest, now: now, budget: budget)
    }

    /// Begins to sort into the wanted order, unless the lists are in that order; drops a sort under way.
    private mutating func beginSort(in forest: borrowing ChainForest, now: UInt64, budget: Int) {
        if let pendingSort = order.pendingSort { order.retiredStorage += pendingSort.parts }
        order.pendingSort = nil
        var (shown, wanted) = (order.shown, order.wanted)
        // Compared without the order of siblings, because the lists hold roots only.
        (shown.sortsSiblings, wanted.sortsSiblings) = (false, false)
        guard shown != wanted else { return }
        let rank = SortRank(order: order.wanted, like: sample(of: forest), in: forest)
        order.pendingSort = IncrementalSort(rank)
        continueSorting(in: forest, now: now, budget: budget)
    }

    /// Returns 64 to 127 of the roots, evenly spread, or all roots if there are fewer.
    private func sample(of forest: borrowing ChainForest) -> [NodeIndex] {
        let count = forest.roots.count
        return stride(from: 0, to: count, by: max(1, count / 64)).map { forest.roots[forest.roots.index(at: $0)] }
    }

    /// Empties the lists before a rebuild, which adds all chains in the usual order.
    mutating func beginOrderAnew() {
        let old = order
        order = Order(queueLimit: old.leastOutdatedLimit)
        order.wanted = old.wanted
        order.unfoldedSites = old.unfoldedSites
        order.second = old.second
        list = GroupedLists()
        matchList = GroupedLists()
        collection = nil
    }

    /// Sorts into the wanted order after a rebuild.
    mutating func sortAnew(in forest: borrowing ChainForest, now: UInt64) {
        beginSort(in: forest, now: now, budget: Self.firstSortBudget)
    }

    /// Forgets all matches; restarts a sort under way, because it has copied the weights of matches.
    mutating func forgetMatches() {
        slots.forgetMatches()
        order.retiredStorage.append(matchList)
        matchList = GroupedLists(merge: list.merge)
        matchList.screenOrder = list.screenOrder
        if let pendingSort = order.pendingSort {
            order.retiredStorage += pendingSort.parts
            order.pendingSort = IncrementalSort(pendingSort.rank)
        }
    }

    // MARK: Changes of chains

    /// Counts an added chain in its group, and notes it in a sort under way.
    mutating func noteAdded(_ root: NodeIndex, _ chain: ChainSummary, _ slot: Int) {
        if order.isGrouped {
            let state = chain.status
            let group = slots.key(slot).group
            slots.keys.groups[UInt32(slot)] = (group << 4) | UInt32(state.rawValue)
            order.groups.count(group, state, by: 1)
            showGroups()
        }
        order.pendingSort?.noteAdded(root, slot)
    }

    /// Undoes ``noteAdded(_:_:_:)`` before a chain is removed.
    mutating func noteDropped(_ slot: Int) {
        if order.isGrouped {
            let (group, state) = Self.split(slots.keys.groups[UInt32(slot)])
            order.groups.count(group, state, by: -1)
        }
        order.pendingSort?.noteDropped(slot, id: slots.id(slot))
    }

    /// Updates the group's counts, and enqueues a chain to be repositioned, after the counts of the chain changed.
    mutating func noteChange(of root: NodeIndex, _ chain: ChainSummary, _ slot: Int) {
        guard order.eventsMoveChains else { return }
        let state = chain.status
        if order.isGrouped { Self.recount(slot, as: state, &slots.keys, &order.groups) }
        order.pendingSort?.noteState(state, slot)
        markOutdated(root)
    }

    /// Counts a chain in its group by its new status.
    static func recount(
        _ slot: Int, as state: ChainStatus, _ keys: inout ChainTable.Keys, _ groups: inout GroupTable
    ) {
        let word = keys.groups[UInt32(slot)]
        let (group, old) = split(word)
        guard old != state else { return }
        groups.count(group, old, by: -1)
        groups.count(group, state, by: 1)
        keys.groups[UInt32(slot)] = (group << 4) | UInt32(state.rawValue)
    }

    /// Returns the parts of an element of ``ChainTable/Keys/groups``.
    private static func split(_ word: UInt32) -> (group: UInt32, state: ChainStatus) {
        (word >> 4, ChainStatus(rawValue: UInt8(word & 15)) ?? .unknown)
    }

    /// Enqueues a chain to be repositioned, because its root's row may show something else. Does nothing in an order in
    /// which no event moves a chain.
    mutating func markOutdated(_ root: NodeIndex) {
        let slot = Int(slotOf[root.rawValue] - 1)
        guard order.eventsMoveChains, !slots.has(.outdated, slot) else { return }
        slots.set(.outdated, true, slot)
        order.outdatedLimit = max(order.leastOutdatedLimit, 2 * slots.count)
        if order.outdated.count >= order.outdatedLimit { dropOutdated() }
        order.outdated.append(root)
        order.outdatedHighWater = max(order.outdatedHighWater, order.outdated.count)
    }

    /// Drops evicted and repeated chains from ``Order/outdated``.
    private mutating func dropOutdated() {
        var kept: [NodeIndex] = []
        var keptDueCount = 0
        var seen: Set<NodeIndex> = []
        for (index, root) in order.outdated.contents.enumerated() {
            let number = slotOf[root.rawValue]
            guard number != 0, slots.has(.outdated, Int(number - 1)), seen.insert(root).inserted else { continue }
            kept.append(root)
            if index < order.dueCount { keptDueCount += 1 }
        }
        (order.outdated, order.dueCount) = (Queue(kept), keptDueCount)
    }

    /// Moves a chain to the archived chains, or back from them.
    mutating func setArchived(_ root: NodeIndex, _ isArchived: Bool, in forest: borrowing ChainForest) {
        let slot = Int(slotOf[root.rawValue] - 1)
        guard slots.has(.archived, slot) != isArchived else { return }
        slots.set(.archived, isArchived, slot)
        if !slots.has(.folded, slot) { unfoldedCount += isArchived ? -1 : 1 }
        if order.shown.column == .start { reposition(of: root, in: forest) } else { markOutdated(root) }
        order.pendingSort?.noteChange(root, slot)
    }

    /// Returns whether the root that has the slot at an index is still a root there. During a rebuild it may have been
    /// evicted, and another node may have its index.
    func isStillRoot(_ root: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let number = slotOf[root.rawValue]
        return number != 0 && Self.isRoot(root, id: slots.id(Int(number - 1)), in: forest)
    }

    /// Returns whether the node with an id is still at an index, and is a root.
    static func isRoot(_ index: NodeIndex, id: UInt64, in forest: borrowing ChainForest) -> Bool {
        forest.contains(NodeID(id), at: index) && forest.isRoot(index)
    }

    /// Moves a chain to the position that follows from the present state of the forest.
    mutating func reposition(of root: NodeIndex, in forest: borrowing ChainForest) {
        let slot = Int(slotOf[root.rawValue] - 1)
        let old = slots.key(slot)
        let key = order.key(of: root, id: old.id, isArchived: slots.has(.archived, slot), in: forest)
        // The pending sort notes the chain even if the key stays, because the chain may move in the new order only.
        defer { order.pendingSort?.noteChange(root, slot) }
        guard key != old else { return }
        if key.group != old.group {
            let (_, state) = Self.split(slots.keys.groups[UInt32(slot)])
            order.groups.count(old.group, state, by: -1)
            order.groups.count(key.group, state, by: 1)
            showGroups()
        }
        move(root, to: key)
    }

    /// Adds new groups to the groups on the screen.
    private mutating func showGroups() {
        guard list.screenOrder.count != order.groups.screenOrder.count else { return }
        list.screenOrder = order.groups.screenOrder
        matchList.screenOrder = order.groups.screenOrder
    }

    /// Returns the newest shown chain that is not archived, else the newest shown chain; nil if no shown chain is
    /// found.
    ///
    /// Only the newest 1,000 roots are searched, unless ungrouped chains are in the order of their start and one of
    /// them is not archived.
    package func newestChain(in forest: borrowing ChainForest) -> (root: NodeIndex, isUnarchived: Bool)? {
        if let id = newestUnarchivedID, let root = forest.index(of: NodeID(id)) { return (root, true) }
        var archived: NodeIndex?
        for root in forest.roots.reversed().prefix(Self.newestLimit) where isShown(root) {
            if !isArchived(root) { return (root, true) }
            if archived == nil { archived = root }
        }
        return archived.map { ($0, false) }
    }

    /// How many roots ``newestChain(in:)`` searches at most.
    private static let newestLimit = 1_000

    /// The id of the newest shown chain that is not archived. Nil if there is none, or if chains are grouped or are not
    /// in the order of their start.
    private var newestUnarchivedID: UInt64? {
        guard order.shown.column == .start, !order.isGrouped else { return nil }
        let list = shown[0]
        let firstArchived = WeightedSortedList.Entry(rank: Rank.made(section: 1, 0), id: 0)
        let newest = order.shown.isInverted ? list.entry(before: list.lowerBound(firstArchived)) : list.lowest
        return newest.flatMap { $0 < firstArchived ? $0.id : nil }
    }
}
