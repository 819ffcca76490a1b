import ChainEvents
import ChainModel

/// A new order of all chains in the making, in slices, while the old one is on the screen and goes on changing.
///
/// Four steps: the chains are gathered in the order of their indices, each with its rank; sorted; put into lists; and what
/// came, went or changed since it was gathered is made good. 48 bytes a chain while it lasts.
struct IncrementalSort {
    private enum Step { case gather, sort, assemble, mend }

    /// What became of a chain that has a slot.
    private enum Stage { static let unseen: UInt8 = 0, gathered: UInt8 = 1, late: UInt8 = 2, changed: UInt8 = 3 }

    let rank: SortRank
    /// What is made: keys by slot, groups, lists.
    private(set) var keys = ChainTable.Keys()
    private(set) var groups = GroupTable()
    private(set) var list = GroupedLists()
    private(set) var matchList = GroupedLists()

    private var step = Step.gather
    private var cursor: UInt32 = 0
    private var sorter: RadixSorter
    private var position = 0

    private var stages = PagedArray<UInt8>(filler: Stage.unseen)
    private var gone: [RootKey] = []
    private var late: [NodeIndex] = []
    private var changed: [NodeIndex] = []
    /// Those of the three that the last slice left, and how many there may be before each has to do more.
    private var leftCount = 0, limitCount = 0
    /// Slices since the last time that more had come.
    private var sliceCount = 2
    /// What reading ahead gave; nobody needs it.
    private var warmed: UInt64 = 0

    // What one chain takes in each step, in nanoseconds, about, where it is far from the processor and others use it,
    // too; an index that is no chain's takes its look.
    private static let skipCost = 5, assembleCost = 60, mendCost = 1_800
    /// A text has to be read to be ranked.
    private let gatherCost: Int

    init(_ rank: SortRank, rootCount: Int) {
        self.rank = rank
        let order = rank.order
        gatherCost = [.node, .thread, .value].contains(order.column) ? 450 : 300
        // Some may come meanwhile.
        sorter = RadixSorter(capacity: rootCount + rootCount / 8 + 64)
    }

    /// What nobody needs once it is done, to be given back part by part.
    var scratch: [Any] { sorter.memory + [stages] }
    /// All that it holds, if it is not to be done.
    var parts: [Any] { scratch + [keys.ranks, list, matchList] }

    // MARK: What happens meanwhile

    mutating func noteAdded(_ root: NodeIndex, _ place: Int) {
        stages[UInt32(place)] = Stage.unseen
        guard step != .gather || root.rawValue < cursor else { return }
        stages[UInt32(place)] = Stage.late
        late.append(root)
    }

    mutating func noteDropped(_ place: Int, id: UInt64) {
        let place = UInt32(place)
        if stages[place] == Stage.gathered || stages[place] == Stage.changed {
            let word = keys.groups[place]
            gone.append(RootKey(group: word >> 4, rank: keys.ranks[place], id: id))
            if rank.order.isGrouped { groups.count(word >> 4, NodeState(rawValue: UInt8(word & 15))!, by: -1) }
        }
        stages[place] = Stage.unseen
    }

    /// Its rows, or what decides its place in the usual order, are others now.
    mutating func noteChange(_ root: NodeIndex, _ place: Int) {
        guard stages[UInt32(place)] == Stage.gathered else { return }
        stages[UInt32(place)] = Stage.changed
        changed.append(root)
    }

    mutating func noteState(_ state: NodeState, _ place: Int) {
        let stage = stages[UInt32(place)]
        guard rank.order.isGrouped, stage == Stage.gathered || stage == Stage.changed else { return }
        RowModel.recount(place, as: state, &keys, &groups)
    }

    // MARK: Going on

    /// Does a slice of the work; true if all of it is done.
    mutating func step(_ outline: borrowing RowModel, in forest: borrowing ChainForest, budget: Int) -> Bool {
        // More would come than can be made good: the rest is done at once.
        var budget = openCount > Self.openLimit ? Int.max / 2 : budget
        while budget > 0 {
            switch step {
            case .gather: gather(outline, in: forest, &budget)
            case .sort: if sorter.step(&budget) { step = .assemble }
            case .assemble: assemble(&budget)
            case .mend: if mend(outline, in: forest, &budget) { return true }
            }
        }
        return false
    }

    private mutating func gather(
        _ outline: borrowing RowModel, in forest: borrowing ChainForest, _ budget: inout Int
    ) {
        let end = UInt32(forest.indexBound)
        while cursor < end, budget > 0 {
            if cursor.isMultiple(of: Self.warmCount) { warm(from: cursor, outline, in: forest) }
            let root = NodeIndex(rawValue: cursor)
            let number = outline.slotOf[cursor]
            cursor += 1
            guard number != 0 else {
                budget -= Self.skipCost
                continue
            }
            budget -= gatherCost
            let place = Int(number - 1)
            let id = outline.slots.id(place)
            guard RowModel.isRoot(root, id: id, in: forest) else { continue }
            let matchWeight = outline.filter.isActive ? outline.slots.matchWeight(place) : 0
            // What there is no room for in an item is rare enough to be put in later, one by one.
            guard !sorter.isFull, let weight = outline.slots.weight(place), let matchWeight else {
                stages[UInt32(place)] = Stage.late
                late.append(root)
                continue
            }
            let rank = setKey(of: root, place, outline, in: forest)
            sorter.append(
                RadixSorter.Item(
                    rank: rank, id: id, group: self.rank.order.isGrouped ? keys.groups[UInt32(place)] >> 4 : 0,
                    weight: UInt16(weight), matchWeight: UInt16(matchWeight)))
            stages[UInt32(place)] = Stage.gathered
        }
        guard cursor >= end else { return }
        sorter.begin(lastGroup: max(0, groups.groups.count - 1))
        step = .sort
    }

    /// Indices that are read ahead.
    private static let warmCount: UInt32 = 32

    /// Reads what is known of the next chains, so that one wait is for all of them.
    private mutating func warm(from first: UInt32, _ outline: borrowing RowModel, in forest: borrowing ChainForest) {
        for index in first..<(first + Self.warmCount) {
            let root = NodeIndex(rawValue: index)
            let number = outline.slotOf[index]
            guard number != 0 else { continue }
            // What is written, too, or each write would wait.
            warmed ^= outline.warmth(of: root) ^ forest.warmth(of: root) ^ keys.ranks[number - 1]
            warmed ^= UInt64(stages[number - 1])
        }
    }

    /// Finds the place of a chain in the new order; gives its rank.
    @discardableResult
    private mutating func setKey(
        of root: NodeIndex, _ place: Int, _ outline: borrowing RowModel, in forest: borrowing ChainForest
    ) -> UInt64 {
        let isRetired = rank.order.column == .start && outline.slots.has(.retired, place)
        let new = rank.rank(ofRoot: root, isRetired: isRetired, in: forest)
        keys.ranks[UInt32(place)] = new
        guard rank.order.isGrouped else { return new }
        let group = groups.numberMade(of: forest.node(root).site, in: forest)
        let state = SortRank.leading(forest.chain(of: root).counts)
        keys.groups[UInt32(place)] = group << 4 | UInt32(state.rawValue)
        groups.count(group, state, by: 1)
        return new
    }

    private mutating func assemble(_ budget: inout Int) {
        let end = min(sorter.count, position + budget / Self.assembleCost + 1)
        sorter.withItems(position..<end) { items in
            for item in items {
                list.append(item.key, weight: Int(item.weight))
                if item.matchWeight > 0 { matchList.append(item.key, weight: Int(item.matchWeight)) }
            }
        }
        budget -= (end - position) * Self.assembleCost
        position = end
        guard end == sorter.count else { return }
        step = .mend
        // What came until now is not this slice's.
        leftCount = openCount
        limitCount = 2 * openCount + 1_024
    }

    /// What is still to be made good.
    var openCount: Int { gone.count + late.count + changed.count }

    /// From how many changes on the order is finished at once: some tenths of a second.
    static let openLimit = 131_072

    /// Makes good what changed since the chains were gathered; true if nothing is left.
    private mutating func mend(
        _ outline: borrowing RowModel, in forest: borrowing ChainForest, _ budget: inout Int
    ) -> Bool {
        let came = openCount - leftCount
        if came > 0 {
            // There is time for one slice between two batches, or it loses ground: from then on at least twice what came, so
            // that it comes to an end, however much happens.
            if openCount > limitCount { limitCount = 0 }
            if sliceCount < 2 || limitCount == 0 { budget = max(budget, (2 * came + 1) * Self.mendCost) }
            sliceCount = 0
        }
        sliceCount += 1
        defer { leftCount = openCount }
        // Who went first: an id that comes back is the same key.
        while budget > 0, let key = gone.popLast() {
            budget -= Self.mendCost
            list.remove(key)
            matchList.remove(key)
        }
        var left = 0
        while budget > 0 {
            if left == 0 {
                left = Int(Self.warmCount)
                for root in (late.isEmpty ? changed : late).suffix(left) {
                    warmed ^= outline.warmth(of: root) ^ forest.warmth(of: root)
                }
            }
            guard let root = late.popLast() ?? changed.popLast() else { break }
            budget -= Self.mendCost
            left -= 1
            let number = outline.slotOf[root.rawValue]
            guard number != 0, outline.isThere(root, in: forest) else { continue }
            let place = Int(number - 1)
            let stage = stages[UInt32(place)]
            guard stage == Stage.late || stage == Stage.changed else { continue }
            put(root, place, isNew: stage == Stage.late, outline, in: forest)
            stages[UInt32(place)] = Stage.gathered
        }
        return gone.isEmpty && late.isEmpty && changed.isEmpty
    }

    private mutating func put(
        _ root: NodeIndex, _ place: Int, isNew: Bool, _ outline: borrowing RowModel, in forest: borrowing ChainForest
    ) {
        let shown = outline.slots.key(place)
        let word = keys.groups[UInt32(place)]
        let old = RootKey(group: word >> 4, rank: keys.ranks[UInt32(place)], id: shown.id)
        if !isNew, rank.order.isGrouped { groups.count(word >> 4, NodeState(rawValue: UInt8(word & 15))!, by: -1) }
        setKey(of: root, place, outline, in: forest)
        let key = RootKey(group: keys.groups[UInt32(place)] >> 4, rank: keys.ranks[UInt32(place)], id: shown.id)
        if !isNew, key != old {
            list.remove(old)
            matchList.remove(old)
        }
        let isThere = !isNew && key == old
        let weight = outline.slots.weight(place) ?? outline.list.weight(of: shown) ?? 1
        if !(isThere && list.setWeight(weight, of: key)) { list.insert(key, weight: weight) }
        let matchWeight = outline.slots.matchWeight(place) ?? outline.matchList.weight(of: shown) ?? 0
        if matchWeight == 0 {
            if isThere { matchList.remove(key) }
        } else if !(isThere && matchList.setWeight(matchWeight, of: key)) {
            matchList.insert(key, weight: matchWeight)
        }
    }
}
