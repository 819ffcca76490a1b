// SPDX-License-Identifier: MIT

import ChainAttach
import ChainBus
import ChainEvents
import ChainOutside
import ChainSource
import ChainSystem

/// A program of this machine that has an inspector, with what is read of its memory beside: what its tasks wait for, and
/// who holds it, which no inspector knows.
///
/// The memory is read only where chainview may; without the right, and for programs on other machines and in other pid
/// namespaces that the system does not name, there is nothing beside.
final class JoinedProcess: BatchSource {
    private let program: AttachedProcess
    private let core: JoinedCore

    private init(_ program: AttachedProcess) {
        self.program = program
        core = JoinedCore(program)
    }

    /// Returns the source to use for a program: itself where other processes' memory is not read.
    static func reading(_ program: AttachedProcess) -> any BatchSource {
        SwiftProcessSearch.ofSystem().isPossible ? JoinedProcess(program) : program
    }

    deinit { stop() }

    var batches: EventStream<EventBatch> {
        EventStream { [core, program] observer in
            let subscription = core.batches.subscribe(observer)
            program.requestState()
            return subscription
        }
    }

    var isPatient: Bool { program.isPatient }
    var status: EventStream<SourceStatus> { program.status }
    var replies: EventStream<CommandReply> { core.replies.observable }

    func start() {
        core.listen()
        program.start()
    }

    func send(_ command: ViewerCommand) { program.send(command) }

    func stop() {
        program.stop()
        core.stop()
    }
}

/// What a ``JoinedProcess`` and the threads of its two sources share.
private final class JoinedCore: Sendable {
    /// The reading of one process's memory.
    private final class Reading: Sendable {
        let memory: OutsideProcess
        let process: ProcessKey

        init(_ memory: OutsideProcess, _ process: ProcessKey) { (self.memory, self.process) = (memory, process) }
    }

    private struct State {
        var join = TaskJoin()
        /// What the program is, while it can be reached.
        var process: ProcessDescription?
        /// Of the program's last batch.
        var last: EventBatch?
        var reading: Reading?
        /// Whether a thread opens the memory.
        var isOpening = false
        /// The program whose memory is of no use.
        var useless: ProcessKey?
        var subscriptions: [any Disposable] = []
        /// The questions to the program without an answer, by the number of the command.
        var questions: [UInt64: [UInt64]] = [:]
        var questionCount: UInt64 = 0
        /// How many questions were refused since the last answer.
        var refusalCount = 0
        var isOver = false
    }

    let batches = PublishSubject<EventBatch>()
    let replies = PublishSubject<CommandReply>()
    private let program: AttachedProcess
    private let state = Lock(State())
    /// Held while observers are called, because two threads publish.
    private let order = Lock(())

    /// The numbers of own commands begin here; those of dashboards are small.
    private static let firstCommand: UInt64 = 1 << 62
    /// The most questions without an answer, and how often a program that can be reached may refuse them: one that shows
    /// no tasks, or is of a version that does not know the question, refuses all.
    private static let questionLimit = 8, refusalLimit = 64

    init(_ program: AttachedProcess) { self.program = program }

    /// Listens to the program.
    func listen() {
        let subscriptions: [any Disposable] = [
            program.batches.subscribe(
                onNext: { [weak self] in self?.take($0) }, onCompleted: { [weak self] in self?.batches.onCompleted() }),
            program.replies.subscribe(
                onNext: { [weak self] in self?.take($0) }, onCompleted: { [weak self] in self?.replies.onCompleted() }),
            program.status.subscribe(onNext: { [weak self] in self?.take($0) }),
        ]
        state.withLock { $0.subscriptions += subscriptions }
    }

    func stop() {
        let (reading, subscriptions) = state.withLock { state in
            state.isOver = true
            defer { (state.reading, state.subscriptions) = (nil, []) }
            return (state.reading, state.subscriptions)
        }
        reading?.memory.stop()
        for subscription in subscriptions { subscription.dispose() }
    }

    // MARK: The program

    private func take(_ status: SourceStatus) {
        guard case .live(let process) = status else {
            state.withLock { $0.process = nil }
            if case .ended = status { endReading() }
            return
        }
        let isOther = state.withLock { state in
            (state.process, state.refusalCount) = (process, 0)
            return state.reading.map { $0.process != process.key } ?? false
        }
        if isOther { endReading() }
        openMemory(of: process)
    }

    /// Opens the memory of the program's present run, unless it is being read, or another one is being opened.
    private func openMemory(of process: ProcessDescription) {
        let opens = state.withLock { state in
            let opens =
                state.reading == nil && !state.isOpening && !state.isOver && state.process?.key == process.key
                && state.useless != process.key
            if opens { state.isOpening = true }
            return opens
        }
        guard opens, let pid = program.systemProcess else {
            if opens { state.withLock { $0.isOpening = false } }
            return
        }
        // On a thread of its own, because opening the files of a program may take some 10 ms.
        let hasThread = SystemThread.detached("chainview-join") { [weak self] in self?.read(pid, process) }
        if !hasThread { state.withLock { $0.isOpening = false } }
    }

    private func take(_ batch: EventBatch) {
        order.withLock { _ in
            let added = state.withLock { state in
                state.last = EventBatch(process: batch.process, sequence: batch.sequence, time: batch.time)
                state.last?.loss = batch.loss
                guard batch.process == state.reading?.process else { return TaskJoin.Addition() }
                return state.join.take(program: batch)
            }
            publish(added)
            batches.onNext(batch)
        }
    }

    private func take(_ reply: CommandReply) {
        guard reply.command >= Self.firstCommand else { return replies.onNext(reply) }
        let (question, isUseless) = state.withLock { state in
            let question = state.questions.removeValue(forKey: reply.command)
            if case .nodes = reply.outcome {
                state.refusalCount = 0
            } else if let question {
                // Asked again at the next look.
                state.join.putBack(question)
                if state.process != nil { state.refusalCount += 1 }
            }
            let isUseless = state.refusalCount >= Self.refusalLimit
            if isUseless { state.useless = state.process?.key }
            return (question, isUseless)
        }
        // On a thread of its own, because it waits for the end of the thread that reads.
        if isUseless { _ = SystemThread.detached("chainview-join") { [weak self] in self?.endReading() } }
        guard let question, case .nodes(let nodes) = reply.outcome else { return }
        add { $0.take(answer: nodes, to: question) }
        ask()
    }

    // MARK: The memory

    private func read(_ pid: Int32, _ process: ProcessDescription) {
        let memory = try? OutsideProcess(withoutNames: pid)
        let reading: Reading? = state.withLock { state in
            state.isOpening = false
            guard let memory else {
                state.useless = process.key
                return nil
            }
            guard !state.isOver, state.process?.key == process.key, state.reading == nil,
                state.last.map(Self.hasSystemClock) ?? true
            else { return nil }
            let reading = Reading(memory, process.key)
            (state.reading, state.join, state.questions) = (reading, TaskJoin(), [:])
            return reading
        }
        guard let reading else {
            // The program may have begun another run while this one was opened.
            if let present = state.withLock({ $0.process }), present.key != process.key { openMemory(of: present) }
            return
        }
        let subscriptions: [any Disposable] = [
            reading.memory.batches.subscribe(
                onNext: { [weak self] batch in self?.add(from: reading) { $0.take(outside: batch) } },
                onCompleted: { [weak self] in self?.endReading(reading) }),
            reading.memory.looks.subscribe(onNext: { [weak self] start in
                self?.add(from: reading) { $0.endLook(start: start) }
                self?.ask()
            }),
        ]
        let isOver = state.withLock { state in
            if !state.isOver { state.subscriptions += subscriptions }
            return state.isOver
        }
        guard !isOver else {
            for subscription in subscriptions { subscription.dispose() }
            return
        }
        reading.memory.start()
        // The join begins with a state.
        program.requestState()
    }

    /// Whether the times of a batch that has just come are of this system's monotonic clock, as those of the memory's
    /// reading are: a process may have a time namespace of its own.
    private static func hasSystemClock(_ batch: EventBatch) -> Bool {
        let distance = Int64(bitPattern: SystemTime.monotonic &- batch.time)
        return distance.magnitude < 60_000_000_000
    }

    /// Ends the reading, or one of several in a row, and takes back what it has reported.
    private func endReading(_ which: Reading? = nil) {
        let ended: Reading? = order.withLock { _ in
            let (ended, added) = state.withLock { state -> (Reading?, TaskJoin.Addition) in
                guard let reading = state.reading, which == nil || which === reading, !state.isOver else {
                    return (nil, TaskJoin.Addition())
                }
                (state.reading, state.questions) = (nil, [:])
                return (reading, state.join.end(at: SystemTime.monotonic))
            }
            publish(added)
            return ended
        }
        // The one that has ended by itself calls this, and cannot be waited for.
        if which == nil { ended?.memory.stop() }
    }

    /// Asks the program about tasks that it has not named yet.
    private func ask() {
        while true {
            let command: ViewerCommand? = state.withLock { state in
                guard let process = state.process, state.reading != nil, state.questions.count < Self.questionLimit
                else { return nil }
                let question = state.join.nextQuestion()
                guard !question.isEmpty else { return nil }
                state.questionCount += 1
                let id = Self.firstCommand + state.questionCount
                state.questions[id] = question
                return ViewerCommand(id: id, process: process.key, request: .nodesOfTasks(question))
            }
            guard let command else { return }
            program.send(command)
        }
    }

    private func add(from reading: Reading? = nil, _ change: (inout TaskJoin) -> TaskJoin.Addition) {
        order.withLock { _ in
            publish(
                state.withLock { state in
                    guard let present = state.reading, reading == nil || reading === present else {
                        return TaskJoin.Addition()
                    }
                    return change(&state.join)
                })
        }
    }

    /// Publishes events in a batch of the program.
    private func publish(_ added: TaskJoin.Addition) {
        guard !added.isEmpty, var batch = state.withLock({ $0.last }) else { return }
        (batch.events, batch.texts) = (added.events, added.texts)
        batches.onNext(batch)
    }
}
