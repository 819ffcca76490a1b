/// Runs handlers when it is told to, on the thread that tells it: for tests and for event loops of one's own.
///
/// Order: first in, first out, one at a time.
public final class ManualExecutor: PromiseExecutor {
    /// The executor's name and number.
    public let identity: ExecutorIdentity
    /// True.
    public var isSerial: Bool { true }
    private let jobs = Lock(JobQueue())

    /// Makes an executor that runs nothing until told to.
    public init(name: String = "manual") { identity = ExecutorIdentity(name: name) }

    /// Queues the job.
    public func submit(_ job: Job) { jobs.withLock { $0.append(job) } }

    /// How many jobs wait.
    public var pendingCount: Int { jobs.withLock { $0.count } }

    /// Runs the first job that waits; false where there is none.
    @discardableResult
    public func runNext() -> Bool {
        guard let job = jobs.withLock({ $0.popFirst() }) else { return false }
        job.run()
        return true
    }

    /// Runs jobs, those that they lead to included, until none waits or `limit` have run; gives how many ran.
    @discardableResult
    public func runAll(limit: Int = .max) -> Int {
        var count = 0
        while count < limit, runNext() { count += 1 }
        return count
    }
}
