import ChainEvents

/// Runs handlers (<doc:TheRules>, E1). Usable alone: `executor.execute { … }`.
///
/// An implementation calls ``PromiseJob/run()`` of each job once, later, with a clean stack: never inside ``submit(_:)``, which
/// may be called from any thread and must not block. One that ends with jobs left calls ``PromiseJob/discard()`` of each, so
/// that nothing waits for them for ever; a job that is dropped without either is discarded when its last copy is released.
///
/// Each says in its documentation what order and fairness it promises, what a hop to it costs, and how many threads it
/// starts (<doc:TheRules>, E3).
public protocol PromiseExecutor: AnyObject, Sendable {
    /// Its name, and the number by which events tell it.
    var identity: ExecutorIdentity { get }

    /// Whether it runs one job at a time, so that a job which blocks until another one has run does so for ever: such a
    /// wait is refused (TheRules, C4). False unless an executor says otherwise.
    var isSerial: Bool { get }

    /// Takes a job to run, later, once. From any thread, also within a job; must not block, nor run it before it returns.
    func submit(_ job: PromiseJob)
}

extension PromiseExecutor {
    /// False.
    public var isSerial: Bool { false }
}

extension PromiseExecutor {
    /// Runs `work` as a handler would be run: in this executor's order, on its threads.
    public func execute(_ work: @escaping @Sendable () -> Void) { submit(PromiseJob(work)) }
}

/// The name of an executor and its number within the process.
public struct ExecutorIdentity: Hashable, Sendable {
    /// As it is shown.
    public let name: String
    /// From 1; 0 once 65,535 executors were made, which are then not told apart.
    public let id: ExecutorID

    /// Gives out a number, kept with the name for as long as the process runs: make one an executor, not one a job.
    public init(name: String) {
        self.name = name
        id = ExecutorNames.register(name)
    }
}

/// The names of the process's executors, by number.
public enum ExecutorNames {
    static let names = Lock<[String]>([])

    fileprivate static func register(_ name: String) -> ExecutorID {
        names.withLock { names in
            guard names.count < Int(ExecutorID.max) else { return 0 }
            names.append(name)
            return ExecutorID(names.count)
        }
    }

    /// The name of the executor of that number, or nil where there is none.
    public static func name(of id: ExecutorID) -> String? {
        names.withLock { $0.indices.contains(Int(id) - 1) ? $0[Int(id) - 1] : nil }
    }
}
