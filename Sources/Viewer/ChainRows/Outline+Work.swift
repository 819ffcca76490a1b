// SPDX-License-Identifier: MIT

import ChainModel

// Long work in slices: rebuilding from a large forest, counting the rows of each chain after all chains were folded or
// unfolded, sorting, filtering, and walking over long chains. Chains that come on the screen before their slice are
// counted at once.
extension Outline {
    /// A pass over all node indices, which adds new chains and removes evicted ones (`isRebuild`), or over all slots.
    struct Pass {
        var isRebuild: Bool
        var cursor: Cursor
    }

    /// How many chains a slice of a pass counts; a node index or slot without a chain costs as much as a 64th of one.
    private static let passSlice = 3_000
    /// How many chains are counted as soon as a pass begins.
    private static let firstPassSlice = 9_000
    /// How many nodes a slice tests against the filter, which takes 2 ms.
    static let scanBudget = 5_000
    /// Forests of at most this many nodes are read immediately, not in slices.
    static let smallForest = 20_000

    /// The kinds of long work. `reading` is counting the rows of chains and walking over long ones.
    package enum WorkKind: CaseIterable { case sorting, filtering, reading }

    /// Whether there is long work of any kind.
    package var hasWork: Bool { WorkKind.allCases.contains { hasWork($0) } }

    /// Returns whether there is long work of a kind.
    package func hasWork(_ kind: WorkKind) -> Bool {
        switch kind {
        case .sorting: pending != nil || !repositioning.isEmpty
        case .filtering: filter.hasWork
        case .reading: isReading
        }
    }

    /// Does a slice of work: some 2 ms, divided by `divisor`. Returns whether rows may have moved.
    package mutating func work(
        _ kind: WorkKind, in forest: borrowing ChainForest, now: UInt64, divisor: Int
    ) -> Bool {
        switch kind {
        case .sorting: return continueOrder(in: forest, divisor: divisor)
        case .filtering: return scan(in: forest, budget: Self.scanBudget / divisor)
        case .reading: return read(Self.passSlice / divisor, in: forest, now: now)
        }
    }

    /// Returns whether no sorting, repositioning, scanning or reading is left. Unless `ignoresDeadlines`, also requires
    /// that no chain waits for its archiving and no finished node for its folding. The chain of the selection does not
    /// count.
    package func isIdle(ignoresDeadlines: Bool) -> Bool {
        if hasWork || outdatedCount > 0 || !toWeigh.isEmpty || walked.hasWork { return false }
        return ignoresDeadlines || foldDeadlines.isEmpty && archiveQueue.isEmpty
    }

    /// How full each queue is, for `--debug-statistics`.
    package var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "settled chains to archive", count: archiveQueue.count + postponed.count,
                highWaterMark: archiveHighWater, limit: archiveLimit),
            QueueStatistics(
                name: "nodes to test against the filter", count: filter.retestCount,
                highWaterMark: filter.retestHighWater, limit: FilterScan.retestLimit),
        ]
    }

    /// Whether chains are still to be read or counted.
    var isReading: Bool { pass != nil || walked.work(at: wall) != nil }

    /// Begins a pass, and does the first part of it immediately. `now` is for rebuilds only.
    mutating func beginPass(isRebuild: Bool, in forest: borrowing ChainForest, now: UInt64 = 0) {
        let isRebuild = isRebuild || pass?.isRebuild == true
        pass = Pass(
            isRebuild: isRebuild, cursor: Cursor(end: isRebuild ? forest.indexBound : Int(chains.bound)))
        _ = read(Self.firstPassSlice, in: forest, now: now)
    }

    /// Does a slice of the pass, or of the walks over long chains; returns whether there was anything to do.
    mutating func read(_ count: Int, in forest: borrowing ChainForest, now: UInt64) -> Bool {
        guard var pass else { return continueWalks(in: forest) }
        var rest = count * 64
        while rest > 0, let index = pass.cursor.step() {
            rest -= 1
            // Stored, because what follows asks which chains the pass has still to reach.
            self.pass = pass
            if pass.isRebuild {
                rest -= 63 * read(NodeIndex(rawValue: index), in: forest, now: now)
            } else if chains.isCurrent(index, in: forest) {
                rest -= 63
                noteShape(index)
                weigh(index, in: forest)
            }
        }
        self.pass = pass.cursor.isDone ? nil : pass
        return true
    }

    /// Reads a node in a rebuild; returns how many chains were read.
    private mutating func read(_ node: NodeIndex, in forest: borrowing ChainForest, now: UInt64) -> Int {
        if let slot = chains.slot(of: node) { dropIfEvicted(slot, in: forest) }
        guard forest.contains(node) else { return 0 }
        if Folds.isLarge(node, in: forest) { noteInside(of: node, in: forest) }
        guard forest.isRoot(node) else { return 0 }
        updateChain(node, in: forest, now: now)
        return 1
    }

    /// Removes a chain if its root is no longer a root, because a rebuild has no list of evictions.
    mutating func dropIfEvicted(_ slot: UInt32, in forest: borrowing ChainForest) {
        if !chains.isCurrent(slot, in: forest) { drop(slot) }
    }

    /// Rebuilds from a whole forest. The user's folds, the tags and the matches of nodes that are still in the forest
    /// stay.
    mutating func rebuild(from forest: borrowing ChainForest, now: UInt64) {
        walked.rows = [:]
        forgetForeign()
        folds.forgetAbsent(in: forest)
        mayHaveMoved = true
        filter.restart()
        guard forest.totals.nodeCount <= Self.smallForest else {
            return beginPass(isRebuild: true, in: forest, now: now)
        }
        pass = nil
        chains = ChainTable()
        sorted = SortedChains(SortRank(order: TreeOrder()))
        (pending, outdated, repositioning) = (nil, [], [])
        (archiveQueue, postponed) = (Queue(), [])
        (settledUnfolded, lastUnfolded, unfoldedCount) = ([], nil, 0)
        (toWeigh, foldDeadlines) = ([], [:])
        filter.uncountAll(in: forest)
        for root in forest.roots { updateChain(root, in: forest, now: now) }
        for index in 0..<UInt32(forest.indexBound) {
            let node = NodeIndex(rawValue: index)
            if forest.contains(node), Folds.isLarge(node, in: forest) { noteInside(of: node, in: forest) }
        }
        for node in folds.marks.keys { noteInside(of: node, in: forest) }
        countMatches(in: forest)
        weighNoted(in: forest)
        setOrder(wantedOrder, in: forest, now: now)
    }
}
