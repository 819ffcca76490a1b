// SPDX-License-Identifier: MIT

/// One step of one node, as viewers get it: an ``EventRecord`` with its time and thread, and with numbers in place of
/// texts and call sites.
///
///     0        8        16       24      28      32      36    38   39   40
///     ├ time ──┼ node ──┼ other ─┼ site ─┼ text ─┼thread─┼detail┼kind┼flags┤
public struct ChainEvent: Hashable, Sendable {
    /// The time in nanoseconds of the process's clock (see ``ProcessDescription/wallOffset``).
    public var time: UInt64
    /// The node of the step.
    public var node: NodeID
    /// Another node, or none. By ``kind``, it is the parent, creator, member or adopted node; the node with the
    /// blocking handler; the origin of a cancellation; what a task waits for; or the task that holds an actor or a
    /// lock. On ``EventKind/renamed`` it is no node, but a count above 65,535.
    public var other: NodeID
    /// The call site where the node was made (``EventKind/created``) or awaited (``EventKind/awaitMisused``): its
    /// number in ``EventBatch/sites`` of this batch or an earlier batch; 0 if unknown.
    public var site: SiteID
    /// The event's dynamic text, as 1 + the index in ``EventBatch/texts`` of the same batch; 0 for none.
    public var text: UInt32
    /// The thread of the step.
    public var thread: ThreadID
    /// Depends on ``kind``: a ``NodeKind``, a ``LinkKind``, an ``ExecutorID``, a ``SystemWait``, a ``WaitTarget``
    /// or the count of renamings; 0 for other kinds.
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

    /// What the thread is blocked in, on ``EventKind/stalled``.
    public var systemWait: SystemWait { SystemWait(rawValue: detail) ?? .unknown }

    /// What the task waits for, on ``EventKind/waitsFor``.
    public var waitTarget: WaitTarget { WaitTarget(rawValue: detail) ?? .unknown }

    /// The count of renamings, on ``EventKind/renamed``.
    package var renameCount: UInt64 { other == .none ? UInt64(detail) : other.rawValue }
}

/// The settlement of a node. Part of the wire format.
///
/// The raw values are ranks: of two reports about a node, the one with the higher rank holds, because it is better
/// informed.
public enum Settlement: UInt8, Comparable, BitwiseCopyable, Sendable {
    /// Not settled.
    case pending = 0
    /// Settled during a loss of events, in an unknown way.
    case unknown = 1
    /// Fulfilled, by itself or by the promise that it follows.
    case fulfilled = 2
    /// Rejected, by itself or by the promise that it follows.
    case rejected = 3
    /// Skipped: the node has no handler for its parent's value, and passed the value on.
    case skippedFulfilled = 4
    /// Skipped: the node has no handler for its parent's error, and passed the error on.
    case skippedRejected = 5
    /// Rejected because its resolver was released, or its job dropped by an executor.
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
    /// An attempt to settle the node was made after it had settled.
    public static let settledAgain = SnapshotFlags(rawValue: 2)
    /// The node was released after a rejection, without a handler for the error.
    public static let unhandled = SnapshotFlags(rawValue: 4)
    /// The cancellation (requested or done) came from a viewer.
    public static let byViewer = SnapshotFlags(rawValue: 8)
    /// The node's handler blocked a worker (``EventKind/blocked``).
    public static let hasBlocked = SnapshotFlags(rawValue: 16)
    /// A wait in the node's handler was refused (``EventKind/awaitMisused``).
    public static let hasMisusedAwait = SnapshotFlags(rawValue: 32)
    /// The node's handler has returned, at an unknown time (then ``NodeSnapshot/ended`` is 0).
    public static let handlerEnded = SnapshotFlags(rawValue: 64)
    /// The node is a Swift task that does not run (``EventKind/suspended``).
    public static let suspended = SnapshotFlags(rawValue: 128)
}

/// The state of one node at one moment: what a late subscriber gets instead of the node's past events.
///
/// Several snapshots of one node are joined, so a node with many members can be sent in parts.
public struct NodeSnapshot: Hashable, Sendable {
    /// The node.
    public var id: NodeID
    /// The operation that made it.
    public var kind: NodeKind
    /// The promise that its operation was called on, or none.
    public var parent: NodeID
    /// The node with the handler that made this node, or none. Always none if there is a parent.
    public var creator: NodeID
    /// Whether a resolver in the program's hands settles it, not the runtime.
    public var isExternal: Bool
    /// Whether it is drawn as a separate chain, although ``creator`` made it (``EventFlags/separateChain``).
    public var isSeparate: Bool
    /// The call site where it was made, by number in ``EventBatch/sites``.
    public var site: SiteID
    /// Its label, bounded, unescaped.
    public var label: String?
    /// How often the node had been renamed when it got its label; 0 if it was made with the label.
    public var renameCount: UInt64
    /// Its parent in another process.
    public var remoteParent: NodeKey?
    /// The executor of its handler, by number in ``EventBatch/executors``.
    public var executor: ExecutorID
    /// The thread that its handler began on, or that a Swift task ran on last; 0 if no thread is known.
    public var thread: ThreadID
    /// The times of its steps in nanoseconds of the process's clock; 0 for a step that has not happened, or happened at
    /// an unknown time.
    public var created: UInt64, queued: UInt64, started: UInt64, ended: UInt64, settled: UInt64
    /// The time at which a Swift task last began to run or was suspended (``EventKind/resumed``,
    /// ``EventKind/suspended``); 0 if unknown.
    public var switched: UInt64
    /// If `created` is 0, the earliest time of any event about the node; else 0.
    public var seen: UInt64
    /// Its settlement.
    public var settlement: Settlement
    /// Whether its cancellation was requested.
    public var cancelRequested: Bool
    /// The time at which the cancellation was requested; 0 if it was not requested or the time is unknown.
    public var cancelRequestedAt: UInt64
    /// The source of the requested cancellation, bounded, unescaped.
    public var canceller: String?
    /// Further marks.
    public var flags: SnapshotFlags
    /// The node that it follows, or none.
    public var adopted: NodeID
    /// The time at which it began to follow `adopted`; 0 if it follows no node or the time is unknown.
    public var adoptedAt: UInt64
    /// The members of a combinator, in order, bounded.
    public var members: [NodeID]
    /// The time at which each of `members` was linked; empty if unknown.
    public var memberTimes: [UInt64]
    /// A one-line summary of its error or cancellation, bounded, unescaped.
    public var summary: String?

    /// Makes a snapshot of a pending node of which only the id and the kind are known.
    public init(id: NodeID, kind: NodeKind) {
        self.id = id
        self.kind = kind
        parent = .none
        creator = .none
        isExternal = false
        isSeparate = false
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
