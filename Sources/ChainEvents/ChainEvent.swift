/// One step of one node as a viewer gets it: an ``EventRecord`` with its time and thread, in which texts and call sites
/// have become numbers.
///
///     0        8        16       24      28      32      36    38   39   40
///     ├ time ──┼ node ──┼ other ─┼ site ─┼ text ─┼thread─┼detail┼kind┼flags┤
public struct ChainEvent: Hashable, Sendable {
    /// Nanoseconds of the process's clock (see ``ProcessDescription/wallOffset``).
    public var time: UInt64
    /// Whose step it is.
    public var node: NodeID
    /// The parent, creator, member or adopted node, by ``kind``.
    public var other: NodeID
    /// Where the node was made, by number in ``EventBatch/sites`` of this batch or an earlier one.
    public var site: SiteID
    /// Its dynamic text: 1 + the index in ``EventBatch/texts`` of the same batch, or 0.
    public var text: UInt32
    /// The thread that it happened on.
    public var thread: ThreadID
    /// By ``kind``: a ``NodeKind``, ``LinkKind`` or ``ExecutorID``; else 0.
    public var detail: UInt16
    /// What happened; on a snapshot, by which operation the node was made.
    public var kind: EventKind
    /// Marks on the event.
    public var flags: EventFlags

    /// Describes one step.
    public init(
        time: UInt64, _ kind: EventKind, node: NodeID, other: NodeID = .none, site: SiteID = 0, text: UInt32 = 0,
        thread: ThreadID = 0, detail: UInt16 = 0, flags: EventFlags = []
    ) {
        self.time = time
        self.node = node
        self.other = other
        self.site = site
        self.text = text
        self.thread = thread
        self.detail = detail
        self.kind = kind
        self.flags = flags
    }

    /// On ``EventKind/created``, the node's kind.
    public var nodeKind: NodeKind { NodeKind(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .other }
}

/// How a node was settled. Part of the wire format.
///
/// The raw values are ranks: where two reports of one node disagree, the higher one is true (it knows more).
public enum Settlement: UInt8, Comparable, BitwiseCopyable, Sendable {
    /// Not settled.
    case pending = 0
    /// It ended during a loss of events; nobody knows how.
    case unknown = 1
    /// With a value of its own, or of what it follows.
    case fulfilled = 2
    /// With an error of its own, or of what it follows.
    case rejected = 3
    /// Passed its parent's value on for want of a handler.
    case skippedFulfilled = 4
    /// Passed its parent's error on for want of a handler.
    case skippedRejected = 5
    /// Its resolver was released; rejected by that.
    case abandoned = 6
    /// Rejected by a cancellation.
    case cancelled = 7

    /// By rank.
    public static func < (left: Settlement, right: Settlement) -> Bool { left.rawValue < right.rawValue }
}

/// Marks on a ``NodeSnapshot``. Part of the wire format.
public struct SnapshotFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Its memory is gone (``EventKind/released``).
    public static let released = SnapshotFlags(rawValue: 1)
    /// Somebody tried to settle it again.
    public static let settledAgain = SnapshotFlags(rawValue: 2)
    /// It was released rejected and nobody had handled that.
    public static let unhandled = SnapshotFlags(rawValue: 4)
    /// The cancellation (asked for or done) came from a viewer.
    public static let byViewer = SnapshotFlags(rawValue: 8)
    /// Its handler blocked a worker (``EventKind/blocked``).
    public static let hasBlocked = SnapshotFlags(rawValue: 16)
    /// Its handler wanted to wait where that could not end (``EventKind/awaitMisused``).
    public static let hasMisusedAwait = SnapshotFlags(rawValue: 32)
    /// Its handler has returned, at a time that the snapshot does not know (then ``NodeSnapshot/ended`` is 0).
    public static let handlerEnded = SnapshotFlags(rawValue: 64)
}

/// All that is known of one node at one moment: what a late comer gets instead of its past.
///
/// Several snapshots of one node are joined, so a node with many members is told in parts.
public struct NodeSnapshot: Hashable, Sendable {
    /// Whose state it is.
    public var id: NodeID
    /// By which operation it was made.
    public var kind: NodeKind
    /// The promise that its operation was called on, or nobody.
    public var parent: NodeID
    /// The node whose handler made it, or nobody; not known where there is a parent.
    public var creator: NodeID
    /// Nothing of ours settles it, a resolver does.
    public var isExternal: Bool
    /// Where it was made, by number in ``EventBatch/sites``.
    public var site: SiteID
    /// Its label, bounded, unescaped.
    public var label: String?
    /// The executor of its handler, by number in ``EventBatch/executors``.
    public var executor: ExecutorID
    /// The thread that its handler began on.
    public var thread: ThreadID
    /// Times in nanoseconds of the process's clock; 0 where the step has not happened.
    public var created: UInt64, queued: UInt64, started: UInt64, ended: UInt64, settled: UInt64
    /// The earliest time that anything told of it, where `created` is 0; or 0.
    public var seen: UInt64
    /// How it was settled, if it was.
    public var settlement: Settlement
    /// Whether somebody asked to cancel it.
    public var cancelRequested: Bool
    /// When that was, or 0 where it was not or nobody knows.
    public var cancelRequestedAt: UInt64
    /// Who asked, bounded, unescaped.
    public var canceller: String?
    /// What else is known of it.
    public var flags: SnapshotFlags
    /// The node that it follows, or nobody.
    public var adopted: NodeID
    /// Since when it follows; 0 where it does not or nobody knows.
    public var adoptedAt: UInt64
    /// The members of a combinator, in order, bounded.
    public var members: [NodeID]
    /// When each of `members` was linked; empty where nobody knows.
    public var memberTimes: [UInt64]
    /// A one-line summary of its error or cancellation, bounded, unescaped.
    public var summary: String?

    /// Describes a pending node that nothing else is known of.
    public init(id: NodeID, kind: NodeKind) {
        self.id = id
        self.kind = kind
        parent = .none
        creator = .none
        isExternal = false
        site = 0
        label = nil
        executor = 0
        thread = 0
        (created, queued, started, ended, settled) = (0, 0, 0, 0, 0)
        seen = 0
        settlement = .pending
        cancelRequested = false
        cancelRequestedAt = 0
        canceller = nil
        flags = []
        adopted = .none
        adoptedAt = 0
        members = []
        memberTimes = []
        summary = nil
    }
}
