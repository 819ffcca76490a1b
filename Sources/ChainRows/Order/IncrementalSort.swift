import ChainModel

/// A sort of all chains in slices, into new lists, while the old lists are on the screen and change.
///
/// It has three steps. First, it goes through the chains by node index, and gathers them with their ranks into runs
/// that are sorted by key. Second, it merges the runs into lists. Third, it catches up with chains that were added,
/// removed or changed during the sort. The runs take 24 bytes for each chain.
struct IncrementalSort {
    private enum Step { case gather, assemble, catchUp }

    /// The state of a slot in the sort. Slots that are `added` or `changed` are still to be caught up with.
    private enum Stage { static let unseen: UInt8 = 0, gathered: UInt8 = 1, added: UInt8 = 2, changed: UInt8 = 3 }

    let rank: SortRank
    // The result.
    private(set) var keys = ChainTable.Keys()
    private(set) var groups = GroupTable()
    private(set) var list = GroupedLists()
    private(set) var matchList = GroupedLists()

    private var step = Step.gather
    /// The next node index to gather.
    private var cursor: UInt32 = 0
    private var runs = SortedRuns()

    /// The ``Stage`` of each slot.
    private var stages = PagedArray<UInt8>()
    // The changes to catch up with.
    private var removed: [RootKey] = []
    private var added: [NodeIndex] = []
    private var changed: [NodeIndex] = []
    /// How many changes the last slice left to catch up with.
    private var leftCount = 0
    /// If more changes than this are left, every later slice that finds new changes may exceed its budget; 0 from then
    /// on.
    private var overrunThreshold = 0
    /// The number of slices since changes arrived last.
    private var sliceCount = 2

    // The costs of a chain in each step, and of an index that is no root's (``skipCost``), in nanoseconds, with cold
    // caches on a busy machine.
    private static let skipCost = 5, assembleCost = 160, catchUpCost = 1_800
    /// The cost of gathering a chain, in nanoseconds: greater for texts, because a text has to be read to be ranked.
    private let gatherCost: Int

    init(_ rank: SortRank) {
        self.rank = rank
        gatherCost = rank.order.column.isText ? 550 : 400
    }

    /// The sort's large storage besides the result.
    var scratch: [Any] { [runs, stages] }
    /// All large storage of the sort, to be freed in slices if the sort is dropped.
    var parts: [Any] { scratch + [keys.ranks, list, matchList] }

    // MARK: Changes during the sort

    /// Notes a new chain.
    mutating func noteAdded(_ root: NodeIndex, _ slot: Int) {
        stages[UInt32(slot)] = Stage.unseen
        guard step != .gather || root.rawValue < cursor else { return }
        stages[UInt32(slot)] = Stage.added
        added.append(root)
    }

    /// Notes that a chain is removed.
    mutating func noteDropped(_ slot: Int, id: UInt64) {
        let slot = UInt32(slot)
        if stages[slot] == Stage.gathered || stages[slot] == Stage.changed {
            let word = keys.groups[slot]
            removed.append(RootKey(group: word >> 4, rank: keys.ranks[slot], id: id))
            if rank.order.isGrouped { groups.count(word >> 4, ChainStatus(rawValue: UInt8(word & 15))!, by: -1) }
        }
        stages[slot] = Stage.unseen
    }

    /// Notes a change of a chain's rows, or of what its rank depends on.
    mutating func noteChange(_ root: NodeIndex, _ slot: Int) {
        guard stages[UInt32(slot)] == Stage.gathered else { return }
        stages[UInt32(slot)] = Stage.changed
        changed.append(root)
    }

    /// Counts a gathered chain in its group by its new status.
    mutating func noteState(_ state: ChainStatus, _ slot: Int) {
        let stage = stages[UInt32(slot)]
        guard rank.order.isGrouped, stage == Stage.gathered || stage == Stage.changed else { return }
        RowModel.recount(slot, as: state, &keys, &groups)
    }

    // MARK: Slices

    /// Sorts for `budget` nanoseconds; returns whether the sort is done.
    mutating func step(_ rowModel: borrowing RowModel, in forest: borrowing ChainForest, budget: Int) -> Bool {
        // Past the limit this call finishes the sort, because changes would arrive faster than slices catch up.
        var budget = pendingCount > Self.pendingLimit ? Int.max / 2 : budget
        while budget > 0 {
            switch step {
            case .gather: gather(rowModel, in: forest, &budget)
            case .assemble: assemble(&budget)
            case .catchUp: if catchUp(rowModel, in: forest, &budget) { return true }
            }
        }
        return false
    }

    private mutating func gather(
        _ rowModel: borrowing RowModel, in forest: borrowing ChainForest, _ budget: inout Int
    ) {
        let end = UInt32(forest.indexBound)
        while cursor < end, budget > 0 {
            if cursor.isMultiple(of: Self.prefetchCount) { prefetch(from: cursor, rowModel, in: forest) }
            let root = NodeIndex(rawValue: cursor)
            let number = rowModel.slotOf[cursor]
            cursor += 1
            guard number != 0 else {
                budget -= Self.skipCost
                continue
            }
            budget -= gatherCost
            let slot = Int(number - 1)
            let id = rowModel.slots.id(slot)
            guard RowModel.isRoot(root, id: id, in: forest) else { continue }
            let matchWeight = rowModel.filter.isActive ? rowModel.slots.matchWeight(slot) : 0
            // A chain with a weight too great for an item is added in the last step; that is rare.
            guard let weight = rowModel.slots.weight(slot), let matchWeight else {
                stages[UInt32(slot)] = Stage.added
                added.append(root)
                continue
            }
            let key = setKey(of: root, slot, id: id, rowModel, in: forest)
            runs.append(
                SortedRuns.Item(key: key, weight: UInt16(weight), matchWeight: UInt16(matchWeight)))
            stages[UInt32(slot)] = Stage.gathered
        }
        guard cursor >= end else { return }
        runs.close()
        step = .assemble
    }

    /// How many indices are prefetched together.
    private static let prefetchCount: UInt32 = 32

    /// Prefetches the data of the next chains.
    private func prefetch(from first: UInt32, _ rowModel: borrowing RowModel, in forest: borrowing ChainForest) {
        for index in first..<(first + Self.prefetchCount) {
            let number = rowModel.slotOf[index]
            guard number != 0 else { continue }
            rowModel.prefetch(NodeIndex(rawValue: index), in: forest)
            // Data to be written is prefetched, too, because a write to a cold cache line also stalls.
            keys.ranks.prefetch(number - 1)
            stages.prefetch(number - 1)
        }
    }

    /// Stores the key of a chain in the new order, and counts the chain in its group; returns the key.
    private mutating func setKey(
        of root: NodeIndex, _ slot: Int, id: UInt64, _ rowModel: borrowing RowModel, in forest: borrowing ChainForest
    ) -> RootKey {
        let isArchived = rank.order.column == .start && rowModel.slots.has(.archived, slot)
        let new = rank.rank(ofRoot: root, isArchived: isArchived, in: forest)
        keys.ranks[UInt32(slot)] = new
        guard rank.order.isGrouped else { return RootKey(rank: new, id: id) }
        let group = groups.addedNumber(of: forest.node(root).site, in: forest)
        let state = forest.chain(of: root).status
        keys.groups[UInt32(slot)] = (group << 4) | UInt32(state.rawValue)
        groups.count(group, state, by: 1)
        return RootKey(group: group, rank: new, id: id)
    }

    /// Merges the runs into lists.
    private mutating func assemble(_ budget: inout Int) {
        while budget > 0 {
            budget -= Self.assembleCost
            guard let item = runs.popFirst() else { break }
            list.append(item.key, weight: Int(item.weight))
            if item.matchWeight > 0 { matchList.append(item.key, weight: Int(item.matchWeight)) }
        }
        guard runs.isEmpty else { return }
        step = .catchUp
        // The changes noted so far do not count as new for the first slice that catches up, so this slice keeps to its
        // budget.
        leftCount = pendingCount
        overrunThreshold = 2 * pendingCount + 1_024
    }

    /// The number of changes to catch up with.
    var pendingCount: Int { removed.count + added.count + changed.count }

    /// Whether the filter has to wait. Each match that it finds is a change to catch up with, and slices of 2 ms could
    /// not catch up with so many changes.
    var isCrowded: Bool { step == .catchUp || pendingCount > Self.filterLimit }

    private static let filterLimit = 1_024

    /// The number of changes past which one call finishes the sort, which takes some tenths of a second.
    static let pendingLimit = 131_072

    /// Applies to the new lists the changes since the chains were gathered; returns whether no change is left.
    private mutating func catchUp(
        _ rowModel: borrowing RowModel, in forest: borrowing ChainForest, _ budget: inout Int
    ) -> Bool {
        let newCount = pendingCount - leftCount
        if newCount > 0 {
            // A slice may exceed its budget if the slice before found new changes, too, or if too many changes are
            // left. It then applies at least twice as many changes as arrived, so that the sort ends.
            if pendingCount > overrunThreshold { overrunThreshold = 0 }
            if sliceCount < 2 || overrunThreshold == 0 { budget = max(budget, (2 * newCount + 1) * Self.catchUpCost) }
            sliceCount = 0
        }
        sliceCount += 1
        defer { leftCount = pendingCount }
        // Removals first, because an id that comes back has the same key.
        while budget > 0, let key = removed.popLast() {
            budget -= Self.catchUpCost
            list.remove(key)
            matchList.remove(key)
        }
        var prefetchedCount = 0
        while budget > 0 {
            if prefetchedCount == 0 {
                prefetchedCount = Int(Self.prefetchCount)
                for root in (added.isEmpty ? changed : added).suffix(prefetchedCount) {
                    rowModel.prefetch(root, in: forest)
                }
            }
            guard let root = added.popLast() ?? changed.popLast() else { break }
            budget -= Self.catchUpCost
            prefetchedCount -= 1
            let number = rowModel.slotOf[root.rawValue]
            guard number != 0, rowModel.isStillRoot(root, in: forest) else { continue }
            let slot = Int(number - 1)
            let stage = stages[UInt32(slot)]
            guard stage == Stage.added || stage == Stage.changed else { continue }
            updateLists(root, slot, isNew: stage == Stage.added, rowModel, in: forest)
            stages[UInt32(slot)] = Stage.gathered
        }
        return removed.isEmpty && added.isEmpty && changed.isEmpty
    }

    /// Adds a chain to the new lists, or updates its key and weights there.
    private mutating func updateLists(
        _ root: NodeIndex, _ slot: Int, isNew: Bool, _ rowModel: borrowing RowModel, in forest: borrowing ChainForest
    ) {
        let shown = rowModel.slots.key(slot)
        let word = keys.groups[UInt32(slot)]
        let old = RootKey(group: word >> 4, rank: keys.ranks[UInt32(slot)], id: shown.id)
        if !isNew, rank.order.isGrouped { groups.count(word >> 4, ChainStatus(rawValue: UInt8(word & 15))!, by: -1) }
        let key = setKey(of: root, slot, id: shown.id, rowModel, in: forest)
        if !isNew, key != old {
            list.remove(old)
            matchList.remove(old)
        }
        let isUnmoved = !isNew && key == old
        let weight = rowModel.slots.weight(slot) ?? rowModel.list.weight(of: shown) ?? 1
        if !(isUnmoved && list.setWeight(weight, of: key)) { list.insert(key, weight: weight) }
        let matchWeight = rowModel.slots.matchWeight(slot) ?? rowModel.matchList.weight(of: shown) ?? 0
        if matchWeight == 0 {
            if isUnmoved { matchList.remove(key) }
        } else if !(isUnmoved && matchList.setWeight(matchWeight, of: key)) {
            matchList.insert(key, weight: matchWeight)
        }
    }
}
