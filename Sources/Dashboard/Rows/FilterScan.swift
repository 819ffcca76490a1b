import ChainEvents
import ChainInsight
import ChainModel

/// Which nodes a query finds: looked for in slices, kept up with each change, and with the passing of time where the
/// query asks for that (`age>5s`), once a second.
///
/// Costs: a node that changes is tested again, O(1). One that time alone may bring in or take out waits in a queue for
/// that second, so that a second costs those whose time has come, not all. 10 bytes a node while a filter is on, 4 to 8
/// more for one that waits.
struct FilterScan {
    /// What is looked for, as it was typed; empty for no filter.
    private(set) var text = ""
    /// What of labels and sites is to be marked, in lower case.
    private(set) var markedTexts: [String] = []
    /// Whether the rest is dimmed rather than hidden.
    var dims = false
    /// Nodes that match, so far.
    private(set) var count = 0
    /// The next index to look at; nil when all were.
    private(set) var cursor: UInt32?
    /// Changes whenever ``isMatch(_:)`` does for any node: for who keeps rows that were filtered by it.
    private(set) var revision: UInt64 = 0
    /// What durations count to, in nanoseconds of the program's clock: the last whole second.
    private(set) var moment: UInt64 = 0
    private(set) var isActive = false
    private var matcher = QueryMatcher(.everything)
    private var nameCount = 0, renameCount = 0
    /// What may change of a node that another answer comes of; that it is new, or elsewhere, always may.
    private var asked: NodeChanges = []
    private var dependsOnTime = false
    private var dependsOnParents = false
    /// By root, the number of its chain, as long as anything in it matches; 0 for none. A chain that sheds its beginning
    /// keeps its number under another root.
    private var numberOf = Paged<UInt32>(filler: 0)
    /// By number, how many match, and the root.
    private var counts = Paged<UInt32>(filler: 0), rootOf = Paged<UInt32>(filler: 0)
    private var lastNumber: UInt32 = 0
    private var freeNumbers: [UInt32] = []
    /// By node that matches, the number of the chain that it is counted for; by root, a bit that says that it is in
    /// `touched`.
    private var countedIn = Paged<UInt32>(filler: 0)
    /// What the filter of before knew, until it is given back: of a million nodes that takes a while.
    private var spent: [Paged<UInt32>] = []
    private var touched: [NodeIndex] = []
    private var flipped: [NodeIndex] = []
    private var clock = SecondQueue()
    /// Those whose time has come, or whose parent was settled.
    private var due: [NodeIndex] = []
    /// Nodes that ``markShown(of:in:)`` found: those that hold the number of the last round.
    private var shownRound = Paged<UInt16>(filler: 0)
    private var lastShown: UInt16 = 0

    var hidesRest: Bool { isActive && !dims }
    /// Bytes of texts that were looked through so far.
    var comparedBytes: Int { matcher.comparedBytes }
    /// Whether there are nodes that were not looked at.
    var hasWork: Bool { cursor != nil || !due.isEmpty }

    /// Pages that a tick gives back.
    private static let spentPages = 512
    private static let touchedBit: UInt32 = 1 << 31

    /// Looks for something else, or for nothing: a query without words finds everything, so there is no filter.
    mutating func begin(_ query: Query?, now: UInt64) {
        let query = query.flatMap { $0.isEmpty ? nil : $0 } ?? .everything
        isActive = !query.isEmpty
        text = query.text
        markedTexts = query.markedTexts
        matcher = QueryMatcher(query)
        asked = matcher.asked.union([.created, .placed])
        dependsOnTime = query.dependsOnTime
        dependsOnParents = query.dependsOnParents
        spent += [numberOf, counts, rootOf, countedIn]
        (numberOf, counts, rootOf, countedIn) = (Paged(filler: 0), Paged(filler: 0), Paged(filler: 0), Paged(filler: 0))
        (lastNumber, freeNumbers) = (0, [])
        touched = []
        flipped = []
        clock = SecondQueue()
        due = []
        moment = now - now % SecondQueue.unit
        count = 0
        revision &+= 1
        cursor = isActive ? 0 : nil
    }

    /// Looks at everything again, a slice at a time; until then what was found stays.
    mutating func lookAgain() { if isActive { cursor = 0 } }

    func isMatch(_ node: NodeIndex) -> Bool { countedIn[node.rawValue] & ~Self.touchedBit != 0 }
    func matchCount(of root: NodeIndex) -> Int {
        let number = numberOf[root.rawValue]
        return number == 0 ? 0 : Int(counts[number])
    }

    // MARK: Looking

    /// Lets time go on to `now`, in nanoseconds of the program's clock.
    mutating func tick(_ now: UInt64) {
        if let last = spent.indices.last, !spent[last].removeLast(Self.spentPages) { spent.removeLast() }
        let second = now / SecondQueue.unit
        guard dependsOnTime, second > moment / SecondQueue.unit else { return }
        moment = second * SecondQueue.unit
        clock.take(upTo: second, into: &due)
    }

    /// If names came that may be those that were missed, or instead of others, everything is looked at again.
    mutating func noteNames(of forest: borrowing ChainForest) {
        let known = forest.sites.count + forest.threads.count + forest.executors.count
        let areRenamed = forest.renameCount != renameCount
        guard known != nameCount || areRenamed else { return }
        (nameCount, renameCount) = (known, forest.renameCount)
        guard isActive, matcher.hasMissedName || areRenamed else { return }
        matcher = QueryMatcher(matcher.query)
        lookAgain()
    }

    private static let freeSlotsPerNode = 64
    private static let bytesPerNode = 64
    /// A chain whose matches change is weighed anew.
    private static let nodesPerChain = 4

    /// Looks at up to `budget` more nodes (long texts count for several, and so do chains that change); false if none are left.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard hasWork else { return false }
        // A slot that is free costs next to nothing: a small forest is done at once, however many slots it has.
        var rest = budget * Self.freeSlotsPerNode
        var compared = comparedBytes
        var chains = touched.count
        func cost(of bytes: Int, _ chains: Int) -> Int {
            Self.freeSlotsPerNode * (1 + bytes / Self.bytesPerNode + chains * Self.nodesPerChain)
        }
        while rest > 0, let node = due.popLast() {
            if forest.contains(node) { test(node, in: forest) }
            rest -= cost(of: comparedBytes - compared, touched.count - chains)
            (compared, chains) = (comparedBytes, touched.count)
        }
        guard var next = cursor else { return true }
        let end = UInt32(forest.indexBound)
        while next < end, rest > 0 {
            let index = NodeIndex(rawValue: next)
            next += 1
            guard forest.contains(index) else {
                forget(index)
                rest -= 1
                continue
            }
            test(index, in: forest)
            rest -= cost(of: comparedBytes - compared, touched.count - chains)
            (compared, chains) = (comparedBytes, touched.count)
        }
        cursor = next >= end ? nil : next
        return true
    }

    /// Tests those under a node (again), which went with it to another chain. O(those).
    mutating func noteChange(ofAllBelow node: NodeIndex, in forest: borrowing ChainForest) {
        var stack = [node]
        while let above = stack.popLast() {
            var child = forest.firstChild(of: above)
            while let current = child {
                test(current, in: forest)
                if forest.childCount(of: current) > 0 { stack.append(current) }
                child = forest.nextSibling(of: current)
            }
        }
    }

    /// Tests one node that changed, if it may be found by what did.
    mutating func noteChange(of node: NodeIndex, _ changes: NodeChanges, in forest: borrowing ChainForest) {
        guard !changes.isDisjoint(with: asked) else { return }
        if !isAhead(node) { test(node, in: forest) }
        if dependsOnParents { noteTotals(under: node, in: forest) }
    }

    /// Whether a node will be looked at anyway; who was found before must not stay where it was till then.
    private func isAhead(_ node: NodeIndex) -> Bool {
        guard let cursor else { return false }
        return node.rawValue >= cursor && !isMatch(node)
    }

    private mutating func test(_ node: NodeIndex, in forest: borrowing ChainForest) {
        let isMatch = matcher.matches(node, in: forest, now: moment)
        if matcher.holdsUntil != .max { clock.put(node, until: matcher.holdsUntil) }
        let was = countedIn[node.rawValue] & ~Self.touchedBit
        guard isMatch || was != 0 else { return }
        guard isMatch else { return uncount(node, from: was) }
        let root = forest.root(of: node)
        var number = numberOf[root.rawValue]
        guard was == 0 || was != number else { return }
        if was != 0 { uncount(node, from: was) }
        if number == 0 { number = addNumber(for: root) }
        countedIn[node.rawValue] = countedIn[node.rawValue] & Self.touchedBit | number
        counts[number] += 1
        count += 1
        note(node, in: root)
    }

    private mutating func addNumber(for root: NodeIndex) -> UInt32 {
        if freeNumbers.isEmpty { lastNumber += 1 }
        let number = freeNumbers.popLast() ?? lastNumber
        numberOf[root.rawValue] = number
        rootOf[number] = root.rawValue
        return number
    }

    /// The root of a chain is gone, and all that was under it stands under another one now. False where that one had matches
    /// of its own, so that they have to be counted together.
    mutating func inherit(from old: NodeIndex, by new: NodeIndex) -> Bool {
        let number = numberOf[old.rawValue]
        guard number != 0 else { return true }
        numberOf[old.rawValue] = 0
        guard numberOf[new.rawValue] == 0 else { return false }
        numberOf[new.rawValue] = number
        rootOf[number] = new.rawValue
        noteShape(of: new)
        return true
    }

    /// The totals of those under a node that is settled begin then, which is no change of theirs.
    private mutating func noteTotals(under node: NodeIndex, in forest: borrowing ChainForest) {
        guard forest.childCount(of: node) > 0, !forest.state(of: node).isLive else { return }
        var child = forest.firstChild(of: node)
        while let current = child {
            due.append(current)
            child = forest.nextSibling(of: current)
        }
    }

    /// A node that is gone.
    mutating func forget(_ node: NodeIndex) {
        guard isActive else { return }
        if dependsOnTime { clock.forget(node) }
        let was = countedIn[node.rawValue] & ~Self.touchedBit
        if was != 0 { uncount(node, from: was) }
    }

    private mutating func uncount(_ node: NodeIndex, from number: UInt32) {
        countedIn[node.rawValue] &= Self.touchedBit
        count -= 1
        counts[number] -= 1
        let root = NodeIndex(rawValue: rootOf[number])
        if counts[number] == 0 {
            if numberOf[root.rawValue] == number { numberOf[root.rawValue] = 0 }
            freeNumbers.append(number)
        }
        note(node, in: root)
    }

    // MARK: What changed

    private mutating func note(_ node: NodeIndex, in root: NodeIndex) {
        revision &+= 1
        flipped.append(node)
        noteShape(of: root)
    }

    /// Nodes of a chain came, went or moved.
    mutating func noteShape(of root: NodeIndex) {
        guard countedIn[root.rawValue] & Self.touchedBit == 0 else { return }
        countedIn[root.rawValue] |= Self.touchedBit
        touched.append(root)
    }

    /// Chains whose matches or nodes changed since the last call.
    mutating func takeTouched() -> [NodeIndex] {
        guard !touched.isEmpty else { return [] }
        for root in touched { countedIn[root.rawValue] &= ~Self.touchedBit }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched
    }

    /// Nodes for which ``isMatch(_:)`` changed since the last call, in order; some may stand there twice, and some may
    /// be gone by now. A new filter forgets them all: then nothing matches.
    mutating func takeFlipped() -> [NodeIndex] {
        guard !flipped.isEmpty else { return [] }
        defer { flipped.removeAll(keepingCapacity: true) }
        return flipped
    }
}

// MARK: What is above a match

extension FilterScan {
    /// Finds, of a chain, the nodes that match and those above them, for ``shownNodes``, and gives how many these are;
    /// the root is always among them. O(its nodes).
    @discardableResult
    mutating func markShown(of root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        if lastShown == .max { (lastShown, shownRound) = (0, Paged(filler: 0)) }
        lastShown += 1
        shownRound[root.rawValue] = lastShown
        var count = 1
        var node = root
        // Down to the first child, else on to the next sibling, else up to where there is one.
        walk: while true {
            if isMatch(node) {
                var current: NodeIndex? = node
                while let shown = current, shownRound[shown.rawValue] != lastShown {
                    shownRound[shown.rawValue] = lastShown
                    count += 1
                    current = forest.placedParent(of: shown)
                }
            }
            if let child = forest.firstChild(of: node) {
                node = child
                continue
            }
            while node != root {
                if let next = forest.nextSibling(of: node) {
                    node = next
                    continue walk
                }
                guard let above = forest.placedParent(of: node) else { break walk }
                node = above
            }
            break
        }
        return count
    }

    /// Those of the last chain for which ``markShown(of:in:)`` was called.
    var shownNodes: ShownNodes { ShownNodes(rounds: shownRound, last: lastShown) }

    struct ShownNodes {
        fileprivate let rounds: Paged<UInt16>
        fileprivate let last: UInt16

        func contains(_ node: NodeIndex) -> Bool { rounds[node.rawValue] == last }
    }
}
