// SPDX-License-Identifier: MIT

import ChainEvents

/// The outcome of one launch of a ``Chain``, to be awaited (<doc:TheRules>, C4).
///
/// May be used from several threads. It keeps the last promise of the launch, not the launch itself, which runs whether
/// or not the awaiter is kept.
public final class Awaiter<Value: Sendable>: Thenable, Sendable {
    /// The last promise of the launch.
    public let promise: Promise<Value>
    /// The call site of the launch.
    public let launchSite: CallSite
    private let executors: [any PromiseExecutor]

    init(_ promise: Promise<Value>, launchedAt site: CallSite, executors: [any PromiseExecutor]) {
        self.promise = promise
        launchSite = site
        self.executors = executors
    }

    /// Blocks the calling thread until the launch has an outcome, and returns the outcome.
    ///
    /// If the outcome is not there yet, a wait that could not end, or would stop other work, is refused at once with
    /// ``RefusedWaitError``. ``RefusedWaitError/Reason`` lists the cases, and <doc:TheRules>, C4 explains them. If a
    /// wait on a pool's worker is allowed, another thread runs the pool's jobs during the wait (<doc:TheRules>, E2). In
    /// asynchronous code use ``value``, which blocks no thread.
    ///
    /// Cost: a load if the outcome is there; otherwise some 10 µs for switching threads.
    ///
    /// - Parameter timeout: The longest wait, by the clock of the launch's runtime; nil for no limit. If the outcome
    ///   has not come by then, the result is ``PromiseTimeoutError``, and the chain runs on. With a limit of zero or
    ///   less the call does not wait.
    @available(*, noasync, message: "it blocks a thread that all tasks share: use try await value")
    public func `await`(
        timeout: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Result<Value, any Error> {
        BlockingWait(site: CallSite(fileID: file, line: line), launchSite: launchSite, executors: executors)
            .result(of: promise, timeout: timeout)
    }

    /// Whether the launch has its outcome. Costs one load.
    public var isCompleted: Bool { promise.isSettled }

    /// The outcome, or nil while there is no outcome. Costs one load.
    public var result: Result<Value, any Error>? { promise.result }

    /// Calls `completion` once with the outcome, on `executor`. If `executor` is nil, the executor of the chain's last
    /// link is used. If only the last link is inline, as `asResult` and the link of `Chain(promise)` are, the chain's
    /// executor is used instead. On the inline executor, `completion` may run before this call returns.
    ///
    /// A serial executor calls completion handlers in the order of registration. A completion handler is no node, but
    /// promises made in it inherit the chain's runtime. A cancellation of the chain is delivered to the handler, too.
    public func onCompletion(
        on executor: (any PromiseExecutor)? = nil,
        _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let executor = executor ?? promise.context.completionExecutor
        promise.register(
            CallbackWaiter { promise in
                promise.markErrorSeen(handled: true)
                let outcome = unsafeDowncast(promise, to: Promise<Value>.self).result!
                let runtime = promise.runtime
                executor.execute { runtime.run { completion(outcome) } }
            })
    }

    /// The value, awaited without blocking a thread; throws the error of a rejection.
    ///
    /// Cancelling the awaiting task ends the wait with `CancellationError`, and cancels the chain if nothing else waits
    /// for its outcome (<doc:TheRules>, X2).
    public var value: Value {
        get async throws { try await promise.value }
    }

    /// Cancels the pending links of the launch, from the topmost pending link down. Idempotent; never waits. O(pending
    /// links).
    public func cancel(_ reason: String? = nil, by: CancelledBy = .program) { promise.cancelLaunch(reason, by: by) }

    /// Returns the last promise of the launch.
    public func asPromise() -> Promise<Value> { promise }
}
