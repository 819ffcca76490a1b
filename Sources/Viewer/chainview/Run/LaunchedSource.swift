// SPDX-License-Identifier: MIT

import ChainAttach
import ChainBus
import ChainEvents
import ChainSource
import ChainSystem
import Foundation
import Synchronization

/// A source for a program that chainview has started. It searches for an inspector in the program or in a process that
/// the program started in turn (as `swift run` or a shell does). It attaches to the first inspector that it finds.
final class LaunchedSource: BatchSource {
    private struct State {
        var inner: (any BatchSource)?
        /// Subscriptions made before an inspector was found.
        var waiting: [@Sendable (any BatchSource) -> Void] = []
        var isStarted = false
        var isStopped = false
        /// Whether the end was emitted, after which no status follows.
        var isOver = false
        var latest = SourceStatus.idle
    }

    private let child: ChildProgram
    private let options: AttachOptions
    private let state = Mutex(State())
    private let statusSubject = BehaviorSubject<SourceStatus>(.idle)
    private let replySubject = PublishSubject<CommandReply>()
    private let bag = DisposeBag()
    private let isStopped = Semaphore()

    /// The pause between the first searches; later searches are a second apart.
    private static let interval = Duration.milliseconds(100)
    /// The number of searches after which the dashboard reports that there is no inspector.
    private static let quickSearchCount = 30

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

    private func whenFound(_ body: @escaping @Sendable (any BatchSource) -> Void) {
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

    // MARK: Search

    private func search() {
        for attempt in 1... {
            // Only processes of the program are probed, because other processes may not answer.
            let found = try? options.discovery.list(isOurs)
            if let found = found?.first(where: { $0.problem == nil }) { return attach(to: found) }
            let failure = attempt < Self.quickSearchCount ? nil : why(found)
            guard child.endingSoFar == nil else { return }
            if attempt == 1 || attempt == Self.quickSearchCount {
                emit(.connecting(attempt: attempt, lastFailure: failure))
            }
            let pause = attempt < Self.quickSearchCount ? Self.interval : .seconds(1)
            guard !isStopped.wait(for: pause) else { return }
        }
    }

    /// Returns why the program cannot be attached to yet.
    private func why(_ found: [FoundProcess]?) -> String {
        if let problem = found?.first?.problem { return "\(child.name) cannot be attached to: \(problem)" }
        return "\(child.name) has not started an inspector: add `Inspector.startIfRequested()` to it"
    }

    /// Whether a process is the program, or in its process group.
    private func isOurs(_ pid: Int32) -> Bool { pid == child.pid || getpgid(pid) == child.pid }

    private func attach(to found: FoundProcess) {
        guard let target = try? Target("unix:" + found.path) else { return }
        let inner = JoinedProcess.reading(AttachedProcess(target, options: options))
        let waiting: [@Sendable (any BatchSource) -> Void]? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.inner = inner
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { return }
        inner.status.subscribe(onNext: { [weak self] in self?.receive($0) }).disposed(by: bag)
        inner.replies.subscribe(onNext: { [weak self] in self?.replySubject.onNext($0) }).disposed(by: bag)
        inner.start()
        for body in waiting { body(inner) }
    }

    // MARK: Status

    private func emit(_ status: SourceStatus) {
        let isNew = state.withLock { state in
            guard !state.isOver else { return false }
            state.latest = status
            if case .ended = status { state.isOver = true }
            return true
        }
        if isNew { statusSubject.onNext(status) }
    }

    private func receive(_ status: SourceStatus) {
        switch status {
        case .idle, .ended(.stopped): break
        case .ended, .reconnecting:
            if child.endingSoFar != nil { emitEnd() } else { emit(status) }
        case .connecting, .live, .replaying: emit(status)
        }
    }

    /// Ends the source, unless it is live. The last batches of a live source may still come, so the source ends when
    /// its connection ends.
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
        replySubject.onNext(
            CommandReply(command: command.id, outcome: .refused("chainview is not attached to the program yet")))
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
