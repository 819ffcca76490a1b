// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// The state of an outline's filter.
package struct FilterState {
    /// Whether there is a filter.
    package let isActive: Bool
    /// Whether nodes are still to be tested, or chains with matches are still to be listed.
    package let isScanning: Bool
    /// The number of matching nodes found so far.
    package let matchCount: Int
    /// A number that changes whenever an answer of ``Outline/isMatch(_:)`` changes.
    package let revision: UInt64
    /// The texts to highlight in labels and call sites.
    package let markedTexts: [Needle]
    /// Whether the query reads warnings, so that ``Outline/setWarnings(_:in:)`` is needed.
    package let readsWarnings: Bool
}

// The filter, and the rows of chains while it is on.
extension Outline {
    /// How many nodes are tested immediately when a filter is set.
    static let firstScanBudget = 1_000

    /// Whether nodes that do not match are dimmed, not hidden. The numbers of rows for dimming and for hiding are both
    /// kept, so that changing this value counts no rows.
    package var dimsUnmatched: Bool {
        get { filter.dims }
        set { filter.dims = newValue }
    }

    /// The state of the filter.
    package var filterState: FilterState {
        FilterState(
            isActive: filter.isActive, isScanning: filter.isScanning, matchCount: filter.count,
            revision: filter.revision, markedTexts: filter.markedTexts, readsWarnings: filter.query.dependsOnWarnings)
    }

    /// Returns whether a node matches. O(1).
    package func isMatch(_ node: NodeIndex) -> Bool { filter.isMatch(node) }

    /// Returns how many nodes of a chain match. O(1).
    package func matchCount(of root: NodeIndex) -> Int { chains.slot(of: root).map { filter.matchCount($0) } ?? 0 }

    /// Sets the filter, or drops it; `now` is in nanoseconds of the program's clock. Immediately tests
    /// ``firstScanBudget`` divided by `divisor` nodes; the other nodes are tested in slices, by ``scan(in:budget:)``.
    package mutating func setFilter(
        _ query: Query?, in forest: borrowing ChainForest, now: UInt64, divisor: Int = 1
    ) {
        inOrders { $0.forgetMatches() }
        walked.rows = walked.rows.filter { !$0.key.isFiltered }
        filter.begin(query, now: now, matchesLiveBelow: true)
        _ = scan(in: forest, budget: Self.firstScanBudget / divisor)
    }

    /// Tests the next slice of nodes, at most `budget`; returns false if there was no work.
    mutating func scan(in forest: borrowing ChainForest, budget: Int) -> Bool {
        // In a rebuild the chains of matches may still have to be added.
        guard pass?.isRebuild != true, filter.scan(in: forest, budget: budget) else { return false }
        countMatches(in: forest)
        weighNoted(in: forest)
        return true
    }

    /// Sets the warnings that hold, by node, with a bit for each kind. The next slices test the nodes with changed
    /// warnings. Call it whenever warnings change, while ``FilterState/readsWarnings`` is true.
    package mutating func setWarnings(_ warnings: [NodeID: WarningBits], in forest: borrowing ChainForest) {
        filter.setWarnings(warnings, of: forest)
    }

    /// Counts the matches of chains after nodes began or ceased to match, or moved. A match whose chain has still to be
    /// added is counted when the scan, which begins anew with each rebuild, tests it again.
    mutating func countMatches(in forest: borrowing ChainForest) {
        for node in filter.takeUncounted() {
            let root = filter.isMatch(node) ? forest.root(of: node) : nil
            let (old, new) = filter.count(node, for: root.flatMap { chains.slot(of: $0) })
            if let old { noteMatches(old) }
            if let new { noteMatches(new) }
        }
    }

    /// Counts the rows that a chain has while a filter hides nodes.
    mutating func weighMatches(_ slot: UInt32, in forest: borrowing ChainForest) {
        let count = filter.matchCount(slot)
        guard count > 0 || chains.has(.isListedMatch, slot) else { return }
        chains.set(.isListedMatch, count > 0, slot)
        // A match at the root alone is one row, because nothing under it is shown.
        let isAlone = count == 1 && filter.isMatch(chains.root(slot))
        let rows = count == 0 ? 0 : isAlone ? 1 : max(1, matchRowCount(slot, count, in: forest))
        let id = chains[slot].id
        inOrders { $0.setRows(rows, isFiltered: true, of: slot, id: id) }
    }

    // MARK: Steps from match to match

    /// Returns the nearest match below a node (`forward`), or above it. It is in the node's chain or, unless
    /// `staysInChain`, in the nearest other chain with a match. Without a node, returns the first match (`forward`), or
    /// the last match.
    package func match(
        from node: NodeIndex?, forward: Bool, staysInChain: Bool = false, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        let root = node.map { forest.root(of: $0) }
        if let node, let root, matchCount(of: root) > (filter.isMatch(node) ? 1 : 0),
            let match = PreorderSteps.nearest(
                to: node, forward: forward, within: root, in: forest, where: filter.isMatch)
        {
            return match
        }
        guard !staysInChain,
            let line = sorted.match(from: root.flatMap { key(ofRoot: $0) }, forward: forward),
            let found = forest.index(of: NodeID(line.key.id))
        else { return nil }
        let edge = forward ? found : PreorderSteps.last(under: found, in: forest)
        if filter.isMatch(edge) { return edge }
        return PreorderSteps.nearest(to: edge, forward: forward, within: found, in: forest, where: filter.isMatch)
    }
}
