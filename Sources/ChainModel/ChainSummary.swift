import ChainEvents

/// One chain, counted: the tree under one root. Kept up with each event, so asking costs nothing.
public struct ChainSummary: Hashable, Sendable {
    /// The chain's root.
    public var root: NodeIndex
    /// Its nodes by state, the root among them.
    public var counts: StateCounts
    /// How many of its nodes were evicted while it was live.
    public var evictedCount: Int
    /// The one that was rejected or abandoned first, by time and id; cancelled and skipped ones do not count. Once that one
    /// was evicted it is the first among the next 256 nodes, or none until another is rejected.
    public var firstRejected: NodeIndex?
    /// When its last node settled; nil while it is live.
    public var settled: UInt64?

    /// Its nodes that are kept.
    public var nodeCount: Int { counts.nodeCount }
    /// Those that are not settled.
    public var liveCount: Int { counts.liveCount }
}

/// One forest, counted.
public struct ForestTotals: Hashable, Sendable {
    /// All nodes by state.
    public var counts = StateCounts()
    /// How many roots, which is how many chains.
    public var chainCount = 0
    /// How many chains have a live node.
    public var liveChainCount = 0
    /// Events folded since the forest was made, those that told nothing new among them.
    public var eventCount: UInt64 = 0
    /// Nodes that retention took away.
    public var evictedCount: UInt64 = 0
    /// Times that a node could not be taken up because ``ForestLimits/nodeLimit`` was reached.
    public var refusedCount: UInt64 = 0

    /// All zero.
    public init() {}

    /// All nodes that are kept.
    public var nodeCount: Int { counts.nodeCount }
}

/// What became of nodes that were evicted from under a node, and from under those.
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
