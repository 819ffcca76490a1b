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
struct RowModel {
    /// How long a settled chain stays among the live ones, in nanoseconds.
    struct Linger {
        static let settled: UInt64 = 2_500_000_000
        static let rejected: UInt64 = 5_000_000_000
        /// For chains that are one row anyway.
        static let folded: UInt64 = 500_000_000
        static let all = [folded, settled, rejected]
        /// How much longer a chain stays that the user is in.
        static let putOff: UInt64 = 1_000_000_000
    }

    /// Chains that unfold by themselves at one time; more arrive folded, so that a storm is a list of rows.
    static let openLimit = 24

    struct Shape {
        var nodeCount: Int
        var rows: [TreeRow]
    }

    /// All chains, by key.
    var list = GroupedLists()
    /// Only those in which something matches, by key.
    var matchList = GroupedLists()
    /// What the lists are in the order of.
    var order: Order
    var filter = FilterScan()
    var slots = ChainTable()
    /// 1 + the slot of a root's index; 0 for who is none.
    var slotOf = PagedArray<UInt32>(filler: 0)
    /// What is folded and tagged, and by whom.
    var folds = Folds()
    /// Long chains: those of more nodes than `longFrom`.
    var lists: LongChainIndex
    let longFrom: Int
    /// Lists that are still read, and how much may be read at once before the next tick.
    var unread: [Int] = []
    var readLeft = RowModel.firstRead
    var pass: Pass?
    /// Who got many children and is not folded yet, because the user is in it or no tick has come since.
    var waitingLarge: [NodeIndex: NodeID] = [:]
    var hasNewLarge = false
    var lastSelected: NodeIndex?
    /// Nodes that may fold themselves.
    var tidies: NodeQueue
    /// By node, the last bits of the id that has an entry in ``tidies``; 0 for none.
    var tidyOwners = PagedArray<UInt32>(filler: 0)
    /// Settled chains that are to be retired: a queue for each duration in ``Linger/all``, so that each is in order.
    var dues: [NodeQueue]
    var openCount = 0
    var shapes: [NodeIndex: Shape] = [:]
    var matchShapes: [NodeIndex: Shape] = [:]
    static let shapeLimit = 512
    /// What reading ahead gave; nobody needs it.
    var warmed: UInt64 = 0

    /// The least limit of each queue of nodes; the limit is twice the nodes of the forest where those are more.
    static let leastQueueLimit = 16_384

    /// Chains of more than `longFrom` nodes are kept in lists, in chunks of at most `chunkLimit` nodes.
    init(longFrom: Int = 256, chunkLimit: Int = 256, queueLimit: Int = RowModel.leastQueueLimit) {
        self.longFrom = longFrom
        tidies = NodeQueue(leastLimit: queueLimit)
        dues = Linger.all.map { _ in NodeQueue(leastLimit: queueLimit) }
        order = Order(queueLimit: queueLimit)
        lists = LongChainIndex(chunkLimit: chunkLimit)
    }

    /// The lists that are on the screen.
    var shown: GroupedLists { filter.hidesRest ? matchList : list }

    // MARK: Following the forest

    /// Takes in what changed. `pinned` is a chain that stays where it is, come what may.
    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        if changes.tables, filter.isActive { filter.noteNames(of: forest) }
        if changes.isEverything {
            rebuild(from: forest, now: now)
            return
        }
        // Who is the root now of all that was under one that is gone: there nothing else is new.
        var heirs: Set<NodeIndex> = []
        for (place, eviction) in changes.evicted.enumerated() {
            if place.isMultiple(of: Self.warmCount) {
                let next = changes.evicted[place...].prefix(Self.warmCount)
                for eviction in next { warmed ^= warmth(of: eviction.index) ^ (filter.isMatch(eviction.index) ? 1 : 0) }
                for eviction in next { warmed ^= placeWarmth(of: eviction.index) }
            }
            if slotOf[eviction.index.rawValue] != 0 { drop(eviction.index) }
            folds.forget(eviction.index)
            filter.forget(eviction.index)
            if filter.isActive, let newRoot = eviction.newRoot, filter.inherit(from: eviction.index, by: newRoot) {
                heirs.insert(newRoot)
            }
        }
        lists.follow(changes, of: forest, folds, filter)
        noteLarge(in: forest)
        var touched: NodeIndex?
        for (place, entry) in changes.nodes.enumerated() {
            if place.isMultiple(of: Self.warmCount) {
                for next in changes.nodes[place...].prefix(Self.warmCount) where next.changes.contains(.summary) {
                    warmed ^= warmth(of: next.index)
                }
            }
            let index = entry.index
            let isShape = !entry.changes.isDisjoint(with: [.created, .moved])
            if isShape, !entry.traits.contains(.root), slotOf[index.rawValue] != 0 {
                drop(index)
                // It was taken for a root, which may be folded for that, when the chain that it is in now was weighed.
                touched = nil
            }
            if filter.isActive {
                filter.noteChange(of: index, entry.changes, in: forest)
                // What stands under a new node is new there, too.
                if entry.changes.contains(.moved), !entry.changes.contains(.created),
                    !(entry.traits.contains(.root) && heirs.contains(index))
                {
                    filter.noteChange(ofAllBelow: index, in: forest)
                }
            }
            if isShape {
                let root = forest.root(of: index)
                if slotOf[root.rawValue] != 0 { forgetShape(root, Int(slotOf[root.rawValue] - 1)) }
                if root != touched { touch(root, in: forest, now: now, matches: .soon) }
                touched = root
                // Who is new is not folded, nor was anybody who stands under it without being told of itself.
                if entry.changes.contains(.moved), !entry.changes.contains(.created), folds.mayHoldAny {
                    noteFolds(in: root, forest)
                }
            } else if entry.changes.contains(.summary), entry.traits.contains(.root) {
                touch(index, in: forest, now: now, matches: .asBefore)
            } else if entry.changes.contains(.facts), slotOf[index.rawValue] != 0 {
                noteFacts(of: index)
            }
            if isShape || entry.changes.contains(.state) { noteState(of: index, entry.state, in: forest, now: now) }
            if entry.changes.contains(.facts), Folds.isLarge(index, in: forest) {
                noteLarge(index, in: forest)
            }
        }
        refreshMatches(in: forest)
    }

    /// Changes and chains that are read ahead.
    static let warmCount = 64

    /// Something of what is known of a chain and of where it stands; 0 for who is no root. Asked of many before they are
    /// looked at one by one, so that one wait is for all of them.
    func warmth(of root: NodeIndex) -> UInt64 {
        let number = slotOf[root.rawValue]
        return number == 0 ? 0 : slots.warmth(Int(number - 1))
    }

    /// Something of where a chain stands in the list of all; asked of many after ``warmth(of:)`` was.
    func placeWarmth(of root: NodeIndex) -> UInt64 {
        let number = slotOf[root.rawValue]
        return number == 0 ? 0 : list.warmth(of: slots.key(Int(number - 1)))
    }

    /// What is known of chains in the order in which they are looked at next, and of their nodes.
    mutating func warm(_ roots: ArraySlice<NodeIndex>, in forest: borrowing ChainForest) {
        for root in roots { warmed ^= warmth(of: root) ^ forest.warmth(of: root) }
    }

    /// From now on a chain's rows are counted, for something in it may be folded.
    mutating func noteFolds(in root: NodeIndex, _ forest: borrowing ChainForest) {
        let place = Int(slotOf[root.rawValue]) - 1
        guard place >= 0, !slots.has(.mayHoldFolds, place) else { return }
        slots.set(.mayHoldFolds, true, place)
        reweigh(root, in: forest)
    }

    /// Takes up a root, or what changed of its counts.
    mutating func touch(
        _ root: NodeIndex, in forest: borrowing ChainForest, now: UInt64, matches: MatchCount = .now
    ) {
        let chain = forest.chain(of: root)
        let number = slotOf[root.rawValue]
        let place = number == 0 ? add(root, chain, in: forest, now: now) : Int(number - 1)
        if let settled = chain.settled {
            if !slots.has(.retired, place), !slots.has(.due, place) {
                slots.set(.due, true, place)
                let linger =
                    slots.has(.folded, place) || chain.nodeCount == 1
                    ? Linger.folded : chain.firstRejected == nil ? Linger.settled : Linger.rejected
                let entry = NodeQueue.Entry(deadline: settled &+ linger, node: root, id: NodeID(slots.id(place)))
                enqueue(entry, linger, in: forest)
            }
        } else if slots.has(.retired, place) {
            // It lives again: something was hung on it.
            setRetired(root, false, in: forest)
        }
        if chain.firstRejected != nil, slots.has(.folded, place), !slots.has(.retired, place),
            openCount < Self.openLimit
        {
            slots.set(.folded, false, place)
            openCount += 1
            forgetShape(root, place)
        }
        noteChange(of: root, chain, place)
        reweigh(root, in: forest, matches: matches)
    }

    /// Takes up a new root; gives its place among the slots.
    private mutating func add(
        _ root: NodeIndex, _ chain: ChainSummary, in forest: borrowing ChainForest, now: UInt64
    ) -> Int {
        var bits: ChainTable.Bits = openCount >= Self.openLimit ? .folded : []
        if let settled = chain.settled, settled &+ Linger.rejected < now { bits = [.folded, .retired] }
        if !bits.contains(.folded) { openCount += 1 }
        let id = forest.id(of: root).rawValue
        let key = order.key(of: root, id: id, isRetired: bits.contains(.retired), in: forest)
        let place = slots.take(key, bits)
        slotOf[root.rawValue] = UInt32(place) + 1
        list.insert(key, weight: 1)
        noteAdded(root, chain, place)
        return place
    }

    /// A root that is gone or stands under another now.
    mutating func drop(_ root: NodeIndex) {
        let place = Int(slotOf[root.rawValue] - 1)
        noteDropped(place)
        let key = slots.key(place)
        list.remove(key)
        if slots.matchWeight(place) != 0 { matchList.remove(key) }
        if !slots.has(.folded, place), !slots.has(.retired, place) { openCount -= 1 }
        slotOf[root.rawValue] = 0
        forgetShape(root, place)
        slots.release(place)
    }

    mutating func move(_ root: NodeIndex, to key: RootKey) {
        let place = Int(slotOf[root.rawValue] - 1)
        let old = slots.key(place)
        guard old != key else { return }
        slots.setKey(key, of: place)
        if let weight = slots.weight(place) ?? list.weight(of: old), list.remove(old) {
            list.insert(key, weight: weight)
        }
        guard slots.matchWeight(place) != 0 else { return }
        if let weight = slots.matchWeight(place) ?? matchList.weight(of: old), matchList.remove(old) {
            matchList.insert(key, weight: weight)
        }
    }
}
