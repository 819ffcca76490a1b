import ChainEvents
import ChainModel

/// A new order of all chains in the making, in slices, while the old one is on the screen and goes on changing.
///
/// Four steps: the chains are gathered in the order of their indices, each with its rank; sorted by radix, least digits
/// first, over those digits in which they differ; put into lists; and what came, went or changed since it was gathered
/// is made good. Some 80 ns a chain; 40 bytes a chain while it lasts.
struct SortBuild {
    private struct Item: BitwiseCopyable {
        var rank: UInt64
        /// Where the rest of it is: in `ids` and so on.
        var place: UInt32
        var weight: UInt32
    }

    private enum Step { case gather, count, scatter, assemble, mend }

    private enum Digit { case id, rank, group }

    /// What became of a chain that has a slot.
    private enum Stage { static let unseen: UInt8 = 0, gathered: UInt8 = 1, late: UInt8 = 2, changed: UInt8 = 3 }

    let rank: SortRank
    /// What is made: keys by slot, groups, lists.
    private(set) var keys = RootSlots.Keys()
    private(set) var groups = GroupTable()
    private(set) var list = RootLists()
    private(set) var matchList = RootLists()

    private var step = Step.gather
    private var cursor: UInt32 = 0
    private var items: [Item] = []
    private var sorted: [Item] = []
    private var ids: [UInt64] = []
    private var groupNumbers: [UInt32] = []
    /// 0 for who does not match; empty without a filter.
    private var matchWeights: [UInt32] = []
    private var isInOrderOfID = true
    private var lastID: UInt64 = 0
    private var rankBits: (any: UInt64, all: UInt64) = (0, .max)
    private var idBits: UInt64 = 0

    private var passes: [(digit: Digit, shift: UInt64)] = []
    private var position = 0
    private var starts: [Int] = []

    private var stages = Paged<UInt8>(filler: Stage.unseen)
    private var gone: [RootKey] = []
    private var late: [NodeIndex] = []
    private var changed: [NodeIndex] = []
    /// Those of the three that the last slice left.
    private var leftCount = 0
    /// What reading ahead gave; nobody needs it.
    private var warmed: UInt64 = 0

    private static let digitBits = 11
    private static let digitCount = 1 << 11
    // What one chain takes in each step, in nanoseconds, about, where it is far from the processor and others use it,
    // too; an index that is no chain's takes its look.
    private static let skipCost = 5, countCost = 5, scatterCost = 20, assembleCost = 60, mendCost = 1_800
    /// A text has to be read to be ranked.
    private let gatherCost: Int

    init(_ rank: SortRank, rootCount: Int) {
        self.rank = rank
        let order = rank.order
        gatherCost = [.node, .thread, .value].contains(order.column) ? 450 : 300
        items.reserveCapacity(rootCount)
        sorted.reserveCapacity(rootCount)
        ids.reserveCapacity(rootCount)
    }

    /// What nobody needs once it is done, to be given back part by part.
    var scratch: [Any] { [items, sorted, ids, groupNumbers, matchWeights, stages] }
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
        Outline.recount(place, as: state, &keys, &groups)
    }

    // MARK: Going on

    /// Does a slice of the work; true if all of it is done.
    mutating func step(_ outline: borrowing Outline, in forest: borrowing ChainForest, budget: Int) -> Bool {
        var budget = budget
        while budget > 0 {
            switch step {
            case .gather: gather(outline, in: forest, &budget)
            case .count: count(&budget)
            case .scatter: scatter(&budget)
            case .assemble: assemble(&budget)
            case .mend: if mend(outline, in: forest, &budget) { return true }
            }
        }
        return false
    }

    private mutating func gather(
        _ outline: borrowing Outline, in forest: borrowing ChainForest, _ budget: inout Int
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
            guard Outline.isRoot(root, id: id, in: forest) else { continue }
            let rank = setKey(of: root, place, outline, in: forest)
            let weight = outline.slots.weight(place) ?? outline.list.weight(of: outline.slots.key(place)) ?? 1
            if id < lastID { isInOrderOfID = false }
            lastID = id
            rankBits = (rankBits.any | rank, rankBits.all & rank)
            idBits |= id
            let item = Item(rank: rank, place: UInt32(ids.count), weight: UInt32(weight))
            items.append(item)
            // So that no slice has to make room for all.
            sorted.append(item)
            ids.append(id)
            if self.rank.order.isGrouped { groupNumbers.append(keys.groups[UInt32(place)] >> 4) }
            if outline.filter.isActive {
                let weight =
                    outline.slots.matchWeight(place) ?? outline.matchList.weight(of: outline.slots.key(place)) ?? 0
                matchWeights.append(UInt32(weight))
            }
            stages[UInt32(place)] = Stage.gathered
        }
        if cursor >= end { endGathering() }
    }

    /// Indices that are read ahead.
    private static let warmCount: UInt32 = 32

    /// Reads what is known of the next chains, so that one wait is for all of them.
    private mutating func warm(from first: UInt32, _ outline: borrowing Outline, in forest: borrowing ChainForest) {
        for index in first..<(first + Self.warmCount) {
            let root = NodeIndex(rawValue: index)
            guard outline.slotOf[index] != 0 else { continue }
            warmed ^= outline.warmth(of: root) ^ forest.warmth(of: root)
        }
    }

    /// Finds the place of a chain in the new order; gives its rank.
    @discardableResult
    private mutating func setKey(
        of root: NodeIndex, _ place: Int, _ outline: borrowing Outline, in forest: borrowing ChainForest
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

    private mutating func endGathering() {
        func add(_ digit: Digit, differing: UInt64) {
            for shift in stride(from: 0, to: 64, by: Self.digitBits)
            where differing >> UInt64(shift) & UInt64(Self.digitCount - 1) != 0 {
                passes.append((digit, UInt64(shift)))
            }
        }
        if !isInOrderOfID { add(.id, differing: idBits) }
        add(.rank, differing: rankBits.any & ~rankBits.all)
        if groups.groups.count > 1 { add(.group, differing: UInt64(groups.groups.count - 1)) }
        passes.reverse()
        beginPass()
    }

    private mutating func beginPass() {
        position = 0
        step = passes.isEmpty ? .assemble : .count
        starts = Array(repeating: 0, count: Self.digitCount)
    }

    private func digit(of item: Item) -> Int {
        let (digit, shift) = passes[passes.count - 1]
        let number: UInt64 =
            switch digit {
            case .rank: item.rank
            case .id: ids[Int(item.place)]
            case .group: UInt64(groupNumbers[Int(item.place)])
            }
        return Int(number >> shift & UInt64(Self.digitCount - 1))
    }

    private mutating func count(_ budget: inout Int) {
        let end = min(items.count, position + budget / Self.countCost + 1)
        for index in position..<end { starts[digit(of: items[index])] += 1 }
        budget -= (end - position) * Self.countCost
        position = end
        guard end == items.count else { return }
        var sum = 0
        for digit in starts.indices {
            let count = starts[digit]
            starts[digit] = sum
            sum += count
        }
        position = 0
        step = .scatter
    }

    private mutating func scatter(_ budget: inout Int) {
        let end = min(items.count, position + budget / Self.scatterCost + 1)
        for index in position..<end {
            let digit = digit(of: items[index])
            sorted[starts[digit]] = items[index]
            starts[digit] += 1
        }
        budget -= (end - position) * Self.scatterCost
        position = end
        guard end == items.count else { return }
        swap(&items, &sorted)
        passes.removeLast()
        beginPass()
    }

    private mutating func assemble(_ budget: inout Int) {
        let end = min(items.count, position + budget / Self.assembleCost + 1)
        for item in items[position..<end] {
            let place = Int(item.place)
            let key = RootKey(group: groupNumbers.isEmpty ? 0 : groupNumbers[place], rank: item.rank, id: ids[place])
            list.append(key, weight: Int(item.weight))
            if place < matchWeights.count, matchWeights[place] > 0 {
                matchList.append(key, weight: Int(matchWeights[place]))
            }
        }
        budget -= (end - position) * Self.assembleCost
        position = end
        guard end == items.count else { return }
        step = .mend
        // What came until now is not this slice's.
        leftCount = openCount
    }

    /// What is still to be made good.
    private var openCount: Int { gone.count + late.count + changed.count }

    /// Makes good what changed since the chains were gathered; true if nothing is left.
    private mutating func mend(
        _ outline: borrowing Outline, in forest: borrowing ChainForest, _ budget: inout Int
    ) -> Bool {
        // At least twice what came since the last time: it comes to an end, however much happens.
        let came = openCount - leftCount
        budget = max(budget, (2 * came + 1) * Self.mendCost)
        defer { leftCount = openCount }
        // Who went first: an id that comes back is the same key.
        while budget > 0, let key = gone.popLast() {
            budget -= Self.mendCost
            list.remove(key)
            matchList.remove(key)
        }
        while budget > 0, let root = late.popLast() ?? changed.popLast() {
            budget -= Self.mendCost
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
        _ root: NodeIndex, _ place: Int, isNew: Bool, _ outline: borrowing Outline, in forest: borrowing ChainForest
    ) {
        let shown = outline.slots.key(place)
        if !isNew {
            let word = keys.groups[UInt32(place)]
            let old = RootKey(group: word >> 4, rank: keys.ranks[UInt32(place)], id: shown.id)
            list.remove(old)
            matchList.remove(old)
            if rank.order.isGrouped { groups.count(word >> 4, NodeState(rawValue: UInt8(word & 15))!, by: -1) }
        }
        setKey(of: root, place, outline, in: forest)
        let key = RootKey(group: keys.groups[UInt32(place)] >> 4, rank: keys.ranks[UInt32(place)], id: shown.id)
        list.insert(key, weight: outline.slots.weight(place) ?? outline.list.weight(of: shown) ?? 1)
        let weight = outline.slots.matchWeight(place) ?? outline.matchList.weight(of: shown) ?? 0
        if weight > 0 { matchList.insert(key, weight: weight) }
    }
}
