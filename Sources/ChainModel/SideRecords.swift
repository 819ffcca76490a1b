/// One chain of two nodes or more: 64 bytes. A root without children needs none.
struct ChainRecord {
    /// The latest settlement of its nodes, those that were evicted included; 0 if none is known.
    var settled: UInt64 = 0
    var root: UInt32
    var nodeCount: UInt32 = 0
    var firstRejected = noSlot
    /// How many of its nodes were evicted, in the lower 29 bits, and its ``ChainOutcome``.
    private var evictedAndOutcome: UInt32 = 0
    var counts = StateCounts()

    init(root: UInt32) { self.root = root }

    @inline(__always) var isLive: Bool { counts.liveCount > 0 }
    /// Whether only the ids of its nodes are known.
    var isUnknown: Bool { settled == 0 && counts[.unknown] == Int(nodeCount) }

    private static let evictedMask: UInt32 = 1 << 29 - 1

    /// Stays at its greatest value.
    var evictedCount: UInt32 {
        get { evictedAndOutcome & Self.evictedMask }
        set { evictedAndOutcome = evictedAndOutcome & ~Self.evictedMask | min(newValue, Self.evictedMask) }
    }

    /// Decided when it settled last; `live` while it is live.
    @inline(__always) var outcome: ChainOutcome {
        get { ChainOutcome(rawValue: UInt8(evictedAndOutcome >> 29)) ?? .unknown }
        set { evictedAndOutcome = evictedAndOutcome & Self.evictedMask | UInt32(newValue.rawValue) << 29 }
    }

    @inline(__always)
    mutating func add(_ state: NodeState) {
        counts.add(state)
        nodeCount &+= 1
    }

    @inline(__always)
    mutating func subtract(_ state: NodeState) {
        counts.subtract(state)
        nodeCount &-= 1
    }

    mutating func add(_ other: ChainRecord) {
        counts += other.counts
        nodeCount &+= other.nodeCount
        evictedCount &+= other.evictedCount
    }
}

/// What only some nodes have: 64 bytes.
struct NodeExtra {
    /// The parent or creator of a node that is not under it in the tree; 0 for none.
    var origin: UInt64 = 0
    /// Nodes evicted from under it (bytes 8 to 11: the free list's while the slot is free).
    var evictedCount: UInt32 = 0
    var summary = noSlot
    var cancelRequestedAt: UInt64 = 0
    /// How often it was renamed until it had its label; 0 for the label that it was made with.
    var renameCount: UInt64 = 0
    /// When a task of Swift ran or was suspended last; 0 for other nodes.
    var switched: UInt64 = 0
    var canceller = noSlot
    /// The links that it holds (follows, has members), and the links that hold it, each by time.
    var firstOut = noSlot, lastOut = noSlot, firstIn = noSlot, lastIn = noSlot
    /// The slot of the counts of its children, where they are many.
    var childCounts = noSlot

    var hasLinks: Bool { firstOut != noSlot || firstIn != noSlot }
}

/// A link: 40 bytes.
struct LinkRecord {
    var time: UInt64
    var holder: UInt32
    var target: UInt32
    var previousOut = noSlot, nextOut = noSlot
    var previousIn = noSlot, nextIn = noSlot
    var kind: LinkKind
}
