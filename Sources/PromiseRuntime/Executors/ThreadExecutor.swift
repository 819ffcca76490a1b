import CChainRuntime
import ChainSystem

/// Runs each handler on a thread of its own, so that it may block without holding up another; up to a limit of threads.
///
/// - Order: handlers start in the order in which they became ready, and run at the same time.
/// - Fairness: beyond ``limit`` handlers wait in one queue, first in, first out, for the thread of a handler that ends.
///   So ready handlers never start more threads than the limit: `all` of 100,000 has 64. The queue has no limit. If all
///   running handlers wait for queued ones, nothing proceeds: choose the limit for that, or use the pool.
/// - Cost of a hop: starting a thread, 10 to 50 µs; beyond the limit one short lock. A thread ends as soon as nothing
///   waits.
/// - Threads: a handler never shares its thread with one that runs at the same time, but may get a thread that others
///   have used.
public final class ThreadExecutor: PromiseExecutor, ForkRenewable, @unchecked Sendable {
    // Sendable: `state` is behind its lock, and replaced only in a child of a fork, while the child has one thread.
    /// The process's shared executor: at most 64 threads.
    public static let shared = ThreadExecutor(name: "thread")

    /// The name of its threads, and the number of the executor.
    public let identity: ExecutorIdentity
    /// The maximum number of threads.
    public let limit: Int
    /// Whether its handlers run one at a time.
    public var isSerial: Bool { limit == 1 }
    // Unchecked: written by the only thread of a child.
    @exclusivity(unchecked)
    private var state = Lock(State())

    private struct State {
        var waiting = JobQueue()
        var threadCount = 0
    }

    /// Makes an executor of at most `limit` threads, 1 or more.
    public init(name: String, limit: Int = 64) {
        precondition(limit >= 1, "the limit of threads must be at least 1, not \(limit)")
        identity = ExecutorIdentity(name: name)
        self.limit = limit
        ForkHandling.insert(self)
    }

    deinit { ForkHandling.remove(self) }

    func renewInChild() {
        state.leak()
        state = Lock(State())
    }

    /// The number of threads at this moment.
    public var threadCount: Int { state.withLock { $0.threadCount } }

    /// The number of handlers that wait for a thread.
    public var pendingCount: Int { state.withLock { $0.waiting.count } }

    /// Starts a thread for the job; queues it if the limit is reached or the system has no more threads.
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
        let started = SystemThread.detached(identity.name, signals: .inherited) {
            job.run()
            while let next = Self.nextJob(lock) { next.run() }
        }
        if !started { queue(job) }
    }

    /// The job that has waited longest; nil if there is none, and the calling thread is to end.
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
