import ChainAttach
import ChainBus
import ChainEvents
import ChainSource
import Foundation
import Synchronization

/// A program that was started here, as a source: looks for its inspector, in itself or in a process that it started in
/// turn (`swift run`, a shell), and attaches to the first that there is.
final class LaunchedSource: BatchSource {
    private struct State {
        var inner: AttachedProcess?
        /// Whoever subscribed before there was anybody to subscribe to.
        var waiting: [@Sendable (AttachedProcess) -> Void] = []
        var isStarted = false
        var isStopped = false
        var isOver = false
        var latest = SourceStatus.idle
    }

    private let child: ChildProgram
    private let options: AttachOptions
    private let state = Mutex(State())
    private let statusSubject = BehaviorSubject<SourceStatus>(.idle)
    private let replySubject = PublishSubject<CommandReply>()
    private let bag = DisposeBag()
    private let isStopped = DispatchSemaphore(value: 0)

    /// How often it is looked for at first; later once a second.
    private static let interval = DispatchTimeInterval.milliseconds(100)
    /// After how many looks it is said that there is none.
    private static let patience = 30

    init(_ child: ChildProgram, options: AttachOptions) {
        self.child = child
        self.options = options
    }

    var status: EventStream<SourceStatus> { statusSubject.observable }
    var replies: EventStream<CommandReply> { replySubject.observable }
    var batches: EventStream<EventBatch> {
        EventStream { [weak self] observer in
            let bag = DisposeBag()
            self?.whenFound { $0.batches.subscribe(observer).disposed(by: bag) }
            return bag
        }
    }

    private func whenFound(_ body: @escaping @Sendable (AttachedProcess) -> Void) {
        let inner = state.withLock { state in
            if state.inner == nil { state.waiting.append(body) }
            return state.inner
        }
        if let inner { body(inner) }
    }

    func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isStopped
        }
        guard isFirst else { return }
        child.whenEnded { [weak self] in self?.programEnded() }
        Signals.startThread("chainview.search") { [weak self] in self?.search() }
    }

    // MARK: Looking for it

    private func search() {
        for attempt in 1... {
            // Others are not asked: one of them may not answer.
            let found = try? options.discovery.list(isOurs)
            if let found = found?.first(where: { $0.problem == nil }) { return attach(to: found) }
            let failure =
                attempt < Self.patience
                ? nil
                : "\(child.name) has not started an inspector: add `Inspector.startIfRequested()` to it"
            guard child.endingSoFar == nil else { return }
            if attempt == 1 || attempt == Self.patience { emit(.connecting(attempt: attempt, lastFailure: failure)) }
            let pause = attempt < Self.patience ? Self.interval : .seconds(1)
            guard isStopped.wait(timeout: .now() + pause) == .timedOut else { return }
        }
    }

    /// Whether a process is the program, or in its group.
    private func isOurs(_ pid: Int32) -> Bool { pid == child.pid || getpgid(pid) == child.pid }

    private func attach(to found: FoundProcess) {
        guard let target = try? Target("unix:" + found.path) else { return }
        let inner = AttachedProcess(target, options: options)
        let waiting: [@Sendable (AttachedProcess) -> Void]? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.inner = inner
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { return }
        inner.status.subscribe(onNext: { [weak self] in self?.take($0) }).disposed(by: bag)
        inner.replies.subscribe(onNext: { [weak self] in self?.replySubject.onNext($0) }).disposed(by: bag)
        inner.start()
        for body in waiting { body(inner) }
    }

    // MARK: How it is doing

    private func emit(_ status: SourceStatus) {
        let isTold = state.withLock { state in
            guard !state.isOver else { return false }
            state.latest = status
            if case .ended = status { state.isOver = true }
            return true
        }
        if isTold { statusSubject.onNext(status) }
    }

    private func take(_ status: SourceStatus) {
        switch status {
        case .idle, .ended(.stopped): break
        case .ended, .reconnecting:
            if child.endingSoFar != nil { emitEnd() } else { emit(status) }
        case .connecting, .live, .replaying: emit(status)
        }
    }

    /// What it said last may still be on its way: that is waited for, as long as the connection lasts.
    private func programEnded() {
        let isLive = state.withLock { state in
            if case .live = state.latest { true } else { false }
        }
        if !isLive { emitEnd() }
    }

    private func emitEnd() {
        guard let ending = child.endingSoFar else { return }
        let wasFound = state.withLock { $0.inner != nil }
        emit(.ended(.failed("\(child.name) \(ending.words)" + (wasFound ? "" : " and has started no inspector"))))
    }

    func send(_ command: ViewerCommand) {
        if let inner = state.withLock({ $0.inner }) { return inner.send(command) }
        replySubject.onNext(CommandReply(command: command.id, outcome: .refused("The program is not attached to yet")))
    }

    func stop() {
        let (inner, isFirst) = state.withLock { state in
            defer { (state.isStopped, state.waiting) = (true, []) }
            return (state.inner, !state.isStopped)
        }
        guard isFirst else { return }
        isStopped.signal()
        inner?.stop()
        bag.dispose()
        emit(.ended(.stopped))
        statusSubject.onCompleted()
        replySubject.onCompleted()
    }
}
