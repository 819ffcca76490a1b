/// What happened to a node. Part of the wire format: never renumbered, only added to.
public enum EventKind: UInt8, CaseIterable, Sendable {
    /// Made. `other` is the parent if ``EventFlags/hasParent``, else the creator or nobody; `detail` the ``NodeKind``.
    case created = 1
    /// The combinator `node` has `other` for a member; `detail` is the ``LinkKind``.
    case linked = 2
    /// Its handler was handed to an executor; `detail` is the ``ExecutorID``.
    case queued = 3
    /// Its handler began on this thread.
    case started = 4
    /// Its handler returned or threw without settling the node by that.
    case ended = 5
    /// It follows `other` from now on.
    case adopted = 6
    /// Settled with a value.
    case fulfilled = 7
    /// Settled with an error; the text is its summary.
    case rejected = 8
    /// Somebody asked to cancel it; `other` is the node whose cancellation spread to it, or nobody; text: who.
    case cancelRequested = 9
    /// Settled by a cancellation; the text says by whom and why.
    case cancelled = 10
    /// Settled as its parent was, for want of a handler; with ``EventFlags/error`` if that is a rejection.
    case skipped = 11
    /// Its resolver was released while it was pending: rejected by that. The text names the labels up to the root.
    case abandoned = 12
    /// A later attempt to settle it, which did nothing.
    case settledAgain = 13
    /// It was released rejected, and nobody had handled that. The text is the error's summary.
    case unhandled = 14
    /// Its memory is gone.
    case released = 15
    /// Its handler has blocked a worker of a pool over a limit, without using the processor; told by the thread that
    /// watches over workers, at most once a handler. `detail` is the ``ExecutorID``; the text says for how long.
    case blocked = 16
    /// This thread blocks until `node` settles; `other` is the node whose handler blocks, or nobody.
    case awaited = 17
    /// This thread blocks no more for `node`, which has settled, or the time limit came; `other` as with ``awaited``.
    case awaitEnded = 18
    /// This thread wanted to block until `node` settles where that could not end, and was refused; `other` as with
    /// ``awaited``. The site is where it was to be waited, the text explains.
    case awaitMisused = 19
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
    /// On a settlement: the handler ended by it, at the same time.
    public static let handlerEnded = EventFlags(rawValue: 2)
    /// On ``EventKind/skipped``: it passes an error on, not a value.
    public static let error = EventFlags(rawValue: 4)
    /// On ``EventKind/created``: nothing of ours settles it, a resolver does.
    public static let external = EventFlags(rawValue: 8)
    /// On ``EventKind/created``: the node was made earlier, before recording began; the time is not that of its making.
    public static let late = EventFlags(rawValue: 32)
    /// On ``EventKind/cancelled`` and ``EventKind/cancelRequested``: a viewer did it.
    public static let byViewer = EventFlags(rawValue: 16)
}

/// One step of one node as the runtime reports it: 32 bytes to which the sink adds time and thread.
public struct EventRecord: Sendable {
    /// Whose step it is.
    public var node: NodeID
    /// The parent, creator, member or adopted node, by ``kind``.
    public var other: NodeID
    /// Where the node was made, on ``EventKind/created``; of the wait, on ``EventKind/awaitMisused``; else nowhere.
    public var site: CallSite
    /// By ``kind``: a ``NodeKind``, ``LinkKind`` or ``ExecutorID``; else 0.
    public var detail: UInt16
    /// What happened.
    public var kind: EventKind
    /// Marks on it.
    public var flags: EventFlags

    /// Describes one step; nothing is looked up or allocated.
    @inlinable
    public init(
        _ kind: EventKind, node: NodeID, other: NodeID = NodeID(rawValue: 0),
        site: CallSite = CallSite(file: nil, line: 0),
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

/// What a runtime reports to while somebody records.
///
/// The runtime calls it on the thread where the step happened, with none of its locks held, in the order in which the
/// steps of that thread happened. An implementation never throws, never blocks, and never calls the runtime back.
public protocol EventSink: AnyObject, Sendable {
    /// Takes one step. `text` is dynamic text that belongs to it (a label, an error's summary), unescaped and of any
    /// length: the sink bounds it.
    func record(_ record: EventRecord, text: String?)
}
