import CChainRuntime

/// Gives each handler a thread to itself while it runs, so that it may block as long as it wants without holding up
/// another; so many at a time at most.
///
/// - Order: handlers start in the order in which they became ready, and run at the same time.
/// - Fairness: past ``limit`` handlers wait in one queue, first in, first out, for a handler to end, whose thread the
///   next one gets. So what is ready never starts more threads than the limit: `all` of 100,000 has 64. The queue itself
///   has no limit. Where all of them wait for what is still in the queue, nothing goes on: choose the limit for that, or
///   use the pool.
/// - Cost of a hop: a thread's start, 10 to 50 µs; past the limit one short lock. A thread ends as soon as nothing waits.
/// - A handler never shares its thread with one that runs at the same time, but may get one that others have used.
public final class ThreadExecutor: PromiseExecutor, ForkRenewable, @unchecked Sendable {
    // Sendable: `state` is behind its lock, and replaced only in a child of a fork, while that has one thread.
    /// The process's own: 64 threads at most.
    public static let shared = ThreadExecutor(name: "thread")

    /// The name of its threads, and its number.
    public let identity: ExecutorIdentity
    /// How many threads it has at most.
    public let limit: Int
    /// Whether its handlers run one at a time.
    public var isSerial: Bool { limit == 1 }
    // Unchecked: written by the one thread of a child alone.
    @exclusivity(unchecked)
    private var state = Lock(State())

    private struct State {
        var waiting = JobQueue()
        var threadCount = 0
    }

    /// Makes an executor of `limit` threads at most, 1 or more.
    public init(name: String, limit: Int = 64) {
        precondition(limit >= 1, "an executor needs a thread, not \(limit)")
        identity = ExecutorIdentity(name: name)
        self.limit = limit
        ForkHandling.insert(self)
    }

    deinit { ForkHandling.remove(self) }

    func renewInChild() {
        state.leak()
        state = Lock(State())
    }

    /// How many threads there are at this moment.
    public var threadCount: Int { state.withLock { $0.threadCount } }

    /// How many handlers wait for a thread.
    public var pendingCount: Int { state.withLock { $0.waiting.count } }

    /// Starts a thread for the job; or leaves it to the next that is free, where the limit is reached or the system has
    /// no more threads.
    public func submit(_ job: PromiseJob) {
        let lock = state
        let starts = lock.withLock { state in
            guard state.threadCount < limit else {
                state.waiting.append(job)
                return false
            }
            state.threadCount += 1
            return true
        }
        if !starts { return }
        let started = startThread { [self] in
            chain_thread_set_name(identity.name)
            job.run()
            while let next = Self.nextJob(lock) { next.run() }
        }
        if !started { queue(job) }
    }

    /// What has waited longest; nil where nothing does, and the thread that asks is to end.
    private static func nextJob(_ state: Lock<State>) -> PromiseJob? {
        state.withLock { state in
            if let job = state.waiting.popFirst() { return job }
            state.threadCount -= 1
            return nil
        }
    }

    private func queue(_ job: PromiseJob) {
        let left = state.withLock { state in
            state.threadCount -= 1
            state.waiting.append(job)
            return state.threadCount
        }
        precondition(left > 0, "the system has no thread left for the executor \(identity.name)")
    }
}
