import CChainRuntime

/// A pool of threads: the default executor.
///
/// Order: none is promised between jobs; a worker takes its own in the order in which they became ready. What a handler
/// makes ready goes to the worker that ran it, which runs it without a hop before it asks for more, up to 61 in a row;
/// a worker that has nothing steals half of another's. So nothing starves, and 100,000 ready handlers start no thread.
/// Threads start with the first job and end when the pool is released.
public final class PoolExecutor: PromiseExecutor {
    /// The process's default pool: as many threads as processors, at least 2.
    public static let shared = PoolExecutor(name: "worker", width: max(2, processorCount))

    /// The pool's name and number.
    public let identity: ExecutorIdentity
    private let core: PoolCore

    /// How many threads it has.
    public var width: Int { core.width }

    /// Makes a pool of `width` threads (1 to 1,024), named `NAME-1` and so on.
    public init(name: String, width: Int) {
        precondition((1...1024).contains(width), "a pool has 1 to 1,024 threads, not \(width)")
        identity = ExecutorIdentity(name: name)
        core = PoolCore(name: name, width: width)
    }

    deinit { core.stop() }

    /// Queues the job: at the calling worker where it is one of this pool's, else for whichever is free.
    public func submit(_ job: Job) { core.submit(job) }

    /// Runs `body`, which will block its thread, and where that thread is a pool's worker has another one stand in for it
    /// meanwhile (RUNTIME E2). Elsewhere it only runs `body`. May be nested.
    package static func blocking<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let pointer = chain_thread_current().pointee.worker else { return try body() }
        let core = Unmanaged<PoolCore>.fromOpaque(pointer).takeUnretainedValue()
        let standIn = core.standIn()
        defer { standIn?.end() }
        return try body()
    }
}

/// Serves a pool until the worker that it stands in for goes on.
private final class StandIn: Sendable {
    let isEnded = Lock(false)
    let core: PoolCore

    init(_ core: PoolCore) { self.core = core }

    func end() {
        isEnded.withLock { $0 = true }
        core.wakeAll()
    }
}

/// The pool's threads share this; the pool itself is the handle that the program holds.
private final class PoolCore: Sendable {
    let width: Int
    private let name: String
    private let workers: [Worker]
    // What came from outside of the pool.
    private let injected = Lock(JobQueue())
    private let parking = Condition()
    private let parked: ParkedState

    // Sendable: reached only under the lock of `parking`.
    private final class ParkedState: @unchecked Sendable {
        var sleepingCount = 0
        var isStarted = false
        var isStopped = false
        var standInCount = 0
        // Counts submissions, so that a worker which found nothing does not sleep over one that came meanwhile.
        var submissionCount = 0
    }

    // Sendable: `jobs` is behind its lock.
    final class Worker: Sendable {
        let jobs = Lock(JobQueue())
    }

    init(name: String, width: Int) {
        self.name = name
        self.width = width
        workers = (0..<width).map { _ in Worker() }
        parked = ParkedState()
    }

    func submit(_ job: Job) {
        if let worker = ThreadLoop.current.worker(of: self) as? Worker {
            worker.jobs.withLock { $0.append(job) }
        } else {
            injected.withLock { $0.append(job) }
        }
        let startsNow = parking.withLock {
            parked.submissionCount &+= 1
            if parked.sleepingCount > 0 { parking.signal() }
            defer { parked.isStarted = true }
            return !parked.isStarted
        }
        if startsNow { start() }
    }

    private func start() {
        for index in 0..<width {
            let started = startThread { [self] in
                chain_thread_set_name("\(name)-\(index + 1)")
                serve(index)
            }
            precondition(started || index > 0, "the system has no thread left for the pool \(name)")
        }
    }

    /// Starts a thread that runs what nobody else does; nil where 64 do already or the system has none left.
    func standIn() -> StandIn? {
        let mayStart = parking.withLock {
            guard parked.standInCount < 64, !parked.isStopped else { return false }
            parked.standInCount += 1
            return true
        }
        guard mayStart else { return nil }
        let standIn = StandIn(self)
        let started = startThread { [self] in
            chain_thread_set_name("\(name)-extra")
            chain_thread_current().pointee.worker = Unmanaged.passUnretained(self).toOpaque()
            while !standIn.isEnded.withLock({ $0 }) {
                let seen = parking.withLock { parked.submissionCount }
                if let job = injected.withLock({ $0.popFirst() }) ?? steal(for: nil) {
                    ThreadLoop.current.run(job)
                } else if !sleep(unlessAfter: seen) {
                    break
                }
            }
            parking.withLock { parked.standInCount -= 1 }
        }
        if !started { parking.withLock { parked.standInCount -= 1 } }
        return started ? standIn : nil
    }

    func wakeAll() {
        parking.withLock {
            parked.submissionCount &+= 1
            parking.broadcast()
        }
    }

    func stop() {
        parking.withLock {
            parked.isStopped = true
            parking.broadcast()
        }
    }

    private func serve(_ index: Int) {
        let worker = workers[index]
        let loop = ThreadLoop.current
        loop.enterPool(self, worker)
        chain_thread_current().pointee.worker = Unmanaged.passUnretained(self).toOpaque()
        var turn = 0
        while true {
            let seen = parking.withLock { parked.submissionCount }
            // Now and then what came from outside goes first, so that a busy worker does not starve it.
            turn &+= 1
            let job =
                (turn % 61 == 0 ? injected.withLock { $0.popFirst() } : nil)
                ?? worker.jobs.withLock { $0.popFirst() }
                ?? injected.withLock { $0.popFirst() }
                ?? steal(for: index)
            if let job {
                loop.run(job)
            } else if !sleep(unlessAfter: seen) {
                break
            }
        }
        loop.leavePool()
    }

    /// Waits for a submission after number `seen`; false where the pool has ended.
    private func sleep(unlessAfter seen: Int) -> Bool {
        parking.withLock {
            while parked.submissionCount == seen {
                if parked.isStopped { return false }
                parked.sleepingCount += 1
                parking.wait()
                parked.sleepingCount -= 1
            }
            return true
        }
    }

    /// Takes half of what another worker has waiting, a stand-in one job; gives the first of it.
    private func steal(for thief: Int?) -> Job? {
        for offset in 0..<width where thief == nil || offset > 0 {
            let victim = workers[((thief ?? 0) + offset) % width]
            var loot = victim.jobs.withLock { jobs in
                var loot = JobQueue()
                for _ in 0..<(thief == nil ? 1 : (jobs.count + 1) / 2) { jobs.popFirst().map { loot.append($0) } }
                return loot
            }
            guard let first = loot.popFirst() else { continue }
            if let thief, !loot.isEmpty {
                workers[thief].jobs.withLock { jobs in while let job = loot.popFirst() { jobs.append(job) } }
            }
            return first
        }
        return nil
    }
}
