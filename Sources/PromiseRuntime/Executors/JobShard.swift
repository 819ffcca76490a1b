import CChainRuntime
import Synchronization

/// Jobs, first in, first out, behind a spin lock of a few instructions: a worker's own, or a part of what came from
/// outside of the pool.
///
/// Who appends reads the pool's counts while it holds the lock, and who goes to sleep has counted itself asleep before it
/// looks here under the same lock: so one of the two sees the other, without a fence.
class JobShard: @unchecked Sendable {
    // Sendable: `ring` is reached under `isLocked` alone.
    private let isLocked = Atomic<Bool>(false)
    // How many there were at the last change: to look without the lock.
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
        isLocked.store(false, ordering: .releasing)
        return result
    }

    /// Appends; gives how many wait now, and the counts as they were under the lock.
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

    /// Moves one in `share`, `limit` at most, to `buffer`, where more than `kept` wait; gives how many.
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

    /// Moves `count` jobs in from `buffer`.
    final func append(_ count: Int, from buffer: UnsafeMutablePointer<PromiseJob>) {
        withLock {
            for index in 0..<count { ring.append((buffer + index).move()) }
            hint.store(ring.count, ordering: .relaxed)
        }
    }

    /// Whether more than `kept` wait, for certain.
    final func hasMore(than kept: Int) -> Bool { withLock { ring.count > kept } }
}

/// A ring of jobs that grows. Holds no reference to what was taken out.
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
        // A burst does not keep its room for ever.
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
    /// Has the processor fetch what the job begins with.
    @inline(__always)
    func prefetch() { chain_prefetch(Unmanaged.passUnretained(content).toOpaque()) }
}
