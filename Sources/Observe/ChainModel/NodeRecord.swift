// SPDX-License-Identifier: MIT

/// Facts of a node, one bit for each fact.
struct NodeBits: OptionSet {
    let rawValue: UInt16

    /// The node's creation was reported, so that `created` is the time of the creation, not the time when the node was
    /// first seen.
    static let createdKnown = NodeBits(rawValue: 1)
    /// The node itself was reported, not only referenced by another node.
    static let reported = NodeBits(rawValue: 2)
    /// An operation on another promise, the node's parent, made the node.
    static let hasParent = NodeBits(rawValue: 4)
    static let external = NodeBits(rawValue: 8)
    static let cancelRequested = NodeBits(rawValue: 16)
    /// This viewer requested the node's cancellation.
    static let cancelMarkedHere = NodeBits(rawValue: 32)
    static let byViewer = NodeBits(rawValue: 64)
    static let released = NodeBits(rawValue: 128)
    static let settledAgain = NodeBits(rawValue: 256)
    static let unhandled = NodeBits(rawValue: 512)
    /// The node has had a link to a member.
    static let hasMembers = NodeBits(rawValue: 1024)
    /// The node's tree parent is its parent or creator, not a node that links to it.
    static let underOrigin = NodeBits(rawValue: 2048)
    /// The node is a root, because a move under the node that should be its tree parent would close a cycle.
    static let cut = NodeBits(rawValue: 4096)
    /// The node has an entry in an eviction queue.
    static let isQueuedForEviction = NodeBits(rawValue: 8192)
    static let isRoot = NodeBits(rawValue: 16384)
    /// The node is the root of a *revived* chain, which was settled and became live again, or came from a merge, a
    /// split or a trimmed root. The settled leaves of such a chain are evicted one by one.
    static let evictsLeaves = NodeBits(rawValue: 32768)
}

/// Faults of a node's handler, and facts of a Swift task: one bit for each fact, at most five bits.
struct HandlerFlags: OptionSet {
    let rawValue: UInt8

    static let hasBlocked = HandlerFlags(rawValue: 1)
    static let hasMisusedAwait = HandlerFlags(rawValue: 2)
    /// No fault: a Swift task that does not run.
    static let isSuspended = HandlerFlags(rawValue: 4)
    /// No fault: a Swift task that reports each run and suspension.
    static let isSwitching = HandlerFlags(rawValue: 8)
    /// No fault: a Swift task that is drawn as a separate chain, although another node made it.
    static let isSeparate = HandlerFlags(rawValue: 16)
}

/// One node: 96 bytes, so a million take 96 MB. Facts that few nodes have are in ``NodeExtra`` and the texts.
///
///     0        8         16                    32              40
///     ├─ id ───┼ created ┼ 4 offsets, low 32 ──┼ high 16 each ─┤
///     40      44      48     52     56     60      64       68     72      76
///     ├parent ┼ first ┼ last ┼ prev ┼ next ┼ chain ┼ childs ┼ site ┼thread ┤
///     76      80      84         86     88     89           90      91       92        93      94          96
///     ├ extra ┼ label ┼ executor ┼ bits ┼ kind ┼ settlement ┼ state ┼ resync ┼ changes ┼ flags ┼ op childs ┤
///
/// The time of a step is its offset from `created` plus 1, in 48 bits; 0 means "not yet". An offset of 39 hours or more
/// counts units of 100 µs. A free slot has the id 0; ``Slab`` keeps its free list in the first half of `created`.
struct NodeRecord {
    var id: UInt64
    var created: UInt64
    private var queuedLow: UInt32 = 0, startedLow: UInt32 = 0, endedLow: UInt32 = 0, settledLow: UInt32 = 0
    private var queuedHigh: UInt16 = 0, startedHigh: UInt16 = 0, endedHigh: UInt16 = 0, settledHigh: UInt16 = 0
    /// The slots of the node's tree parent, children and siblings.
    var treeParent = noSlot, firstChild = noSlot, lastChild = noSlot, previous = noSlot, next = noSlot
    /// The slot of its ``ChainRecord``; none for a root without children.
    var chain = noSlot
    var childCount: UInt32 = 0
    var site: SiteID = 0
    var thread: ThreadID = 0
    /// The slot of its ``NodeExtra``.
    var extra = noSlot
    /// The slot of its label's text.
    var label = noSlot
    var executor: ExecutorID = 0
    var bits: NodeBits = []
    var kind = NodeKind.other
    var settlement = Settlement.pending
    var state = NodeState.unknown
    /// The ``ForestData/resyncGeneration`` at which the node was last reported.
    var resync: UInt8 = 0
    /// Changes that were not consumed yet.
    var changes: NodeChanges = []
    /// The node's ``HandlerFlags`` in the lower five bits; for a root, the ``ChainOutcome`` that was counted last in the
    /// upper three.
    private var handlerFlagsAndOutcome: UInt8 = 0
    /// How many children were made by an operation on the node; see ``ForestData/operationChildCountOverflow``.
    var operationChildCount: UInt16 = 0

    init(id: UInt64, created: UInt64) {
        self.id = id
        self.created = created
    }

    /// Returns whether this node is before another in the order of siblings and roots: by (creation, id).
    @inline(__always) func precedes(_ other: NodeRecord) -> Bool {
        created != other.created ? created < other.created : id < other.id
    }

    @inline(__always) func has(_ bit: NodeBits) -> Bool { bits.rawValue & bit.rawValue != 0 }

    /// Set in an offset of 39 hours or more. The other bits then count units of 100 µs of the process's clock, rounded
    /// down, so that equal times stay equal.
    private static let coarseBit: UInt64 = 1 << 47
    /// In nanoseconds. A decimal number, so that whole milliseconds of a virtual clock stay exact.
    private static let coarseUnit: UInt64 = 100_000

    @inline(__always)
    private func time(_ low: UInt32, _ high: UInt16) -> UInt64? {
        if low == 0 && high == 0 { return nil }
        let stored = UInt64(high) << 32 | UInt64(low)
        guard stored & Self.coarseBit != 0 else { return created &+ stored &- 1 }
        return (created / Self.coarseUnit &+ (stored & ~Self.coarseBit)) &* Self.coarseUnit
    }

    @inline(__always)
    private func offset(_ time: UInt64?) -> UInt64 {
        guard let time else { return 0 }
        guard time > created else { return 1 }
        if time - created < Self.coarseBit - 1 { return time - created + 1 }
        return Self.coarseBit | min(time / Self.coarseUnit - created / Self.coarseUnit, Self.coarseBit - 1)
    }

    /// Returns a time as a step of this node would store it.
    func rounded(_ time: UInt64) -> UInt64 {
        guard time > created, time - created >= Self.coarseBit - 1 else { return time }
        return time / Self.coarseUnit * Self.coarseUnit
    }

    @inline(__always) var queued: UInt64? {
        get { time(queuedLow, queuedHigh) }
        set {
            let offset = offset(newValue)
            (queuedLow, queuedHigh) = (UInt32(truncatingIfNeeded: offset), UInt16(truncatingIfNeeded: offset >> 32))
        }
    }
    @inline(__always) var started: UInt64? {
        get { time(startedLow, startedHigh) }
        set {
            let offset = offset(newValue)
            (startedLow, startedHigh) = (UInt32(truncatingIfNeeded: offset), UInt16(truncatingIfNeeded: offset >> 32))
        }
    }
    @inline(__always) var ended: UInt64? {
        get { time(endedLow, endedHigh) }
        set {
            let offset = offset(newValue)
            (endedLow, endedHigh) = (UInt32(truncatingIfNeeded: offset), UInt16(truncatingIfNeeded: offset >> 32))
        }
    }
    @inline(__always) var settled: UInt64? {
        get { time(settledLow, settledHigh) }
        set {
            let offset = offset(newValue)
            (settledLow, settledHigh) = (UInt32(truncatingIfNeeded: offset), UInt16(truncatingIfNeeded: offset >> 32))
        }
    }
    /// The latest time that ``settled`` may stand for, because a coarse time is rounded down. A test whether another
    /// node settled before this node compares with the latest time.
    @inline(__always) var latestSettled: UInt64? {
        guard let settled else { return nil }
        return UInt64(settledHigh) << 32 & Self.coarseBit != 0 ? settled &+ (Self.coarseUnit - 1) : settled
    }

    var handlerFlags: HandlerFlags {
        get { HandlerFlags(rawValue: handlerFlagsAndOutcome & 31) }
        set { handlerFlagsAndOutcome = handlerFlagsAndOutcome & ~31 | newValue.rawValue }
    }

    /// For a root, the outcome of its chain at the end of the last batch. If ``ChainHistory`` does not count that
    /// outcome, another outcome that it does not count may be stored instead.
    var countedOutcome: ChainOutcome {
        get { ChainOutcome(rawValue: handlerFlagsAndOutcome >> 5) ?? .unknown }
        set { handlerFlagsAndOutcome = handlerFlagsAndOutcome & 31 | newValue.rawValue << 5 }
    }

    /// Sets the moment that offsets count from. Steps before the new moment move up to it.
    mutating func rebase(to moment: UInt64) {
        let steps = (queued, started, ended, settled)
        created = moment
        (queued, started, ended, settled) = steps
    }
}

extension NodeRecord {
    @inline(__always) var traits: NodeTraits {
        var traits: NodeTraits = []
        if needsAttention { traits.insert(.needsAttention) }
        if isUnfinished { traits.insert(.unfinished) }
        if has(.isRoot) { traits.insert(.root) }
        if extra != noSlot { traits.insert(.mayHaveLinks) }
        if childCount == 0 { traits.insert(.isLeaf) }
        if childCount > ForestData.countedFrom { traits.insert(.hasManyChildren) }
        return traits
    }

    /// See ``NodeTraits/needsAttention``.
    @inline(__always) var needsAttention: Bool {
        hasFault || ((kind == .race || kind == .any) && !state.isLive)
    }

    /// Whether the node was abandoned, or has a mark of something that went wrong.
    @inline(__always) var hasFault: Bool {
        let marks = NodeBits.unhandled.rawValue | NodeBits.settledAgain.rawValue
        return bits.rawValue & marks != 0 || state == .abandoned || handlerFlags.contains(.hasMisusedAwait)
    }

    @inline(__always) private var isUnfinished: Bool {
        state.isLive || (isStarted && !isEnded && !has(.released))
    }

    @inline(__always) var isSuspended: Bool { handlerFlags.contains(.isSuspended) }
    @inline(__always) var isQueued: Bool { queuedLow != 0 || queuedHigh != 0 }
    @inline(__always) var isStarted: Bool { startedLow != 0 || startedHigh != 0 }
    @inline(__always) var isEnded: Bool { endedLow != 0 || endedHigh != 0 }

    var activity: Activity {
        if isStarted { return isEnded || has(.released) || isSuspended ? .none : .running }
        return isQueued && settlement == .pending ? .queued : .none
    }

    /// The state that follows from the facts.
    @inline(__always) var derivedState: NodeState {
        switch settlement {
        case .pending: break
        case .unknown: return .unknown
        case .fulfilled: return .fulfilled
        case .rejected: return .rejected
        case .skippedFulfilled, .skippedRejected: return .skipped
        case .abandoned: return .abandoned
        case .cancelled: return .cancelled
        }
        if isEnded || isSuspended { return .pending }
        if isStarted { return .running }
        if isQueued { return .queued }
        guard has(.reported) else { return .unknown }
        // The first node of a cold chain is settled when the chain is started. A combinator in a cold chain has members
        // while it still waits for its parent.
        if kind == .chain { return .waiting }
        guard has(.hasParent), !has(.hasMembers) || kind.role == .combinator else { return .pending }
        return kind.role == .maker ? .pending : .waiting
    }

    var marks: NodeMarks {
        var marks: NodeMarks = []
        if bits.intersection([.cancelRequested, .cancelMarkedHere]) != [], state.isLive {
            marks.insert(.cancelRequested)
        }
        if settlement != .pending, activity == .running { marks.insert(.stillOnThread) }
        if !has(.createdKnown) { marks.insert(.seenLate) }
        if has(.byViewer) { marks.insert(.byViewer) }
        if has(.settledAgain) { marks.insert(.settledAgain) }
        if has(.unhandled) { marks.insert(.unhandled) }
        if has(.released) { marks.insert(.released) }
        if has(.external) { marks.insert(.external) }
        if handlerFlags.contains(.hasBlocked) { marks.insert(.hasBlocked) }
        if handlerFlags.contains(.hasMisusedAwait) { marks.insert(.hasMisusedAwait) }
        return marks
    }
}
