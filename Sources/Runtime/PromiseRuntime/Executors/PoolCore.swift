// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem
import Synchronization

/// The state that a pool's threads share; ``PoolExecutor`` is the program's handle.
///
/// A job that a worker makes ready goes to that worker's local queue; any other job goes to a shard, one of four shared
/// queues, by a hash of the submitting thread. A worker takes jobs from its local queue. If that is empty, the worker
/// takes a batch from a shard, or steals half of another worker's queue; if it finds no job, it sleeps. No sleeper is
/// woken while a worker searches. The last worker to end its search checks whether more workers are needed.
final class PoolCore: Sendable {
    let identity: ExecutorIdentity
    let width: Int
    let policy: PoolPolicy
    /// A worker for each possible thread; workers beyond the width compensate for blocked workers.
    let workers: [PoolWorker]
    /// The ``PoolCounts``.
    let counts = Atomic<UInt64>(0)
    /// The pool's lock, and the condition on which workers sleep.
    let parking = Condition()
    let parkingState = ParkingState()
    let onBlocked = Lock<(@Sendable (BlockedWorker) -> Void)?>(nil)

    private let shards = (0..<PoolCore.shardCount).map { _ in JobShard() }
    // One past the highest index of a worker that ever had a thread.
    let usedWorkerCount = Atomic<Int>(0)
    // The limit of threads, including threads that compensate for blocked workers. It is lowered while the system has
    // no thread left.
    private let threadLimit: Atomic<Int>

    private static let shardCount = 4
    // The number of local jobs in a row after which a worker looks at the shards first.
    private static let budget: UInt64 = 61
    // The number of searches, with yields in between, after which a worker that found nothing sleeps.
    private static let searchCount = 8

    /// The state under the lock of `parking`.
    final class ParkingState: @unchecked Sendable {
        // Sendable: accessed only under that lock.
        /// The number of sleepers that were signalled and have not woken yet.
        var wakeTokens = 0
        var isStopped = false
        /// The number of workers that wait inside a handler by `get` or `await`.
        var waitingCount = 0
        /// Whether the watch (``BlockMonitor``, which looks for blocked workers) checks the pool.
        var isWatched = false
        /// Whether a worker began to work since the watch's last check.
        var wasUsed = false
        /// The time for which checks found no working worker, in nanoseconds.
        var idleTime: UInt64 = 0
    }

    /// The watch's detector of each worker, by the worker's index. The lock admits one check at a time.
    let detectors: Lock<[BlockDetector]>

    init(identity: ExecutorIdentity, width: Int, policy: PoolPolicy) {
        self.identity = identity
        self.width = width
        self.policy = policy
        detectors = Lock(Array(repeating: BlockDetector(), count: width + policy.extraLimit))
        threadLimit = Atomic(width + policy.extraLimit)
        workers = (0..<width + policy.extraLimit).map { PoolWorker(index: $0) }
    }

    // MARK: Submitting

    func submit(_ job: PromiseJob) {
        let thread = chain_thread_current()!
        if let pointer = thread.pointee.worker {
            let isQueued = Unmanaged<PoolWorker>.fromOpaque(pointer)._withUnsafeGuaranteedRef { worker in
                guard worker.core?.toOpaque() == Unmanaged.passUnretained(self).toOpaque() else { return false }
                let (count, counts) = worker.append(job, reading: self.counts)
                // Stealing the only job gains nothing, because the worker itself runs it next.
                if count > 1 || worker.blockingDepth > 0, needsThread(counts) { wakeOrSpawn() }
                return true
            }
            if isQueued { return }
        }
        // Hashed without the low bits, because thread records are some kilobytes apart.
        let hash = (UInt(bitPattern: thread) >> 6) &* 0x9E37_79B9_7F4A_7C15
        let (_, counts) = shards[Int(hash >> 62)].append(job, reading: self.counts)
        if needsThread(counts) { wakeOrSpawn() }
    }

    @inline(__always)
    func needsThread(_ counts: PoolCounts) -> Bool {
        counts.needsThread(width: width, limit: threadLimit.load(ordering: .relaxed))
    }

    /// Lets the pool try again to start threads after the system had no thread left.
    func restoreThreadLimit() { threadLimit.store(workers.count, ordering: .relaxed) }

    func mayStart(_ counts: PoolCounts) -> Bool { counts.live < threadLimit.load(ordering: .relaxed) }

    var currentCounts: PoolCounts { PoolCounts(rawValue: counts.load(ordering: .relaxed)) }

    /// Wakes or starts one thread, if a thread is still needed.
    func wakeOrSpawn() {
        let worker: PoolWorker? = parking.withLock {
            let counts = currentCounts
            guard needsThread(counts) else { return nil }
            if counts.sleeping > 0 {
                self.counts.wrappingAdd(PoolCounts.searching &- PoolCounts.sleeping, ordering: .relaxed)
                parkingState.wakeTokens += 1
                parking.signal()
                return nil
            }
            guard let worker = workers.first(where: { !$0.isTaken }) else { return nil }
            worker.isTaken = true
            usedWorkerCount.store(max(usedWorkerCount.load(ordering: .relaxed), worker.index + 1), ordering: .relaxed)
            self.counts.wrappingAdd(PoolCounts.live + PoolCounts.searching, ordering: .relaxed)
            return worker
        }
        if let worker { start(worker) }
    }

    private func start(_ worker: PoolWorker) {
        let name = "\(identity.name)-\(worker.index + 1)"
        // Tries several times if no other thread would run the job.
        let started = SystemThread.retryStarting(while: { currentCounts.live == 1 }) {
            policy.hasThread() && SystemThread.detached(name, signals: .inherited) { [self] in serve(worker) }
        }
        if started { return }
        let left = parking.withLock {
            worker.isTaken = false
            counts.wrappingSubtract(PoolCounts.live + PoolCounts.searching, ordering: .relaxed)
            // Lowered until the watch's next check, because the system will not have a thread for the next job either.
            threadLimit.store(currentCounts.live, ordering: .relaxed)
            return currentCounts.live
        }
        precondition(left > 0, "the system has no thread left for the pool \(identity.name)")
        // Submitters woke no sleeping worker during the attempts, because this worker counted as searching.
        if needsThread(currentCounts), hasWork() { wakeOrSpawn() }
    }

    // MARK: A worker's life

    private func serve(_ worker: PoolWorker) {
        worker.core = .passUnretained(self)
        worker.isLastJobStealable.store(false, ordering: .relaxed)
        chain_thread_current().pointee.worker = Unmanaged.passUnretained(worker).toOpaque()
        let startsWatch = parking.withLock {
            worker.thread = PoolThread(index: worker.index)
            return watch()
        }
        if startsWatch { BlockMonitor.shared.watch(self) }
        let loop = ThreadLoop.current
        var isSearching = true
        while true {
            if let job = nextJob(for: worker, &isSearching) {
                worker.turn &+= 1
                worker.progress.store(worker.turn << 1 | 1, ordering: .relaxed)
                loop.run(job)
                worker.progress.store(worker.turn << 1, ordering: .relaxed)
            } else {
                if !sleep(worker, isSearching: isSearching) { break }
                isSearching = true
                continue
            }
            if currentCounts.active > width {
                // A blocked worker has resumed, so this worker leaves its jobs to the other workers.
                flushLocalQueue(worker)
                if countAsSleepingIfOverWidth(worker) {
                    if !sleep(worker, isSearching: nil) { break }
                    isSearching = true
                }
            }
        }
        chain_thread_current().pointee.worker = nil
    }

    private func nextJob(for worker: PoolWorker, _ isSearching: inout Bool) -> PromiseJob? {
        if !isSearching {
            // The shards go first at times, so that a busy worker does not starve them.
            if worker.turn % Self.budget == 0, let job = takeShared(worker) { return job }
            if let job = worker.popFirst() ?? takeShared(worker) ?? steal(worker) { return job }
            isSearching = true
            counts.wrappingAdd(PoolCounts.searching, ordering: .relaxed)
        }
        for _ in 0..<Self.searchCount {
            if let job = takeShared(worker) ?? steal(worker) {
                isSearching = false
                let left = counts.wrappingSubtract(PoolCounts.searching, ordering: .relaxed).newValue
                // A submitter woke no worker during this search, because this worker was searching.
                if needsThread(PoolCounts(rawValue: left)), hasWork() { wakeOrSpawn() }
                return job
            }
            SystemThread.yield()
        }
        return nil
    }

    /// Takes a share, at most a batch, of the jobs in a shard; returns the first job.
    private func takeShared(_ worker: PoolWorker) -> PromiseJob? {
        for offset in 0..<Self.shardCount {
            let shard = shards[(Int(truncatingIfNeeded: worker.turn) + offset) & (Self.shardCount - 1)]
            if let job = take(from: shard, oneIn: width, ifMoreThan: 0, for: worker) { return job }
        }
        return nil
    }

    /// Steals half, at most a batch, of another worker's jobs; returns the first job.
    private func steal(_ thief: PoolWorker) -> PromiseJob? {
        let count = usedWorkerCount.load(ordering: .relaxed)
        let start = thief.random()
        for offset in 0..<count {
            let victim = workers[(start &+ offset) % count]
            if victim === thief { continue }
            let kept = victim.isLastJobStealable.load(ordering: .relaxed) ? 0 : 1
            if let job = take(from: victim, oneIn: 2, ifMoreThan: kept, for: thief) { return job }
        }
        return nil
    }

    private func take(from shard: JobShard, oneIn share: Int, ifMoreThan kept: Int, for worker: PoolWorker)
        -> PromiseJob?
    {
        let count = shard.take(oneIn: share, limit: PoolWorker.batchLimit, ifMoreThan: kept, to: worker.buffer)
        guard count > 0 else { return nil }
        // Prefetched, because jobs of other threads are in no cache of this processor.
        for index in 0..<count { worker.buffer[index].prefetch() }
        let first = worker.buffer.move()
        if count > 1 { worker.append(count - 1, from: worker.buffer + 1) }
        return first
    }

    /// Moves a worker's local jobs to a shard.
    private func flushLocalQueue(_ worker: PoolWorker) {
        while true {
            let count = worker.take(oneIn: 1, limit: PoolWorker.batchLimit, ifMoreThan: 0, to: worker.buffer)
            if count == 0 { return }
            shards[worker.index & (Self.shardCount - 1)].append(count, from: worker.buffer)
        }
    }

    /// Returns whether there is a job that a free worker may take, checked under the locks of the queues.
    func hasWork() -> Bool {
        if shards.contains(where: { $0.hasMore(than: 0) }) { return true }
        return workers[..<usedWorkerCount.load(ordering: .relaxed)].contains {
            $0.hasMore(than: $0.isLastJobStealable.load(ordering: .relaxed) ? 0 : 1)
        }
    }
}
