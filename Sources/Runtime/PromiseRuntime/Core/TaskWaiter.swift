// SPDX-License-Identifier: MIT

import ChainSystem
import Synchronization

/// A waiter for a task that awaits a promise. The wait ends when the promise settles or the task is cancelled,
/// whichever comes first.
final class TaskWaiter<Value: Sendable>: _Waiter, @unchecked Sendable {
    // Sendable: all mutable state is behind `state` or atomic.
    private enum State {
        case new
        case waiting(UnsafeContinuation<Value, any Error>)
        case over
    }

    private let promise: Promise<Value>
    private let state = Lock(State.new)
    private let isOver = Atomic(false)

    init(_ promise: Promise<Value>) { self.promise = promise }

    /// Resumes the continuation once, now or later.
    func start(_ continuation: UnsafeContinuation<Value, any Error>) {
        let isCancelled = state.withLock { state in
            if case .over = state { return true }
            state = .waiting(continuation)
            return false
        }
        if !isCancelled { return promise.register(self) }
        if let result = promise.result {
            promise.markErrorSeen()
            return continuation.resume(with: result)
        }
        withdraw()
        continuation.resume(throwing: CancellationError())
    }

    /// Ends the wait, and withdraws the task's interest in the promise.
    func cancel() {
        guard let continuation = end() else { return }
        promise.waiterIsDone()
        withdraw()
        continuation.resume(throwing: CancellationError())
    }

    private func withdraw() {
        promise.consumerWithdrew(PromiseCancelledError(reason: "the task that waited for it was cancelled"))
    }

    override func settled(_ promise: AnyPromise) {
        guard let continuation = end() else { return }
        promise.markErrorSeen()
        continuation.resume(with: self.promise.result!)
    }

    private func end() -> UnsafeContinuation<Value, any Error>? {
        isOver.store(true, ordering: .relaxed)
        return state.withLock { state in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
    }

    override var isDone: Bool { isOver.load(ordering: .relaxed) }
}
