// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem

/// An executor that runs each handler on a thread of its own, up to a limit of threads, so that a handler may block
/// without holding up another.
///
/// - Order: handlers start in the order in which they became ready, and run at the same time.
/// - Fairness: at ``limit`` threads, handlers wait in one queue, first in, first out, for a running handler to end. So
///   100,000 ready handlers start 64 threads by default. The queue has no limit. If all running handlers wait for
///   queued handlers, nothing proceeds: choose a higher limit, or use the pool.
/// - Cost of a hop: starting a thread, 10 to 50 µs; beyond the limit one short lock. A thread ends as soon as no
///   handler waits for a thread.
/// - Threads: while a handler runs it has its thread to itself; the thread may have run other handlers before.
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
        // The number of threads among `threadCount` that are being started, each for one of the waiting jobs.
        var startingCount = 0
        // The kernel's id of the only thread, if the limit is one thread; 0 while there is no such thread.
        var onlyThread: UInt32 = 0
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

    /// Whether the calling thread is the only thread of this executor. False for a limit of several threads, because
    /// another thread can run what the calling thread waits for.
    public var isServedHere: Bool { isSerial && state.withLock { $0.onlyThread == chain_thread_id() } }

    /// The number of threads at this moment.
    public var threadCount: Int { state.withLock { $0.threadCount } }

    /// The number of handlers that wait for a thread and for which no thread is being started.
    public var pendingCount: Int { state.withLock { max(0, $0.waiting.count - $0.startingCount) } }

    /// Queues the job, and starts a thread for it unless the limit is reached or no thread can be started. If the
    /// executor has no other thread, it tries for five seconds to start one, and then ends the program.
    public func submit(_ job: PromiseJob) {
        let lock = state
        let starts = lock.withLock { state in
            state.waiting.append(job)
            guard state.threadCount < limit else { return false }
            state.threadCount += 1
            state.startingCount += 1
            return true
        }
        if !starts { return }
        let isSerial = isSerial
        repeat {
            var isAlone = false
            let started = SystemThread.retryStarting(while: {
                isAlone = lock.withLock { $0.threadCount == 1 && !$0.waiting.isEmpty }
                return isAlone
            }) {
                // The closure captures no job, because the thread keeps the closure, and a job keeps its promise.
                SystemThread.detached(identity.name, signals: .inherited) {
                    var isFirst = true
                    while let job = Self.nextJob(lock, isFirst: isFirst, isSerial: isSerial) {
                        isFirst = false
                        job.run()
                    }
                }
            }
            if started { return }
            precondition(!isAlone, "the system has no thread left for the executor \(identity.name)")
        } while !leaveToOthers()
    }

    /// Removes and returns the job that has waited longest. If no job waits, returns nil, and the calling thread must
    /// end. `isFirst` is true if the thread has just started.
    private static func nextJob(_ state: Lock<State>, isFirst: Bool, isSerial: Bool) -> PromiseJob? {
        state.withLock { state in
            if isFirst {
                state.startingCount -= 1
                if isSerial { state.onlyThread = chain_thread_id() }
            }
            if let job = state.waiting.popFirst() { return job }
            state.threadCount -= 1
            state.onlyThread = 0
            return nil
        }
    }

    /// Gives up a thread that could not be started; returns false if jobs wait and no other thread is left to run them.
    private func leaveToOthers() -> Bool {
        state.withLock { state in
            guard state.threadCount > 1 || state.waiting.isEmpty else { return false }
            state.threadCount -= 1
            state.startingCount -= 1
            return true
        }
    }
}
