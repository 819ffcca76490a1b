// SPDX-License-Identifier: MIT

import ChainSystem

/// The waiter that cancels the task of a scope when the scope's node is cancelled, as long as the scope lasts.
final class TaskCanceller: OneShotWaiter, @unchecked Sendable {
    // Sendable: the state is behind a lock. The task is alive whenever it is used, because it runs the scope. The scope
    // ends with `close`, which returns only after a cancellation in progress has ended.
    private enum State {
        case open(UnsafeCurrentTask?)
        case cancelling
        /// The scope has ended, and waits until the cancellation has returned.
        case waiting(UnsafeContinuation<Void, Never>)
        case closed
    }

    private let state: Lock<State>

    init(_ task: UnsafeCurrentTask?) { state = Lock(.open(task)) }

    override func settledOnce(_ promise: AnyPromise) {
        guard promise.current.has(PromiseState.cancelled) else { return }
        let task: UnsafeCurrentTask? = state.withLock { state in
            guard case .open(let task) = state else { return nil }
            state = .cancelling
            return task
        }
        guard let task else { return }
        // The lock is not held, because the call runs the cancellation handlers of the program.
        task.cancel()
        let continuation: UnsafeContinuation<Void, Never>? = state.withLock { state in
            defer { state = .closed }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume()
    }

    /// Ends the use of the task. If the task is being cancelled, returns once its cancellation handlers have returned,
    /// as `withTaskCancellationHandler` does; otherwise returns at once.
    func close(isolation: isolated (any Actor)? = #isolation) async {
        guard !closeUnlessCancelling() else { return }
        await withUnsafeContinuation { continuation in
            let isClosed = state.withLock { state in
                guard case .cancelling = state else { return true }
                state = .waiting(continuation)
                return false
            }
            if isClosed { continuation.resume() }
        }
    }

    private func closeUnlessCancelling() -> Bool {
        state.withLock { state in
            if case .cancelling = state { return false }
            state = .closed
            return true
        }
    }

    override var isConsumer: Bool { false }
}

/// The waiter that cancels the task of asynchronous work when the work's promise is cancelled. It does so directly, on
/// the cancelling thread, because a job on the inline executor would start only after the handler that cancels has
/// ended.
final class WorkCanceller: OneShotWaiter, @unchecked Sendable {
    // Sendable: `task` is accessed by `settledOnce` and by deinit alone.
    private var task: Task<Void, Never>?

    init(_ task: Task<Void, Never>) { self.task = task }

    override func settledOnce(_ promise: AnyPromise) {
        guard let task = task.take(), promise.current.has(PromiseState.cancelled) else { return }
        task.cancel()
    }

    override var isConsumer: Bool { false }
}
