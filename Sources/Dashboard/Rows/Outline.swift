import ChainEvents
import ChainModel

/// Which rows there are, in which order: follows a forest by its changes, never by walking it.
///
/// Chains that live stand first, oldest first, so that what is new arrives below and moves nothing; a chain that has
/// settled stays where it is for a moment (longer if something in it was rejected), then folds to one row and goes to
/// the top of the settled ones, newest first. What the user folded or unfolded stays so.
///
/// Costs: a chain that was never folded inside weighs what it counts, O(1); another one is walked when it changed. The
/// rows of a chain are made when it comes on the screen and kept until its shape changes.
struct Outline {
    /// How long a settled chain stays among the live ones, in nanoseconds.
    struct Linger {
        static let settled: UInt64 = 2_500_000_000
        static let rejected: UInt64 = 5_000_000_000
        /// For chains that are one row anyway.
        static let folded: UInt64 = 500_000_000
    }

    /// Chains that unfold by themselves at one time; more arrive folded, so that a storm is a list of rows.
    static let openLimit = 24

    struct Slot {
        var key: RootKey
        var isInList = false
        /// Folded by itself; what the user says is in `bits`.
        var isFolded = false
        /// Waits in a queue for its retirement.
        var isDue = false
        /// The user may have folded or unfolded something in it, so its rows have to be counted.
        var mayHoldFolds = false
    }

    struct Due {
        var deadline: UInt64
        var root: NodeIndex
        var id: UInt64
    }

    struct NodeBits: OptionSet {
        let rawValue: UInt8
        static let userFolded = NodeBits(rawValue: 1)
        static let userUnfolded = NodeBits(rawValue: 2)
        static let tagged = NodeBits(rawValue: 4)
    }

    struct Shape {
        var nodeCount: Int
        var rows: [TreeRow]
    }

    /// All chains, by key.
    var list = RootList()
    /// Only those in which something matches, by key.
    var matchList = RootList()
    var filter = FilterScan()
    var slots: [Slot] = []
    var freeSlots: [UInt32] = []
    /// 1 + the slot of a root's index; 0 for who is none.
    var slotOf = Paged<UInt32>(filler: 0)
    var bits = Paged<UInt8>(filler: 0)
    /// Who has any of them: few, for the user gave them one by one.
    var marked: [NodeIndex: NodeID] = [:]
    /// Who folded itself; see ``tidy(in:now:selected:)``.
    var selfFolded: [NodeIndex: NodeID] = [:]
    var tidies: [Tidy] = []
    var tidyStart = 0
    var due: [Due] = []
    var dueStart = 0
    var openCount = 0
    /// What `*` and `_` said last, for whom nobody folded since.
    var foldsAll: Bool?
    var shapes: [NodeIndex: Shape] = [:]
    var matchShapes: [NodeIndex: Shape] = [:]
    static let shapeLimit = 512

    /// The list that is on the screen.
    var shown: RootList { filter.hidesRest ? matchList : list }
    var rowCount: Int { filter.hidesRest ? matchList.rowCount : list.rowCount }

    // MARK: Following the forest

    /// Takes in what changed. `pinned` is a chain that stays where it is, come what may.
    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        if changes.isEverything {
            rebuild(from: forest, now: now)
            return
        }
        for eviction in changes.evicted {
            if slotOf[eviction.index.rawValue] != 0 { drop(eviction.index) }
            if marked.removeValue(forKey: eviction.index) != nil { bits[eviction.index.rawValue] = 0 }
            selfFolded[eviction.index] = nil
            filter.forget(eviction.index)
        }
        for entry in changes.nodes {
            let index = entry.index
            let isShape = !entry.changes.isDisjoint(with: [.created, .placed])
            if isShape, slotOf[index.rawValue] != 0, !forest.isRoot(index) { drop(index) }
            if filter.isActive { filter.noteChange(of: index, withAllBelow: isShape, in: forest) }
            if isShape {
                let root = forest.root(of: index)
                shapes[root] = nil
                matchShapes[root] = nil
                touch(root, in: forest, now: now)
                if entry.changes.contains(.placed), !marked.isEmpty || !selfFolded.isEmpty {
                    noteFolds(in: root, forest)
                }
            } else if entry.changes.contains(.summary), forest.isRoot(index) {
                touch(index, in: forest, now: now)
            }
            if isShape || entry.changes.contains(.state) { noteState(of: index, in: forest, now: now) }
        }
        refreshMatches(in: forest)
    }

    /// Reads the whole forest anew; folds, tags and matches of nodes that are still there stay.
    mutating func rebuild(from forest: borrowing ChainForest, now: UInt64) {
        list = RootList()
        matchList = RootList()
        slots = []
        freeSlots = []
        slotOf.removeAll()
        shapes = [:]
        matchShapes = [:]
        due = []
        dueStart = 0
        selfFolded = [:]
        tidies = []
        tidyStart = 0
        openCount = 0
        filter.restart()
        var budget = Self.tidyBudget
        for root in forest.roots {
            touch(root, in: forest, now: now)
            if budget > 0 { budget -= noteStates(under: root, in: forest, now: now) }
        }
        for (node, id) in marked {
            if forest.index(of: id) == node {
                noteFolds(in: forest.root(of: node), forest)
            } else {
                marked[node] = nil
                bits[node.rawValue] = 0
            }
        }
    }

    /// From now on a chain's rows are counted, for something in it may be folded.
    mutating func noteFolds(in root: NodeIndex, _ forest: borrowing ChainForest) {
        let place = Int(slotOf[root.rawValue] - 1)
        guard !slots[place].mayHoldFolds else { return }
        slots[place].mayHoldFolds = true
        reweigh(root, in: forest)
    }

    /// Takes up a root, or what changed of its counts.
    mutating func touch(_ root: NodeIndex, in forest: borrowing ChainForest, now: UInt64) {
        let chain = forest.chain(of: root)
        var number = slotOf[root.rawValue]
        if number == 0 {
            number = add(root, chain, in: forest, now: now)
        }
        let place = Int(number - 1)
        if let settled = chain.settled {
            if slots[place].key.section == .live, !slots[place].isDue {
                slots[place].isDue = true
                let linger =
                    slots[place].isFolded || chain.nodeCount == 1
                    ? Linger.folded : chain.firstRejected == nil ? Linger.settled : Linger.rejected
                enqueue(Due(deadline: settled &+ linger, root: root, id: slots[place].key.id))
            }
        } else if slots[place].key.section == .settled {
            // It lives again: something was hung on it.
            move(root, to: RootKey(section: .live, rank: rank(forest.node(root).created), id: slots[place].key.id))
        }
        if chain.firstRejected != nil, slots[place].isFolded, slots[place].key.section == .live,
            openCount < Self.openLimit
        {
            slots[place].isFolded = false
            openCount += 1
            forgetShape(root)
        }
        reweigh(root, in: forest)
    }

    mutating func add(
        _ root: NodeIndex, _ chain: ChainSummary, in forest: borrowing ChainForest, now: UInt64
    ) -> UInt32 {
        let node = forest.node(root)
        let id = node.id.rawValue
        var slot = Slot(key: RootKey(section: .live, rank: rank(node.created), id: id))
        slot.isFolded = openCount >= Self.openLimit
        if let settled = chain.settled, settled &+ Linger.rejected < now {
            slot.key = RootKey(section: .settled, rank: -rank(settled), id: id)
            slot.isFolded = true
        }
        if !slot.isFolded { openCount += 1 }
        slot.isInList = true
        var number = UInt32(slots.count)
        if let free = freeSlots.popLast() {
            number = free
            slots[Int(free)] = slot
        } else {
            slots.append(slot)
        }
        slotOf[root.rawValue] = number + 1
        list.insert(slot.key, weight: 1)
        return number + 1
    }

    func rank(_ time: UInt64) -> Int64 { Int64(clamping: time) }

    /// A root that is gone or stands under another now.
    mutating func drop(_ root: NodeIndex) {
        let place = Int(slotOf[root.rawValue] - 1)
        list.remove(slots[place].key)
        matchList.remove(slots[place].key)
        if !slots[place].isFolded, slots[place].key.section == .live { openCount -= 1 }
        slotOf[root.rawValue] = 0
        freeSlots.append(UInt32(place))
        shapes[root] = nil
        matchShapes[root] = nil
    }

    mutating func move(_ root: NodeIndex, to key: RootKey) {
        let place = Int(slotOf[root.rawValue] - 1)
        let old = slots[place].key
        let wasOpen = !slots[place].isFolded
        guard old != key else { return }
        slots[place].key = key
        if let weight = list.weight(of: old) {
            list.remove(old)
            list.insert(key, weight: weight)
        }
        if let weight = matchList.weight(of: old) {
            matchList.remove(old)
            matchList.insert(key, weight: weight)
        }
        if wasOpen, old.section != key.section { openCount += key.section == .live ? 1 : -1 }
    }
}
