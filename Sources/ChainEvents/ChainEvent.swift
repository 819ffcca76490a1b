/// One step of one node, as viewers get it: an ``EventRecord`` with its time and thread, and with numbers for texts and
/// call sites.
///
///     0        8        16       24      28      32      36    38   39   40
///     ├ time ──┼ node ──┼ other ─┼ site ─┼ text ─┼thread─┼detail┼kind┼flags┤
public struct ChainEvent: Hashable, Sendable {
    /// The time in nanoseconds of the process's clock (see ``ProcessDescription/wallOffset``).
    public var time: UInt64
    /// The node of the step.
    public var node: NodeID
    /// Another node, by ``kind``: the parent, creator, member or adopted node, the one with the handler that blocks, or
    /// the one that a cancellation came from; or none. On ``EventKind/renamed`` no node, but a count past 65,535.
    public var other: NodeID
    /// The call site where the node was made (``EventKind/created``) or awaited (``EventKind/awaitMisused``): its
    /// number in ``EventBatch/sites`` of this batch or an earlier one; 0 if unknown.
    public var site: SiteID
    /// Its dynamic text, as 1 + the index in ``EventBatch/texts`` of the same batch; 0 for none.
    public var text: UInt32
    /// The thread of the step.
    public var thread: ThreadID
    /// By ``kind``: a ``NodeKind``, a ``LinkKind``, an ``ExecutorID`` or the count of renamings; else 0.
    public var detail: UInt16
    /// The kind of the step.
    public var kind: EventKind
    /// Marks on the event.
    public var flags: EventFlags

    /// Makes an event.
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

    /// The node's kind, on ``EventKind/created``.
    public var nodeKind: NodeKind { NodeKind(rawValue: UInt8(truncatingIfNeeded: detail)) ?? .other }

    /// The count of renamings, on ``EventKind/renamed``.
    package var renameCount: UInt64 { other == .none ? UInt64(detail) : other.rawValue }
}

/// The settlement of a node. Part of the wire format.
///
/// The raw values are ranks: of two reports about a node the higher one holds, because it is the better informed.
public enum Settlement: UInt8, Comparable, BitwiseCopyable, Sendable {
    /// Not settled.
    case pending = 0
    /// Settled during a loss of events, in an unknown way.
    case unknown = 1
    /// Fulfilled, by itself or by the promise that it follows.
    case fulfilled = 2
    /// Rejected, by itself or by the promise that it follows.
    case rejected = 3
    /// Skipped: passed its parent's value on, without a handler for it.
    case skippedFulfilled = 4
    /// Skipped: passed its parent's error on, without a handler for it.
    case skippedRejected = 5
    /// Rejected because its resolver was released.
    case abandoned = 6
    /// Rejected by a cancellation.
    case cancelled = 7

    /// Compares ranks.
    public static func < (left: Settlement, right: Settlement) -> Bool { left.rawValue < right.rawValue }
}

/// Marks on a ``NodeSnapshot``. Part of the wire format.
public struct SnapshotFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The promise was released (``EventKind/released``).
    public static let released = SnapshotFlags(rawValue: 1)
    /// A later attempt to settle it was made.
    public static let settledAgain = SnapshotFlags(rawValue: 2)
    /// It was released rejected, without a handler for the error.
    public static let unhandled = SnapshotFlags(rawValue: 4)
    /// The cancellation (requested or done) came from a viewer.
    public static let byViewer = SnapshotFlags(rawValue: 8)
    /// Its handler blocked a worker (``EventKind/blocked``).
    public static let hasBlocked = SnapshotFlags(rawValue: 16)
    /// A wait in its handler was refused (``EventKind/awaitMisused``).
    public static let hasMisusedAwait = SnapshotFlags(rawValue: 32)
    /// Its handler has returned, at an unknown time (then ``NodeSnapshot/ended`` is 0).
    public static let handlerEnded = SnapshotFlags(rawValue: 64)
    /// It is a Swift task that does not run (``EventKind/suspended``).
    public static let suspended = SnapshotFlags(rawValue: 128)
}

/// The state of one node at one moment: what a late subscriber gets instead of its past events.
///
/// Several snapshots of one node are joined, so a node with many members can be sent in parts.
public struct NodeSnapshot: Hashable, Sendable {
    /// The node.
    public var id: NodeID
    /// The operation that made it.
    public var kind: NodeKind
    /// The promise that its operation was called on, or none.
    public var parent: NodeID
    /// The node of the handler that made it, or none; unknown if there is a parent.
    public var creator: NodeID
    /// Whether a resolver in the program's hands settles it, not the runtime.
    public var isExternal: Bool
    /// The call site where it was made, by number in ``EventBatch/sites``.
    public var site: SiteID
    /// Its label, bounded, unescaped.
    public var label: String?
    /// How often it was renamed until it had that label; 0 if it was made with it.
    public var renameCount: UInt64
    /// Its parent in another process.
    public var remoteParent: NodeKey?
    /// The executor of its handler, by number in ``EventBatch/executors``.
    public var executor: ExecutorID
    /// The thread that its handler began on, or that a Swift task ran on last; 0 if there is none or it is unknown.
    public var thread: ThreadID
    /// The times of its steps in nanoseconds of the process's clock; 0 for a step that has not happened.
    public var created: UInt64, queued: UInt64, started: UInt64, ended: UInt64, settled: UInt64
    /// The time at which a Swift task last began to run or was suspended (``EventKind/resumed``,
    /// ``EventKind/suspended``); 0 if unknown.
    public var switched: UInt64
    /// The earliest time of any event about it if `created` is 0; else 0.
    public var seen: UInt64
    /// Its settlement.
    public var settlement: Settlement
    /// Whether its cancellation was requested.
    public var cancelRequested: Bool
    /// The time of that request; 0 if there was none or the time is unknown.
    public var cancelRequestedAt: UInt64
    /// The source of that request, bounded, unescaped.
    public var canceller: String?
    /// Further marks.
    public var flags: SnapshotFlags
    /// The node that it follows, or none.
    public var adopted: NodeID
    /// The time since which it follows; 0 if it does not or the time is unknown.
    public var adoptedAt: UInt64
    /// The members of a combinator, in order, bounded.
    public var members: [NodeID]
    /// The time at which each of `members` was linked; empty if unknown.
    public var memberTimes: [UInt64]
    /// A one-line summary of its error or cancellation, bounded, unescaped.
    public var summary: String?

    /// Makes a snapshot of a pending node of which nothing else is known.
    public init(id: NodeID, kind: NodeKind) {
        self.id = id
        self.kind = kind
        parent = .none
        creator = .none
        isExternal = false
        site = 0
        label = nil
        renameCount = 0
        remoteParent = nil
        executor = 0
        thread = 0
        (created, queued, started, ended, settled) = (0, 0, 0, 0, 0)
        switched = 0
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
