import ChainModel

/// A search through one chain, in slices, for a node that is too deep.
struct DepthSearch {
    let root: NodeID
    private var node: NodeIndex
    /// The id of `node` at the end of the last slice, because another node may have its index by now.
    private var id: NodeID
    /// The depth of `node` within a slice, 1 for the root.
    private var depth = 1

    init(_ root: NodeIndex, in forest: ChainForest) {
        self.root = forest.id(of: root)
        node = root
        id = self.root
    }

    enum Result {
        /// Whether a node is deeper than the limit.
        case finished(isDeep: Bool)
        /// The current node left the chain since the last slice.
        case interrupted
        /// The budget ended first.
        case unfinished
    }

    /// Continues the search.
    mutating func step(_ forest: ChainForest, deeperThan limit: Int, budget: inout Int) -> Result {
        guard let top = forest.index(of: root), forest.index(of: id) == node, forest.root(of: node) == top else {
            return .interrupted
        }
        depth = 1 + Self.steps(from: node, to: top, in: forest)
        while budget > 0 {
            budget -= 1
            if depth > limit { return .finished(isDeep: true) }
            guard let next = forest.next(after: node, within: top, depth: &depth) else {
                return .finished(isDeep: false)
            }
            node = next
        }
        id = forest.id(of: node)
        return .unfinished
    }

    /// Returns how deep a node is below `top`, because it may have moved within the chain since the last slice. O(depth).
    private static func steps(from node: NodeIndex, to top: NodeIndex, in forest: ChainForest) -> Int {
        var (steps, current) = (0, node)
        while current != top, let above = forest.treeParent(of: current) { (steps, current) = (steps + 1, above) }
        return steps
    }
}
