// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// The nodes that come to match a query: each is tested when it changes, or when time alone changes the answer.
///
/// Costs as much as ``FilterScan``: O(1) for each changed node, and 8 to 12 bytes for each node. Nodes that match when
/// the watch begins are not reported.
package struct MatchWatch {
    private var scan = FilterScan()
    /// Whether the nodes that existed when the watch began are still being tested.
    private var isBeginning = true
    /// When the nodes were read last, in nanoseconds of the program's clock. Nodes made later are new.
    private var lastRead: UInt64
    /// The nodes that began to match since the last tick.
    private var found: [NodeIndex] = []

    /// Begins a watch at `now`, in nanoseconds of the program's clock.
    package init(_ query: Query, now: UInt64) {
        lastRead = now
        scan.begin(query, now: now)
    }

    /// Whether the query reads warnings: then ``setWarnings(_:in:)`` is needed whenever warnings change.
    package var readsWarnings: Bool { scan.query.dependsOnWarnings }

    /// Whether nodes are still to be tested.
    package var hasWork: Bool { scan.hasWork }

    /// Sets the warnings that hold, by node, with a bit for each kind.
    package mutating func setWarnings(_ warnings: [NodeID: WarningBits], in forest: borrowing ChainForest) {
        scan.setWarnings(warnings, of: forest)
    }

    /// Tests the changed nodes. Nodes that the scan has still to reach, and all nodes after a change of everything, are
    /// tested by the next ticks.
    package mutating func update(_ changes: ForestChanges, of forest: borrowing ChainForest) {
        if changes.includesBatch { scan.noteNames(of: forest) }
        defer { lastRead = max(lastRead, forest.now) }
        var newRoots: Set<NodeIndex> = []
        for eviction in changes.evicted {
            scan.forget(eviction.index)
            if let root = eviction.newRoot, !scan.query.dependsOnRootLabels { newRoots.insert(root) }
        }
        if changes.isEverything {
            for node in (0..<UInt32(forest.indexBound)).map(NodeIndex.init) where scan.isMatch(node) {
                if forest.contains(node), forest.node(node).created > lastRead { scan.forget(node) }
            }
            scan.restart()
        }
        // Before new nodes are tested at the same indices, because otherwise their own matches would not be reported.
        collect()
        for entry in changes.nodes {
            scan.noteChange(of: entry.index, entry.changes, in: forest)
            guard entry.changes.contains(.moved), !entry.changes.contains(.created) else { continue }
            if !(entry.traits.contains(.root) && newRoots.contains(entry.index)) {
                scan.noteChange(ofAllBelow: entry.index, in: forest)
            }
        }
    }

    /// Collects the nodes that began to match. All are counted for one slot, so that none is collected twice.
    private mutating func collect() {
        for node in scan.takeUncounted() where scan.count(node, for: scan.isMatch(node) ? 0 : nil).new != nil {
            found.append(node)
        }
    }

    /// Advances to `now` and tests up to `budget` nodes. Returns the nodes that began to match since the last call and
    /// still match; a node may be repeated. Returns none until all nodes that existed when the watch began are tested.
    ///
    /// - Parameter isComplete: whether the forest has all nodes that existed when the watch began.
    package mutating func tick(
        _ now: UInt64, in forest: borrowing ChainForest, budget: Int, isComplete: Bool = true
    ) -> [NodeIndex] {
        scan.tick(now)
        _ = scan.scan(in: forest, budget: budget)
        collect()
        defer { found.removeAll(keepingCapacity: true) }
        guard !isBeginning else {
            isBeginning = scan.hasWork || !isComplete
            return []
        }
        return found.filter { scan.isMatch($0) && forest.contains($0) }
    }
}
