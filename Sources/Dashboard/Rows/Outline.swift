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
        static let rejected: UInt64 = 8_000_000_000
        /// For chains that are one row anyway.
        static let folded: UInt64 = 500_000_000
    }

    /// Chains that unfold by themselves at one time; more arrive folded, so that a storm is a list of rows.
    static let openLimit = 24

    private struct Slot {
        var key: RootKey
        var isInList = false
        /// Folded by itself; what the user says is in `bits`.
        var isFolded = false
        /// Waits in a queue for its retirement.
        var isDue = false
        /// The user may have folded or unfolded something in it, so its rows have to be counted.
        var mayHoldFolds = false
    }

    private struct Due {
        var deadline: UInt64
        var root: NodeIndex
        var id: UInt64
    }

    private struct NodeBits: OptionSet {
        let rawValue: UInt8
        static let userFolded = NodeBits(rawValue: 1)
        static let userUnfolded = NodeBits(rawValue: 2)
        static let tagged = NodeBits(rawValue: 4)
    }

    private struct Shape {
        var nodeCount: Int
        var rows: [TreeRow]
    }

    /// All chains, by key.
    private(set) var list = RootList()
    /// Only those in which something matches, by key.
    private(set) var matchList = RootList()
    var filter = FilterScan()
    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    /// 1 + the slot of a root's index; 0 for who is none.
    private var slotOf = Paged<UInt32>(filler: 0)
    private var bits = Paged<UInt8>(filler: 0)
    /// Who has any of them: few, for the user gave them one by one.
    private var marked: [NodeIndex: NodeID] = [:]
    private var due: [Due] = []
    private var dueStart = 0
    private var openCount = 0
    /// What `*` and `_` said last, for whom nobody folded since.
    private var foldsAll: Bool?
    private var shapes: [NodeIndex: Shape] = [:]
    private var matchShapes: [NodeIndex: Shape] = [:]
    private static let shapeLimit = 512

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
                if entry.changes.contains(.placed), !marked.isEmpty { noteFolds(in: root, forest) }
            } else if entry.changes.contains(.summary), forest.isRoot(index) {
                touch(index, in: forest, now: now)
            }
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
        openCount = 0
        filter.restart()
        for root in forest.roots { touch(root, in: forest, now: now) }
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
    private mutating func noteFolds(in root: NodeIndex, _ forest: borrowing ChainForest) {
        let place = Int(slotOf[root.rawValue] - 1)
        guard !slots[place].mayHoldFolds else { return }
        slots[place].mayHoldFolds = true
        reweigh(root, in: forest)
    }

    /// Takes up a root, or what changed of its counts.
    private mutating func touch(_ root: NodeIndex, in forest: borrowing ChainForest, now: UInt64) {
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

    private mutating func add(
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

    private func rank(_ time: UInt64) -> Int64 { Int64(clamping: time) }

    /// A root that is gone or stands under another now.
    private mutating func drop(_ root: NodeIndex) {
        let place = Int(slotOf[root.rawValue] - 1)
        list.remove(slots[place].key)
        matchList.remove(slots[place].key)
        if !slots[place].isFolded, slots[place].key.section == .live { openCount -= 1 }
        slotOf[root.rawValue] = 0
        freeSlots.append(UInt32(place))
        shapes[root] = nil
        matchShapes[root] = nil
    }

    private mutating func move(_ root: NodeIndex, to key: RootKey) {
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

    // MARK: Retiring

    private mutating func enqueue(_ entry: Due) {
        // Nearly always at the end: three lingers, each in the order of settling.
        var place = due.count
        while place > dueStart, due[place - 1].deadline > entry.deadline { place -= 1 }
        due.insert(entry, at: place)
    }

    /// Whether ``retire(in:now:pinned:)`` would do something.
    func hasDue(now: UInt64) -> Bool { dueStart < due.count && due[dueStart].deadline <= now }

    /// Whether a chain waits to be retired.
    var hasAnyDue: Bool { dueStart < due.count }

    /// Folds chains that have been settled for long enough and lets them go to the settled ones.
    mutating func retire(in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?) {
        var steps = 0
        while dueStart < due.count, due[dueStart].deadline <= now, steps < 2_000 {
            let entry = due[dueStart]
            dueStart += 1
            steps += 1
            guard forest.index(of: NodeID(entry.id)) == entry.root, slotOf[entry.root.rawValue] != 0 else { continue }
            let place = Int(slotOf[entry.root.rawValue] - 1)
            let chain = forest.chain(of: entry.root)
            guard let settled = chain.settled, slots[place].key.section == .live else {
                slots[place].isDue = false
                continue
            }
            if entry.root == pinned {
                enqueue(Due(deadline: now &+ 1_000_000_000, root: entry.root, id: entry.id))
                continue
            }
            slots[place].isDue = false
            move(entry.root, to: RootKey(section: .settled, rank: -rank(settled), id: entry.id))
            slots[place].isFolded = true
            reweigh(entry.root, in: forest)
        }
        if dueStart > 4_096, dueStart * 2 > due.count {
            due.removeFirst(dueStart)
            dueStart = 0
        }
    }

    // MARK: Folding

    /// Whether what is under a node is hidden.
    func isFolded(_ node: NodeIndex) -> Bool {
        let own = NodeBits(rawValue: bits[node.rawValue])
        if own.contains(.userFolded) { return true }
        if own.contains(.userUnfolded) { return false }
        if let foldsAll { return foldsAll }
        let number = slotOf[node.rawValue]
        return number != 0 && slots[Int(number - 1)].isFolded
    }

    /// Whether the user folded it; what the outline would do by itself does not count.
    func isFoldedByUser(_ node: NodeIndex) -> Bool { NodeBits(rawValue: bits[node.rawValue]).contains(.userFolded) }

    /// Folds or unfolds a node for good.
    mutating func fold(_ node: NodeIndex, _ isFolded: Bool, in forest: borrowing ChainForest) {
        var own = NodeBits(rawValue: bits[node.rawValue])
        let root = forest.root(of: node)
        slots[Int(slotOf[root.rawValue] - 1)].mayHoldFolds = true
        marked[node] = forest.node(node).id
        own.subtract([.userFolded, .userUnfolded])
        own.insert(isFolded ? .userFolded : .userUnfolded)
        bits[node.rawValue] = own.rawValue
        forgetShape(root)
        reweigh(root, in: forest)
    }

    /// Folds or unfolds every chain; what was said of single nodes before is forgotten. O(chains and folds).
    mutating func foldAll(_ isFolded: Bool, in forest: borrowing ChainForest) {
        foldsAll = isFolded ? nil : false
        var key = list.first
        shapes = [:]
        matchShapes = [:]
        while let current = key {
            key = list.key(after: current)
            guard let root = forest.index(of: NodeID(current.id)) else { continue }
            let place = Int(slotOf[root.rawValue] - 1)
            if slots[place].mayHoldFolds { clearFolds(under: root, in: forest) }
            slots[place].mayHoldFolds = false
            if slots[place].key.section == .live, slots[place].isFolded != isFolded { openCount += isFolded ? -1 : 1 }
            slots[place].isFolded = isFolded
            reweigh(root, in: forest)
        }
    }

    private mutating func clearFolds(under root: NodeIndex, in forest: borrowing ChainForest) {
        for row in ChainWalk.rows(of: root, in: forest, isFolded: { _, _ in false }) {
            var own = NodeBits(rawValue: bits[row.node.rawValue])
            own.subtract([.userFolded, .userUnfolded])
            bits[row.node.rawValue] = own.rawValue
        }
    }

    // MARK: Tags

    func isTagged(_ node: NodeIndex) -> Bool {
        NodeBits(rawValue: bits[node.rawValue]).contains(.tagged)
    }

    mutating func tag(_ node: NodeIndex, _ isTagged: Bool, in forest: borrowing ChainForest) {
        marked[node] = forest.node(node).id
        var own = NodeBits(rawValue: bits[node.rawValue])
        if isTagged { own.insert(.tagged) } else { own.remove(.tagged) }
        bits[node.rawValue] = own.rawValue
    }

    // MARK: Weights and rows

    private mutating func forgetShape(_ root: NodeIndex) {
        shapes[root] = nil
        matchShapes[root] = nil
    }

    private mutating func reweigh(_ root: NodeIndex, in forest: borrowing ChainForest) {
        let place = Int(slotOf[root.rawValue] - 1)
        let slot = slots[place]
        let count = forest.chain(of: root).nodeCount
        let isWhole = !slot.mayHoldFolds
        let weight: Int
        if count == 1 || isFolded(root) {
            weight = 1
            if count > 1 || shapes[root] != nil { shapes[root] = nil }
        } else if isWhole {
            weight = count
        } else if let shape = shapes[root], shape.nodeCount == count {
            weight = shape.rows.count
        } else {
            weight = makeShape(root, in: forest).count
        }
        list.setWeight(weight, of: slot.key)
        guard filter.isActive else { return }
        if filter.matchCount(of: root) > 0 {
            if !matchList.contains(slot.key) { matchList.insert(slot.key, weight: 1) }
            matchShapes[root] = nil
            if filter.hidesRest { matchList.setWeight(makeMatchShape(root, in: forest).count, of: slot.key) }
        } else {
            matchList.remove(slot.key)
            matchShapes[root] = nil
        }
    }

    @discardableResult
    private mutating func makeShape(_ root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        let rows = ChainWalk.rows(of: root, in: forest, isFolded: { node, _ in isFolded(node) })
        if shapes.count >= Self.shapeLimit { shapes.removeAll(keepingCapacity: true) }
        shapes[root] = Shape(nodeCount: forest.chain(of: root).nodeCount, rows: rows)
        return rows
    }

    @discardableResult
    private mutating func makeMatchShape(_ root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        let shown = filter.shownNodes(of: root, in: forest)
        let rows = ChainWalk.rows(
            of: root, in: forest,
            isFolded: { node, _ in isFoldedByUser(node) },
            isHidden: { node in !shown.contains(node) })
        if matchShapes.count >= Self.shapeLimit { matchShapes.removeAll(keepingCapacity: true) }
        matchShapes[root] = Shape(nodeCount: forest.chain(of: root).nodeCount, rows: rows)
        return rows
    }

    /// The rows of a chain as they are shown now.
    mutating func rows(of root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        let count = forest.chain(of: root).nodeCount
        if filter.hidesRest {
            if let shape = matchShapes[root], shape.nodeCount == count { return shape.rows }
            return makeMatchShape(root, in: forest)
        }
        if let shape = shapes[root], shape.nodeCount == count { return shape.rows }
        return makeShape(root, in: forest)
    }

    /// The rows from a number on, at most so many.
    mutating func rows(from first: Int, count: Int, in forest: borrowing ChainForest) -> [TreeRow] {
        var result: [TreeRow] = []
        guard count > 0, var (key, offset) = shown.select(row: first) else { return result }
        result.reserveCapacity(count)
        while result.count < count {
            if let root = forest.index(of: NodeID(key.id)) {
                let rows = rows(of: root, in: forest)
                result.append(contentsOf: rows.dropFirst(offset).prefix(count - result.count))
            }
            guard let next = shown.key(after: key) else { break }
            (key, offset) = (next, 0)
        }
        return result
    }

    /// The row of a node, or of the nearest node that hides it; nil where its chain is not shown.
    mutating func row(of node: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        let root = forest.root(of: node)
        let number = slotOf[root.rawValue]
        guard number != 0, let first = shown.row(of: slots[Int(number - 1)].key) else { return nil }
        if node == root { return first }
        let rows = rows(of: root, in: forest)
        var current: NodeIndex? = node
        while let target = current {
            if let place = rows.firstIndex(where: { $0.node == target }) { return first + place }
            current = ChainWalk.outer(of: target, in: forest)
        }
        return first
    }

    /// The first row of the chain that a node is in.
    func firstRow(ofChain root: NodeIndex) -> Int? {
        let number = slotOf[root.rawValue]
        return number == 0 ? nil : shown.row(of: slots[Int(number - 1)].key)
    }

    func key(of root: NodeIndex) -> RootKey? {
        let number = slotOf[root.rawValue]
        return number == 0 ? nil : slots[Int(number - 1)].key
    }

    // MARK: Filtering

    /// Begins to look for a text, or ends it.
    mutating func setFilter(_ text: String) {
        matchList = RootList()
        matchShapes = [:]
        filter.begin(text)
    }

    /// Hides or dims what does not match.
    mutating func toggleDim(in forest: borrowing ChainForest) {
        filter.dims.toggle()
        guard filter.hidesRest else { return }
        var key = matchList.first
        while let current = key {
            key = matchList.key(after: current)
            if let root = forest.index(of: NodeID(current.id)) {
                matchList.setWeight(makeMatchShape(root, in: forest).count, of: current)
            }
        }
    }

    /// Looks at the next slice of nodes; false if nothing was left to look at.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard filter.scan(in: forest, budget: budget) else { return false }
        refreshMatches(in: forest)
        return true
    }

    private mutating func refreshMatches(in forest: borrowing ChainForest) {
        for root in filter.takeTouched() where slotOf[root.rawValue] != 0 { reweigh(root, in: forest) }
    }
}
