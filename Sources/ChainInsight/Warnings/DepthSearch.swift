import ChainModel

/// A search through one chain for a node that is too deep, in slices.
struct DepthSearch {
    let root: NodeID
    /// The current node, by id, too, because the forest changes between slices.
    private var node: NodeIndex
    private var id: NodeID
    private var depth = 1

    init(_ root: NodeIndex, in forest: ChainForest) {
        self.root = forest.id(of: root)
        node = root
        id = self.root
    }

    /// Continues the search. Returns whether there is such a node; nil where the budget ended first; false where the
    /// chain changed, so that it is searched another time.
    mutating func step(_ forest: ChainForest, deeperThan limit: Int, budget: inout Int) -> Bool? {
        guard let top = forest.index(of: root), forest.index(of: id) == node, forest.root(of: node) == top else {
            return false
        }
        while budget > 0 {
            budget -= 1
            if depth > limit { return true }
            guard let next = forest.next(after: node, within: top, depth: &depth) else { return false }
            node = next
        }
        id = forest.id(of: node)
        return nil
    }
}
