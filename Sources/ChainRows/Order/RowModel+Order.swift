import ChainEvents
import ChainModel

// In which order the chains stand, and how that is kept up: what changed is looked at again once a second, so that rows
// do not run about, and a new order is made in slices beside the old one.
extension RowModel {
    struct Order {
        /// What was asked for; the lists are in it unless ``build`` is there.
        var wanted = TreeOrder()
        /// What the lists are in.
        fileprivate(set) var rank = SortRank(order: TreeOrder())
        var groups = GroupTable()
        /// Groups that the user has unfolded.
        var openSites: Set<CodeLocation> = []
        /// The new order in the making.
        var build: IncrementalSort?
        /// What is to be given back one part a slice: of a million chains each takes a millisecond or two.
        var spent: [Any] = [] {
            didSet { if spent.count > Self.spentLimit { spent.removeFirst(spent.count - Self.spentLimit) } }
        }
        /// Parts of old orders that are kept to be freed later.
        static let spentLimit = 256
        /// Chains whose place has to be looked up anew: those before `staleEnd` as soon as possible, the others with
        /// the next second. A chain that is gone may stand there, and several times: when the queue is full these go.
        fileprivate(set) var stale: [NodeIndex] = []
        fileprivate var staleStart = 0
        fileprivate var staleEnd = 0
        fileprivate let leastStaleLimit: Int
        fileprivate(set) var staleLimit: Int
        fileprivate(set) var staleHighWater = 0
        /// The most changes that a new order in the making had to make good.
        fileprivate(set) var mendHighWater = 0
        fileprivate var second: UInt64 = 0
        /// The moment at which what grows is compared.
        fileprivate(set) var moment: UInt64 = 0

        init(queueLimit: Int = RowModel.leastQueueLimit) {
            leastStaleLimit = queueLimit
            staleLimit = queueLimit
        }

        var shown: TreeOrder { rank.order }
        var staleCount: Int { stale.count - staleStart }
        var isGrouped: Bool { shown.isGrouped }
        var isSorting: Bool { build != nil }
        /// Whether something waits for its place, or the lists for a new order.
        var isBusy: Bool { build != nil || staleStart < stale.count }
        /// Whether something could be done of that at once.
        var hasWork: Bool { build != nil || staleStart < staleEnd }
        /// Whether something of old orders is still to be given back.
        var hasSpent: Bool { !spent.isEmpty }
        /// Whether an event may move a chain.
        @inline(__always) fileprivate var moves: Bool {
            shown.column != .start || shown.isGrouped || (build?.rank.order.column ?? .start) != .start
                || build?.rank.order.isGrouped ?? false
        }

        mutating func key(
            of root: NodeIndex, id: UInt64, isRetired: Bool, in forest: borrowing ChainForest
        ) -> RootKey {
            let group = isGrouped ? groups.numberMade(of: forest.node(root).site, in: forest) : 0
            return RootKey(group: group, rank: rank.rank(ofRoot: root, isRetired: isRetired, in: forest), id: id)
        }
    }

    /// Chains that are given their new place in a slice, at most: some tenths of a millisecond, or two of them where each
    /// is far from the processor.
    static let moveBudget = 400
    /// What is done of a new order at once, and then each tick, in nanoseconds, about.
    static let firstSortBudget = 400_000
    static let sortBudget = 1_500_000

    // MARK: What is asked for

    /// Sets the order, before there is a forest.
    package mutating func setOrder(_ wanted: TreeOrder) { order.wanted = wanted }

    /// Sets the order. A small forest is sorted at once, a large one in slices.
    package mutating func setOrder(_ wanted: TreeOrder, in forest: borrowing ChainForest, now: UInt64) {
        setOrder(wanted, in: forest, now: now, budget: Self.firstSortBudget)
    }

    mutating func setOrder(_ wanted: TreeOrder, in forest: borrowing ChainForest, now: UInt64, budget: Int) {
        if wanted.sortsSiblings || order.wanted.sortsSiblings {
            order.moment = now
            shapes = [:]
            matchShapes = [:]
        }
        let didSortSiblings = sortsSiblings
        order.wanted = wanted
        if sortsSiblings != didSortSiblings { forgetLists() }
        beginSort(in: forest, now: now, budget: budget)
    }

    private mutating func beginSort(in forest: borrowing ChainForest, now: UInt64, budget: Int) {
        if let build = order.build { order.spent += build.parts }
        order.build = nil
        var (shown, wanted) = (order.shown, order.wanted)
        // Siblings are another matter.
        (shown.sortsSiblings, wanted.sortsSiblings) = (false, false)
        guard shown != wanted else { return }
        let rank = SortRank(order: order.wanted, like: sample(of: forest), in: forest)
        order.build = IncrementalSort(rank, rootCount: list.count)
        continueSorting(in: forest, now: now, budget: budget)
    }

    /// Some chains of all, evenly.
    private func sample(of forest: borrowing ChainForest) -> [NodeIndex] {
        let count = forest.roots.count
        return stride(from: 0, to: count, by: max(1, count / 64)).map { forest.roots[forest.roots.index(at: $0)] }
    }

    /// Forgets all places, before the forest is read anew.
    mutating func beginOrderAnew() {
        let old = order
        order = Order(queueLimit: old.leastStaleLimit)
        order.wanted = old.wanted
        order.openSites = old.openSites
        order.second = old.second
        list = GroupedLists()
        matchList = GroupedLists()
    }

    /// The forest was read anew, in the usual order.
    mutating func sortAnew(in forest: borrowing ChainForest, now: UInt64) {
        beginSort(in: forest, now: now, budget: Self.firstSortBudget)
    }

    /// No chain matches any longer; a new order in the making begins anew.
    mutating func forgetMatches() {
        slots.forgetMatches()
        order.spent.append(matchList)
        matchList = GroupedLists(merge: list.merge)
        matchList.screen = list.screen
        if let build = order.build {
            order.spent += build.parts
            order.build = IncrementalSort(build.rank, rootCount: list.count)
        }
    }

    // MARK: What changes

    mutating func noteAdded(_ root: NodeIndex, _ chain: ChainSummary, _ place: Int) {
        if order.isGrouped {
            let state = SortRank.leading(chain.counts)
            let group = slots.key(place).group
            slots.keys.groups[UInt32(place)] = group << 4 | UInt32(state.rawValue)
            order.groups.count(group, state, by: 1)
            showGroups()
        }
        order.build?.noteAdded(root, place)
    }

    mutating func noteDropped(_ place: Int) {
        if order.isGrouped {
            let (group, state) = Self.split(slots.keys.groups[UInt32(place)])
            order.groups.count(group, state, by: -1)
        }
        order.build?.noteDropped(place, id: slots.id(place))
    }

    /// The counts of a chain changed.
    mutating func noteChange(of root: NodeIndex, _ chain: ChainSummary, _ place: Int) {
        guard order.moves else { return }
        let state = SortRank.leading(chain.counts)
        if order.isGrouped { Self.recount(place, as: state, &slots.keys, &order.groups) }
        order.build?.noteState(state, place)
        noteFacts(of: root)
    }

    static func recount(
        _ place: Int, as state: NodeState, _ keys: inout ChainTable.Keys, _ groups: inout GroupTable
    ) {
        let word = keys.groups[UInt32(place)]
        let (group, old) = split(word)
        guard old != state else { return }
        groups.count(group, old, by: -1)
        groups.count(group, state, by: 1)
        keys.groups[UInt32(place)] = group << 4 | UInt32(state.rawValue)
    }

    private static func split(_ word: UInt32) -> (group: UInt32, state: NodeState) {
        (word >> 4, NodeState(rawValue: UInt8(word & 15)) ?? .unknown)
    }

    /// What a root's row shows may have changed.
    mutating func noteFacts(of root: NodeIndex) {
        let place = Int(slotOf[root.rawValue] - 1)
        guard order.moves, !slots.has(.stale, place) else { return }
        slots.set(.stale, true, place)
        order.staleLimit = max(order.leastStaleLimit, 2 * slots.count)
        if order.staleCount >= order.staleLimit { dropStale() }
        order.stale.append(root)
        order.staleHighWater = max(order.staleHighWater, order.staleCount)
    }

    /// Drops, of the chains that wait for their place, those that are gone, and all but the first entry of each.
    private mutating func dropStale() {
        var kept: [NodeIndex] = []
        var keptEnd = 0
        var seen: Set<NodeIndex> = []
        for index in order.staleStart..<order.stale.count {
            if index == order.staleEnd { keptEnd = kept.count }
            let root = order.stale[index]
            let number = slotOf[root.rawValue]
            guard number != 0, slots.has(.stale, Int(number - 1)), seen.insert(root).inserted else { continue }
            kept.append(root)
        }
        if order.staleEnd >= order.stale.count { keptEnd = kept.count }
        order.stale = kept
        (order.staleStart, order.staleEnd) = (0, keptEnd)
    }

    /// A chain goes down to the settled ones, or comes back.
    mutating func setRetired(_ root: NodeIndex, _ isRetired: Bool, in forest: borrowing ChainForest) {
        let place = Int(slotOf[root.rawValue] - 1)
        guard slots.has(.retired, place) != isRetired else { return }
        slots.set(.retired, isRetired, place)
        if !slots.has(.folded, place) { openCount += isRetired ? -1 : 1 }
        if order.shown.column == .start { findPlace(of: root, in: forest) } else { noteFacts(of: root) }
        order.build?.noteChange(root, place)
    }

    /// Whether the chain that has a root's slot is there: while a forest is read anew it may be gone, or another's.
    func isThere(_ root: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let number = slotOf[root.rawValue]
        return number != 0 && Self.isRoot(root, id: slots.id(Int(number - 1)), in: forest)
    }

    static func isRoot(_ index: NodeIndex, id: UInt64, in forest: borrowing ChainForest) -> Bool {
        forest.contains(NodeID(id), at: index) && forest.isRoot(index)
    }

    /// Puts a chain where it belongs now.
    private mutating func findPlace(of root: NodeIndex, in forest: borrowing ChainForest) {
        let place = Int(slotOf[root.rawValue] - 1)
        let old = slots.key(place)
        let key = order.key(of: root, id: old.id, isRetired: slots.has(.retired, place), in: forest)
        // Where it stands in the order in the making may be another matter.
        defer { order.build?.noteChange(root, place) }
        guard key != old else { return }
        if key.group != old.group {
            let (_, state) = Self.split(slots.keys.groups[UInt32(place)])
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
            if !isRetired(root) { return (root, true) }
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
        let newest = order.shown.isInverted ? list.lowest : list.entry(before: list.lowerBound(settled))
        return newest.flatMap { $0 < settled ? $0.id : nil }
    }

    // MARK: Time

    /// Once a second lets the order follow the time; true if rows may have moved. `now` is the moment that is shown,
    /// which may stand still while `wall` goes on.
    mutating func tickOrder(now: UInt64, wall: UInt64) -> Bool {
        let second = wall / 1_000_000_000
        guard second != order.second else { return false }
        order.second = second
        return bringUpToDate(at: now)
    }

    /// Lets a new order go on, and gives chains that changed their new place; true if rows may have moved. One of `share`
    /// things that go on at the same time.
    mutating func workOnOrder(in forest: borrowing ChainForest, now: UInt64, share: Int) -> Bool {
        let isMoved = continueSorting(in: forest, now: now, budget: Self.sortBudget / share)
        return findPlaces(in: forest) || isMoved
    }

    /// Brings the order up to date with a moment, which freezing does; returns whether rows may have moved.
    package mutating func bringUpToDate(at now: UInt64) -> Bool {
        order.staleEnd = order.stale.count
        guard order.shown.column.isDuration || order.wanted.sortsSiblings else { return false }
        guard now != order.moment else { return false }
        order.moment = now
        if let merge = list.merge {
            list.merge = WeightedSortedList.Merge(moment: now, isDescending: merge.isDescending)
            matchList.merge = list.merge
        }
        if order.wanted.sortsSiblings {
            shapes = [:]
            matchShapes = [:]
        }
        return true
    }

    /// Looks up the places of chains that changed, some at a time; true if there were any.
    @discardableResult
    mutating func findPlaces(in forest: borrowing ChainForest) -> Bool {
        guard order.staleStart < order.staleEnd else { return false }
        // A new order takes most of the tick, and then all of them have their places.
        let limit = order.isSorting ? Self.moveBudget / 4 : Self.moveBudget
        let end = min(order.staleEnd, order.staleStart + limit)
        for index in order.staleStart..<end {
            if (index - order.staleStart).isMultiple(of: Self.warmCount) {
                warm(order.stale[index..<end].prefix(Self.warmCount), in: forest)
            }
            let root = order.stale[index]
            let number = slotOf[root.rawValue]
            // The root may be gone, and its index another's.
            guard number != 0, slots.has(.stale, Int(number - 1)), isThere(root, in: forest) else { continue }
            slots.set(.stale, false, Int(number - 1))
            findPlace(of: root, in: forest)
        }
        order.staleStart = end
        if end == order.stale.count || end > 4_096 && end * 2 > order.stale.count {
            // A new array: removing from this one would keep its memory.
            order.stale = Array(order.stale[end...])
            (order.staleStart, order.staleEnd) = (0, order.staleEnd - end)
        }
        return true
    }

    /// Goes on with a new order; true if the lists are in it now.
    @discardableResult
    mutating func continueSorting(in forest: borrowing ChainForest, now: UInt64, budget: Int) -> Bool {
        guard var build = order.build else { return false }
        // Taken out, so that it is changed in place.
        order.build = nil
        order.mendHighWater = max(order.mendHighWater, build.openCount)
        guard build.step(self, in: forest, budget: budget) else {
            order.build = build
            return false
        }
        let isDuration = build.rank.order.column.isDuration
        let merge =
            isDuration ? WeightedSortedList.Merge(moment: now, isDescending: build.rank.order.isDescending) : nil
        order.moment = now
        order.spent += build.scratch + [slots.keys.ranks, list, matchList]
        slots.keys = build.keys
        order.rank = build.rank
        order.groups = build.groups
        list = build.list
        matchList = build.matchList
        list.merge = merge
        matchList.merge = merge
        list.screen = order.isGrouped ? order.groups.screen : []
        matchList.screen = list.screen
        return true
    }
}
