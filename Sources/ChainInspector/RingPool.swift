import CChainRuntime
import ChainSystem
import Synchronization

/// The rings of one recorder: rings in use by threads, rings that threads have left but that are not drained yet, and
/// rings that are free for further threads.
///
/// No more than `byteLimit` bytes of rings are ever made.
final class RingPool: Sendable {
    private struct State {
        /// The rings in use or not drained yet, in the order in which threads took them.
        var active: [Ring] = []
        var free: [Ring] = []
        var madeByteCount = 0
        /// The file in which rings are made, if they are to outlive the process.
        var file: RingFile?
        var isClosed = false
        /// The counts of the rings that are not active any more.
        var retired = RingCounts()
    }

    let capacity: Int
    private let owner: UInt64
    let byteLimit: Int
    /// The fork generation in which the pool was made.
    private let generation = chain_fork_generation()
    private let state = Lock(State())
    /// Whether no ring can be made and no ring is free. If so, a thread without a ring need not take the lock.
    private let isExhausted = Atomic<Bool>(false)

    init(owner: UInt64, capacity: Int, byteLimit: Int) {
        self.owner = owner
        self.capacity = capacity
        self.byteLimit = byteLimit
    }

    deinit { close() }

    /// Makes rings in a file from now on, as long as the file has room.
    func use(_ file: RingFile) { state.withLock { $0.file = file } }

    /// Returns a ring for the calling thread, which must ``Ring/release(_:)`` it; nil where the limit is reached, no
    /// memory is left, or the pool is closed.
    func take(thread: UInt32) -> Ring? {
        guard !isExhausted.load(ordering: .relaxed) else { return nil }
        return state.withLock { state in
            guard !state.isClosed else { return nil }
            guard let ring = state.free.popLast() ?? make(&state) else {
                isExhausted.store(true, ordering: .relaxed)
                return nil
            }
            ring.reset(thread: thread)
            state.active.append(ring)
            return ring
        }
    }

    private func make(_ state: inout State) -> Ring? {
        // Rings are smaller from half of the limit on, so that more threads get a ring.
        let isCrowded = state.madeByteCount + Ring.byteCount(capacity: capacity) > byteLimit / 2
        let capacity = isCrowded ? min(capacity, RecorderOptions.crowdedRingCapacity) : capacity
        let size = Ring.byteCount(capacity: capacity)
        guard state.madeByteCount + size <= byteLimit,
            let ring = Ring.allocate(owner: owner, capacity: capacity, in: state.file)
        else {
            return nil
        }
        state.madeByteCount += size
        return ring
    }

    /// The rings to drain, oldest first.
    var active: [Ring] { state.withLock { $0.active } }

    /// Makes active rings free. Their threads must have released them, and all their events must have been read.
    func retire(_ rings: [Ring]) {
        guard !rings.isEmpty else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            let headers = Set(rings.map(\.header))
            state.active.removeAll { headers.contains($0.header) }
            for ring in rings { state.retired.add(ring) }
            state.free += rings
        }
        isExhausted.store(false, ordering: .relaxed)
    }

    /// How many events all threads have made and lost in these rings.
    var counts: RingCounts {
        state.withLock { state in
            var counts = state.retired
            for ring in state.active { counts.add(ring) }
            return counts
        }
    }

    /// The bytes of all rings that were made, and how many rings are active and free.
    var footprint: (byteCount: Int, activeCount: Int, freeCount: Int) {
        state.withLock { ($0.madeByteCount, $0.active.count, $0.free.count) }
    }

    /// Releases all rings; live threads release their rings later. No ring can be taken afterwards.
    func close() {
        let (active, free) = state.withLock { state in
            state.isClosed = true
            for ring in state.active { state.retired.add(ring) }
            defer { (state.active, state.free, state.file) = ([], [], nil) }
            return (state.active, state.free)
        }
        // A child of a fork releases no ring, because it shares rings in a file with the parent, which still uses them.
        guard generation == chain_fork_generation() else { return }
        for ring in active + free { ring.release(RingHeader.Holder.recorder) }
    }
}

/// How many events were made, and how many of these were dropped by the thread that made them.
struct RingCounts: Equatable, Sendable {
    var made: UInt64 = 0
    var lost: UInt64 = 0

    mutating func add(_ ring: Ring) {
        // Losses are read first, because each lost event was counted as made before it was counted as lost. All events
        // that any thread made before such a loss are in the rings by now, so a pass that begins later reads them.
        lost += ring.header.pointee.lostCount.load(ordering: .acquiring)
        made += ring.header.pointee.madeCount.load(ordering: .relaxed)
    }
}
