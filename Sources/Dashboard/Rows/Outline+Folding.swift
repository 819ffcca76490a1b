import ChainEvents
import ChainModel

// What is folded and tagged, and by whom.
extension Outline {
    /// Whether what is under a node is hidden.
    func isFolded(_ node: NodeIndex) -> Bool {
        let own = NodeBits(rawValue: bits[node.rawValue])
        if own.contains(.userFolded) { return true }
        if own.contains(.userUnfolded) { return false }
        if let foldsAll { return foldsAll }
        if selfFolded[node] != nil { return true }
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

    mutating func clearFolds(under root: NodeIndex, in forest: borrowing ChainForest) {
        for row in ChainWalk.rows(of: root, in: forest, isFolded: { _, _ in false }) {
            var own = NodeBits(rawValue: bits[row.node.rawValue])
            own.subtract([.userFolded, .userUnfolded])
            bits[row.node.rawValue] = own.rawValue
            selfFolded[row.node] = nil
        }
    }

    func isTagged(_ node: NodeIndex) -> Bool {
        NodeBits(rawValue: bits[node.rawValue]).contains(.tagged)
    }

    mutating func tag(_ node: NodeIndex, _ isTagged: Bool, in forest: borrowing ChainForest) {
        marked[node] = forest.node(node).id
        var own = NodeBits(rawValue: bits[node.rawValue])
        if isTagged { own.insert(.tagged) } else { own.remove(.tagged) }
        bits[node.rawValue] = own.rawValue
    }
}
