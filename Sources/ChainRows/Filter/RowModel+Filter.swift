import ChainInsight
import ChainModel

// The rows of chains while a filter is on.
extension RowModel {
    /// How many nodes are tested immediately when a filter is set.
    static let firstScanBudget = 1_000

    /// Sets the filter, or drops it; `now` is in nanoseconds of the program's clock. Immediately tests
    /// ``firstScanBudget`` divided by `divisor` nodes; the other nodes are tested in slices, by ``scan(in:budget:)``.
    package mutating func setFilter(
        _ query: Query?, in forest: borrowing ChainForest, now: UInt64, divisor: Int = 1
    ) {
        forgetMatches()
        cachedMatchRows = [:]
        filter.begin(query, now: now, matchesLiveBelow: true)
        collection = filter.isActive ? MatchCollection() : nil
        longChains.restartFilter(isActive: filter.isActive)
        _ = scan(in: forest, budget: Self.firstScanBudget / divisor)
    }

    /// Tests the next slice of nodes, at most `budget`; returns false if there was no work, or if a sort comes first.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard hasWork(.filtering) else { return false }
        if filter.scan(in: forest, budget: budget) { refreshMatches(in: forest) }
        if filter.cursor == nil { collectMatches(in: forest, budget: budget * Self.chainsPerNode) }
        return true
    }

    /// How many chains ``collectMatches(in:budget:)`` looks at in the time of testing a node.
    private static let chainsPerNode = 3

    /// Sets the warnings that hold, by node, with a bit for each kind. The next slices test the nodes with changed
    /// warnings. Call it whenever warnings change, while ``FilterState/readsWarnings`` is true.
    package mutating func setWarnings(_ warnings: [NodeID: WarningBits], in forest: borrowing ChainForest) {
        filter.setWarnings(warnings, of: forest)
    }

    /// Updates lists and weights after nodes began or ceased to match.
    mutating func refreshMatches(in forest: borrowing ChainForest) {
        let flipped = filter.takeFlipped()
        if !longChains.listOf.isEmpty { longChains.setMatches(of: flipped, in: forest, filter) }
        let touched = filter.takeTouched()
        for (offset, root) in touched.enumerated() {
            if offset.isMultiple(of: Self.prefetchCount) {
                for next in touched[offset...].prefix(Self.prefetchCount) { prefetch(next, in: forest) }
            }
            let number = slotOf[root.rawValue]
            if number != 0 { updateMatchWeight(root, Int(number - 1), in: forest) }
        }
    }

    /// Counts the rows that a chain has while a filter hides nodes, and updates the list of matches.
    mutating func updateMatchWeight(_ root: NodeIndex, _ slot: Int, in forest: borrowing ChainForest) {
        if !cachedMatchRows.isEmpty, slots.has(.mayHaveCachedRows, slot) { cachedMatchRows[root] = nil }
        let (count, old) = (filter.matchCount(of: root), slots.matchWeight(slot))
        // A match at the root alone is one row, because nothing under it is shown.
        let isAlone = count == 1 && filter.isMatch(root)
        let weight = count == 0 ? 0 : isAlone ? 1 : matchWeight(of: root, matchCount: count, in: forest)
        guard weight != old else { return }
        let wasListed = old != 0 && isListed(slot)
        slots.setMatchWeight(weight, slot)
        let key = slots.key(slot)
        if weight == 0 {
            if wasListed { matchList.remove(key) }
            slots.set(.listed, false, slot)
        } else if !wasListed {
            listMatch(key, slot, weight: weight)
        } else if !matchList.setWeight(weight, of: key) {
            matchList.insert(key, weight: weight)
        }
        // The pending sort notes the change, too, because it copies weights.
        order.pendingSort?.noteChange(root, slot)
    }
}
