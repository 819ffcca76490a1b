// SPDX-License-Identifier: MIT

import ChainSystem

/// An executor that runs handlers on demand, on the calling thread: for tests and for event loops of your own.
///
/// - Order: first in, first out. If one thread runs the jobs, they run one at a time; a job that itself runs jobs runs
///   them before it ends. If several threads run jobs at once, they share the queue.
/// - Fairness: none is needed; jobs that a handler makes ready go to the end of the queue.
/// - Cost of a hop: some 20 ns and one short lock. No thread is started or woken.
/// - End: waiting jobs keep their promises alive, and the promises keep the executor alive. So if an executor is no
///   longer run, none of these objects is released until ``discardAll()`` drops the jobs.
public final class ManualExecutor: PromiseExecutor {
    /// The executor's name and number.
    public let identity: ExecutorIdentity
    /// True.
    public var isSerial: Bool { true }
    private let jobs = Lock(JobQueue())

    /// Makes an executor that runs nothing by itself.
    public init(name: String = "manual") { identity = ExecutorIdentity(name: name) }

    deinit { discardAll() }

    /// Queues the job.
    public func submit(_ job: PromiseJob) { jobs.withLock { $0.append(job) } }

    /// The number of waiting jobs.
    public var pendingCount: Int { jobs.withLock { $0.count } }

    /// Runs the first waiting job; false if no job waits.
    @discardableResult
    public func runNext() -> Bool { runAll(limit: 1) == 1 }

    /// Runs jobs, including jobs that these make ready, until no job waits or `limit` jobs have run. Returns the number
    /// of jobs that ran.
    @discardableResult
    public func runAll(limit: Int = .max) -> Int {
        ThreadLoop.current.serve(self) {
            var count = 0
            while count < limit, let job = jobs.withLock({ $0.popFirst() }) {
                job.run()
                count += 1
            }
            return count
        }
    }

    /// Whether the calling thread is in ``runNext()`` or ``runAll(limit:)`` of this executor.
    public var isServedHere: Bool { ThreadLoop.current.serves(self) }

    /// Drops every waiting job, and every job that becomes ready in consequence, without running any. Returns the
    /// number of dropped jobs.
    ///
    /// If the handler or body of a promise was among them, the promise is *abandoned*: rejected with
    /// ``PromiseAbandonedError`` and reported, unless it is cancelled already (<doc:TheRules>, S2). The error goes to
    /// the handlers of its children on other executors; handlers of its children on this executor are dropped, too.
    /// Plain closures are released. The executor can still be used after the call.
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
