// SPDX-License-Identifier: MIT

import CChainRuntime
import Synchronization

/// A first-in, first-out queue of jobs behind a short spin lock: a worker's local queue, or a part of the jobs from
/// outside of the pool.
///
/// A submitter reads the pool's counts while it holds the lock. A worker that goes to sleep counts itself as sleeping
/// before it looks for jobs under the same lock. So, without a fence, the submitter sees the sleeping worker or the
/// worker sees the job.
class JobShard: @unchecked Sendable {
    // Sendable: `ring` is accessed under `isLocked` alone.
    private let isLocked = Atomic<Bool>(false)
    // The number of jobs after the last change, to be read without the lock.
    private let hint = Atomic<Int>(0)
    // Unchecked: exclusive by the lock, and nothing is called while it changes.
    @exclusivity(unchecked)
    private final var ring = JobRing()

    deinit { ring.destroy() }

    @inline(__always)
    private final func withLock<Result>(_ body: () -> Result) -> Result {
        var attempts = 0
        while isLocked.exchange(true, ordering: .acquiring) { Spin.pause(&attempts) }
        let result = body()
        chain_retain_barrier()
        isLocked.store(false, ordering: .releasing)
        return result
    }

    /// Appends a job; returns the number of waiting jobs, and the counts as read under the lock.
    final func append(_ job: PromiseJob, reading counts: borrowing Atomic<UInt64>) -> (count: Int, counts: PoolCounts) {
        withLock {
            ring.append(job)
            hint.store(ring.count, ordering: .relaxed)
            return (ring.count, PoolCounts(rawValue: counts.load(ordering: .relaxed)))
        }
    }

    final func popFirst() -> PromiseJob? {
        if hint.load(ordering: .relaxed) == 0 { return nil }
        return withLock {
            let job = ring.popFirst()
            hint.store(ring.count, ordering: .relaxed)
            return job
        }
    }

    /// If more than `kept` jobs wait, moves one in `share` of them, at most `limit`, to `buffer`. Returns the number of
    /// jobs moved.
    final func take(oneIn share: Int, limit: Int, ifMoreThan kept: Int, to buffer: UnsafeMutablePointer<PromiseJob>)
        -> Int
    {
        if hint.load(ordering: .relaxed) <= kept { return 0 }
        return withLock {
            guard ring.count > kept else { return 0 }
            let count = min(limit, (ring.count + share - 1) / share)
            for index in 0..<count { (buffer + index).initialize(to: ring.popFirst()!) }
            hint.store(ring.count, ordering: .relaxed)
            return count
        }
    }

    /// Appends `count` jobs, moved from `buffer`.
    final func append(_ count: Int, from buffer: UnsafeMutablePointer<PromiseJob>) {
        withLock {
            for index in 0..<count { ring.append((buffer + index).move()) }
            hint.store(ring.count, ordering: .relaxed)
        }
    }

    /// Returns whether more than `kept` jobs wait, checked under the lock.
    final func hasMore(than kept: Int) -> Bool { withLock { ring.count > kept } }
}

/// A growing ring of jobs. Holds no reference to removed jobs.
private struct JobRing {
    private var slots: UnsafeMutablePointer<PromiseJob>?
    private var capacity = 0
    private var head = 0
    private(set) var count = 0

    mutating func append(_ job: PromiseJob) {
        if count == capacity { grow() }
        (slots! + ((head + count) & (capacity - 1))).initialize(to: job)
        count += 1
    }

    mutating func popFirst() -> PromiseJob? {
        if count == 0 { return nil }
        let job = (slots! + head).move()
        head = (head + 1) & (capacity - 1)
        count -= 1
        // Freed, so that a burst does not keep its storage for ever.
        if count == 0, capacity > 4096 { release() }
        return job
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<PromiseJob>.allocate(capacity: max(64, capacity * 2))
        let firstPart = min(count, capacity - head)
        if let slots {
            larger.moveInitialize(from: slots + head, count: firstPart)
            (larger + firstPart).moveInitialize(from: slots, count: count - firstPart)
        }
        let newCapacity = max(64, capacity * 2)
        slots?.deallocate()
        (slots, capacity, head) = (larger, newCapacity, 0)
    }

    private mutating func release() {
        slots?.deallocate()
        (slots, capacity, head) = (nil, 0, 0)
    }

    mutating func destroy() {
        while popFirst() != nil {}
        release()
    }
}

extension PromiseJob {
    /// Prefetches the first two cache lines of the job.
    @inline(__always)
    func prefetch() { chain_prefetch(Unmanaged.passUnretained(content).toOpaque()) }
}
