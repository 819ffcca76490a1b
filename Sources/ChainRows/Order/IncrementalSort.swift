import ChainModel

/// A sort of all chains in slices, into new lists, while the old lists are on the screen and change.
///
/// Three steps: it gathers the chains with their ranks, in the order of their indices, into sorted runs; merges the runs
/// into lists; and catches up with what was added, removed or changed meanwhile. 24 bytes a chain while it lasts.
struct IncrementalSort {
    private enum Step { case gather, assemble, catchUp }

    /// What became of a chain's slot since the sort began.
    private enum Stage { static let unseen: UInt8 = 0, gathered: UInt8 = 1, added: UInt8 = 2, changed: UInt8 = 3 }

    let rank: SortRank
    /// The result: keys by slot, groups, lists.
    private(set) var keys = ChainTable.Keys()
    private(set) var groups = GroupTable()
    private(set) var list = GroupedLists()
    private(set) var matchList = GroupedLists()

    private var step = Step.gather
    private var cursor: UInt32 = 0
    private var runs = SortedRuns()

    private var stages = PagedArray<UInt8>()
    private var removed: [RootKey] = []
    private var added: [NodeIndex] = []
    private var changed: [NodeIndex] = []
    /// The open changes that the last slice left, and the limit past which each slice has to do more.
    private var leftCount = 0, limitCount = 0
    /// Slices since changes arrived last.
    private var sliceCount = 2

    // The cost of a chain in each step, in nanoseconds, with cold caches on a busy machine; ``skipCost`` is for an
    // index that is no root's.
    private static let skipCost = 5, assembleCost = 160, catchUpCost = 1_800
    /// More for texts, because a text has to be read to be ranked.
    private let gatherCost: Int

    init(_ rank: SortRank) {
        self.rank = rank
        gatherCost = rank.order.column.isText ? 550 : 400
    }

    /// The storage that is not needed once the sort is done.
    var scratch: [Any] { [runs, stages] }
    /// All of its storage, for a sort that is given up.
    var parts: [Any] { scratch + [keys.ranks, list, matchList] }

    // MARK: What happens meanwhile

    mutating func noteAdded(_ root: NodeIndex, _ slot: Int) {
        stages[UInt32(slot)] = Stage.unseen
        guard step != .gather || root.rawValue < cursor else { return }
        stages[UInt32(slot)] = Stage.added
        added.append(root)
    }

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

    mutating func noteState(_ state: ChainStatus, _ slot: Int) {
        let stage = stages[UInt32(slot)]
        guard rank.order.isGrouped, stage == Stage.gathered || stage == Stage.changed else { return }
        RowModel.recount(slot, as: state, &keys, &groups)
    }

    // MARK: Going on

    /// Does a slice of the work; returns whether all of it is done.
    mutating func step(_ rowModel: borrowing RowModel, in forest: borrowing ChainForest, budget: Int) -> Bool {
        // Done at once past the limit, because changes would arrive faster than slices catch up.
        var budget = openCount > Self.openLimit ? Int.max / 2 : budget
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
            // Added later one by one, because the item has no room for it; that is rare.
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

    /// How many indices are prefetched at once.
    private static let prefetchCount: UInt32 = 32

    /// Prefetches the data of the next chains.
    private func prefetch(from first: UInt32, _ rowModel: borrowing RowModel, in forest: borrowing ChainForest) {
        for index in first..<(first + Self.prefetchCount) {
            let number = rowModel.slotOf[index]
            guard number != 0 else { continue }
            rowModel.prefetch(NodeIndex(rawValue: index), in: forest)
            // Also the lines that are written, because a write to a cold line stalls, too.
            keys.ranks.prefetch(number - 1)
            stages.prefetch(number - 1)
        }
    }

    /// Makes and returns the key of a chain in the new order.
    private mutating func setKey(
        of root: NodeIndex, _ slot: Int, id: UInt64, _ rowModel: borrowing RowModel, in forest: borrowing ChainForest
    ) -> RootKey {
        let isArchived = rank.order.column == .start && rowModel.slots.has(.archived, slot)
        let new = rank.rank(ofRoot: root, isArchived: isArchived, in: forest)
        keys.ranks[UInt32(slot)] = new
        guard rank.order.isGrouped else { return RootKey(rank: new, id: id) }
        let group = groups.addedNumber(of: forest.node(root).site, in: forest)
        let state = forest.chain(of: root).status
        keys.groups[UInt32(slot)] = group << 4 | UInt32(state.rawValue)
        groups.count(group, state, by: 1)
        return RootKey(group: group, rank: new, id: id)
    }

    private mutating func assemble(_ budget: inout Int) {
        while budget > 0 {
            budget -= Self.assembleCost
            guard let item = runs.popFirst() else { break }
            list.append(item.key, weight: Int(item.weight))
            if item.matchWeight > 0 { matchList.append(item.key, weight: Int(item.matchWeight)) }
        }
        guard runs.isEmpty else { return }
        step = .catchUp
        // Changes that arrived until now are not counted against this slice.
        leftCount = openCount
        limitCount = 2 * openCount + 1_024
    }

    /// The number of changes still to catch up with.
    var openCount: Int { removed.count + added.count + changed.count }

    /// Whether the filter has to wait, because its matches would be more changes than slices of 2 ms catch up with.
    var isCrowded: Bool { step == .catchUp || openCount > Self.filterLimit }

    private static let filterLimit = 1_024

    /// The number of changes past which the sort is finished at once: some tenths of a second.
    static let openLimit = 131_072

    /// Catches up with changes since the chains were gathered; returns whether none is left.
    private mutating func catchUp(
        _ rowModel: borrowing RowModel, in forest: borrowing ChainForest, _ budget: inout Int
    ) -> Bool {
        let came = openCount - leftCount
        if came > 0 {
            // At least twice what arrived where one slice is all there is between two batches, so that it comes to an
            // end.
            if openCount > limitCount { limitCount = 0 }
            if sliceCount < 2 || limitCount == 0 { budget = max(budget, (2 * came + 1) * Self.catchUpCost) }
            sliceCount = 0
        }
        sliceCount += 1
        defer { leftCount = openCount }
        // Removals first, because an id that comes back has the same key.
        while budget > 0, let key = removed.popLast() {
            budget -= Self.catchUpCost
            list.remove(key)
            matchList.remove(key)
        }
        var left = 0
        while budget > 0 {
            if left == 0 {
                left = Int(Self.prefetchCount)
                for root in (added.isEmpty ? changed : added).suffix(left) {
                    rowModel.prefetch(root, in: forest)
                }
            }
            guard let root = added.popLast() ?? changed.popLast() else { break }
            budget -= Self.catchUpCost
            left -= 1
            let number = rowModel.slotOf[root.rawValue]
            guard number != 0, rowModel.isThere(root, in: forest) else { continue }
            let slot = Int(number - 1)
            let stage = stages[UInt32(slot)]
            guard stage == Stage.added || stage == Stage.changed else { continue }
            put(root, slot, isNew: stage == Stage.added, rowModel, in: forest)
            stages[UInt32(slot)] = Stage.gathered
        }
        return removed.isEmpty && added.isEmpty && changed.isEmpty
    }

    private mutating func put(
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
        let isThere = !isNew && key == old
        let weight = rowModel.slots.weight(slot) ?? rowModel.list.weight(of: shown) ?? 1
        if !(isThere && list.setWeight(weight, of: key)) { list.insert(key, weight: weight) }
        let matchWeight = rowModel.slots.matchWeight(slot) ?? rowModel.matchList.weight(of: shown) ?? 0
        if matchWeight == 0 {
            if isThere { matchList.remove(key) }
        } else if !(isThere && matchList.setWeight(matchWeight, of: key)) {
            matchList.insert(key, weight: matchWeight)
        }
    }
}
