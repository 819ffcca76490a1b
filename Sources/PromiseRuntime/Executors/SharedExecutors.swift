import ChainSystem
import Dispatch

// Static members, so that `on:` takes the shared executors by short names: `on: .main`.
extension PromiseExecutor where Self == DispatchExecutor {
    /// ``DispatchExecutor/main``: the main queue.
    public static var main: DispatchExecutor { DispatchExecutor.main }
    /// ``DispatchExecutor/global``: the global queue of default quality of service.
    public static var global: DispatchExecutor { DispatchExecutor.global }
}

extension PromiseExecutor where Self == InlineExecutor {
    /// ``InlineExecutor/shared``: runs handlers on the thread that makes them ready.
    public static var inline: InlineExecutor { InlineExecutor.shared }
}

extension PromiseExecutor where Self == PoolExecutor {
    /// ``PoolExecutor/shared``: the process's default pool.
    public static var pool: PoolExecutor { PoolExecutor.shared }
}

extension PromiseExecutor where Self == ThreadExecutor {
    /// ``ThreadExecutor/shared``: a thread for each handler, 64 at most.
    public static var thread: ThreadExecutor { ThreadExecutor.shared }
}

/// A queue is itself an executor: `on: DispatchQueue.main`, `on: queue`. Each handler is a block of its own, in the
/// queue's order, except on the main queue, where ``DispatchExecutor/main`` runs the handlers.
///
/// Dispatch cannot be asked whether a queue is serial. So only waits on the main queue are refused
/// (``RefusedWaitError``); a wait on another serial queue for work of that queue never ends. ``DispatchExecutor`` gets
/// `isSerial` as a parameter, refuses such waits, and runs ready handlers of a serial queue in one block.
extension DispatchQueue: PromiseExecutor {
    private static let identityKey = DispatchSpecificKey<ExecutorIdentity>()

    // Marked on the queue itself, because on Linux each use of `DispatchQueue.main` makes another object.
    private static let mainIdentity: ExecutorIdentity = {
        DispatchQueue.main.setSpecific(key: identityKey, value: DispatchExecutor.main.identity)
        return DispatchExecutor.main.identity
    }()

    /// The queue's label, and a number that is allocated at the first use and kept until the process ends.
    public var identity: ExecutorIdentity {
        _ = Self.mainIdentity
        if let identity = getSpecific(key: Self.identityKey) { return identity }
        let made = ExecutorIdentity(name: label)
        // Set under the lock of `ExecutorNames`: a fork waits for that lock, so no fork happens while the key is being
        // set.
        return ExecutorNames.names.withLock { _ in
            if let identity = getSpecific(key: Self.identityKey) { return identity }
            setSpecific(key: Self.identityKey, value: made)
            return made
        }
    }

    /// True for the main queue; false for all other queues, because Dispatch does not tell whether they are serial.
    public var isSerial: Bool { identity == Self.mainIdentity }

    /// Enqueues a block that runs the job; for the main queue, submits the job to ``DispatchExecutor/main``.
    public func submit(_ job: PromiseJob) {
        if isSerial { DispatchExecutor.main.submit(job) } else { async { job.run() } }
    }
}
