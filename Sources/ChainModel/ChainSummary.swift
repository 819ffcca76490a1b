import ChainEvents

/// Counts of one chain, which is the tree under one root. Updated with each event, so reading is O(1).
public struct ChainSummary: Hashable, Sendable {
    /// The chain's root.
    public var root: NodeIndex
    /// Its nodes by state, the root among them.
    public var counts: StateCounts
    /// How many of its nodes were evicted while it was live.
    public var evictedCount: Int
    /// The first rejected or abandoned node by time and id; cancelled and skipped nodes do not count. After its
    /// eviction, the first among the next 256 nodes, or nil until another node is rejected.
    public var firstRejected: NodeIndex?
    /// When its last node settled; nil while it is live.
    public var settled: UInt64?
    /// How it ended. Decided when it settled, so that the eviction of some of its nodes does not change it.
    public var outcome: ChainOutcome

    /// Its nodes that are kept.
    public var nodeCount: Int { counts.nodeCount }
    /// Nodes that are not settled.
    public var liveCount: Int { counts.liveCount }
}

/// Counts of one forest.
public struct ForestTotals: Hashable, Sendable {
    /// All nodes by state.
    public var counts = StateCounts()
    /// How many roots, which is how many chains.
    public var chainCount = 0
    /// How many chains have a live node.
    public var liveChainCount = 0
    /// The chains by outcome.
    public var outcomes = OutcomeCounts()
    /// Events applied since the forest was made, including those without news.
    public var eventCount: UInt64 = 0
    /// Nodes that retention took away.
    public var evictedCount: UInt64 = 0
    /// Times that a node was refused because ``ForestLimits/nodeLimit`` was reached.
    public var refusedCount: UInt64 = 0

    /// All zero.
    public init() {}

    /// All nodes that are kept.
    public var nodeCount: Int { counts.nodeCount }
}

/// Counts of nodes evicted from the subtree of a node, by end state.
public struct EvictedCounts: Hashable, BitwiseCopyable, Sendable {
    /// How many nodes ended so.
    public var fulfilled: UInt32 = 0, rejected: UInt32 = 0, cancelled: UInt32 = 0
    /// How many nodes ended so.
    public var skipped: UInt32 = 0, abandoned: UInt32 = 0, unknown: UInt32 = 0

    /// All zero.
    public init() {}

    /// All of them.
    public var count: Int {
        Int(fulfilled) + Int(rejected) + Int(cancelled) + Int(skipped) + Int(abandoned) + Int(unknown)
    }

    mutating func add(_ state: NodeState) {
        switch state {
        case .fulfilled: fulfilled &+= 1
        case .rejected: rejected &+= 1
        case .cancelled: cancelled &+= 1
        case .skipped: skipped &+= 1
        case .abandoned: abandoned &+= 1
        default: unknown &+= 1
        }
    }

    static func += (left: inout EvictedCounts, right: EvictedCounts) {
        left.fulfilled &+= right.fulfilled
        left.rejected &+= right.rejected
        left.cancelled &+= right.cancelled
        left.skipped &+= right.skipped
        left.abandoned &+= right.abandoned
        left.unknown &+= right.unknown
    }
}
