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

    /// Blocks the calling thread until the launch has its outcome, and returns it.
    ///
    /// A wait that could not end, or would stop other work, is refused at once with ``AwaitMisuse``, unless the outcome
    /// is there already. ``AwaitMisuse/Reason`` lists the cases, and <doc:TheRules>, C4 explains them. On any other
    /// worker of a pool, another thread runs the pool's jobs meanwhile (<doc:TheRules>, E2). In asynchronous code use
    /// ``value``, which blocks nothing.
    ///
    /// Cost: some 10 µs for the switches of thread if it has to wait; else a load.
    ///
    /// - Parameter timeout: The longest wait, by the clock of the launch's runtime; nil for no limit. After it the
    ///   result is ``PromiseTimedOut``, at once if the limit is not above zero; the chain runs on.
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

    /// Calls `completion` once, later, with the outcome, on `executor` or that of the chain's last link. If only that
    /// link is inline, as `asResult` and the link of `Chain(promise)` are, the chain's executor is used.
    ///
    /// A serial executor calls completion handlers in the order of registration. Completion handlers are no nodes, but
    /// promises that they make inherit the chain's runtime. They receive a cancellation of the chain, too.
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

    /// Cancels the pending links of the launch, from the topmost one down; idempotent, never waits. O(pending links).
    public func cancel(_ reason: String? = nil, by: CancelledBy = .program) { promise.cancelLaunch(reason, by: by) }

    /// Returns the last promise of the launch.
    public func asPromise() -> Promise<Value> { promise }
}
