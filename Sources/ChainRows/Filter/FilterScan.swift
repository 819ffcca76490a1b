import ChainEvents
import ChainInsight
import ChainModel

/// Which nodes a query finds: looked for in slices, kept up with each change, and with the passing of time where the
/// query asks for that (`age>5s`), once a second.
///
/// Costs: a node that changes is tested again, O(1). One that time alone may bring in or take out waits in a queue for
/// that second, so that a second costs those whose time has come, not all. 8 to 12 bytes a node while a filter is on, 4 to 8
/// more for one that waits.
struct FilterScan {
    /// What is looked for, as it was typed; empty for no filter.
    private(set) var text = ""
    /// What of labels and sites is to be marked.
    private(set) var markedTexts: [Needle] = []
    /// Whether the rest is dimmed rather than hidden.
    var dims = false
    /// The next index to look at; nil when all were.
    private(set) var cursor: UInt32?
    /// What durations count to, in nanoseconds of the program's clock: the last whole second.
    private(set) var moment: UInt64 = 0
    private(set) var isActive = false
    private var matcher = QueryMatcher(.everything)
    private var nameCount = 0, renameCount = 0
    /// What may change of a node that another answer comes of; that it is new, or elsewhere, always may.
    private var asked: NodeChanges = []
    private var dependsOnTime = false
    private var dependsOnParents = false
    private var matches = MatchCounts()
    /// What the filter of before knew, until it is given back: of a million nodes that takes a while.
    private var spent: [MatchCounts] = []
    /// How many old filters wait to be freed in the background; the memory of older ones is freed at once.
    private static let spentLimit = 16
    private(set) var clock = ExpiryQueue()
    /// Those whose time has come, or whose parent was settled.
    private var due: [NodeIndex] = []
    private(set) var dueHighWater = 0
    /// How many nodes wait to be tested again; past it all nodes are, in the order of their indices.
    static let dueLimit = 131_072
    var dueCount: Int { due.count }
    /// Nodes that ``markShown(of:in:)`` found: those that hold the number of the last round.
    private var shownRound = PagedArray<UInt32>(filler: 0)
    private var lastShown: UInt32 = 0

    var hidesRest: Bool { isActive && !dims }
    /// Nodes that match, so far.
    var count: Int { matches.count }
    /// Changes whenever ``isMatch(_:)`` does for any node: for who keeps rows that were filtered by it.
    var revision: UInt64 { matches.revision }
    /// Bytes of texts that were looked through so far.
    var comparedBytes: Int { matcher.comparedBytes }
    /// Whether there are nodes that were not looked at.
    var hasWork: Bool { cursor != nil || !due.isEmpty }

    /// Pages that a tick gives back.
    private static let spentPages = 512

    /// Looks for something else, or for nothing: a query without words finds everything, so there is no filter.
    mutating func begin(_ query: Query?, now: UInt64) {
        let query = query.flatMap { $0.isEmpty ? nil : $0 } ?? .everything
        isActive = !query.isEmpty
        text = query.text
        markedTexts = query.markedTexts.map { Needle($0) }
        matcher = QueryMatcher(query)
        asked = matcher.asked.union([.created, .moved])
        dependsOnTime = query.dependsOnTime
        dependsOnParents = query.dependsOnParents
        if spent.count >= Self.spentLimit { spent.removeFirst() }
        spent.append(matches)
        matches = MatchCounts(revision: matches.revision &+ 1)
        clock = ExpiryQueue()
        due = []
        moment = now - now % ExpiryQueue.unit
        cursor = isActive ? 0 : nil
    }

    /// Looks at everything again, a slice at a time; until then what was found stays.
    mutating func lookAgain() { if isActive { cursor = 0 } }

    // Inline: a call would get a copy of all of this.
    @inline(__always) func isMatch(_ node: NodeIndex) -> Bool { matches.contains(node) }
    @inline(__always) func matchCount(of root: NodeIndex) -> Int { matches.count(of: root) }

    // MARK: Looking

    /// Lets time go on to `now`, in nanoseconds of the program's clock.
    mutating func tick(_ now: UInt64) {
        if let last = spent.indices.last, !spent[last].freeStorage(pages: Self.spentPages) { spent.removeLast() }
        let second = now / ExpiryQueue.unit
        guard dependsOnTime, second > moment / ExpiryQueue.unit else { return }
        moment = second * ExpiryQueue.unit
        clock.take(upTo: second, into: &due)
        boundDue()
    }

    private mutating func boundDue() {
        dueHighWater = max(dueHighWater, min(due.count, Self.dueLimit))
        guard due.count > Self.dueLimit else { return }
        due = []
        lookAgain()
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
        var chains = matches.touchedCount
        func cost(of bytes: Int, _ chains: Int) -> Int {
            Self.freeSlotsPerNode * (1 + bytes / Self.bytesPerNode + chains * Self.nodesPerChain)
        }
        while rest > 0, let node = due.popLast() {
            if let words = forest.searchFields(at: node) { test(node, words, in: forest) }
            rest -= cost(of: comparedBytes - compared, matches.touchedCount - chains)
            (compared, chains) = (comparedBytes, matches.touchedCount)
        }
        guard var next = cursor else { return true }
        let end = UInt32(forest.indexBound)
        while next < end, rest > 0 {
            let index = NodeIndex(rawValue: next)
            next += 1
            guard let words = forest.searchFields(at: index) else {
                forget(index)
                rest -= 1
                continue
            }
            test(index, words, in: forest)
            rest -= cost(of: comparedBytes - compared, matches.touchedCount - chains)
            (compared, chains) = (comparedBytes, matches.touchedCount)
        }
        cursor = next >= end ? nil : next
        return true
    }

    /// Tests those under a node (again), which went with it to another chain. O(those).
    mutating func noteChange(ofAllBelow node: NodeIndex, in forest: borrowing ChainForest) {
        var next = forest.next(after: node, within: node)
        while let current = next {
            test(current, forest.searchFields(of: current), in: forest)
            next = forest.next(after: current, within: node)
        }
    }

    /// Tests one node that changed, if it may be found by what did.
    mutating func noteChange(of node: NodeIndex, _ changes: NodeChanges, in forest: borrowing ChainForest) {
        guard !changes.isDisjoint(with: asked) else { return }
        if !isAhead(node) { test(node, forest.searchFields(of: node), in: forest) }
        if dependsOnParents { noteTotals(under: node, in: forest) }
    }

    /// Whether a node will be looked at anyway; who was found before must not stay where it was till then.
    private func isAhead(_ node: NodeIndex) -> Bool {
        guard let cursor else { return false }
        return node.rawValue >= cursor && !isMatch(node)
    }

    private mutating func test(_ node: NodeIndex, _ words: SearchFields, in forest: borrowing ChainForest) {
        let isMatch = matcher.matches(node, words, in: forest, now: moment)
        if matcher.holdsUntil != .max { clock.put(node, until: matcher.holdsUntil) }
        if isMatch { matches.insert(node, in: forest) } else { matches.remove(node) }
    }

    /// See ``MatchCounts/inherit(from:by:)``.
    mutating func inherit(from old: NodeIndex, by new: NodeIndex) -> Bool { matches.inherit(from: old, by: new) }

    /// The totals of those under a node that is settled begin then, which is no change of theirs.
    private mutating func noteTotals(under node: NodeIndex, in forest: borrowing ChainForest) {
        guard forest.childCount(of: node) > 0, !forest.state(of: node).isLive else { return }
        var child = forest.firstChild(of: node)
        while let current = child {
            due.append(current)
            child = forest.nextSibling(of: current)
        }
        boundDue()
    }

    /// A node that is gone.
    mutating func forget(_ node: NodeIndex) {
        guard isActive else { return }
        if dependsOnTime { clock.forget(node) }
        matches.remove(node)
    }

    // MARK: What changed

    /// Nodes of a chain came, went or moved.
    mutating func noteShape(of root: NodeIndex) { matches.noteShape(of: root) }

    /// Chains whose matches or nodes changed since the last call.
    mutating func takeTouched() -> [NodeIndex] { matches.takeTouched() }

    /// Nodes for which ``isMatch(_:)`` changed since the last call, in order; some may stand there twice, and some may
    /// be gone by now. A new filter forgets them all: then nothing matches.
    mutating func takeFlipped() -> [NodeIndex] { matches.takeFlipped() }
}

// MARK: What is above a match

extension FilterScan {
    /// How many nodes of a chain match or are above one that does, the root among them. O(its nodes).
    @inline(__always)
    func shownCount(of root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        var count = 0
        // Of those on the way down to a node, so many from the root on are counted.
        var counted = 0
        var depth = 0
        var next: NodeIndex? = root
        while let node = next {
            counted = min(counted, depth)
            if isMatch(node) {
                count += depth + 1 - counted
                counted = depth + 1
            }
            next = forest.next(after: node, within: root, depth: &depth)
        }
        return max(1, count)
    }

    /// Finds, of a chain, the nodes that match and those above them, for ``shownNodes``; the root is always among them.
    /// O(its nodes).
    mutating func markShown(of root: NodeIndex, in forest: borrowing ChainForest) {
        if lastShown == .max { (lastShown, shownRound) = (0, PagedArray(filler: 0)) }
        lastShown += 1
        shownRound[root.rawValue] = lastShown
        var next: NodeIndex? = root
        while let node = next {
            if isMatch(node) {
                var current: NodeIndex? = node
                while let shown = current, shownRound[shown.rawValue] != lastShown {
                    shownRound[shown.rawValue] = lastShown
                    current = forest.treeParent(of: shown)
                }
            }
            next = forest.next(after: node, within: root)
        }
    }

    /// Those of the last chain for which ``markShown(of:in:)`` was called.
    var shownNodes: ShownNodes { ShownNodes(rounds: shownRound, last: lastShown) }

    struct ShownNodes {
        fileprivate let rounds: PagedArray<UInt32>
        fileprivate let last: UInt32

        func contains(_ node: NodeIndex) -> Bool { rounds[node.rawValue] == last }
    }
}
