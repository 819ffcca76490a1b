// SPDX-License-Identifier: MIT

import ChainEvents
import ChainModel

/// Folds batches into a forest with small limits, and checks the invariants that a dashboard relies on.
enum Fold {
    static let process = ProcessKey(rawValue: 7)

    private static let limits = ForestLimits(
        settledNodeLimit: 12, settledLeafLimit: 4, ageLimit: 100, chainNodeLimit: 10, nodeLimit: 40, changeLimit: 16)

    /// Folds batches and checks the forest. Slow checks (texts, a late viewer, each node) only if `isThorough`.
    static func check(_ batches: [EventBatch], isThorough: Bool) {
        guard let process = batches.first?.process else { return }
        var forest = ChainForest(process: process, limits: limits)
        for batch in batches {
            forest.apply(batch)
            precondition(forest.totals.nodeCount <= limits.nodeLimit, "more nodes than the limit")
            forest.evictSettled(now: forest.now, budget: 64)
            if isThorough { check(forest, true) }
            _ = forest.consumeChanges()
        }
        check(forest, false)
        guard isThorough else { return }
        precondition(forest.dump(facts: true).utf8.count >= forest.totals.nodeCount)
        // A late viewer gets the whole state.
        var late = ChainForest(process: process, limits: limits)
        var batch = EventBatch(process: process, sequence: 1, time: forest.now)
        batch.nodes = forest.snapshot(limit: .max).nodes
        late.apply(batch)
        check(late, true)
    }

    private static func check(_ forest: ChainForest, _ isThorough: Bool) {
        precondition(forest.roots.count == forest.totals.chainCount, "roots are not counted")
        var (nodeCount, liveCount) = (0, 0)
        for root in forest.roots {
            let chain = forest.chain(of: root)
            let counts = walk(root, forest, isThorough)
            precondition(counts == chain.counts, "a chain is not counted")
            nodeCount += chain.nodeCount
            liveCount += chain.liveCount > 0 ? 1 : 0
        }
        precondition(nodeCount == forest.totals.nodeCount, "nodes that are in no tree")
        precondition(liveCount == forest.totals.liveChainCount, "live chains are not counted")
    }

    /// Checks all nodes under a root, as a dashboard walks them, and returns their counts.
    private static func walk(_ root: NodeIndex, _ forest: ChainForest, _ isThorough: Bool) -> StateCounts {
        var counts = StateCounts()
        var stack = [root]
        while let index = stack.popLast() {
            precondition(counts.nodeCount < limits.nodeLimit, "a ring of nodes")
            counts[forest.state(of: index)] += 1
            precondition(forest.root(of: index) == root, "a node of another tree")
            if isThorough { look(at: index, forest) }
            var (child, childCount) = (forest.firstChild(of: index), 0)
            while let current = child {
                precondition(forest.treeParent(of: current) == index, "a child of two")
                childCount += 1
                stack.append(current)
                child = forest.nextSibling(of: current)
            }
            precondition(childCount == forest.childCount(of: index), "children are not counted")
        }
        return counts
    }

    private static func look(at index: NodeIndex, _ forest: ChainForest) {
        precondition(forest.index(of: forest.id(of: index)) == index, "a node that is not found")
        _ = forest.timing(of: index, now: forest.now)
        _ = forest.history(of: index)
        _ = forest.depth(of: index)
        for link in forest.links(of: index) { precondition(forest.contains(link.node), "a link to a missing node") }
        if let blocker = forest.blocker(of: index).node { precondition(forest.contains(blocker), "a missing blocker") }
    }
}
