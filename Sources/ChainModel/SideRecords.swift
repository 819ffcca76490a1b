import ChainEvents

/// One chain of two nodes or more: 64 bytes. A root without children needs none.
struct ChainRecord {
    var settled: UInt64 = 0
    var root: UInt32
    var nodeCount: UInt32 = 0
    var firstRejected = noSlot
    var evictedCount: UInt32 = 0
    private var counts: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    )

    init(root: UInt32) { self.root = root }

    var liveCount: UInt32 { counts.0 &+ counts.1 &+ counts.2 &+ counts.3 }

    @inline(__always) subscript(state: NodeState) -> UInt32 {
        get { withUnsafeBytes(of: counts) { $0.load(fromByteOffset: Int(state.rawValue) * 4, as: UInt32.self) } }
        set {
            withUnsafeMutableBytes(of: &counts) {
                $0.storeBytes(of: newValue, toByteOffset: Int(state.rawValue) * 4, as: UInt32.self)
            }
        }
    }

    mutating func add(_ state: NodeState) {
        self[state] &+= 1
        nodeCount &+= 1
    }

    mutating func subtract(_ state: NodeState) {
        self[state] &-= 1
        nodeCount &-= 1
    }

    mutating func add(_ other: ChainRecord) {
        for state in NodeState.allCases { self[state] &+= other[state] }
        nodeCount &+= other.nodeCount
        evictedCount &+= other.evictedCount
    }

    var stateCounts: StateCounts {
        var result = StateCounts()
        for state in NodeState.allCases { result[state] = Int(self[state]) }
        return result
    }
}

/// What only some nodes have: 56 bytes.
struct NodeExtra {
    /// The parent or creator of a node that does not stand under it; 0 for none.
    var origin: UInt64 = 0
    /// The slot of the ``EvictedCounts`` (bytes 8 to 11: the free list's while the slot is free).
    var evicted = noSlot
    var summary = noSlot
    var cancelRequestedAt: UInt64 = 0
    var canceller = noSlot
    /// The links that it holds (follows, has members) and those that hold it, each by time.
    var firstOut = noSlot, lastOut = noSlot, firstIn = noSlot, lastIn = noSlot
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
