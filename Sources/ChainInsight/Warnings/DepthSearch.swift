import ChainEvents
import ChainModel

/// Looks through one chain for a node that is too deep, a slice at a time.
struct DepthSearch {
    let root: NodeID
    /// Where it is: by name too, for the forest changes between slices.
    private var node: NodeIndex
    private var id: NodeID
    private var depth = 1

    init(_ root: NodeIndex, in forest: borrowing ChainForest) {
        self.root = forest.id(of: root)
        node = root
        id = self.root
    }

    /// Looks on until something is known: whether there is such a node. Nil where the budget ends first, or the chain was
    /// changed so that it has to be looked at again another time.
    mutating func step(_ forest: borrowing ChainForest, deeperThan limit: Int, budget: inout Int) -> Bool? {
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
