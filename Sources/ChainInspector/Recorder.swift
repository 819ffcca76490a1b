import CChainRuntime
import ChainEvents
import Dispatch
import Synchronization

/// The sink of a runtime's events: it keeps them, on the threads where they happen, until the collector fetches them.
///
/// An event is written into the calling thread's ring: no lock, no allocation, 27 ns, of which the cycle counter takes
/// 12; with what the runtime does to make it and the collector to fetch it, 43 to 98 ns. A thread's first event takes a
/// ring out of the pool (a short lock). Where the ring is full, or there is none left, the event is dropped and
/// counted: `made == delivered + lost + queued`, exactly, whenever no thread is inside ``record(_:text:)``.
package final class Recorder: EventSink {
    /// A number that no other recorder of this process has or had.
    let number: UInt64
    let clock: any ChainClock
    let pool: RingPool
    /// Signalled when a ring is half full, at most once until the collector has begun to drain.
    let wake = DispatchSemaphore(value: 0)

    private let textLimit: Int
    private let capturesErrorText: Bool
    let usesCycleCounter: Bool
    /// Forks that had happened when it was made: in a child it records nothing.
    private let generation: UInt64
    private let isClosed = Atomic<Bool>(false)
    private let isWakeRequested = Atomic<Bool>(false)
    /// Events of threads that got no ring.
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
        pool = RingPool(owner: number, capacity: options.usableRingCapacity, byteLimit: options.ringByteLimit)
    }

    /// Records one event; see the type.
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
            ring.append(ticks: ticks, record, text: text, limit: textLimit, wakes: &wakes)
        } else {
            ring.append(ticks: ticks, record, wakes: &wakes)
        }
        if wakes { wakeCollector() }
    }

    /// The cycle counter's or the clock's present value.
    @inline(__always)
    var ticks: UInt64 { usesCycleCounter ? chain_ticks() : clock.now }

    /// Records on a thread where another recorder's ring is first, or there is none.
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
        // A thread without a destructor could not return the ring.
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

    /// The slots of one event at most.
    var slotsOfAnEvent: Int { 1 + (textLimit + RingSlot.size - 1) / RingSlot.size }

    /// Made and lost so far, of all threads.
    var counts: RingCounts {
        let ringless = ringlessCount.load(ordering: .acquiring)
        var counts = pool.counts
        counts.made += ringless
        counts.lost += ringless
        return counts
    }

    /// Whether this is the process that it was made in, not a child of it.
    var isInOwnProcess: Bool { generation == chain_fork_generation() }

    /// Ends recording. A step under way may still write into its thread's ring, unread and uncounted.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        pool.close()
    }
}

extension EventKind {
    /// Whether the text of such an event is made of an error of the program.
    fileprivate var carriesError: Bool { self == .rejected || self == .unhandled }
}
