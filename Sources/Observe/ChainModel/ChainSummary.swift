// SPDX-License-Identifier: MIT

/// Counts of one chain, which is the tree under one root. Updated with each event, so reading is O(1).
public struct ChainSummary: Hashable, Sendable {
    /// The chain's root.
    public var root: NodeIndex
    /// The chain's nodes by state, including the root.
    public var counts: StateCounts
    /// How many of the chain's nodes were evicted before the chain itself.
    public var evictedCount: Int
    /// The first rejected or abandoned node by time and id; cancelled and skipped nodes do not count. After the
    /// eviction of that node, the first rejected or abandoned node among the first 256 nodes of the chain. If there is
    /// none, nil until another node is rejected.
    public var firstRejected: NodeIndex?
    /// When the chain's last node settled, in nanoseconds of the process's clock; nil while the chain is live, or if
    /// only ids of its nodes are known.
    public var settled: UInt64?
    /// How the chain ended. Decided when the chain settled, so that the eviction of nodes does not change it.
    public var outcome: ChainOutcome

    /// How many nodes of the chain are kept.
    public var nodeCount: Int { counts.nodeCount }
    /// How many nodes of the chain are not settled.
    public var liveCount: Int { counts.liveCount }
}

/// Counts of one forest.
public struct ForestTotals: Hashable, Sendable {
    /// All nodes by state.
    public var counts = StateCounts()
    /// The number of chains, which is the number of roots.
    public var chainCount = 0
    /// The number of chains that have a live node.
    public var liveChainCount = 0
    /// The chains by outcome.
    public var outcomes = OutcomeCounts()
    /// Events applied since the forest was made, including those that changed nothing.
    public var eventCount: UInt64 = 0
    /// Nodes evicted since the forest was made.
    public var evictedCount: UInt64 = 0
    /// Times that a node was refused because ``ForestLimits/nodeLimit`` was reached.
    public var refusedCount: UInt64 = 0

    /// The number of nodes that are kept.
    public var nodeCount: Int { counts.nodeCount }
}

extension ProcessTotals {
    /// Makes the totals of a hello, without viewers.
    package init(of totals: ForestTotals) {
        self.init(
            chainCount: UInt64(totals.chainCount), nodeCount: UInt64(totals.nodeCount),
            liveCount: UInt64(totals.counts.liveCount), runningCount: UInt64(totals.counts[.running]),
            rejectedCount: UInt64(totals.outcomes.failedCount))
    }
}
