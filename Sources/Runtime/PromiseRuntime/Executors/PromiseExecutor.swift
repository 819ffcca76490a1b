// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// A runner of handlers (<doc:TheRules>, E1). It can be used without promises: `executor.execute { … }`.
///
/// An implementation calls ``PromiseJob/run()`` of each job once, later, with a clean stack: never inside
/// ``submit(_:)``, which may be called from any thread and must not block. Only the ``InlineExecutor`` may run a job
/// inside ``submit(_:)``. An executor that ends with jobs left calls ``PromiseJob/discard()`` of each, so that nothing
/// waits for these jobs for ever. A job that is dropped without either call is discarded when its last copy is
/// released.
///
/// The documentation of each executor states its order and fairness, the cost of a hop to it, and how many threads it
/// starts (<doc:TheRules>, E3).
public protocol PromiseExecutor: AnyObject, Sendable {
    /// The executor's name, and the number that identifies it in events.
    var identity: ExecutorIdentity { get }

    /// Whether the executor runs one job at a time. If a job of such an executor waited for another job of the same
    /// executor, the wait would never end: such a wait is refused (<doc:TheRules>, C4). False by default.
    var isSerial: Bool { get }

    /// Whether the calling thread runs a job of this executor, at any depth. A serial executor that knows this refuses
    /// waits also in inline handlers and in plain work on its thread, not only in its own handlers. False by default.
    var isServedHere: Bool { get }

    /// Queues a job, to run later, once. May be called from any thread, also within a job; must neither block nor run
    /// the job before it returns.
    func submit(_ job: PromiseJob)
}

extension PromiseExecutor {
    /// False.
    public var isSerial: Bool { false }
    /// False.
    public var isServedHere: Bool { false }
}

extension PromiseExecutor {
    /// Runs `work` like a handler: in this executor's order, on its threads.
    public func execute(_ work: @escaping @Sendable () -> Void) { submit(PromiseJob(work)) }
}

/// The name of an executor and its number within the process.
public struct ExecutorIdentity: Hashable, Sendable {
    /// The name that is shown.
    public let name: String
    /// The number, from 1. All executors beyond the first 65,535 share the number 0.
    public let id: ExecutorID

    /// Allocates a number, which is kept with the name until the process ends: make one identity per executor, not one
    /// per job.
    public init(name: String) {
        self.name = name
        id = ExecutorNames.register(name)
    }
}

/// The names of the process's executors, by number.
package enum ExecutorNames {
    static let names = Lock<[String]>([])

    fileprivate static func register(_ name: String) -> ExecutorID {
        names.withLock { names in
            guard names.count < Int(ExecutorID.max) else { return 0 }
            names.append(name)
            return ExecutorID(names.count)
        }
    }

    /// Returns the name of the executor with that number, or nil if there is none.
    package static func name(of id: ExecutorID) -> String? {
        names.withLock { $0.indices.contains(Int(id) - 1) ? $0[Int(id) - 1] : nil }
    }
}
