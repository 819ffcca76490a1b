// SPDX-License-Identifier: MIT

/// One chain of two nodes or more: 64 bytes. A root without children needs no record.
struct ChainRecord {
    /// The time of the latest settlement of a node of the chain, including evicted nodes; 0 if no settlement is known.
    var settled: UInt64 = 0
    /// The slot of the chain's root.
    var root: UInt32
    var nodeCount: UInt32 = 0
    /// The slot of the chain's first rejected or abandoned node; see ``ChainSummary/firstRejected``.
    var firstRejected = noSlot
    /// ``evictedCount`` in the lower 28 bits, then ``hasFault``, and ``outcome`` in the upper 3.
    private var evictedAndOutcome: UInt32 = 0
    var counts = StateCounts()

    init(root: UInt32) { self.root = root }

    @inline(__always) var isLive: Bool { counts.liveCount > 0 }
    /// Whether only the ids of its nodes are known.
    var isUnknown: Bool { settled == 0 && counts[.unknown] == Int(nodeCount) }

    private static let evictedMask: UInt32 = 1 << 28 - 1
    private static let faultBit: UInt32 = 1 << 28

    /// Whether a node of the chain, which may have been evicted or moved, has or had ``NodeRecord/hasFault``.
    var hasFault: Bool {
        get { evictedAndOutcome & Self.faultBit != 0 }
        set { evictedAndOutcome = evictedAndOutcome & ~Self.faultBit | (newValue ? Self.faultBit : 0) }
    }

    /// How many of the chain's nodes were evicted before the chain itself, clamped to 28 bits.
    var evictedCount: UInt32 {
        get { evictedAndOutcome & Self.evictedMask }
        set { evictedAndOutcome = evictedAndOutcome & ~Self.evictedMask | min(newValue, Self.evictedMask) }
    }

    /// How the chain ended, decided when it settled or changed after that; `live` while the chain is live.
    @inline(__always) var outcome: ChainOutcome {
        get { ChainOutcome(rawValue: UInt8(evictedAndOutcome >> 29)) ?? .unknown }
        set { evictedAndOutcome = evictedAndOutcome & (1 << 29 - 1) | UInt32(newValue.rawValue) << 29 }
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
        hasFault = hasFault || other.hasFault
    }
}

/// Facts that only some nodes have: 64 bytes.
struct NodeExtra {
    /// The id of the node's parent or creator, if the node is not under it in the tree; otherwise 0.
    var origin: UInt64 = 0
    /// How many nodes were evicted from under the node.
    var evictedCount: UInt32 = 0
    /// The slot of the text about the node's value, error, cancellation or abandonment.
    var summary = noSlot
    /// When the node's cancellation was requested; 0 if it was not requested, or if the time is unknown.
    var cancelRequestedAt: UInt64 = 0
    /// The number, from 1 on, of the renaming that gave the node its label; 0 for the label with which the node was
    /// made.
    var renameCount: UInt32 = 0
    /// How many of the evicted nodes were the node's members.
    var evictedMemberCount: UInt32 = 0
    /// When a Swift task last began to run or was suspended; 0 for other nodes.
    var switched: UInt64 = 0
    /// The slot of the text that names the source of the node's cancellation.
    var canceller = noSlot
    /// The list of links to the nodes that the node follows or has for members, by time.
    var firstOut = noSlot, lastOut = noSlot
    /// The list of links from the nodes that follow the node or have it for a member, by time and by the ids of those
    /// nodes.
    var firstIn = noSlot, lastIn = noSlot
    /// The slot of the counts of the node's children by state; see ``ForestData/countedFrom``.
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
