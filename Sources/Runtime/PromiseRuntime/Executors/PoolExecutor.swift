// SPDX-License-Identifier: MIT

import ChainSystem

/// A pool of threads: the default executor.
///
/// - Order: none is promised between jobs; a worker runs its local jobs in the order in which they became ready.
/// - Fairness: jobs that a handler makes ready go to its worker's local queue. After 61 local jobs in a row the worker
///   looks at the jobs from outside first. A worker without local jobs takes a share of the jobs from outside, or
///   steals half of another worker's local jobs, 8 at most. The only job in a local queue is not stolen unless the
///   queue's worker waits, or is found in one long handler. So no job starves while there is a worker to run it.
/// - Cost of a hop: between handlers on one worker about 30 ns, no system call; from outside the cost is the same, plus
///   a wake-up (some microseconds) if a worker sleeps.
/// - Blocking: a worker is *blocked* if its handler has used next to no processor time for 100 ms, and waits. The block
///   is reported once per handler, as an event and to ``onBlocked``. Another thread takes the worker's place, up to 64
///   such threads in a pool. Beyond that limit, ready jobs wait until a handler ends. A worker that waits for a promise
///   with `get` or `await` is replaced at once, without the watch. The last thread that could run anything is refused
///   such a wait if the promise needs the pool (``RefusedWaitError``).
/// - Watching: one thread of the process, the watch, checks all pools. It does so every 10 ms while a runtime is
///   recorded, a pool has ``onBlocked``, or some handler is long. Otherwise the interval grows to a second. Checks of a
///   pool stop after a second in which it ran nothing. With the longer interval a block, or a job that waits behind a
///   long handler, is found up to a second later.
/// - Threads: started on demand, up to the width; 100,000 ready handlers start no more threads, unless workers are
///   blocked. A thread ends after 10 s without a job. All threads end when the pool is released and the ready jobs have
///   run.
/// - Signals: a thread has the signal mask of the thread that started it. A program that takes signals with `sigwait`
///   or `signalfd` blocks them before its first promise.
/// - Forks: in a child the pool is empty and starts its own threads; jobs of the parent stay in the parent, and
///   ``onBlocked`` is nil. A handler that forks must not return in the child.
public final class PoolExecutor: PromiseExecutor, ForkRenewable, @unchecked Sendable {
    // Sendable: `core` is replaced only in a child of a fork, while the child has one thread.
    /// The process's default pool: as many threads as processors, at least 2.
    public static let shared = PoolExecutor(name: "worker", width: max(2, SystemThread.processorCount))

    // Owned. Unchecked: written by the only thread of a child.
    @exclusivity(unchecked)
    private var coreReference: Unmanaged<PoolCore>

    // `submit` uses `coreReference` directly, because counting references would cost more than queueing.
    private var core: PoolCore { coreReference.takeUnretainedValue() }

    /// The pool's name and number.
    public let identity: ExecutorIdentity

    /// The maximum number of threads that run handlers at the same time; blocked threads do not count.
    public var width: Int { core.width }

    /// Makes a pool of the given width (1 to 1,024); its threads are named `NAME-1` and so on.
    public convenience init(name: String, width: Int) { self.init(name: name, width: width, policy: PoolPolicy()) }

    /// Makes a pool as ``init(name:width:)`` does, with the limits and clocks of a test.
    package init(name: String, width: Int, policy: PoolPolicy) {
        precondition((1...1024).contains(width), "the width of a pool must be 1 to 1,024, not \(width)")
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

    /// Queues the job: at the calling worker if that worker belongs to this pool, otherwise for any worker. About
    /// 30 ns.
    public func submit(_ job: PromiseJob) { coreReference._withUnsafeGuaranteedRef { $0.submit(job) } }

    /// Called on the watch's thread when a worker is found blocked, once per handler. Nil: nothing is called. It must
    /// be short, because nothing is watched while it runs.
    public var onBlocked: (@Sendable (BlockedWorker) -> Void)? {
        get { core.onBlocked.withLock { $0 } }
        set { _ = core.onBlocked.withLock { exchange(&$0, with: newValue) } }
    }

    /// Runs `body`, which will block its thread. If that thread is a pool's worker, another thread may take the
    /// worker's place at once, not only when the watch finds it blocked (TheRules, E2). On any other thread it only
    /// runs `body`. May be nested; costs about 100 ns, and a wake-up if jobs wait.
    package static func blocking<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let worker = PoolWorker.current?.takeUnretainedValue(), let core = worker.core?.takeUnretainedValue()
        else { return try body() }
        _ = core.beginBlocking(worker, evenIfLast: true)
        defer { core.endBlocking(worker) }
        return try body()
    }

    /// Works as ``blocking(_:)``, unless no thread of the pool would be left to run jobs: then returns nil without
    /// running `body`.
    static func blockingUnlessLast<Result>(_ body: () -> Result) -> Result? {
        guard let worker = PoolWorker.current?.takeUnretainedValue(), let core = worker.core?.takeUnretainedValue()
        else { return body() }
        guard core.beginBlocking(worker, evenIfLast: false) else { return nil }
        defer { core.endBlocking(worker) }
        return body()
    }

    /// Whether the calling thread is a worker of this pool.
    public var isServedHere: Bool {
        guard let worker = PoolWorker.current else { return false }
        return worker._withUnsafeGuaranteedRef { $0.core?.toOpaque() } == coreReference.toOpaque()
    }

    /// Checks each worker once, as the watch does.
    package func checkBlocks() { _ = core.checkBlocks(after: 0) }

    /// The numbers of all threads, of sleeping threads, and of threads counted as blocked.
    package var threadCounts: (live: Int, sleeping: Int, blocked: Int) {
        let counts = core.currentCounts
        return (counts.live, counts.sleeping, counts.blocked)
    }
}
