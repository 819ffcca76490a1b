// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import Synchronization

/// The sink of a runtime's events: it keeps each event in a ring of the thread that made it, until the collector reads
/// the event.
///
/// Writing an event takes no lock, no allocation, and 27 ns, of which the cycle counter takes 12. Making, writing,
/// reading and applying an event takes 43 to 98 ns in all. A thread's first event takes a ring out of the pool, and every
/// 82nd takes a block for the ring (a short lock). Where the ring is full, or no block is left, the event is dropped and
/// counted: `made == delivered + lost + queued`, exactly, whenever no thread is inside ``record(_:text:)``.
package final class Recorder: EventSink {
    /// The number of this recorder, which no other recorder of this process has or had.
    let number: UInt64
    let clock: any ChainClock
    let pool: RingPool
    /// Wakes the collecting thread. A half full ring signals this semaphore, at most once before the collector begins
    /// to drain the rings.
    let wake = Semaphore()

    /// The most bytes of one text.
    private let textLimit: Int
    private let capturesErrorText: Bool
    let usesCycleCounter: Bool
    /// The fork generation in which the recorder was made. In a child of a fork, which has another generation, the
    /// recorder records nothing.
    private let generation: UInt64
    private let isClosed = Atomic<Bool>(false)
    private let isWakeRequested = Atomic<Bool>(false)
    /// How many events of threads without a ring were dropped.
    private let ringlessCount = Atomic<UInt64>(0)

    private static let nextNumber = Atomic<UInt64>(1)

    /// Prepares to record; nothing is allocated before a thread's first event.
    package init(clock: any ChainClock, options: RecorderOptions = RecorderOptions()) {
        number = Recorder.nextNumber.add(1, ordering: .relaxed).oldValue
        self.clock = clock
        usesCycleCounter = clock.followsCycleCounter
        textLimit = options.usableTextLimit
        capturesErrorText = options.capturesErrorText
        generation = chain_fork_generation()
        pool = RingPool(
            owner: number, capacity: options.usableRingCapacity, byteLimit: options.ringByteLimit,
            slotsOfAnEvent: 1 + (textLimit + RingSlot.size - 1) / RingSlot.size)
    }

    /// Records one event, or drops and counts it.
    package func record(_ record: EventRecord, text: String?) {
        guard let current = chain_thread_current().pointee.ring else { return recordFirst(record, text: text) }
        let ring = Ring(header: current.assumingMemoryBound(to: RingHeader.self))
        guard ring.header.pointee.owner == number else { return recordFirst(record, text: text) }
        append(record, text: text, to: ring)
    }

    @inline(__always)
    private func append(_ record: EventRecord, text: String?, to ring: Ring) {
        let ticks = ticks
        var wakes = false
        if let text, capturesErrorText || !record.kind.carriesError {
            ring.append(ticks: ticks, record, text: text, limit: textLimit, from: pool, wakes: &wakes)
        } else {
            ring.append(ticks: ticks, record, from: pool, wakes: &wakes)
        }
        if wakes { wakeCollector() }
    }

    /// The present value of the cycle counter, or of the clock.
    @inline(__always)
    var ticks: UInt64 { usesCycleCounter ? chain_ticks() : clock.nanoseconds }

    /// Records an event on a thread that has no ring, or that has another recorder's ring at the front of its list.
    @inline(never)
    private func recordFirst(_ record: EventRecord, text: String?) {
        guard generation == chain_fork_generation(), !isClosed.load(ordering: .relaxed) else { return }
        if let ring = ThreadRings.current(of: number) ?? takeRing() {
            append(record, text: text, to: ring)
        } else {
            ringlessCount.add(1, ordering: .releasing)
        }
    }

    private func takeRing() -> Ring? {
        // A thread for which no destructor can be registered could not return the ring when it ends.
        guard ThreadRings.arm(), let ring = pool.take(thread: chain_thread_id()) else { return nil }
        ThreadRings.add(ring)
        return ring
    }

    @inline(never)
    private func wakeCollector() {
        guard !isWakeRequested.load(ordering: .relaxed), !isWakeRequested.exchange(true, ordering: .relaxed) else {
            return
        }
        wake.signal()
    }

    /// Lets a half full ring wake the collector again; called as the collector begins to drain.
    func allowWake() { isWakeRequested.store(false, ordering: .relaxed) }

    /// How many events all threads have made and lost so far.
    var counts: RingCounts {
        let ringless = ringlessCount.load(ordering: .acquiring)
        var counts = pool.counts
        counts.made += ringless
        counts.lost += ringless
        return counts
    }

    /// Whether the calling process is the one that made the recorder, not a child of a fork.
    var isInOwnProcess: Bool { generation == chain_fork_generation() }

    /// Ends recording. A step under way may still write an event into its thread's ring; such an event is neither read
    /// nor counted.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        pool.close()
    }
}

extension EventKind {
    /// Whether the text of an event of this kind is made from an error of the program.
    fileprivate var carriesError: Bool { self == .rejected || self == .unhandled }
}
