/// One chain of two nodes or more: 64 bytes. A root without children needs none.
struct ChainRecord {
    /// The latest settlement of its nodes, those that were evicted included; 0 if none is known.
    var settled: UInt64 = 0
    /// The slot of its root.
    var root: UInt32
    var nodeCount: UInt32 = 0
    /// The slot of its first rejected or abandoned node; see ``ChainSummary/firstRejected``.
    var firstRejected = noSlot
    /// ``evictedCount`` in the lower 29 bits, ``outcome`` in the upper 3.
    private var evictedAndOutcome: UInt32 = 0
    var counts = StateCounts()

    init(root: UInt32) { self.root = root }

    @inline(__always) var isLive: Bool { counts.liveCount > 0 }
    /// Whether only the ids of its nodes are known.
    var isUnknown: Bool { settled == 0 && counts[.unknown] == Int(nodeCount) }

    private static let evictedMask: UInt32 = 1 << 29 - 1

    /// How many of its nodes were evicted before the chain itself, up to the greatest number of 29 bits.
    var evictedCount: UInt32 {
        get { evictedAndOutcome & Self.evictedMask }
        set { evictedAndOutcome = evictedAndOutcome & ~Self.evictedMask | min(newValue, Self.evictedMask) }
    }

    /// How the chain ended, decided when it settled or changed after that; `live` while it is live.
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

/// Facts that only some nodes have: 64 bytes.
struct NodeExtra {
    /// The parent or creator of a node that is not under it in the tree; 0 for none.
    var origin: UInt64 = 0
    /// How many nodes were evicted from under it.
    var evictedCount: UInt32 = 0
    /// The slot of the text about its value, error, cancellation or abandonment.
    var summary = noSlot
    /// When its cancellation was requested; 0 if it was not, or the time is unknown.
    var cancelRequestedAt: UInt64 = 0
    /// The number of the renaming that gave it its label, from 1; 0 for the label that it was made with.
    var renameCount: UInt32 = 0
    /// How many of the evicted nodes were its members.
    var evictedMemberCount: UInt32 = 0
    /// When a Swift task last began to run or was suspended; 0 for other nodes.
    var switched: UInt64 = 0
    /// The slot of the text that names the source of its cancellation.
    var canceller = noSlot
    /// The list of links to the nodes that it follows or has for members, by time.
    var firstOut = noSlot, lastOut = noSlot
    /// The list of links from the nodes that follow it or have it for a member, by time and the id of these nodes.
    var firstIn = noSlot, lastIn = noSlot
    /// The slot of the counts of its children by state; see ``ForestData/countedFrom``.
    var childCounts = noSlot

    var hasLinks: Bool { firstOut != noSlot || firstIn != noSlot }
}

/// A link: 40 bytes.
struct LinkRecord {
    var time: UInt64
    /// The slot of the node that follows the target or has it for a member.
    var holder: UInt32
    /// The slot of the node that is followed or is a member.
    var target: UInt32
    /// The neighbours in the holder's list.
    var previousOut = noSlot, nextOut = noSlot
    /// The neighbours in the target's list.
    var previousIn = noSlot, nextIn = noSlot
    var kind: LinkKind
}
