// SPDX-License-Identifier: MIT

import ChainSystem
import Dispatch

/// An executor that runs handlers on a dispatch queue: `on: .main`, `on: .queue(queue)`.
///
/// - Order: handlers of a serial executor run one at a time in the order in which they became ready, also if they were
///   given to several executors of the same queue. Handlers of a concurrent executor start in the queue's order.
/// - Fairness: up to 64 ready handlers of a serial executor run in one block; then other work of the queue has its
///   turn. On a concurrent executor each handler is a block.
/// - Cost of a hop: on a serial executor a short lock, and a block (0.2 to 0.7 µs) for the first handler after idling,
///   then for every 64 handlers; on a concurrent executor a block for each handler.
/// - Threads: the threads of Dispatch. If handlers on a concurrent queue block, Dispatch starts more threads, up to a
///   limit of its own.
public final class DispatchExecutor: PromiseExecutor {
    /// The main queue.
    public static let main = DispatchExecutor(.main, isSerial: true)
    /// The global queue of default quality of service.
    public static let global = DispatchExecutor(.global(), isSerial: false)

    /// The queue.
    public let queue: DispatchQueue
    /// Whether the executor runs one handler at a time.
    public let isSerial: Bool
    private let service: QueueService
    // The limit of jobs that one block runs.
    private static let budget = 64

    fileprivate init(_ queue: DispatchQueue, isSerial: Bool) {
        self.queue = queue
        self.isSerial = isSerial
        service = .of(queue)
    }

    /// Makes an executor with a new serial queue of that label.
    public convenience init(label: String) { self.init(DispatchQueue(label: label), isSerial: true) }

    /// The queue's label, and a number that the executors of the queue share.
    public var identity: ExecutorIdentity { service.identity }

    /// Whether the executor is serial, and the calling thread serves the queue, or a queue that targets it. On Linux
    /// another thread may serve the main queue once `dispatchMain` was called, as it is for an asynchronous `main`.
    public var isServedHere: Bool { isSerial && DispatchQueue.getSpecific(key: service.mark) != nil }

    /// Queues the job. On a serial executor one block serves the waiting jobs; otherwise each job is a block.
    public func submit(_ job: PromiseJob) {
        if !isSerial { return queue.async { job.run() } }
        let startsNow = service.waiting.withLock { waiting in
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
        service.waiting.withLock { waiting in
            if let job = waiting.jobs.popFirst() { return job }
            waiting.isServed = false
            return nil
        }
    }
}

extension PromiseExecutor where Self == DispatchExecutor {
    /// ``DispatchExecutor/main``: the main queue.
    public static var main: DispatchExecutor { DispatchExecutor.main }
    /// ``DispatchExecutor/global``: the global queue of default quality of service.
    public static var global: DispatchExecutor { DispatchExecutor.global }

    /// Runs handlers on a queue of the program, one at a time, and on Dispatch's global queues concurrently.
    ///
    /// Dispatch does not tell whether a queue is serial, so the executor takes the next handler of the queue only when
    /// the one before has ended: ``PromiseExecutor/isSerial`` is true for each queue. For a queue that was made with
    /// the attribute `.concurrent`, use ``concurrentQueue(_:)``.
    ///
    /// Allocates a small object; its number and its waiting handlers are the queue's, so `on: .queue(queue)` may be
    /// written in each place.
    public static func queue(_ queue: DispatchQueue) -> DispatchExecutor {
        DispatchExecutor(queue, isSerial: !queue.label.hasPrefix("com.apple.root."))
    }

    /// Runs handlers on a concurrent queue of the program, each as a block. On a serial queue, a wait in a handler for
    /// other work of the queue never ends, and is not refused.
    public static func concurrentQueue(_ queue: DispatchQueue) -> DispatchExecutor {
        DispatchExecutor(queue, isSerial: false)
    }
}

/// What the executors of one queue share. The queue keeps it, so it has no reference to the queue.
private final class QueueService: Sendable {
    let identity: ExecutorIdentity
    // The jobs that wait for the one block that serves them: one queue for all threads, so that their order is kept
    // (TheRules, P4).
    let waiting = Lock((jobs: JobQueue(), isServed: false))
    // One key per queue: with a shared key, the value of a queue would hide the value of the queue that it targets.
    let mark = DispatchSpecificKey<Void>()
    // On the queue itself, because on Linux each use of `DispatchQueue.main` makes another object.
    private static let key = DispatchSpecificKey<QueueService>()

    private init(_ queue: DispatchQueue) { identity = ExecutorIdentity(name: queue.label) }

    static func of(_ queue: DispatchQueue) -> QueueService {
        if let known = queue.getSpecific(key: key) { return known }
        let made = QueueService(queue)
        // Set under the lock of `ExecutorNames`: a fork waits for that lock, so no fork happens meanwhile.
        return ExecutorNames.names.withLock { _ in
            if let known = queue.getSpecific(key: key) { return known }
            queue.setSpecific(key: key, value: made)
            queue.setSpecific(key: made.mark, value: ())
            return made
        }
    }
}
