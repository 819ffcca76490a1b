// SPDX-License-Identifier: MIT

import ChainModel

/// A search through one chain, in slices, for a node that is too deep.
struct DepthSearch {
    let root: NodeID
    private var node: NodeIndex
    /// The id of `node` at the end of the last slice, because another node may have got its index since that slice.
    private var id: NodeID

    init(_ root: NodeIndex, in forest: ChainForest) {
        self.root = forest.id(of: root)
        node = root
        id = self.root
    }

    enum Result {
        /// The search is complete: a node is deeper than the limit, or no node is.
        case finished(isDeep: Bool)
        /// The current node left the chain since the last slice.
        case invalidated
        /// The budget was used up before the search was complete.
        case unfinished
    }

    /// Continues the search.
    mutating func step(_ forest: ChainForest, deeperThan limit: Int, budget: inout Int) -> Result {
        guard let top = forest.index(of: root), forest.index(of: id) == node, forest.root(of: node) == top else {
            return .invalidated
        }
        var depth = Self.depth(of: node, within: top, in: forest)
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

    /// Returns the depth of a node, 1 for the root. It is not kept between slices, because the node may move. O(depth).
    private static func depth(of node: NodeIndex, within top: NodeIndex, in forest: ChainForest) -> Int {
        var (depth, current) = (1, node)
        while current != top, let above = forest.treeParent(of: current) { (depth, current) = (depth + 1, above) }
        return depth
    }
}
