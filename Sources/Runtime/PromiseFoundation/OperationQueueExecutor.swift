// SPDX-License-Identifier: MIT

import Foundation
import PromiseRuntime

/// An executor that runs handlers on an operation queue, each as an operation.
///
/// - Order: the queue's. With a `maxConcurrentOperationCount` of 1, handlers run one at a time, in the order in which
///   they became ready. With another count, they start in the same order, at most that many at a time; by default the
///   system sets the limit.
/// - Fairness: each handler is an operation, so other operations of the queue run in between. A suspended queue starts
///   no handlers.
/// - Cost of a hop: an operation, some microseconds; no hop is saved between the handlers of one chain.
/// - Threads are the queue's: 100,000 ready handlers are 100,000 operations, not threads.
/// - `cancelAllOperations()` drops the handlers that have not begun: their promises are abandoned (TheRules, S2). To
///   cancel a chain, cancel its promise.
public final class OperationQueueExecutor: PromiseExecutor {
    /// The main queue.
    public static let main = OperationQueueExecutor(.main)

    /// The queue's name, and the number of the executor.
    public let identity: ExecutorIdentity
    /// The queue.
    public let queue: OperationQueue

    /// Whether the queue runs one operation at a time, at this moment.
    public var isSerial: Bool { queue.maxConcurrentOperationCount == 1 }

    /// Whether the calling code runs in an operation of the queue.
    public var isServedHere: Bool { OperationQueue.current === queue }

    /// Makes an executor of a queue of the program.
    public init(_ queue: OperationQueue) {
        self.queue = queue
        identity = ExecutorIdentity(name: queue.name ?? "operations")
    }

    /// Adds the job to the queue, as an operation.
    public func submit(_ job: PromiseJob) { queue.addOperation(JobOperation(job)) }
}

/// An operation that runs a job, or discards the job if the operation is released without having run it.
private final class JobOperation: Operation, @unchecked Sendable {
    // Sendable: `job` is accessed by `main`, which a queue calls once, and by the deinit after that.
    private var job: PromiseJob?

    init(_ job: PromiseJob) { self.job = job }

    override func main() {
        guard let job, !isCancelled else { return }
        self.job = nil
        job.run()
    }

    deinit { job?.discard() }
}
