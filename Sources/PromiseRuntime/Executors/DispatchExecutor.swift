import ChainSystem
import Dispatch

/// An executor that runs handlers on a dispatch queue.
///
/// - Order: the order of the queue. Handlers of a serial queue run one at a time in the order in which they became
///   ready; handlers of a concurrent queue start in that order.
/// - Fairness: on a serial queue up to 64 ready handlers run in one block; then other work of the queue has its turn.
///   On a concurrent queue each handler is a block of its own.
/// - Cost of a hop: on a serial queue a short lock, and a block (0.2 to 0.7 µs) for the first handler after idling,
///   then for every 64 handlers; on a concurrent queue a block for each handler.
/// - Threads: the threads of Dispatch. If handlers on a concurrent queue block, Dispatch starts more threads, up to a
///   limit of its own.
public final class DispatchExecutor: PromiseExecutor {
    /// The main queue.
    public static let main = DispatchExecutor(.main, isSerial: true)
    /// The global queue of default quality of service.
    public static let global = DispatchExecutor(.global(), isSerial: false)

    /// The queue's label, and the number of the executor.
    public let identity: ExecutorIdentity
    /// The queue.
    public let queue: DispatchQueue
    /// Whether the queue is serial.
    public let isSerial: Bool
    // The jobs that wait for the one block that serves them: one queue for all threads, so that their order is kept
    // (TheRules, P4).
    private let waiting = Lock((jobs: JobQueue(), isServed: false))
    // One key per executor: with a shared key, the value of a queue would hide the value of the queue that it targets.
    private let queueKey = DispatchSpecificKey<Void>()
    // The limit of jobs that one block runs.
    private static let budget = 64

    /// Makes an executor that uses a queue of the program. `isSerial` must be false for a concurrent queue.
    public init(_ queue: DispatchQueue, isSerial: Bool) {
        self.queue = queue
        self.isSerial = isSerial
        identity = ExecutorIdentity(name: queue.label)
        if isSerial { queue.setSpecific(key: queueKey, value: ()) }
    }

    deinit { if isSerial { queue.setSpecific(key: queueKey, value: nil) } }

    /// Makes an executor with a new serial queue of that label.
    public convenience init(label: String) { self.init(DispatchQueue(label: label), isSerial: true) }

    /// Whether the calling thread serves this serial queue, or a queue that targets this queue. On Linux another thread
    /// may serve the main queue once `dispatchMain` was called, as it is for an asynchronous `main`.
    public var isServedHere: Bool { DispatchQueue.getSpecific(key: queueKey) != nil }

    /// Queues the job. On a serial queue one block serves the waiting jobs; on a concurrent queue each job is a block.
    public func submit(_ job: PromiseJob) {
        if !isSerial { return queue.async { job.run() } }
        let startsNow = waiting.withLock { waiting in
            waiting.jobs.append(job)
            defer { waiting.isServed = true }
            return !waiting.isServed
        }
        if startsNow { queue.async { self.serve() } }
    }

    private func serve() {
        for _ in 0..<Self.budget {
            guard let job = nextJob() else { return }
            job.run()
        }
        queue.async { self.serve() }
    }

    private func nextJob() -> PromiseJob? {
        waiting.withLock { waiting in
            if let job = waiting.jobs.popFirst() { return job }
            waiting.isServed = false
            return nil
        }
    }
}
