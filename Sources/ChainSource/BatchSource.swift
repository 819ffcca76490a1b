import ChainBus
import ChainEvents

/// Where a dashboard's batches come from and where its commands go: a program's own runtime, an attached process, a
/// recording. One source is one program; the dashboard does not know which kind it has.
///
/// The streams call their observers on threads of the source's own: a dashboard subscribes a ``Mailbox`` to each and
/// drains it on its own thread. Everything here may be used from any thread.
public protocol BatchSource: AnyObject, Sendable {
    /// What the program says, in the order of ``EventBatch/sequence``.
    ///
    /// Whoever subscribes late gets the program's present state, as batches of ``EventBatch/nodes``, and what follows,
    /// without gap. (An attached process is asked for its state anew: until that comes, a late subscriber may hear of
    /// nodes that it does not know yet, and an earlier one hears the state once more.) Where batches were lost on the way, the next one counts them
    /// (``EventCounts/lostAtClient``) and a resync follows. The stream lasts over reconnects, completes when the source has
    /// ended, and does not fail: why it ended is told by ``status``.
    var batches: EventStream<EventBatch> { get }

    /// Whether an observer of ``batches`` may block: the program's words wait on its side then, and past its limits are
    /// lost and counted there. False where that would hold up the observed program, or somebody else.
    var isPatient: Bool { get }

    /// How the source is doing; a subscriber is told the present status first. Completes after
    /// ``SourceStatus/ended(_:)``.
    var status: EventStream<SourceStatus> { get }

    /// Answers to commands; each ``send(_:)`` gets exactly one, with the command's id, also when the source cannot carry
    /// it. A late subscriber gets none of the past ones.
    var replies: EventStream<CommandReply> { get }

    /// Begins to connect; returns at once. What goes wrong is told by ``status``. A second call, or one after
    /// ``stop()``, does nothing.
    func start()

    /// Hands a command on; returns at once. A source that is read-only, not connected or a recording refuses it by a
    /// reply that says why.
    func send(_ command: ViewerCommand)

    /// Ends the source: it becomes ``SourceStatus/ended(_:)`` with ``SourceEnding/stopped``, the streams complete, and
    /// threads, sockets and files are given back. Idempotent; returns when no observer is called any more, so it must
    /// not be called by one of this source's observers.
    func stop()
}

extension BatchSource {
    /// Nobody is held up unless a source says that it can be.
    public var isPatient: Bool { false }
}

/// How a ``BatchSource`` is doing.
public enum SourceStatus: Hashable, Sendable {
    /// It was not started yet.
    case idle
    /// It is looking for the program. `attempt` counts from 1; `lastFailure` is one sentence on the attempt before.
    case connecting(attempt: Int, lastFailure: String?)
    /// It was live and is not: the program is gone, stands still or cannot be reached. What was known is kept, stale; it
    /// tries again by itself.
    case reconnecting(ProcessDescription, Disconnection)
    /// Batches come as they happen. A ``ProcessDescription/key`` other than before is a new run of the program: what was known
    /// of the old one is history.
    case live(ProcessDescription)
    /// A recording is read; `time` is how far, in nanoseconds of the process's clock.
    case replaying(ProcessDescription, time: UInt64)
    /// It is over; nothing follows.
    case ended(SourceEnding)

    /// Who is observed, as far as it is known.
    public var process: ProcessDescription? {
        switch self {
        case .live(let process), .replaying(let process, _), .reconnecting(let process, _): process
        case .idle, .connecting, .ended: nil
        }
    }

    /// Whether commands can be expected to arrive.
    public var takesCommands: Bool {
        if case .live(let process) = self { !process.isReadOnly } else { false }
    }
}

/// Why a ``BatchSource`` is over.
public enum SourceEnding: Hashable, Sendable {
    /// The viewer stopped it.
    case stopped
    /// The program ended, or stopped its inspector; or a recording was read to its end.
    case finished
    /// It cannot go on; one sentence says why.
    case failed(String)
}

/// Since when a program that was attached to cannot be reached, and what is done about it.
public struct Disconnection: Hashable, Sendable {
    /// When it was last heard of, in nanoseconds since 1970.
    public var since: UInt64
    /// One sentence on what happened.
    public var reason: String
    /// How often it was tried again.
    public var attempt: Int
    /// When it is tried next, in nanoseconds since 1970; 0 where the connection is kept, as nothing but the program
    /// itself can mend it.
    public var nextAttempt: UInt64

    /// Describes an outage.
    public init(since: UInt64, reason: String, attempt: Int, nextAttempt: UInt64) {
        self.since = since
        self.reason = reason
        self.attempt = attempt
        self.nextAttempt = nextAttempt
    }
}
