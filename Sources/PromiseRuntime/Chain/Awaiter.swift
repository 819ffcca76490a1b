import ChainEvents

/// The outcome of one launch of a ``Chain``, to be waited for (<doc:TheRules>, C4).
///
/// May be used from any thread and by several. It keeps the last promise of the launch, not the launch itself, which runs
/// whether or not the awaiter is kept.
public final class Awaiter<Value: Sendable>: Thenable, Sendable {
    /// The last promise of the launch.
    public let promise: Promise<Value>
    /// Where the chain was launched.
    public let launchSite: CallSite
    private let executors: [any PromiseExecutor]

    init(_ promise: Promise<Value>, launchedAt site: CallSite, executors: [any PromiseExecutor]) {
        self.promise = promise
        launchSite = site
        self.executors = executors
    }

    /// Blocks the calling thread until the launch has its outcome, and gives that.
    ///
    /// It never hangs where that can be known: on the main thread, in a task and what it calls, on the thread of
    /// ``SystemClock``'s timers, on a serial executor or dispatch queue that the chain uses, in a handler that the
    /// chain itself waits for, and on the last thread of a ``PoolExecutor`` that could run anything, it gives
    /// ``AwaitMisuse`` at once, unless the outcome is there already. On another worker of a pool a thread stands in
    /// meanwhile (<doc:TheRules>, E2). In asynchronous code use ``value``, which blocks nothing.
    ///
    /// Cost: some 10 µs where it has to wait, the switches of thread; a load where not.
    ///
    /// - Parameter timeout: gives ``PromiseTimedOut`` after so long by the clock of the launch's runtime, at once if it is
    ///   not above zero; the chain runs on. Without one there is no limit.
    @available(*, noasync, message: "it blocks a thread that all tasks share: use try await value")
    public func `await`(
        timeout: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Result<Value, any Error> {
        BlockingWait(site: CallSite(file, line), launchSite: launchSite, executors: executors)
            .result(of: promise, timeout: timeout)
    }

    /// Whether the launch has its outcome. Costs one load.
    public var isCompleted: Bool { promise.isSettled }

    /// The outcome, or nil while there is none. Costs one load.
    public var result: Result<Value, any Error>? { promise.result }

    /// Calls `completion` once, later, with the outcome: on `executor`, or that of the chain's last link. Any number of
    /// them, in the order of asking; they are no nodes, and not cancelled with the chain: they get the cancellation.
    public func onCompletion(
        on executor: (any PromiseExecutor)? = nil,
        _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let executor = executor ?? promise.context.executor
        promise.register(
            CallbackWaiter { promise in
                promise.markErrorSeen(handled: true)
                let outcome = unsafeDowncast(promise, to: Promise<Value>.self).result!
                executor.execute { completion(outcome) }
            })
    }

    /// Waits, without blocking a thread, for the value; throws the error of a rejection.
    ///
    /// Cancelling the task that waits ends the wait with `CancellationError`, and cancels the chain if nothing else
    /// waits for its outcome (<doc:TheRules>, X2).
    public var value: Value {
        get async throws { try await promise.value }
    }

    /// Cancels what is pending of the launch, from its topmost pending link down; idempotent, never waits. O(n).
    public func cancel(_ reason: String? = nil, by: CancelledBy = .program) { promise.cancelLaunch(reason, by: by) }

    /// The last promise of the launch.
    public func asPromise() -> Promise<Value> { promise }
}
