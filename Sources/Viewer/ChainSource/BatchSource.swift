// SPDX-License-Identifier: MIT

import ChainBus
import ChainEvents

/// The origin of a dashboard's batches and the target of its commands: a program's own runtime, an attached process or
/// a recording. One source is one program; a dashboard does not depend on the kind of a source.
///
/// The streams call their observers on the source's own threads: a dashboard subscribes a ``Mailbox`` to each stream,
/// and drains the mailboxes on its own thread. All members may be used from any thread.
package protocol BatchSource: AnyObject, Sendable {
    /// The program's events, in the order of ``EventBatch/sequence``.
    ///
    /// A late subscriber gets the program's present state, as batches of ``EventBatch/nodes``, and the following
    /// batches without a gap. (An attached process is asked for its state again: until the state arrives, a late
    /// subscriber may get events of unknown nodes, and earlier subscribers get the state once more.) Where batches were
    /// lost on the way, the next batch counts the lost events (``EventCounts/lostAtClient``), and a resync follows.
    /// The stream lasts over reconnects, completes when the source has ended, and does not fail: ``status`` has the
    /// reason for the end.
    var batches: EventStream<EventBatch> { get }

    /// Whether an observer of ``batches`` may block: the program then keeps its events, and drops and counts them past
    /// its limits. False where a blocked observer would hold up the observed program or other observers.
    var isPatient: Bool { get }

    /// The source's status; a subscriber gets the present status first. Completes after ``SourceStatus/ended(_:)``.
    var status: EventStream<SourceStatus> { get }

    /// Answers to commands. Until the source has ended, each ``send(_:)`` gets exactly one answer, with the command's
    /// id, also when the source cannot send the command. A late subscriber gets no past answers.
    var replies: EventStream<CommandReply> { get }

    /// Begins to connect; returns at once. Failures appear in ``status``. A second call, or a call after ``stop()``,
    /// does nothing.
    func start()

    /// Sends a command; returns at once. A source that is read-only, not connected or a recording refuses it by a
    /// reply with the reason.
    func send(_ command: ViewerCommand)

    /// Ends the source: it becomes ``SourceStatus/ended(_:)`` with ``SourceEnding/stopped``, the streams complete, and
    /// threads, sockets and files are released. Idempotent; returns when no observer is called any more, so this
    /// source's observers must not call it.
    func stop()
}

extension BatchSource {
    /// False, unless the source provides another value.
    package var isPatient: Bool { false }
}

/// The status of a ``BatchSource``.
package enum SourceStatus: Hashable, Sendable {
    /// It was not started yet.
    case idle
    /// It is looking for the program. `attempt` counts from 1; `lastFailure` is one sentence on the attempt before.
    case connecting(attempt: Int, lastFailure: String?)
    /// The source was live and is not: the program is gone, does not respond or cannot be reached. What the program
    /// sent before is out of date; the source tries again by itself.
    case reconnecting(ProcessDescription, Disconnection)
    /// Batches come as the program sends them. Another ``ProcessDescription/key`` means a new run of the program: no
    /// more batches of the old run come.
    case live(ProcessDescription)
    /// A recording is read; `time` is the present moment, in nanoseconds of the process's clock.
    case replaying(ProcessDescription, time: UInt64)
    /// The source is over; no other status follows.
    case ended(SourceEnding)
}

/// Why a ``BatchSource`` is over.
package enum SourceEnding: Hashable, Sendable {
    /// The viewer stopped it.
    case stopped
    /// The program ended, or stopped its inspector; or a recording was read to its end.
    case finished
    /// The source cannot continue, for a reason in one sentence.
    case failed(String)
}

/// The loss of an attached program: since when it cannot be reached, why, and when the source tries again.
package struct Disconnection: Hashable, Sendable {
    /// The time at which the last message arrived, in nanoseconds since 1970.
    package var since: UInt64
    /// One sentence on what happened.
    package var reason: String
    /// The number of attempts that failed since ``since``.
    package var attempt: Int
    /// The time of the next attempt, in nanoseconds since 1970; 0 where the connection is kept, because only the
    /// program itself can end the disconnection.
    package var nextAttempt: UInt64
    /// Whether the program has said goodbye, because it ended or stopped its inspector. The source waits for the next
    /// run, and ``reason`` stays what the program said.
    package var hasStopped: Bool

    /// Describes a disconnection.
    package init(since: UInt64, reason: String, attempt: Int, nextAttempt: UInt64, hasStopped: Bool = false) {
        self.since = since
        self.reason = reason
        self.attempt = attempt
        self.nextAttempt = nextAttempt
        self.hasStopped = hasStopped
    }
}
