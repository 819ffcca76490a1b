// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import Synchronization

/// A worker of a pool that was found blocked by the watch, the thread that checks the workers of all pools
/// (<doc:TheRules>, E2).
public struct BlockedWorker: Sendable {
    /// The promise of the handler that runs on the worker; none for a plain closure.
    public var node: NodeID
    /// The pool.
    public var executor: ExecutorIdentity
    /// The kernel's id of the worker's thread.
    public var thread: ThreadID
    /// The time for which the worker has used next to no processor time.
    public var duration: Duration
    /// Whether another thread has taken or may take the worker's place. False if fewer threads than the pool's width
    /// are active, none sleeps, and none can be started.
    public var isCompensated: Bool
}

/// The interval between two checks of the watch, in nanoseconds. The interval is short while a recorder runs, a pool
/// has ``PoolExecutor/onBlocked``, or a handler is long. Otherwise it doubles (exponential back-off), so that a program
/// of short handlers is hardly woken. One short interval follows a check that saw a new job, to find out whether that
/// job is long.
package struct WatchPace {
    /// The shortest and the longest interval, in nanoseconds.
    package static let shortest: UInt64 = 10_000_000, longest: UInt64 = 1_000_000_000

    /// The result of a check.
    package enum Finding: Int, Comparable {
        /// No worker was in a job.
        case quiet
        /// A worker was in another job than at the last check.
        case busy
        /// A worker was in the same job as at the last check.
        case stuck

        /// The later case is the more urgent one.
        package static func < (one: Finding, other: Finding) -> Bool { one.rawValue < other.rawValue }
    }

    /// The interval until the next check.
    package private(set) var interval = shortest
    /// The interval while `isProbing` is false. Doubled after each check that found neither a long job nor a reason to
    /// probe.
    private var restInterval = shortest
    /// Whether the next check comes after the shortest interval, because a job was seen that may be long.
    private var isProbing = false

    /// Begins with the shortest interval.
    package init() {}

    /// Updates the interval after a check.
    package mutating func update(after finding: Finding, isRequested: Bool) {
        if isRequested || finding == .stuck {
            (restInterval, isProbing) = (Self.shortest, false)
        } else if finding == .busy, !isProbing {
            // The next check shows whether that job is a long one.
            isProbing = true
        } else {
            (restInterval, isProbing) = (min(restInterval * 2, Self.longest), false)
        }
        interval = isProbing ? Self.shortest : restInterval
    }
}

/// The watch: a thread that checks the workers of all pools at intervals, and sleeps while no pool is used.
final class BlockMonitor: ForkRenewable, @unchecked Sendable {
    // Sendable: `watch` is replaced only in a child of a fork, while the child has one thread.
    static let shared = BlockMonitor()

    // Unchecked: written by the only thread of a child.
    @exclusivity(unchecked)
    private var watch = Watch()

    /// The pools that are checked, and whether there is a thread for that.
    final class Watch: @unchecked Sendable {
        // Sendable: mutable state is accessed under the lock of `condition` alone.
        fileprivate let condition = Condition()
        fileprivate var pools: [PoolCore] = []
        private var isStarted = false

        /// Adds a pool. Unless the thread was started, calls `start`; if that returns false, no pool is watched.
        func insert(_ core: PoolCore, start: () -> Bool) {
            let startsNow = condition.withLock {
                if pools.isEmpty { condition.signal() }
                pools.append(core)
                defer { isStarted = true }
                return !isStarted
            }
            if !startsNow || start() { return }
            // Without the thread no block is found; everything else works. The next worker that wakes up tries again.
            let unwatched = condition.withLock {
                isStarted = false
                return exchange(&pools, with: [])
            }
            // Not only `core`, because other pools may have been added meanwhile.
            for pool in unwatched { pool.endWatching() }
        }
    }

    private init() { ForkHandling.insert(self) }

    func renewInChild() {
        _ = Unmanaged.passRetained(watch)
        watch = Watch()
    }

    /// Checks a pool from now on, until the pool has been idle for a second.
    func watch(_ core: PoolCore) {
        let watch = watch
        watch.insert(core) { SystemThread.detached("chain-watch", signals: .inherited) { Self.serve(watch) } }
    }

    private static func serve(_ watch: Watch) {
        var pace = WatchPace()
        while true {
            let interval = pace.interval
            let pools = watch.condition.withLock {
                while watch.pools.isEmpty { watch.condition.wait() }
                // Only the first pool that is added signals, so this wait lasts for the interval.
                watch.condition.wait(nanoseconds: interval)
                return watch.pools
            }
            var finding = WatchPace.Finding.quiet
            var isRequested = RecordedRuntimes.isAnyRecorded
            for pool in pools {
                if pool.onBlocked.withLock({ $0 != nil }) { isRequested = true }
                let (seen, continues) = pool.checkBlocks(after: interval)
                finding = max(finding, seen)
                if !continues { drop(pool, from: watch) }
            }
            pace.update(after: finding, isRequested: isRequested)
        }
    }

    /// Removes one entry of the pool. Only one, because a worker may have added the pool again since the check.
    private static func drop(_ pool: PoolCore, from watch: Watch) {
        let dropped = watch.condition.withLock {
            watch.pools.firstIndex { $0 === pool }.map { watch.pools.remove(at: $0) }
        }
        _ = dropped
    }
}

extension PoolCore {
    /// The idle time after which the pool is no longer watched.
    private static let idleLimit: UInt64 = 1_000_000_000

    /// Marks the pool as used; returns true if the caller has to start watching it. Called under the pool's lock.
    func watch() -> Bool {
        parkingState.wasUsed = true
        guard policy.isWatched, !parkingState.isWatched else { return false }
        parkingState.isWatched = true
        return true
    }

    /// Notes that the watch does not check the pool after all.
    func endWatching() { parking.withLock { parkingState.isWatched = false } }

    /// A worker that was awake at a check, and its progress at that check.
    private struct Awake {
        let worker: PoolWorker
        let thread: PoolThread
        let progress: UInt64
    }

    /// Checks each worker that is awake, `interval` nanoseconds after the last check. After the check, other workers
    /// may steal the last job of a worker that is stuck in a long job. A blocked worker is counted as blocked, so that
    /// another thread may take its place, and is reported once per job. `continues` is false if the pool has been idle
    /// for `idleLimit`.
    func checkBlocks(after interval: UInt64) -> (finding: WatchPace.Finding, continues: Bool) {
        let (awake, continues) = parking.withLock { (awakeWorkers(), noteIdleness(after: interval)) }
        if awake.isEmpty { return (.quiet, continues) }
        // Without the pool's lock, because this makes system calls.
        let verdicts = detectors.withLock { detectors in awake.map { check($0, with: &detectors[$0.worker.index]) } }
        let news = parking.withLock { zip(awake, verdicts).compactMap { apply($1, to: $0) } }
        restoreThreadLimit()
        if needsThread(currentCounts), hasWork() { wakeOrSpawn() }
        for blocked in news { report(blocked) }
        var finding = WatchPace.Finding.quiet
        for (awake, verdict) in zip(awake, verdicts) where awake.progress & 1 == 1 {
            finding = max(finding, verdict == .moves ? .busy : .stuck)
        }
        return (finding, continues)
    }

    private func awakeWorkers() -> [Awake] {
        workers[..<usedWorkerCount.load(ordering: .relaxed)].compactMap { worker in
            guard let thread = worker.thread, !worker.isSleeping else { return nil }
            return Awake(worker: worker, thread: thread, progress: worker.progress.load(ordering: .relaxed))
        }
    }

    /// Updates the idle time; false if the pool has been idle for `idleLimit`. Called under the pool's lock.
    private func noteIdleness(after interval: UInt64) -> Bool {
        let counts = currentCounts
        parkingState.idleTime =
            parkingState.wasUsed || counts.live > counts.sleeping ? 0 : parkingState.idleTime &+ interval
        parkingState.wasUsed = false
        if parkingState.idleTime >= Self.idleLimit { parkingState.isWatched = false }
        return parkingState.isWatched
    }

    private func check(_ awake: Awake, with detector: inout BlockDetector) -> BlockDetector.Verdict {
        detector.check(
            thread: awake.thread.id, progress: awake.progress, now: policy.probe.now(),
            limit: policy.blockLimit.clampedNanoseconds, used: { policy.probe.cpuTime(awake.thread) },
            isWaiting: { policy.probe.isWaiting(awake.thread) })
    }

    /// Applies the verdict of a check; returns the worker if it is newly blocked. Called under the pool's lock.
    private func apply(_ verdict: BlockDetector.Verdict, to awake: Awake) -> BlockedWorker? {
        let worker = awake.worker
        guard worker.thread?.id == awake.thread.id, !worker.isSleeping else { return nil }
        // Read before the progress, so that the next job's node is not reported.
        let node = NodeID(chain_thread_node_id(awake.thread.record))
        atomicMemoryFence(ordering: .acquiring)
        // A worker that has begun another job since the check counts as moving, whatever the verdict on the earlier job
        // was.
        let verdict = worker.progress.load(ordering: .relaxed) == awake.progress ? verdict : .moves
        worker.isLastJobStealable.store(verdict != .moves || worker.isBlocking, ordering: .relaxed)
        if case .blocked(let nanoseconds, let isNew) = verdict {
            countBlocked(worker)
            return isNew ? blocked(awake.thread, node, nanoseconds) : nil
        }
        if !worker.isBlocking { uncountBlocked(worker) }
        return nil
    }

    private func blocked(_ thread: PoolThread, _ node: NodeID, _ nanoseconds: UInt64) -> BlockedWorker {
        let counts = currentCounts
        return BlockedWorker(
            node: node, executor: identity, thread: thread.id, duration: .nanoseconds(Int64(clamping: nanoseconds)),
            isCompensated: counts.active < width ? counts.sleeping > 0 || mayStart(counts) : true)
    }

    /// Records an event if the runtime of the node is recorded, and calls the pool's hook.
    private func report(_ blocked: BlockedWorker) {
        RecordedRuntimes.report(blocked)
        onBlocked.withLock { $0 }?(blocked)
    }
}
