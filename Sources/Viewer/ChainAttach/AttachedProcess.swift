// SPDX-License-Identifier: MIT

import ChainBus
import ChainEvents
import ChainSource
import ChainSystem

/// A source of the batches of a program in another process. It attaches, and reconnects by itself with exponential
/// back-off: after 100 ms, doubling to 5 s, and from 100 ms again once a connection has lasted for 5 s. If a program of
/// this machine begins to listen during a delay, the source begins to attach to it within 100 ms.
///
/// - **At first.** A target that cannot be attached to ends the source (``SourceEnding/failed(_:)``). With
///   ``AttachOptions/waits`` only permanent failures end the source: the target refuses this viewer, speaks another
///   version, is ambiguous or belongs to another user, or there is no process with its pid.
/// - **The end of a program.** With a target by pid (here or over ssh) the source ends (``SourceEnding/finished``) when
///   the program stops its inspector, or its process is gone. With a name or an address the source waits for the next
///   run of the program, which has another ``ProcessDescription/key``.
/// - **A stopped program** (in a debugger, for example) sends no heartbeat. After 5 s without a message the status is
///   ``SourceStatus/reconnecting(_:_:)`` with 0 attempts, and commands are refused. The connection is kept, and the
///   status is live again with the program's next message.
/// - **Batches** are numbered without gaps over reconnects, and every connection begins with the whole state. While
///   observers run, the program's messages wait in the socket, so slow observers block only this source's thread.
package final class AttachedProcess: BatchSource {
    private let core: AttachCore

    /// Makes a source for a target. Nothing is looked up before ``start()``.
    package convenience init(_ target: Target, options: AttachOptions = AttachOptions()) {
        self.init(target, options: options, clock: SystemPollClock())
    }

    init(_ target: Target, options: AttachOptions, clock: any PollClock) {
        core = AttachCore(target, options, clock)
    }

    deinit { stop() }

    /// The program's events. A late subscription requests the state again, which arrives among the following batches.
    package var batches: EventStream<EventBatch> {
        EventStream { [core] observer in
            let subscription = core.batches.subscribe(observer)
            core.requestState()
            return subscription
        }
    }

    /// True: while an observer blocks, the program's messages wait in the socket.
    package var isPatient: Bool { true }

    /// The status of the connection.
    package var status: EventStream<SourceStatus> { core.status.observable }

    /// Answers to commands.
    package var replies: EventStream<CommandReply> { core.replies.observable }

    /// Begins to connect.
    package func start() { core.start() }

    /// Sends a command. Refuses it if the program cannot be reached, if 1,000 commands or 2 MiB wait to be sent or
    /// answered, or if the command is too long or not allowed (``AttachOptions/isReadOnly``). A command that is
    /// unanswered when the connection is lost is refused, too; it may have been carried out.
    package func send(_ command: ViewerCommand) { core.send(command) }

    /// The process at the other end, by the number that this system has for it: that may be another one than the process
    /// has for itself. Nil before the program was reached, and for programs on other machines or in pid namespaces that
    /// this process does not see.
    package var systemProcess: Int32? { core.systemProcess.withLock { $0 } }

    /// Requests the program's state again, which arrives among the following batches.
    package func requestState() { core.requestState() }

    /// Detaches. Waits for the end of the source's thread, and so for an observer that runs on that thread, but not for
    /// the program. A call during another call returns at once.
    package func stop() { core.stop() }
}

/// The state that an attached process and its thread share.
final class AttachCore: Sendable {
    /// The requests to the thread.
    struct Inbox {
        /// The maximum number of commands that wait for the thread, which an observer may block.
        static let commandLimit = 1_000

        var commands: [ViewerCommand] = []
        var wantsState = false
        var isStopping = false
    }

    private struct State {
        var inbox = Inbox()
        var thread: SystemThread?
        var wakers: Wakers?
        var isStarted = false
        /// Whether batches of the present connection were delivered.
        var hasDelivered = false
        /// Whether the streams are completed, or are being completed.
        var isOver = false
    }

    /// The wakers of the thread.
    struct Wakers {
        let inbox: Waker
        /// Never cleared once it was woken, so that every later wait ends at once.
        let stop: Waker
    }

    let target: Target
    let options: AttachOptions
    let clock: any PollClock
    let batches = PublishSubject<EventBatch>()
    let status = BehaviorSubject<SourceStatus>(.idle)
    let replies = PublishSubject<CommandReply>()
    let systemProcess = Lock<Int32?>(nil)
    private let state = Lock(State())

    init(_ target: Target, _ options: AttachOptions, _ clock: any PollClock) {
        self.target = target
        self.options = options
        self.clock = clock
    }

    func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isOver
        }
        guard isFirst else { return }
        do throws(SystemError) {
            let wakers = Wakers(inbox: try Waker(), stop: try Waker())
            guard let thread = SystemThread("chainview-attach", { [self] in AttachWorker(self, wakers).run() }) else {
                throw SystemError.noThread
            }
            let isStopped = state.withLock { state in
                state.thread = thread
                state.wakers = wakers
                return state.inbox.isStopping
            }
            // A `stop()` before this lock found no thread to wake and join.
            if isStopped { stop() }
        } catch {
            end(.failed(AttachError.system("open pipes and start a thread to attach with", error).description))
        }
    }

    func send(_ command: ViewerCommand) {
        let (wakers, refusal) = state.withLock { state -> (Wakers?, String) in
            guard let wakers = state.wakers, !state.isOver else { return (nil, "The program is not attached to") }
            guard state.inbox.commands.count < Inbox.commandLimit else {
                return (
                    nil, "\(Inbox.commandLimit) commands wait to be sent already: try again once they were answered"
                )
            }
            state.inbox.commands.append(command)
            return (wakers, "")
        }
        guard let wakers else { return refuse(command.id, refusal) }
        wakers.inbox.wake()
    }

    func requestState() {
        state.withLock { state -> Wakers? in
            guard state.hasDelivered else { return nil }
            state.inbox.wantsState = true
            return state.wakers
        }?.inbox.wake()
    }

    func stop() {
        let (thread, wakers, isRunning) = state.withLock { state in
            state.inbox.isStopping = true
            defer { state.thread = nil }
            return (state.thread, state.wakers, state.isStarted)
        }
        wakers?.stop.wake()
        thread?.join()
        if !isRunning { end(.stopped) }
    }

    // MARK: The thread's side

    var isStopping: Bool { state.withLock { $0.inbox.isStopping } }

    /// Sets whether batches of the present connection were delivered, which later subscribers have missed.
    func setHasDelivered(_ hasDelivered: Bool) { state.withLock { $0.hasDelivered = hasDelivered } }

    func takeInbox() -> Inbox {
        state.withLock { state in
            defer {
                state.inbox.commands = []
                state.inbox.wantsState = false
            }
            return state.inbox
        }
    }

    /// Refuses the waiting commands and completes all streams; later calls do nothing.
    func end(_ ending: SourceEnding) {
        let left = state.withLock { state -> [ViewerCommand]? in
            guard !state.isOver else { return nil }
            state.isOver = true
            defer { state.inbox.commands = [] }
            return state.inbox.commands
        }
        guard let left else { return }
        for command in left { refuse(command.id, "The program is not attached to any more") }
        status.onNext(.ended(ending))
        batches.onCompleted()
        replies.onCompleted()
        status.onCompleted()
    }

    func refuse(_ command: UInt64, _ reason: String) {
        replies.onNext(CommandReply(command: command, outcome: .refused(reason)))
    }
}
