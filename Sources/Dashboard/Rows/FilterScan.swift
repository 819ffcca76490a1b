import ChainEvents
import ChainInsight
import ChainModel

/// Which nodes hold a text: found in slices, kept up with each change.
struct FilterScan {
    /// What is looked for, in lower case; empty for no filter.
    private(set) var text = ""
    /// Whether the rest is dimmed rather than hidden.
    var dims = false
    /// Nodes that match, so far.
    private(set) var count = 0
    /// The next index to look at; nil when all were.
    private(set) var cursor: UInt32?
    private var needle = Needle("")
    /// Whose word holds the text, by raw value: asked once, for making words out of enumerations is slow.
    private var kindMatches: [Bool] = []
    private var stateMatches: [Bool] = []
    /// By chain (its root's index), how many match; by node that matches, 1 + the root that it is counted for.
    private var counts = Paged<UInt32>(filler: 0)
    private var countedIn = Paged<UInt32>(filler: 0)
    private var touched: [NodeIndex] = []
    /// Chains in `touched`, and nodes that ``markShown(of:in:)`` found: those that hold the number of the last round.
    private var touchedRound = Paged<UInt32>(filler: 0)
    private var shownRound = Paged<UInt32>(filler: 0)
    private var round: UInt32 = 1
    private var lastShown: UInt32 = 0

    var isActive: Bool { !text.isEmpty }
    var hidesRest: Bool { isActive && !dims }

    mutating func begin(_ newText: String) {
        text = newText.lowercased()
        needle = Needle(text)
        kindMatches = Array(repeating: false, count: 256)
        for kind in NodeKind.allCases { kindMatches[Int(kind.rawValue)] = needle.matches(kind.word) }
        stateMatches = Array(repeating: false, count: 256)
        for state in NodeState.allCases { stateMatches[Int(state.rawValue)] = needle.matches(state.word) }
        restart()
    }

    /// Looks at everything again.
    mutating func restart() {
        counts.removeAll()
        countedIn.removeAll()
        touched = []
        round += 1
        count = 0
        cursor = isActive ? 0 : nil
    }

    func isMatch(_ node: NodeIndex) -> Bool { countedIn[node.rawValue] != 0 }
    func matchCount(of root: NodeIndex) -> Int { Int(counts[root.rawValue]) }

    private static let freeSlotsPerNode = 64

    /// Looks at up to `budget` more nodes; false if none are left.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard var next = cursor else { return false }
        let end = UInt32(forest.indexBound)
        // A slot that is free costs next to nothing: a small forest is done at once, however many slots it has.
        var rest = budget * Self.freeSlotsPerNode
        while next < end, rest > 0 {
            let index = NodeIndex(rawValue: next)
            let isThere = forest.contains(index)
            if isThere { noteChange(of: index, in: forest) }
            rest -= isThere ? Self.freeSlotsPerNode : 1
            next += 1
        }
        cursor = next >= end ? nil : next
        return true
    }

    /// Tests one node (again), and those under it if they went with it to another chain.
    mutating func noteChange(of node: NodeIndex, withAllBelow: Bool, in forest: borrowing ChainForest) {
        noteChange(of: node, in: forest)
        guard withAllBelow, forest.childCount(of: node) > 0 else { return }
        var stack = [node]
        while let above = stack.popLast() {
            var child = forest.firstChild(of: above)
            while let current = child {
                noteChange(of: current, in: forest)
                stack.append(current)
                child = forest.nextSibling(of: current)
            }
        }
    }

    /// Tests one node (again).
    mutating func noteChange(of node: NodeIndex, in forest: borrowing ChainForest) {
        let root = forest.root(of: node)
        let was = countedIn[node.rawValue]
        let isMatch = tests(node, in: forest)
        guard isMatch ? was != root.rawValue + 1 : was != 0 else { return }
        if was != 0 { uncount(node) }
        guard isMatch else { return }
        countedIn[node.rawValue] = root.rawValue + 1
        counts[root.rawValue] += 1
        count += 1
        touch(root.rawValue)
    }

    /// A node that is gone.
    mutating func forget(_ node: NodeIndex) {
        if isActive, countedIn[node.rawValue] != 0 { uncount(node) }
    }

    private mutating func uncount(_ node: NodeIndex) {
        let root = countedIn[node.rawValue] - 1
        countedIn[node.rawValue] = 0
        count -= 1
        counts[root] -= 1
        touch(root)
    }

    private mutating func touch(_ root: UInt32) {
        guard touchedRound[root] != round else { return }
        touchedRound[root] = round
        touched.append(NodeIndex(rawValue: root))
    }

    /// Chains whose matches changed since the last call.
    mutating func takeTouched() -> [NodeIndex] {
        guard !touched.isEmpty else { return [] }
        round += 1
        defer { touched.removeAll(keepingCapacity: true) }
        return touched
    }

    /// Finds, of a chain, the nodes that match and those above them, for ``isShown(_:)``. O(its nodes).
    mutating func markShown(of root: NodeIndex, in forest: borrowing ChainForest) {
        lastShown += 1
        shownRound[root.rawValue] = lastShown
        var node = root
        // Down to the first child, else on to the next sibling, else up to where there is one.
        walk: while true {
            if isMatch(node) {
                var current: NodeIndex? = node
                while let shown = current, shownRound[shown.rawValue] != lastShown {
                    shownRound[shown.rawValue] = lastShown
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
    }

    /// Whether the last ``markShown(of:in:)`` found a node of its chain.
    func isShown(_ node: NodeIndex) -> Bool { shownRound[node.rawValue] == lastShown }

    private func tests(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let view = forest.node(node)
        if kindMatches[Int(view.kind.rawValue)] || stateMatches[Int(view.state.rawValue)] { return true }
        if let label = forest.label(of: node) {
            if needle.matches(label) { return true }
        } else if let site = forest.site(of: node), needle.matches(site.description) {
            return true
        }
        guard let summary = forest.summary(of: node) else { return false }
        return needle.matches(summary)
    }
}
