import CChainRuntime
import Synchronization

/// A place for one of a pool's threads: the jobs that its thread made ready, and what the watch knows of the thread.
final class PoolWorker: JobShard, @unchecked Sendable {
    // Sendable: each field says who reaches it.

    let index: Int
    /// Twice the number of the job, plus one while it runs: stored by the thread, read by the watch.
    let progress = Atomic<UInt64>(0)
    /// Whether others may take the last job that waits here, too: its thread does not come to it.
    let isStuck = Atomic<Bool>(true)

    // Its thread's alone.
    /// The pool, which the thread keeps alive.
    @exclusivity(unchecked)
    var core: Unmanaged<PoolCore>?
    @exclusivity(unchecked)
    var turn: UInt64 = 0
    @exclusivity(unchecked)
    var seed: UInt32
    @exclusivity(unchecked)
    var blockingDepth = 0
    let buffer = UnsafeMutablePointer<PromiseJob>.allocate(capacity: PoolWorker.batchLimit)

    /// How many jobs change hands at once, at most. Few, since what a batch leads to runs after the batch: with 64 that was
    /// 40 % slower, as nothing of it was in a near cache any more.
    static let batchLimit = 8

    // Under the pool's lock.
    var isTaken = false
    var thread: PoolThread?
    var isSleeping = false
    /// Whether the pool's count of blocked threads has this one in it.
    var isCountedBlocked = false
    var isBlocking = false

    init(index: Int) {
        self.index = index
        seed = UInt32(truncatingIfNeeded: index &* 2_654_435_761) | 1
    }

    deinit { buffer.deallocate() }

    /// The worker whose thread is the calling one, or nil; costs 2 ns.
    static var current: Unmanaged<PoolWorker>? {
        chain_thread_current().pointee.worker.map { Unmanaged.fromOpaque($0) }
    }

    /// Where to begin to look for a victim.
    func random() -> Int {
        seed ^= seed << 13
        seed ^= seed >> 17
        seed ^= seed << 5
        return Int(seed)
    }
}

/// One of a pool's threads, as the watch over blocked workers asks for it.
// Sendable: `record` is read as it says, the rest does not change.
package struct PoolThread: @unchecked Sendable {
    /// Which of the pool's places it has, from 0.
    package let index: Int
    /// The kernel's id.
    package let id: UInt32
    /// As `chain_thread_cpu_ns` wants it: valid, and of no use, when the thread is gone.
    let handle: UInt
    /// Its record, to be read under the pool's lock while the worker has this thread: it is gone when the thread is.
    let record: UnsafeMutablePointer<chain_thread>

    init(index: Int) {
        self.index = index
        id = chain_thread_id()
        handle = UInt(chain_thread_handle())
        record = chain_thread_current()
    }
}
