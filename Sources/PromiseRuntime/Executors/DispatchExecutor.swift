import Dispatch

/// Runs handlers on a dispatch queue.
///
/// Order: the queue's. On a serial queue, what a handler makes ready for the same executor runs in the same block, one
/// after the other without a hop each, up to 64; then others of the queue have their turn. On a concurrent queue each
/// handler is a block of its own.
public final class DispatchExecutor: PromiseExecutor {
    /// The main queue.
    public static let main = DispatchExecutor(.main, isSerial: true)
    /// The global queue of default quality of service.
    public static let global = DispatchExecutor(.global(), isSerial: false)

    /// The queue's label, and its number.
    public let identity: ExecutorIdentity
    /// The queue.
    public let queue: DispatchQueue
    private let isSerial: Bool
    private static let budget = 64

    /// Serves a queue of the program's. `isSerial` must be false for a concurrent queue.
    public init(_ queue: DispatchQueue, isSerial: Bool) {
        self.queue = queue
        self.isSerial = isSerial
        identity = ExecutorIdentity(name: queue.label)
    }

    /// Makes a private serial queue of that label.
    public convenience init(label: String) { self.init(DispatchQueue(label: label), isSerial: true) }

    /// Leaves the job to the block that runs, or enqueues a block.
    public func submit(_ job: Job) {
        if isSerial, ThreadLoop.current.isServing(self) {
            ThreadLoop.current.submit(job)
        } else {
            enqueue(job)
        }
    }

    private func enqueue(_ job: Job) {
        queue.async { [self] in
            let server = isSerial ? ObjectIdentifier(self) : nil
            ThreadLoop.current.run(job, for: server, budget: Self.budget) { enqueue($0) }
        }
    }
}
