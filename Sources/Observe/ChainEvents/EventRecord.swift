// SPDX-License-Identifier: MIT

/// The kind of an event of a node. Part of the wire format: never renumbered, only extended.
public enum EventKind: UInt8, CaseIterable, Sendable {
    /// Made. `other` is the parent if ``EventFlags/hasParent``, else the creator or none; `detail` is the ``NodeKind``.
    case created = 1
    /// `other` is a member of the combinator `node`; `detail` is the ``LinkKind``.
    case linked = 2
    /// Its handler was submitted to an executor; `detail` is the ``ExecutorID``.
    case queued = 3
    /// Its handler began on this thread.
    case started = 4
    /// Its handler returned or threw without settling the node.
    case ended = 5
    /// It begins to follow `other`.
    case adopted = 6
    /// Settled with a value; the text is the value if values are captured.
    case fulfilled = 7
    /// Settled with an error; the text describes it if errors are captured.
    case rejected = 8
    /// Its cancellation was requested; `other` is the node that the cancellation came from, or none. The text contains
    /// the source and the reason.
    case cancelRequested = 9
    /// Settled by a cancellation; the text contains the source and the reason.
    case cancelled = 10
    /// Settled with its parent's outcome, because it has no handler for that outcome. Has ``EventFlags/error`` if the
    /// outcome is an error.
    case skipped = 11
    /// Rejected because its resolver was released, or its handler dropped, while it was pending. The text describes
    /// the error, with the call site of the promise and the labels of the promise and its pending ancestors.
    case abandoned = 12
    /// An attempt, without effect, to settle the node after it had settled.
    case settledAgain = 13
    /// Released after a rejection, without a handler for the error. The text describes the error if errors are
    /// captured.
    case unhandled = 14
    /// The promise was released.
    case released = 15
    /// Its handler has blocked a worker of a pool for longer than the limit, without using the processor. Reported at
    /// most once per handler, on the thread that looks for blocked workers. `detail` is the ``ExecutorID``; the text
    /// contains the duration.
    case blocked = 16
    /// This thread blocks until `node` settles; `other` is the node of the blocking handler, or none.
    case awaited = 17
    /// This thread no longer blocks: `node` has settled, or the time limit has passed; `other` as with ``awaited``.
    case awaitEnded = 18
    /// A wait for `node` on this thread was refused, because it could not have ended; `other` as with ``awaited``. The
    /// site is that of the wait; the text gives the reason.
    case awaitMisused = 19
    /// Its label changed to the text. `detail` counts its renamings from 1 to at most 65,535; a higher count is in
    /// `other`. Of several labels, the label with the highest count holds.
    case renamed = 20
    /// Its parent is a node of another process; the text is that process's key and the node's number, hexadecimal:
    /// `1f3a5c7e9b2d4f60-2a`.
    case remoteParent = 21
    /// A Swift task runs on this thread, not for the first time. Sampled: of the changes between two samples only
    /// the latest is reported. The latest of a node's events ``resumed`` and ``suspended`` holds.
    case resumed = 22
    /// A Swift task does not run: it waits, or is queued to resume. Sampled, as ``resumed``.
    case suspended = 23
    /// This thread, which runs the node's handler or its Swift task, has been blocked in the system since the event's
    /// time. `detail` is the ``SystemWait``. Sampled, and reported from 100 ms on. Of a thread's events ``stalled`` and
    /// ``stallEnded`` the latest holds.
    case stalled = 24
    /// This thread is not blocked in the system any more, or does not run the node any more. Sampled, as ``stalled``.
    case stallEnded = 25
    /// The Swift task waits for `other`: a task, an actor, a lock or an executor. If that is none, it waits for what
    /// `detail`, the ``WaitTarget``, says. The event's time is that since which it waits. Of a task's events the latest
    /// holds, until the task runs or is suspended (``resumed``, ``suspended``) at a later time, or settles. Only of
    /// programs that are read from outside.
    case waitsFor = 26
    /// The node, an actor, a lock or an executor, is held by `other`, a Swift task, or by `thread` alone; by nobody if
    /// there is neither. Of a node's events the latest holds. Only of programs that are read from outside.
    case heldBy = 27
}

/// Marks on an event. Part of the wire format.
public struct EventFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// On ``EventKind/created``: `other` is the parent, not the creator.
    public static let hasParent = EventFlags(rawValue: 1)
    /// On a settlement: the handler ended at the same time.
    public static let handlerEnded = EventFlags(rawValue: 2)
    /// On ``EventKind/skipped``: it passes an error on, not a value.
    public static let error = EventFlags(rawValue: 4)
    /// On ``EventKind/created``: a resolver settles the node, not the runtime.
    public static let external = EventFlags(rawValue: 8)
    /// On ``EventKind/created``: the node was made before recording began, so the event's time is not the node's
    /// creation time.
    public static let late = EventFlags(rawValue: 32)
    /// On ``EventKind/created``: the node is a Swift task in a group of `other`, and is drawn as a separate chain.
    public static let separateChain = EventFlags(rawValue: 64)
    /// On ``EventKind/cancelled`` and ``EventKind/cancelRequested``: the cancellation came from a viewer.
    public static let byViewer = EventFlags(rawValue: 16)
}

/// One step of one node as the runtime reports it: 32 bytes, to which the sink adds time and thread.
public struct EventRecord: Sendable {
    /// The node of the step.
    public var node: NodeID
    /// The other node of the step, such as the parent or a member, by ``kind``; or none.
    public var other: NodeID
    /// The call site: where the node was made, on ``EventKind/created``; where it was awaited, on
    /// ``EventKind/awaitMisused``; else unknown.
    public var site: CallSite
    /// Depends on ``kind``: a ``NodeKind``, a ``LinkKind``, an ``ExecutorID`` or the count of renamings; 0 for other
    /// kinds.
    public var detail: UInt16
    /// What happened.
    public var kind: EventKind
    /// Marks on the event.
    public var flags: EventFlags

    /// Makes a record; nothing is looked up or allocated.
    @inlinable
    public init(
        _ kind: EventKind, node: NodeID, other: NodeID = NodeID(rawValue: 0), site: CallSite = .unknown,
        detail: UInt16 = 0, flags: EventFlags = []
    ) {
        self.node = node
        self.other = other
        self.site = site
        self.detail = detail
        self.kind = kind
        self.flags = flags
    }
}

/// The receiver of the steps of a recorded runtime.
///
/// The runtime calls the sink on the thread of the step, with none of its locks held, in the order in which that
/// thread's steps happened. An implementation must not throw, block, or call the runtime.
public protocol EventSink: AnyObject, Sendable {
    /// Records one step. `text` is dynamic text that belongs to it (a label, an error's summary), unescaped and of any
    /// length: the sink bounds it.
    func record(_ record: EventRecord, text: String?)
}
