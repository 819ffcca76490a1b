/// Runs handlers when it is told to, on the thread that tells it: for tests and for event loops of one's own.
///
/// - Order: first in, first out. Told on one thread, one at a time; told on several at once, they share the queue.
/// - Fairness: none is needed; what a handler makes ready goes to the end of the queue.
/// - Cost of a hop: some 20 ns and one short lock. No thread is ever started or woken.
/// - End: what waits here holds its promises, and they hold their executor. So an executor that nobody tells to run any
///   more keeps them all, unless ``discardAll()`` gives them up.
public final class ManualExecutor: PromiseExecutor {
    /// The executor's name and number.
    public let identity: ExecutorIdentity
    /// True.
    public var isSerial: Bool { true }
    private let jobs = Lock(JobQueue())

    /// Makes an executor that runs nothing until told to.
    public init(name: String = "manual") { identity = ExecutorIdentity(name: name) }

    deinit { discardAll() }

    /// Queues the job.
    public func submit(_ job: PromiseJob) { jobs.withLock { $0.append(job) } }

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

    /// Gives up every job that waits, and those that this leads to, without running any; gives how many there were.
    ///
    /// A promise whose handler or body was among them is *abandoned*: rejected with ``PromiseAbandoned``, and told of,
    /// unless it is cancelled already (<doc:TheRules>, S2). Its children take that error where they have executors of
    /// their own for it; those on this one are given up, too. Plain closures are released. The executor may be used on
    /// afterwards.
    @discardableResult
    public func discardAll() -> Int {
        var count = 0
        while let job = jobs.withLock({ $0.popFirst() }) {
            job.discard()
            count += 1
        }
        return count
    }
}
