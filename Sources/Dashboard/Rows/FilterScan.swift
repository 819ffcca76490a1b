import ChainEvents
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
    private var needle: [UInt8] = []
    private var matches = Paged<UInt8>(filler: 0)
    /// By chain (its root's index), how many match; by node, whose count it is in.
    private var counts: [NodeIndex: Int] = [:]
    private var countedIn: [NodeIndex: NodeIndex] = [:]
    private var touched: Set<NodeIndex> = []

    var isActive: Bool { !text.isEmpty }
    var hidesRest: Bool { isActive && !dims }

    mutating func begin(_ newText: String) {
        text = newText.lowercased()
        needle = Array(text.utf8)
        restart()
    }

    /// Looks at everything again.
    mutating func restart() {
        matches.removeAll()
        counts = [:]
        countedIn = [:]
        touched = []
        count = 0
        cursor = isActive ? 0 : nil
    }

    func isMatch(_ node: NodeIndex) -> Bool { matches[node.rawValue] != 0 }
    func matchCount(of root: NodeIndex) -> Int { counts[root] ?? 0 }

    /// Looks at up to `budget` more indices; false if none are left.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard var next = cursor else { return false }
        let end = UInt32(forest.indexBound)
        let stop = min(end, next + UInt32(budget))
        while next < stop {
            let index = NodeIndex(rawValue: next)
            if forest.contains(index) { noteChange(of: index, in: forest) }
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
        let was = countedIn[node]
        let isMatch = tests(node, in: forest)
        guard isMatch || was != nil else { return }
        if isMatch, was == root { return }
        if let was { uncount(node, from: was) }
        if isMatch {
            matches[node.rawValue] = 1
            countedIn[node] = root
            counts[root, default: 0] += 1
            count += 1
            touched.insert(root)
        }
    }

    /// A node that is gone.
    mutating func forget(_ node: NodeIndex) {
        if let was = countedIn[node] { uncount(node, from: was) }
    }

    private mutating func uncount(_ node: NodeIndex, from root: NodeIndex) {
        matches[node.rawValue] = 0
        countedIn[node] = nil
        count -= 1
        let left = (counts[root] ?? 1) - 1
        counts[root] = left == 0 ? nil : left
        touched.insert(root)
    }

    /// Chains whose matches changed since the last call.
    mutating func takeTouched() -> Set<NodeIndex> {
        guard !touched.isEmpty else { return [] }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched
    }

    /// Of a chain, the nodes that match and those above them. O(its nodes).
    func shownNodes(of root: NodeIndex, in forest: borrowing ChainForest) -> Set<NodeIndex> {
        var shown: Set<NodeIndex> = [root]
        for row in ChainWalk.rows(of: root, in: forest, isFolded: { _, _ in false }) where isMatch(row.node) {
            var current: NodeIndex? = row.node
            while let node = current, shown.insert(node).inserted { current = forest.placedParent(of: node) }
        }
        return shown
    }

    private func tests(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        if let label = forest.label(of: node) {
            if contains(label) { return true }
        } else if let site = forest.site(of: node), contains(site.description) {
            return true
        }
        if let summary = forest.summary(of: node), contains(summary) { return true }
        let view = forest.node(node)
        return contains(view.kind.word) || contains(view.state.word)
    }

    private func contains(_ text: String) -> Bool {
        var text = text
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        if !isPlain { text = text.lowercased() }
        return text.withUTF8 { hay in
            guard hay.count >= needle.count else { return false }
            for start in 0...(hay.count - needle.count) {
                var matched = 0
                while matched < needle.count, Self.lower(hay[start + matched]) == needle[matched] { matched += 1 }
                if matched == needle.count { return true }
            }
            return false
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }
}
