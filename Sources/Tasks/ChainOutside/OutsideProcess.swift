// SPDX-License-Identifier: MIT

import CChainOutside
import ChainBus
import ChainEvents
import ChainSource
import ChainSystem

/// A source of the Swift tasks of a process that was not prepared for it: they are read from its memory, four times a
/// second, without stopping it, and without writing to it.
///
/// - **What is known.** History begins when the source starts: tasks have no time of creation, and ages count from the
///   first sight. Tasks that live for less than a quarter of a second may not be seen. Whether an ended task threw is not
///   known. There are no results, and commands that change the program are refused.
/// - **Cost.** For the process: no page fault, and waits of some 0.1 ms for calls that change its memory map, beside a
///   read. For the viewer: a pass over all memory takes about 2 s a gigabyte. The passes over all processes that are read
///   take at most 5 % of a processor, and so do the looks at known tasks.
/// - **The end.** The source ends (``SourceEnding/finished``) when the process has ended or runs another program.
///
/// Reading needs the right to trace the process, as a debugger does; without it the source fails with a sentence that
/// says what helps. Exists on Linux on x86-64 and on arm64; elsewhere the source fails.
package final class OutsideProcess: BatchSource {
    private let core: OutsideCore

    /// The process id.
    package let pid: Int32

    /// Opens a process, for ``start()`` or for ``state(_:)``. Takes as long as reading the names of its files, up to some
    /// 100 ms.
    ///
    /// - Parameter symbols: paths of unstripped copies of its program and libraries, for the names of functions.
    /// - Throws: if its tasks cannot be read.
    package init(_ pid: Int32, symbols: [String] = []) throws(OutsideError) {
        self.pid = pid
        let reader = try OutsideReader(pid, symbols: SymbolFiles(symbols))
        reader.readsFutures = true
        core = OutsideCore(reader)
    }

    /// Opens a process for ``start()`` without the names of functions: where tasks are suspended is not read, and tasks
    /// that the system's own functions make are not left out. Takes some milliseconds, and little memory.
    package init(withoutNames pid: Int32) throws(OutsideError) {
        self.pid = pid
        core = OutsideCore(try OutsideReader(pid), readsNames: false)
    }

    deinit { stop() }

    /// The tasks. A late subscription makes all subscribers get the whole state again.
    package var batches: EventStream<EventBatch> {
        EventStream { [core] observer in
            let subscription = core.batches.subscribe(observer)
            core.post { $0.wantsState = true }
            return subscription
        }
    }

    /// True: while an observer blocks, nothing is read.
    package var isPatient: Bool { true }

    /// When each look began whose batches were published, in nanoseconds of the monotonic clock.
    package var looks: EventStream<UInt64> { core.looks.observable }

    /// The status.
    package var status: EventStream<SourceStatus> { core.status.observable }

    /// Answers to commands: frames and details are read; everything else is refused.
    package var replies: EventStream<CommandReply> { core.replies.observable }

    /// Begins to read.
    package func start() { core.start() }

    /// Takes a command for the source's thread; refuses it if 1,000 commands wait.
    package func send(_ command: ViewerCommand) { core.send(command) }

    /// Ends reading. Waits for the end of the source's thread.
    package func stop() { core.stop() }

    /// The tasks of a process, read once.
    package struct State: Sendable {
        /// The process.
        package let process: ProcessDescription
        /// The batches that lead to the state from an empty forest, with where all suspended tasks continue.
        package let batches: [EventBatch]
        /// For how long the process was stopped, in nanoseconds; nil if it was not.
        package let stoppedTime: UInt64?
        /// The stacks of the threads that run tasks, by task; empty unless they were asked for.
        package let threadStacks: [NodeID: ThreadStack]
    }

    /// What may be done to a process to read it once.
    package struct ReadOptions: Sendable {
        /// Whether all its threads are stopped meanwhile, so that all facts are of one instant.
        package var pauses: Bool
        /// Whether each thread that runs a task is stopped, one after the other, to read its stack: for some 0.1 ms.
        package var readsThreadStacks: Bool

        /// Makes options; by default nothing is stopped.
        package init(pauses: Bool = false, readsThreadStacks: Bool = false) {
            (self.pauses, self.readsThreadStacks) = (pauses, readsThreadStacks)
        }
    }

    /// Reads all tasks once, on the calling thread, in place of ``start()``; only the first call of either reads. Takes
    /// about 2.5 s a gigabyte of the process's memory.
    package func state(_ options: ReadOptions = ReadOptions()) throws(OutsideError) -> State {
        guard let reader = core.takeReader() else { throw OutsideError(.ended, "Process \(pid) is being read already") }
        // Stopped after the files were read, which takes longer than everything else.
        var pause = options.pauses ? try reader.stop() : nil
        outside_sleep_precisely()
        var found: [(OutsideReader.Changes, Surroundings?)] = []
        reader.beginScan()
        while reader.scan != nil {
            found.append((reader.advanceScan(limit: .max, now: SystemTime.monotonic), nil))
            if reader.scan == nil, reader.needsPass, reader.scanCount == 1 { reader.beginScan() }
        }
        // Two looks: what waits, and who holds it, is believed if it is the same in both. In a process that is stopped the
        // tasks are the same.
        for _ in 0..<2 {
            let now = SystemTime.monotonic
            found.append((options.pauses ? .init() : reader.look(now: now), reader.surroundings(now: now)))
        }
        let stoppedTime = pause.take()?.release()
        reader.noteGoingOn()
        let publisher = OutsidePublisher(reader)
        var batches = publisher.stateBegin()
        for (changes, surroundings) in found { batches += publisher.changes(changes, surroundings) }
        _ = publisher.checkLayout()
        batches += publisher.stateEnd()
        var stacks: [NodeID: ThreadStack] = [:]
        if options.readsThreadStacks { stacks = try publisher.threadStacks() }
        return State(
            process: publisher.process, batches: batches, stoppedTime: stoppedTime, threadStacks: stacks)
    }
}

/// What a source and its thread share.
final class OutsideCore: Sendable {
    /// The requests to the thread.
    struct Inbox {
        var commands: [ViewerCommand] = []
        var wantsState = false
        var isStopping = false

        var isEmpty: Bool { commands.isEmpty && !wantsState && !isStopping }
    }

    private struct State {
        var inbox = Inbox()
        var thread: SystemThread?
        var isStarted = false
        var isOver = false
    }

    let batches = PublishSubject<EventBatch>()
    let looks = PublishSubject<UInt64>()
    let status = BehaviorSubject<SourceStatus>(.idle)
    let replies = PublishSubject<CommandReply>()
    private let state = Lock(State())
    private let wakes = Semaphore()
    /// Nil once the one thread that uses it has taken it.
    private let reader: Lock<OutsideReader?>
    let readsNames: Bool
    private static let commandLimit = 1_000

    init(_ reader: OutsideReader, readsNames: Bool = true) {
        (self.reader, self.readsNames) = (Lock(reader), readsNames)
    }

    func takeReader() -> OutsideReader? { reader.withLock { $0.take() } }

    func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isOver
        }
        guard isFirst else { return }
        let thread = SystemThread("chainview-tasks") { [self] in
            outside_sleep_precisely()
            guard let reader = takeReader() else { return end(.failed("The process is being read already")) }
            OutsideWorker(self, reader).run()
        }
        guard let thread else { return end(.failed("The system has no thread left to read tasks with")) }
        let isStopped = state.withLock { state in
            state.thread = thread
            return state.inbox.isStopping
        }
        // A `stop()` before this lock found no thread to join.
        if isStopped { stop() }
    }

    func post(_ change: (inout Inbox) -> Void) {
        state.withLock { change(&$0.inbox) }
        wakes.signal()
    }

    func send(_ command: ViewerCommand) {
        let refusal: String? = state.withLock { state in
            guard state.isStarted, !state.isOver else { return "The program is not attached to" }
            guard state.inbox.commands.count < Self.commandLimit else {
                return "\(Self.commandLimit) commands wait already: try again once they were answered"
            }
            state.inbox.commands.append(command)
            return nil
        }
        if let refusal { refuse(command.id, refusal) } else { wakes.signal() }
    }

    func refuse(_ command: UInt64, _ reason: String) {
        replies.onNext(CommandReply(command: command, outcome: .refused(reason)))
    }

    /// Returns the requests since the last call; waits for one, at most until a time of the monotonic clock.
    func takeInbox(until deadline: UInt64) -> Inbox {
        let now = SystemTime.monotonic
        if state.withLock({ $0.inbox.isEmpty }), deadline > now { _ = wakes.wait(nanoseconds: deadline - now) }
        // Further signals are of requests that are taken now.
        while wakes.wait(nanoseconds: 0) {}
        return state.withLock { state in
            defer { state.inbox = Inbox(isStopping: state.inbox.isStopping) }
            return state.inbox
        }
    }

    /// Completes the streams, once.
    func end(_ ending: SourceEnding) {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        for command in state.withLock({ $0.inbox.commands }) { refuse(command.id, "The source has ended") }
        status.onNext(.ended(ending))
        status.onCompleted()
        batches.onCompleted()
        looks.onCompleted()
        replies.onCompleted()
    }

    func stop() {
        let thread = state.withLock { state in
            state.inbox.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        wakes.signal()
        thread?.join()
        end(.stopped)
    }
}
