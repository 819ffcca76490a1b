// SPDX-License-Identifier: MIT

/// An executor that runs handlers on the thread that made them ready, in one loop per thread that is never nested
/// (<doc:TheRules>, P4). If that thread waits in `get` or `await`, its other ready handlers move to
/// ``PoolExecutor/shared``.
///
/// - Order: first in, first out per thread. This executor is the exception to "always asynchronously": outside of any
///   loop a handler may run before the settling or registering call returns.
/// - Fairness: none. The loop runs until nothing is ready, because these handlers have no other thread. An endless
///   inline chain keeps its thread for ever: the call that began the chain does not return. An executor that began it
///   on a thread of its own runs nothing more on that thread. In a pool the other workers take the jobs of that
///   thread's worker; on the main thread the program hangs. Put long or endless chains on an executor that takes turns.
/// - Cost of a hop: about 10 ns, no lock. For short handlers; a slow handler holds up the thread that settles.
/// - Timers: after a `delay`, a `timeout` or a pause of `retry` and `repeat`, handlers run on the thread that fires the
///   timer. For the ``SystemClock`` that is one thread: a slow handler on it delays all timers of that clock; a wait in
///   such a handler (`get`, `await`) is refused.
public final class InlineExecutor: PromiseExecutor {
    /// The only inline executor.
    public static let shared = InlineExecutor()

    /// `inline`, and its number.
    public let identity = ExecutorIdentity(name: "inline")

    private init() {}

    /// Queues the job in the calling thread's loop, or runs it at once if that loop is idle.
    public func submit(_ job: PromiseJob) { ThreadLoop.unretained._withUnsafeGuaranteedRef { $0.submit(job.content) } }
}
