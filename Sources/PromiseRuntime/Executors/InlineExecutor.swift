/// Runs handlers on the thread that made them ready, in a loop a thread that is never nested (<doc:TheRules>, P4).
///
/// - Order: first in, first out a thread. It is the stated exception to "always asynchronously": outside of any loop a
///   handler may run before the settling or registering call returns.
/// - Fairness: none. There is no budget: the loop goes on until nothing is ready, since there is no other thread that
///   these handlers could go to. An inline chain that never ends keeps its thread for ever, as an endless loop does: the
///   call that began it does not return, and an executor that began it on its own thread runs nothing more there. In a
///   pool the others take what waits at that worker; on the main thread the program hangs. So put long or endless
///   chains on an executor that takes turns.
/// - Cost of a hop: about 10 ns, no lock. For short handlers; a slow one holds up the thread that settles.
/// - Timers: behind a `delay`, a `timeout` or a pause of `retry` and `repeat` that thread is the one that fires all timers
///   of the process. A slow handler there delays them all; a handler that waits (`get`, `await`) is refused that.
public final class InlineExecutor: PromiseExecutor {
    /// There is nothing to tell one inline executor from another by.
    public static let shared = InlineExecutor()

    /// `inline`, and its number.
    public let identity = ExecutorIdentity(name: "inline")

    private init() {}

    /// Leaves the job to the calling thread's loop, or runs it at once where there is none under way.
    public func submit(_ job: PromiseJob) { ThreadLoop.unretained._withUnsafeGuaranteedRef { $0.submit(job.content) } }
}
