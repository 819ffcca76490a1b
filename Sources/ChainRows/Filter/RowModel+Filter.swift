import ChainEvents
import ChainInsight
import ChainModel

// Which chains are shown while a filter is on.
extension RowModel {
    /// Sets the filter, or drops it; `now` is nanoseconds of the program's clock. Nodes are tested by `scan`.
    package mutating func setFilter(_ query: Query?, now: UInt64) {
        forgetMatches()
        matchShapes = [:]
        filter.begin(query, now: now)
        lists.restartFilter(isActive: filter.isActive)
    }

    /// Tests the next slice of nodes, at most `budget`; returns false if there was none left.
    package mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard filter.scan(in: forest, budget: budget) else { return false }
        refreshMatches(in: forest)
        return true
    }

    mutating func refreshMatches(in forest: borrowing ChainForest) {
        let flipped = filter.takeFlipped()
        if !lists.listOf.isEmpty { lists.setMatches(of: flipped, in: forest, filter) }
        let touched = filter.takeTouched()
        for (place, root) in touched.enumerated() {
            if place.isMultiple(of: Self.warmCount) { warm(touched[place...].prefix(Self.warmCount), in: forest) }
            let number = slotOf[root.rawValue]
            if number != 0 { reweighMatches(root, Int(number - 1), in: forest) }
        }
    }

    /// Counts the rows that a chain takes while what does not match is hidden. What it takes else is not touched.
    mutating func reweighMatches(_ root: NodeIndex, _ place: Int, in forest: borrowing ChainForest) {
        if !matchShapes.isEmpty, slots.has(.mayHaveShape, place) { matchShapes[root] = nil }
        let (count, old) = (filter.matchCount(of: root), slots.matchWeight(place))
        // Over the root that is found alone nothing stands, and below it nothing is shown.
        let isAlone = count == 1 && filter.isMatch(root)
        let weight = count == 0 ? 0 : isAlone ? 1 : matchWeight(of: root, matchCount: count, in: forest)
        guard weight != old else { return }
        slots.setMatchWeight(weight, place)
        let key = slots.key(place)
        if weight == 0 {
            matchList.remove(key)
        } else if old == 0 || !matchList.setWeight(weight, of: key) {
            matchList.insert(key, weight: weight)
        }
        // A new order in the making has to hear of it.
        order.build?.noteChange(root, place)
    }
}
