// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

// The rows of chains while a filter is on.
extension Outline {
    /// How many nodes are tested immediately when a filter is set.
    static let firstScanBudget = 1_000

    /// Sets the filter, or drops it; `now` is in nanoseconds of the program's clock. Immediately tests
    /// ``firstScanBudget`` divided by `divisor` nodes; the other nodes are tested in slices, by ``scan(in:budget:)``.
    package mutating func setFilter(
        _ query: Query?, in forest: borrowing ChainForest, now: UInt64, divisor: Int = 1
    ) {
        sorted.forgetMatches()
        pending?.chains.forgetMatches()
        walked.removeFiltered()
        filter.begin(query, now: now, matchesLiveBelow: true)
        _ = scan(in: forest, budget: Self.firstScanBudget / divisor)
    }

    /// Tests the next slice of nodes, at most `budget`; returns false if there was no work.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        guard filter.scan(in: forest, budget: budget) else { return false }
        refreshMatches(in: forest)
        return true
    }

    /// Sets the warnings that hold, by node, with a bit for each kind. The next slices test the nodes with changed
    /// warnings. Call it whenever warnings change, while ``FilterState/readsWarnings`` is true.
    package mutating func setWarnings(_ warnings: [NodeID: WarningBits], in forest: borrowing ChainForest) {
        filter.setWarnings(warnings, of: forest)
    }

    /// Updates the list of matches after nodes began or ceased to match.
    mutating func refreshMatches(in forest: borrowing ChainForest) {
        _ = filter.takeFlipped()
        for root in filter.takeTouched() {
            walked.noteChange(root, isFiltered: true)
            if let slot = chains.slot(of: root) { weighMatches(slot, in: forest) }
        }
    }

    /// Counts the rows that a chain has while a filter hides nodes, and updates the list of matches.
    mutating func weighMatches(_ slot: UInt32, in forest: borrowing ChainForest) {
        let root = chains.root(slot)
        let count = filter.matchCount(of: root)
        // A match at the root alone is one row, because nothing under it is shown.
        let isAlone = count == 1 && filter.isMatch(root)
        let rows = count == 0 ? 0 : isAlone ? 1 : max(1, matchRowCount(of: root, slot, matchCount: count, in: forest))
        sorted.setMatchRows(rows, of: slot, id: chains[slot].id)
        pending?.chains.setMatchRows(rows, of: slot, id: chains[slot].id)
    }
}
