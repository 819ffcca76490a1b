/// A pool of threads: the default executor.
///
/// - Order: none is promised between jobs; a worker takes its own in the order in which they became ready.
/// - Fairness: what a handler makes ready goes to the worker that ran it, which runs it before it asks for more; after
///   61 in a row it takes what came from outside first. A worker that has nothing takes its share of what came from
///   outside, or half of what another has waiting, 8 at most. The only job that waits at a worker is that worker's
///   own, unless the worker is seen to be in one long handler. So nothing starves that has a worker to run it.
/// - Cost of a hop: between handlers on one worker about 30 ns, no system call; from outside the same, but for a wake-up
///   (some microseconds) where a worker sleeps.
/// - Blocking: a worker whose handler has used no processor for 100 ms, and waits, is *blocked*: an event and
///   ``onBlocked`` tell of it, once a handler, and another thread stands in for it, 64 in a pool at most. With those
///   used up, what is ready waits until a handler ends. Handlers that wait for promises with `get` are stood in for at
///   once, without being watched; the last thread that could run anything is refused such a wait (``AwaitMisuse``).
/// - Watching: one thread of the process looks at all pools. While a runtime is recorded, for a pool with ``onBlocked``,
///   and as long as some handler is long, it looks every 10 ms. Otherwise it looks ever more rarely, in the end once a
///   second, and not at all after a second in which nothing ran: so a block, or a job that waits behind a long handler,
///   is seen up to a second later there.
/// - Threads: started as there is need, up to the width; 100,000 ready handlers start no more. One that has had nothing
///   to do for 10 s ends, as all do when the pool is released and what was ready has run.
/// - Forks: in a child the pool is empty and starts threads of its own; jobs of the parent stay there, and ``onBlocked``
///   is nil. A handler that forks must not return in the child.
public final class PoolExecutor: PromiseExecutor, ForkRenewable, @unchecked Sendable {
    // Sendable: `core` is replaced only in a child of a fork, while that has one thread.
    /// The process's default pool: as many threads as processors, at least 2.
    public static let shared = PoolExecutor(name: "worker", width: max(2, processorCount))

    // Owned. Unchecked: written by the one thread of a child alone.
    @exclusivity(unchecked)
    private var coreReference: Unmanaged<PoolCore>

    // By `coreReference` on the path of a job, where counting references would cost more than queueing does.
    private var core: PoolCore { coreReference.takeUnretainedValue() }

    /// The pool's name and number.
    public let identity: ExecutorIdentity

    /// How many of its threads run handlers at the same time; those that are blocked do not count.
    public var width: Int { core.width }

    /// Makes a pool of `width` threads (1 to 1,024), named `NAME-1` and so on.
    public convenience init(name: String, width: Int) { self.init(name: name, width: width, policy: PoolPolicy()) }

    /// As ``init(name:width:)``, with limits and clocks of a test's.
    package init(name: String, width: Int, policy: PoolPolicy) {
        precondition((1...1024).contains(width), "a pool has 1 to 1,024 threads, not \(width)")
        identity = ExecutorIdentity(name: name)
        coreReference = .passRetained(PoolCore(identity: identity, width: width, policy: policy))
        ForkHandling.insert(self)
    }

    deinit {
        ForkHandling.remove(self)
        core.stop()
        coreReference.release()
    }

    func renewInChild() {
        coreReference = .passRetained(PoolCore(identity: identity, width: width, policy: core.policy))
    }

    /// Queues the job: at the calling worker where it is one of this pool's, else for whichever is free. About 30 ns.
    public func submit(_ job: PromiseJob) { coreReference._withUnsafeGuaranteedRef { $0.submit(job) } }

    /// Called, on the thread that watches over workers, when one is seen blocked, once a handler. Nil: nothing is called.
    /// It must be short: while it runs nothing is watched.
    public var onBlocked: (@Sendable (BlockedWorker) -> Void)? {
        get { core.onBlocked.withLock { $0 } }
        set { _ = core.onBlocked.withLock { exchange(&$0, with: newValue) } }
    }

    /// Runs `body`, which will block its thread; where that thread is a pool's worker, another may stand in for it
    /// meanwhile, at once, not only when it is seen to be blocked (TheRules, E2). Elsewhere it only runs `body`. May be
    /// nested; costs about 100 ns, and a wake-up where something waits to be run.
    package static func blocking<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let worker = PoolWorker.current?.takeUnretainedValue(), let core = worker.core?.takeUnretainedValue()
        else { return try body() }
        _ = core.beginBlocking(worker, evenIfLast: true)
        defer { core.endBlocking(worker) }
        return try body()
    }

    /// As ``blocking(_:)``; nil, and `body` does not run, where no thread of the pool would be left to run anything.
    static func blockingUnlessLast<Result>(_ body: () -> Result) -> Result? {
        guard let worker = PoolWorker.current?.takeUnretainedValue(), let core = worker.core?.takeUnretainedValue()
        else { return body() }
        guard core.beginBlocking(worker, evenIfLast: false) else { return nil }
        defer { core.endBlocking(worker) }
        return body()
    }

    /// Whether the calling thread is a worker of this pool.
    var isServedHere: Bool {
        guard let worker = PoolWorker.current else { return false }
        return worker._withUnsafeGuaranteedRef { $0.core?.toOpaque() } == coreReference.toOpaque()
    }

    /// Looks at each worker once, as the thread does that watches over pools.
    package func checkBlocks() { _ = core.checkBlocks(after: 0) }

    /// How many threads there are, of them those without anything to do, and those counted as blocked.
    package var threadCounts: (live: Int, sleeping: Int, blocked: Int) {
        let counts = core.currentCounts
        return (counts.live, counts.sleeping, counts.blocked)
    }
}
