import CChainRuntime
import ChainSystem
import Synchronization

/// The rings of one recorder: in use by threads, left by them but not yet drained, and free for the next thread.
///
/// No more than `byteLimit` bytes of rings are ever made.
final class RingPool: Sendable {
    private struct State {
        /// In the order in which threads took them.
        var active: [Ring] = []
        var free: [Ring] = []
        var madeByteCount = 0
        /// Where rings are made, if they outlive the process.
        var file: RingFile?
        var isClosed = false
        /// Counts of the rings that went back to `free`.
        var retired = RingCounts()
    }

    let capacity: Int
    private let owner: UInt64
    let byteLimit: Int
    /// Forks that had happened when it was made.
    private let generation = chain_fork_generation()
    private let state = Lock(State())
    /// Spares threads without a ring the lock as long as there is none to be had.
    private let isExhausted = Atomic<Bool>(false)

    init(owner: UInt64, capacity: Int, byteLimit: Int) {
        self.owner = owner
        self.capacity = capacity
        self.byteLimit = byteLimit
    }

    deinit { close() }

    /// Has rings made in a file from now on, as long as it has room.
    func use(_ file: RingFile) { state.withLock { $0.file = file } }

    /// A ring for the calling thread, which must ``Ring/release(_:)`` it; nil where the limit is reached.
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
        // Smaller ones from half of the limit on, so that many threads get one.
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

    /// Frees the rings of `left` that are still in use: their threads have left them and all was read.
    func retire(_ left: [Ring]) {
        guard !left.isEmpty else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            let gone = Set(left.map(\.header))
            state.active.removeAll { gone.contains($0.header) }
            for ring in left { state.retired.add(ring) }
            state.free += left
        }
        isExhausted.store(false, ordering: .relaxed)
    }

    /// What all its threads made and lost.
    var counts: RingCounts {
        state.withLock { state in
            var counts = state.retired
            for ring in state.active { counts.add(ring) }
            return counts
        }
    }

    /// Bytes of rings that were made, and how many rings are free.
    var footprint: (byteCount: Int, activeCount: Int, freeCount: Int) {
        state.withLock { ($0.madeByteCount, $0.active.count, $0.free.count) }
    }

    /// Lets all rings go; those of living threads are freed by these. Nothing can be taken afterwards.
    func close() {
        let (active, free) = state.withLock { state in
            state.isClosed = true
            for ring in state.active { state.retired.add(ring) }
            defer { (state.active, state.free, state.file) = ([], [], nil) }
            return (state.active, state.free)
        }
        // In a child of a fork rings in a file are those of the parent, which goes on with them.
        guard generation == chain_fork_generation() else { return }
        for ring in active + free { ring.release(RingHeader.Holder.recorder) }
    }
}

/// Events made, and those of them that were dropped where they were made.
struct RingCounts: Equatable, Sendable {
    var made: UInt64 = 0
    var lost: UInt64 = 0

    mutating func add(_ ring: Ring) {
        // Lost events first, because each was counted as made before. All events before a loss, of any thread, are in
        // the rings by now, so a pass that begins after this reads them.
        lost += ring.header.pointee.lostCount.load(ordering: .acquiring)
        made += ring.header.pointee.madeCount.load(ordering: .relaxed)
    }
}
