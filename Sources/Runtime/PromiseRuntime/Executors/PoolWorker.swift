// SPDX-License-Identifier: MIT

import CChainRuntime
import Synchronization

/// A worker of a pool: the local queue of one thread, and what the watch (``BlockMonitor``, which looks for blocked
/// workers) reads of that thread. When the thread has ended, a later thread may reuse the worker.
final class PoolWorker: JobShard, @unchecked Sendable {
    // Sendable: the groups of fields below name the thread or the lock that accesses them.

    let index: Int
    /// Twice the number of jobs that were begun on this worker, plus one while a job runs: stored by the thread, read
    /// by the watch.
    let progress = Atomic<UInt64>(0)
    /// Whether other workers may steal the last job, too, because this worker's thread is held up, or the worker has no
    /// thread.
    let isLastJobStealable = Atomic<Bool>(true)

    // Accessed by its thread alone.
    /// The pool, which the thread keeps alive.
    @exclusivity(unchecked)
    var core: Unmanaged<PoolCore>?
    /// The number of jobs that were begun on this worker.
    @exclusivity(unchecked)
    var turn: UInt64 = 0
    /// The state of ``random()``.
    @exclusivity(unchecked)
    var seed: UInt32
    /// The number of nested calls of `PoolExecutor.blocking` and `blockingUnlessLast` that run.
    @exclusivity(unchecked)
    var blockingDepth = 0
    /// Holds the jobs that are being moved to this worker from another queue, or from this worker to a shard.
    let buffer = UnsafeMutablePointer<PromiseJob>.allocate(capacity: PoolWorker.batchLimit)

    /// The limit of jobs moved at once. Small, because jobs that a batch makes ready run after the batch: with a limit
    /// of 64 these jobs had left the near caches, which was 40 % slower.
    static let batchLimit = 8

    // Accessed under the pool's lock.
    /// Whether a thread has this worker, or is being started for it.
    var isTaken = false
    var thread: PoolThread?
    var isSleeping = false
    /// Whether the pool's count of blocked threads includes this thread.
    var isCountedBlocked = false
    /// Whether the thread is inside `PoolExecutor.blocking` or `blockingUnlessLast`.
    var isBlocking = false

    init(index: Int) {
        self.index = index
        seed = UInt32(truncatingIfNeeded: index &* 2_654_435_761) | 1
    }

    deinit { buffer.deallocate() }

    /// The calling thread's worker, or nil; costs 2 ns.
    static var current: Unmanaged<PoolWorker>? {
        chain_thread_current().pointee.worker.map { Unmanaged.fromOpaque($0) }
    }

    /// Returns a pseudo-random number, to choose the first worker to steal from.
    func random() -> Int {
        seed ^= seed << 13
        seed ^= seed >> 17
        seed ^= seed << 5
        return Int(seed)
    }
}

/// A thread of a pool, as the watch identifies it.
// Sendable: `record` is accessed only as its own comment states; the other fields do not change.
package struct PoolThread: @unchecked Sendable {
    /// The index of the thread's worker, from 0.
    package let index: Int
    /// The kernel's id of the thread.
    package let id: UInt32
    /// The handle for `chain_thread_cpu_ns`; still valid to pass when the thread is gone.
    let handle: UInt
    /// The thread's record. Read only under the pool's lock while the worker has this thread, because the record ends
    /// with the thread.
    let record: UnsafeMutablePointer<chain_thread>

    init(index: Int) {
        self.index = index
        id = chain_thread_id()
        handle = UInt(chain_thread_usage_handle())
        record = chain_thread_current()
    }
}
