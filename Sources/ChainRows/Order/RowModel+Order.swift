import ChainModel

// The order of the chains. Changed chains are repositioned once a second, so that rows do not jump about; a new order
// is made in slices beside the old one.
extension RowModel {
    struct Order {
        /// The order asked for; the lists are in it unless ``build`` is set.
        var wanted = TreeOrder()
        /// The order of the lists.
        var rank = SortRank(order: TreeOrder())
        var groups = GroupTable()
        /// Groups that the user unfolded.
        var openSites: Set<CodeLocation> = []
        /// The sort that makes the wanted order.
        var build: IncrementalSort?
        /// Storage of old orders, freed one part a slice: of a million chains each part takes a millisecond or two.
        var retiredStorage: [Any] = [] {
            didSet {
                if retiredStorage.count > Self.retiredStorageLimit {
                    retiredStorage.removeFirst(retiredStorage.count - Self.retiredStorageLimit)
                }
            }
        }
        /// How many parts wait to be freed.
        static let retiredStorageLimit = 256
        /// Chains to reposition; evicted and repeated ones may be among them, which a full queue drops.
        var outdated = Queue<NodeIndex>()
        /// How many of them, from the first on, are to be repositioned as soon as possible.
        var dueCount = 0
        let leastOutdatedLimit: Int
        var outdatedLimit: Int
        var outdatedHighWater = 0
        /// The most changes that a sort had to catch up with.
        var catchUpHighWater = 0
        var second: UInt64 = 0
        /// The moment at which growing durations are compared.
        var moment: UInt64 = 0

        init(queueLimit: Int = RowModel.leastQueueLimit) {
            leastOutdatedLimit = queueLimit
            outdatedLimit = queueLimit
        }

        var shown: TreeOrder { rank.order }
        var isGrouped: Bool { shown.isGrouped }
        var isSorting: Bool { build != nil }
        /// Whether a chain waits to be repositioned, or a sort is under way.
        var isBusy: Bool { build != nil || !outdated.isEmpty }
        /// Whether there is anything to do now.
        var hasWork: Bool { build != nil || dueCount > 0 }
        /// Whether storage of old orders is still to be freed.
        var hasRetiredStorage: Bool { !retiredStorage.isEmpty }
        /// Whether an event may move a chain.
        @inline(__always) var moves: Bool {
            rank.order.column != .start || rank.order.isGrouped || build != nil && buildMoves
        }

        /// Whether an event may move a chain in the order that is made. Not inlined, because reading it copies that.
        @inline(never) private var buildMoves: Bool {
            (build?.rank.order.column ?? .start) != .start || build?.rank.order.isGrouped ?? false
        }

        mutating func key(
            of root: NodeIndex, id: UInt64, isArchived: Bool, in forest: borrowing ChainForest
        ) -> RootKey {
            let group = isGrouped ? groups.addedNumber(of: forest.node(root).site, in: forest) : 0
            return RootKey(group: group, rank: rank.rank(ofRoot: root, isArchived: isArchived, in: forest), id: id)
        }
    }

    /// How many chains a slice repositions: 0.2 ms, or 0.4 ms with cold caches.
    static let moveBudget = 400
    /// What is done of a sort at once, and then in each slice, in nanoseconds.
    static let firstSortBudget = 200_000
    static let sortBudget = 1_500_000

    // MARK: What is asked for

    /// Sets the order. A small forest is sorted at once, a large one in slices.
    package mutating func setOrder(_ wanted: TreeOrder, in forest: borrowing ChainForest, now: UInt64) {
        setOrder(wanted, in: forest, now: now, budget: Self.firstSortBudget)
    }

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

    private mutating func beginSort(in forest: borrowing ChainForest, now: UInt64, budget: Int) {
        if let build = order.build { order.retiredStorage += build.parts }
        order.build = nil
        var (shown, wanted) = (order.shown, order.wanted)
        // Without the order of siblings, which does not concern the lists.
        (shown.sortsSiblings, wanted.sortsSiblings) = (false, false)
        guard shown != wanted else { return }
        let rank = SortRank(order: order.wanted, like: sample(of: forest), in: forest)
        order.build = IncrementalSort(rank)
        continueSorting(in: forest, now: now, budget: budget)
    }

    /// Returns a sample of the chains, evenly spread.
    private func sample(of forest: borrowing ChainForest) -> [NodeIndex] {
        let count = forest.roots.count
        return stride(from: 0, to: count, by: max(1, count / 64)).map { forest.roots[forest.roots.index(at: $0)] }
    }

    /// Forgets all keys before a rebuild.
    mutating func beginOrderAnew() {
        let old = order
        order = Order(queueLimit: old.leastOutdatedLimit)
        order.wanted = old.wanted
        order.openSites = old.openSites
        order.second = old.second
        list = GroupedLists()
        matchList = GroupedLists()
        collection = nil
    }

    /// Sorts into the wanted order after a rebuild, which used the usual one.
    mutating func sortAnew(in forest: borrowing ChainForest, now: UInt64) {
        beginSort(in: forest, now: now, budget: Self.firstSortBudget)
    }

    /// Forgets all matches; a sort under way begins anew.
    mutating func forgetMatches() {
        slots.forgetMatches()
        order.retiredStorage.append(matchList)
        matchList = GroupedLists(merge: list.merge)
        matchList.screen = list.screen
        if let build = order.build {
            order.retiredStorage += build.parts
            order.build = IncrementalSort(build.rank)
        }
    }

    // MARK: What changes

    mutating func noteAdded(_ root: NodeIndex, _ chain: ChainSummary, _ slot: Int) {
        if order.isGrouped {
            let state = chain.status
            let group = slots.key(slot).group
            slots.keys.groups[UInt32(slot)] = group << 4 | UInt32(state.rawValue)
            order.groups.count(group, state, by: 1)
            showGroups()
        }
        order.build?.noteAdded(root, slot)
    }

    mutating func noteDropped(_ slot: Int) {
        if order.isGrouped {
            let (group, state) = Self.split(slots.keys.groups[UInt32(slot)])
            order.groups.count(group, state, by: -1)
        }
        order.build?.noteDropped(slot, id: slots.id(slot))
    }

    /// Updates the group's counts and the order after the counts of a chain changed.
    mutating func noteChange(of root: NodeIndex, _ chain: ChainSummary, _ slot: Int) {
        guard order.moves else { return }
        let state = chain.status
        if order.isGrouped { Self.recount(slot, as: state, &slots.keys, &order.groups) }
        order.build?.noteState(state, slot)
        noteFacts(of: root)
    }

    static func recount(
        _ slot: Int, as state: ChainStatus, _ keys: inout ChainTable.Keys, _ groups: inout GroupTable
    ) {
        let word = keys.groups[UInt32(slot)]
        let (group, old) = split(word)
        guard old != state else { return }
        groups.count(group, old, by: -1)
        groups.count(group, state, by: 1)
        keys.groups[UInt32(slot)] = group << 4 | UInt32(state.rawValue)
    }

    private static func split(_ word: UInt32) -> (group: UInt32, state: ChainStatus) {
        (word >> 4, ChainStatus(rawValue: UInt8(word & 15)) ?? .unknown)
    }

    /// Notes that the row of a root may show something else.
    mutating func noteFacts(of root: NodeIndex) {
        let slot = Int(slotOf[root.rawValue] - 1)
        guard order.moves, !slots.has(.outdated, slot) else { return }
        slots.set(.outdated, true, slot)
        order.outdatedLimit = max(order.leastOutdatedLimit, 2 * slots.count)
        if order.outdated.count >= order.outdatedLimit { dropOutdated() }
        order.outdated.append(root)
        order.outdatedHighWater = max(order.outdatedHighWater, order.outdated.count)
    }

    /// Drops evicted and repeated chains from those to reposition.
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

    /// Moves a chain to the archived ones, or back.
    mutating func setArchived(_ root: NodeIndex, _ isArchived: Bool, in forest: borrowing ChainForest) {
        let slot = Int(slotOf[root.rawValue] - 1)
        guard slots.has(.archived, slot) != isArchived else { return }
        slots.set(.archived, isArchived, slot)
        if !slots.has(.folded, slot) { openCount += isArchived ? -1 : 1 }
        if order.shown.column == .start { reposition(of: root, in: forest) } else { noteFacts(of: root) }
        order.build?.noteChange(root, slot)
    }

    /// Returns whether the slot of a root is its own: during a rebuild the root may be gone, and its index another's.
    func isThere(_ root: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let number = slotOf[root.rawValue]
        return number != 0 && Self.isRoot(root, id: slots.id(Int(number - 1)), in: forest)
    }

    static func isRoot(_ index: NodeIndex, id: UInt64, in forest: borrowing ChainForest) -> Bool {
        forest.contains(NodeID(id), at: index) && forest.isRoot(index)
    }

    /// Moves a chain to its position.
    mutating func reposition(of root: NodeIndex, in forest: borrowing ChainForest) {
        let slot = Int(slotOf[root.rawValue] - 1)
        let old = slots.key(slot)
        let key = order.key(of: root, id: old.id, isArchived: slots.has(.archived, slot), in: forest)
        // Also noted in the sort under way, because the chain may move in the new order alone.
        defer { order.build?.noteChange(root, slot) }
        guard key != old else { return }
        if key.group != old.group {
            let (_, state) = Self.split(slots.keys.groups[UInt32(slot)])
            order.groups.count(old.group, state, by: -1)
            order.groups.count(key.group, state, by: 1)
            showGroups()
        }
        move(root, to: key)
    }

    private mutating func showGroups() {
        guard list.screen.count != order.groups.screen.count else { return }
        list.screen = order.groups.screen
        matchList.screen = order.groups.screen
    }

    /// Returns the chain that began last, of the live ones that are shown, else of all that are; nil where none is.
    package func newestChain(in forest: borrowing ChainForest) -> (root: NodeIndex, isLive: Bool)? {
        if let id = newestLiveID, let root = forest.index(of: NodeID(id)) { return (root, true) }
        var settled: NodeIndex?
        for root in forest.roots.reversed().prefix(Self.newestLimit) where isShown(root) {
            if !isArchived(root) { return (root, true) }
            if settled == nil { settled = root }
        }
        return settled.map { ($0, false) }
    }

    /// How many of the newest chains ``newestChain(in:)`` looks at, where their order does not say it.
    private static let newestLimit = 1_000

    /// The live chain that began last, where chains are in the order of their start.
    private var newestLiveID: UInt64? {
        guard order.shown.column == .start, !order.isGrouped else { return nil }
        let list = shown[0]
        let settled = WeightedSortedList.Entry(rank: Rank.made(section: 1, 0), id: 0)
        let newest = order.shown.isInverted ? list.entry(before: list.lowerBound(settled)) : list.lowest
        return newest.flatMap { $0 < settled ? $0.id : nil }
    }
}
