/// Runs handlers on the thread that made them ready, in a loop a thread that is never nested (RUNTIME P4).
///
/// Order: first in, first out a thread. It is the stated exception to "always asynchronously": outside of any loop a
/// handler may run before the settling or registering call returns. For short handlers; a slow one holds up whoever
/// settles.
public final class InlineExecutor: PromiseExecutor {
    /// There is nothing to tell one inline executor from another by.
    public static let shared = InlineExecutor()

    /// `inline`, and its number.
    public let identity = ExecutorIdentity(name: "inline")

    private init() {}

    /// Leaves the job to the calling thread's loop, or runs it at once where there is none under way.
    public func submit(_ job: Job) { ThreadLoop.current.submit(job) }
}
