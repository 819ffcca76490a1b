import ChainEvents
import ChainInsight
import ChainModel

// Which chains are shown while a filter is on.
extension Outline {
    /// Begins to look for something, or ends that; `now` is of the program's clock.
    mutating func setFilter(_ query: Query?, now: UInt64) {
        forgetMatches()
        matchShapes = [:]
        filter.begin(query, now: now)
        lists.restartFilter(isActive: filter.isActive)
    }

    /// Looks at the next slice of nodes; false if nothing was left to look at.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard filter.scan(in: forest, budget: budget) else { return false }
        refreshMatches(in: forest)
        return true
    }

    mutating func refreshMatches(in forest: borrowing ChainForest) {
        let flipped = filter.takeFlipped()
        if !lists.listOf.isEmpty { lists.setMatches(of: flipped, in: forest, filter) }
        for root in filter.takeTouched() {
            let number = slotOf[root.rawValue]
            if number != 0 { reweighMatches(root, Int(number - 1), in: forest) }
        }
    }

    /// Counts the rows that a chain takes while what does not match is hidden. What it takes else is not touched.
    mutating func reweighMatches(_ root: NodeIndex, _ place: Int, in forest: borrowing ChainForest) {
        let key = slots.key(place)
        let version = matchList.version
        // A new order in the making has to hear of it.
        defer { if version != matchList.version { order.build?.noteChange(root, place) } }
        if !matchShapes.isEmpty { matchShapes[root] = nil }
        guard filter.matchCount(of: root) > 0 else {
            matchList.remove(key)
            return
        }
        // Over the root that is found alone nothing stands, and below it nothing is shown.
        let isAlone = filter.matchCount(of: root) == 1 && filter.isMatch(root)
        let weight = isAlone ? 1 : matchWeight(of: root, in: forest)
        // A first search finds most chains in their order: then nothing has to be looked for.
        if matchList.isBehindAll(key) || !matchList.setWeight(weight, of: key) { matchList.insert(key, weight: weight) }
    }
}
