// SPDX-License-Identifier: MIT

import ChainModel

/// Rows of other programs' chains under a node, as one element among a program's rows.
package struct ForeignRows {
    /// The node's own row.
    package let caller: TreeRow
    /// The index of the first row, among all such rows under the node.
    package let first: Int
    /// The number of rows.
    package let count: Int
}

// One tree over several programs. A chain that is drawn under its caller in another program weighs no row in its own
// program's lists. Its rows are counted at the caller, which hides them when it is folded. The owner of the outlines
// decides from their news which chains are drawn under their callers.
extension Outline {
    /// The number of chains that are drawn in other programs' trees; 0 while a filter hides nodes.
    package var elsewhereCount: Int { filter.hidesUnmatched ? 0 : foreign.elsewhere.count }

    /// Starts or stops keeping news for other programs.
    package mutating func trackForeign(_ isTracked: Bool) {
        if foreign.isTracked != isTracked { foreign.track(isTracked) }
    }

    /// Removes and returns the news since the last call.
    package mutating func takeForeignNews() -> [ForeignNews] {
        guard !foreign.news.isEmpty else { return [] }
        defer { foreign.news = [] }
        return foreign.news
    }

    /// Sets whether ``ForeignNews/arrived(_:)`` is wanted for a node that is not in the forest yet.
    package mutating func setAwaited(_ caller: NodeID, _ isAwaited: Bool) {
        if isAwaited { foreign.awaited.insert(caller) } else { foreign.awaited.remove(caller) }
    }

    /// Notes that a root waits for its caller, so that ``ForeignNews/gone(_:)`` is reported when it is no root any
    /// more.
    package mutating func noteWaiting(_ root: NodeIndex) { foreign.waiting.insert(root) }

    // MARK: A chain of this program in another one's tree

    /// Returns whether a chain is drawn in another program's tree. While a filter hides nodes, no chain is drawn there.
    @inline(__always)
    package func isElsewhere(_ root: NodeIndex) -> Bool {
        guard !filter.hidesUnmatched, !foreign.elsewhere.isEmpty else { return false }
        return foreign.elsewhere[root] != nil
    }

    /// Removes a chain from the program's own rows, because it is drawn in another program's tree, or adds it again.
    /// Returns the chain's weight if it is drawn in another program's tree, else nil.
    @discardableResult
    package mutating func setElsewhere(
        _ root: NodeIndex, _ isElsewhere: Bool, in forest: borrowing ChainForest, now: UInt64
    ) -> ForeignWeight? {
        // A new chain is added first, because the slices that read a large forest may not have reached it yet.
        if chains.slot(of: root) == nil, forest.isRoot(root) { updateChain(root, in: forest, now: now) }
        guard let slot = chains.slot(of: root) else { return nil }
        if chains.has(.elsewhere, slot) != isElsewhere {
            chains.set(.elsewhere, isElsewhere, slot)
            if !isElsewhere { foreign.elsewhere[root] = nil }
            weigh(slot, in: forest)
            showRows(slot)
        }
        return foreign.elsewhere[root]
    }

    /// Stores the weight of a chain that is drawn in another program's tree; adds news if the weight changed.
    mutating func noteForeignWeight(_ slot: UInt32, rows: Int, in forest: borrowing ChainForest) {
        let root = chains.root(slot)
        let isLive = foreign.isLive(root) || forest.chain(of: root).settled == nil
        let new = ForeignWeight(rows: rows, isLive: isLive)
        guard foreign.elsewhere[root] != new else { return }
        foreign.elsewhere[root] = new
        foreign.news.append(.weighed(NodeID(chains[slot].id), new))
    }

    /// Returns at most `count` rows of a chain from its row `first` on, even if the chain is drawn in another program's
    /// tree.
    package mutating func outlineRows(
        ofChain root: NodeIndex, from first: Int, count: Int, in forest: borrowing ChainForest
    ) -> [OutlineRow] {
        var outlineRows: [OutlineRow] = []
        if let slot = chains.slot(of: root) {
            append(rowsOf: slot, from: first, count: count, in: forest, to: &outlineRows)
        }
        return outlineRows
    }

    // MARK: Chains of other programs under a node

    /// Sets the weight of the chains of other programs that are drawn under a node; 0 rows if there are none.
    package mutating func setForeign(
        _ weight: ForeignWeight, under caller: NodeIndex, in forest: borrowing ChainForest, now: UInt64
    ) {
        let root = forest.root(of: caller)
        let wasLive = foreign.isLive(root)
        foreign.set(caller, .init(id: forest.id(of: caller), root: root, weight: weight))
        countForeign(in: root, in: forest)
        guard foreign.isLive(root) != wasLive, chains.slot(of: root) != nil else { return }
        // Updated, because a chain counts as settled only when the foreign chains under its nodes have settled, too.
        updateChain(root, in: forest, now: now)
    }

    /// Counts the rows of a chain after its foreign rows changed.
    private mutating func countForeign(in root: NodeIndex, in forest: borrowing ChainForest) {
        guard let slot = chains.slot(of: root) else { return }
        chains.set(.isWalked, true, slot)
        noteShape(slot)
        weigh(slot, in: forest)
    }

    /// Returns the number of rows of a node: its own row, and the foreign rows under it if they are shown.
    func height(of row: TreeRow) -> Int { filter.hidesUnmatched ? 1 : unfilteredHeight(of: row) }

    /// Returns the ``height(of:)`` that a row has while no filter hides nodes.
    func unfilteredHeight(of row: TreeRow) -> Int {
        row.flags.contains(.folded) ? 1 : 1 + (foreign.callers[row.node]?.weight.rows ?? 0)
    }

    /// Appends rows with the foreign rows under them: at most `count` in all, after the first `skipping`. Returns how
    /// many rows were appended.
    func append(_ rows: [TreeRow], skipping: Int, count: Int, to outlineRows: inout [OutlineRow]) -> Int {
        var (skipped, left) = (skipping, count)
        for row in rows where left > 0 {
            if skipped > 0 {
                skipped -= 1
            } else {
                outlineRows.append(.tree(row))
                left -= 1
            }
            let below = height(of: row) - 1
            let taken = min(left, below - min(skipped, below))
            if taken > 0 { outlineRows.append(.foreign(ForeignRows(caller: row, first: skipped, count: taken))) }
            skipped -= min(skipped, below)
            left -= taken
        }
        return count - left
    }

    // MARK: Changes

    /// Adds news about a changed node, if it is an awaited caller or has a caller in another program.
    @inline(__always)
    mutating func noteForeign(_ entry: ForestChanges.Entry, in forest: borrowing ChainForest) {
        guard foreign.isTracked, !entry.changes.isDisjoint(with: [.created, .moved, .description]) else { return }
        if entry.changes.contains(.created), !foreign.awaited.isEmpty {
            let id = forest.id(of: entry.index)
            if foreign.awaited.remove(id) != nil { foreign.news.append(.arrived(id)) }
        }
        if forest.remoteParent(of: entry.index) != nil { foreign.news.append(.called(forest.id(of: entry.index))) }
    }

    /// Adds news about an evicted node, if it has foreign rows.
    mutating func noteForeign(evicted: ForestChanges.Eviction) {
        guard let caller = foreign.callers[evicted.index], caller.id == evicted.id else { return }
        foreign.set(evicted.index, nil)
        foreign.news.append(.callerLeft(evicted.id))
    }

    /// Adds news about a dropped root, if it concerns other programs; notes the root if its chain has callers.
    mutating func noteForeign(dropped root: NodeIndex, _ slot: UInt32) {
        let isWaiting = !foreign.waiting.isEmpty && foreign.waiting.remove(root) != nil
        if isWaiting || chains.has(.elsewhere, slot) {
            foreign.elsewhere[root] = nil
            foreign.news.append(.gone(NodeID(chains[slot].id)))
        }
        if foreign.hasCallers(root) { foreign.droppedRoots.append(root) }
    }

    /// Updates the chains of callers that moved into another chain.
    mutating func followCallers(in forest: borrowing ChainForest, now: UInt64) {
        for caller in foreign.takeMoved() {
            guard let known = foreign.callers[caller], forest.contains(known.id, at: caller) else { continue }
            let root = forest.root(of: caller)
            guard root != known.root else { continue }
            foreign.set(caller, .init(id: known.id, root: root, weight: known.weight))
            foreign.news.append(.callerLeft(known.id))
            countForeign(in: root, in: forest)
            if chains.slot(of: root) != nil { updateChain(root, in: forest, now: now) }
        }
    }

    /// Adds all chains to the program's own rows again, and removes all foreign rows.
    package mutating func dropForeign(in forest: borrowing ChainForest, now: UInt64) {
        for (caller, known) in forgetForeign() where forest.contains(known.id, at: caller) {
            let root = forest.root(of: caller)
            countForeign(in: root, in: forest)
            if chains.slot(of: root) != nil { updateChain(root, in: forest, now: now) }
        }
    }

    /// Forgets all callers and chains in other programs' trees; returns the former callers.
    @discardableResult
    mutating func forgetForeign() -> [NodeIndex: ForeignTable.Caller] {
        let old = foreign
        foreign = ForeignTable()
        foreign.track(old.isTracked)
        for slot in old.elsewhere.keys.compactMap({ chains.slot(of: $0) }) {
            chains.set(.elsewhere, false, slot)
            showRows(slot)
        }
        return old.callers
    }
}
