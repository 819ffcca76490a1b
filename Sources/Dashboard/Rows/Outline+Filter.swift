import ChainEvents
import ChainModel

// Which chains are shown while a filter is on.
extension Outline {
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
                matchList.setWeight(matchWeight(of: root, in: forest), of: current)
            }
        }
    }

    /// Looks at the next slice of nodes; false if nothing was left to look at.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard filter.scan(in: forest, budget: budget) else { return false }
        refreshMatches(in: forest)
        return true
    }

    mutating func refreshMatches(in forest: borrowing ChainForest) {
        for root in filter.takeTouched() where slotOf[root.rawValue] != 0 { reweigh(root, in: forest) }
    }
}
