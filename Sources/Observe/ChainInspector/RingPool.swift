// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import Synchronization

/// The rings of one recorder, and the blocks that go round between them: rings in use by threads, rings that threads
/// have left but that are not drained yet, and what is free for further threads.
///
/// No more than `byteLimit` bytes of rings and blocks are ever made.
final class RingPool: Sendable {
    private struct State {
        /// The rings in use or not drained yet, in the order in which threads took them.
        var active: [Ring] = []
        var free: [Ring] = []
        var madeCount = 0
        /// The counts of the rings that are not active any more.
        var retired = RingCounts()
    }

    /// Behind a lock of its own, held for a few instructions, because busy threads take a block for every 82 slots.
    private struct Blocks {
        /// The list of free blocks: the oldest first with a file, else the last used first, which is in the caches.
        var first: RingBlock?, last: RingBlock?
        var usedCount = 0
        var madeCount = 0
        /// The file in which rings and blocks are made, if they are to outlive the process.
        var file: RingFile?
        var isClosed = false
    }

    let capacity: Int
    private let owner: UInt64
    let byteLimit: Int
    /// The bytes of a block, a multiple of a page.
    let blockSize: Int
    let blockCapacity: UInt64
    /// The most blocks. Each is counted with the header of a ring, because a ring in use has at least one block.
    private let blockLimit: Int
    /// The fork generation in which the pool was made.
    private let generation = chain_fork_generation()
    // Locked in this order.
    private let state = Lock(State())
    private let blocks = Lock(Blocks())
    /// Whether no block can be made and none is free. If so, a thread need not take a lock.
    private let isExhausted = Atomic<Bool>(false)

    /// How long a block in a file is left as it is, in nanoseconds: a reader of the file needs what the collector has
    /// read, but the recorder may not have written yet.
    private static let keptTime: UInt64 = 2_000_000_000

    /// - Parameter slotsOfAnEvent: the most slots of one event. An event lies in one block.
    init(owner: UInt64, capacity: Int, byteLimit: Int, slotsOfAnEvent: Int = 1) {
        self.owner = owner
        self.capacity = capacity
        self.byteLimit = byteLimit
        var size = 4096
        while RingBlock.capacity(byteCount: size) < 2 * slotsOfAnEvent { size += 4096 }
        blockSize = size
        blockCapacity = RingBlock.capacity(byteCount: size)
        blockLimit = max(0, byteLimit) / (size + Ring.headerSize)
    }

    deinit { close() }

    /// Makes rings and blocks in a file, as long as the file has room. Called before the first ring is taken.
    func use(_ file: RingFile) { blocks.withLock { $0.file = file } }

    // MARK: Rings

    /// Returns a ring for the calling thread, which must ``Ring/release(_:)`` it; nil where the limit is reached, no
    /// memory is left, or the pool is closed.
    func take(thread: UInt32) -> Ring? {
        guard !isExhausted.load(ordering: .relaxed) else { return nil }
        return state.withLock { state in
            guard let block = takeBlock(isBehind: false) else { return nil }
            guard let ring = state.free.popLast() ?? makeRing(&state, block) else {
                giveBack(from: block)
                return nil
            }
            ring.reset(thread: thread, block: block, blockCapacity: blockCapacity)
            state.active.append(ring)
            return ring
        }
    }

    private func makeRing(_ state: inout State, _ block: RingBlock) -> Ring? {
        let file = blocks.withLock { $0.file }
        let ring = Ring.allocate(owner: owner, capacity: capacity, block: block, in: file)
        if ring != nil { state.madeCount += 1 }
        return ring
    }

    /// The rings to drain, oldest first.
    var active: [Ring] { state.withLock { $0.active } }

    /// Makes active rings free. Their threads must have released them, and all their events must have been read.
    func retire(_ rings: [Ring]) {
        guard !rings.isEmpty else { return }
        state.withLock { state in
            guard !isClosed else { return }
            let headers = Set(rings.map(\.header))
            state.active.removeAll { headers.contains($0.header) }
            for ring in rings {
                state.retired.add(ring)
                let block = ring.header.pointee.reading
                block.setEnd(ring.header.pointee.head.load(ordering: .relaxed))
                giveBack(from: block)
            }
            state.free += rings
        }
    }

    private var isClosed: Bool { blocks.withLock { $0.isClosed } }

    /// How many events all threads have made and lost in these rings.
    var counts: RingCounts {
        state.withLock { state in
            var counts = state.retired
            for ring in state.active { counts.add(ring) }
            return counts
        }
    }

    /// The bytes of all rings and blocks that were made, and how many rings and blocks are in use.
    var footprint: (byteCount: Int, activeCount: Int, blockCount: Int) {
        state.withLock { state in
            blocks.withLock { blocks in
                let byteCount = blocks.madeCount * blockSize + state.madeCount * Ring.headerSize
                return (byteCount, state.active.count, blocks.usedCount)
            }
        }
    }

    // MARK: Blocks

    /// Returns a block for a ring; nil if the limit is reached, no memory is left, or the pool is closed.
    ///
    /// - Parameter isBehind: whether the collector has yet to read more than a block of the ring. Such rings leave a
    ///   quarter of the bytes to other threads.
    func takeBlock(isBehind: Bool) -> RingBlock? {
        guard !isExhausted.load(ordering: .relaxed) else { return nil }
        return blocks.withLock { blocks in
            guard !blocks.isClosed, !isBehind || blocks.usedCount < blockLimit * 3 / 4 else { return nil }
            guard let block = pop(&blocks) else {
                isExhausted.store(true, ordering: .relaxed)
                return nil
            }
            blocks.usedCount += 1
            return block
        }
    }

    private func pop(_ blocks: inout Blocks) -> RingBlock? {
        let isKept = blocks.file != nil && blocks.first.map(isRecent) ?? false
        if blocks.first == nil || isKept, blocks.madeCount < blockLimit,
            let block = RingBlock.allocate(byteCount: blockSize, in: blocks.file)
        {
            blocks.madeCount += 1
            return block
        }
        guard let first = blocks.first else { return nil }
        blocks.first = first.next
        if blocks.first == nil { blocks.last = nil }
        first.setNext(nil)
        return first
    }

    private func isRecent(_ block: RingBlock) -> Bool {
        chain_monotonic_ns() < block.freedTime.addingClamped(Self.keptTime)
    }

    /// Makes blocks free that were read, and to which no thread writes: `first` and those linked behind it, up to
    /// `end`, which is not given back.
    func giveBack(from first: RingBlock, upTo end: RingBlock? = nil) {
        blocks.withLock { blocks in
            let now = blocks.file == nil ? 0 : chain_monotonic_ns()
            var next: RingBlock? = first
            while let block = next, block != end {
                next = block.next
                blocks.usedCount -= 1
                if blocks.file == nil {
                    block.setNext(blocks.first)
                    blocks.first = block
                } else {
                    block.freedTime = now
                    block.setNext(nil)
                    blocks.last?.setNext(block)
                    blocks.last = block
                    if blocks.first == nil { blocks.first = block }
                }
            }
        }
        isExhausted.store(false, ordering: .relaxed)
    }

    /// Releases all rings; live threads release their rings later. No ring can be taken afterwards.
    func close() {
        // First, so that no ring is taken once the rings are listed.
        let (first, file) = blocks.withLock { blocks in
            blocks.isClosed = true
            defer { (blocks.first, blocks.last, blocks.file) = (nil, nil, nil) }
            return (blocks.first, blocks.file)
        }
        let (active, free) = state.withLock { state in
            for ring in state.active { state.retired.add(ring) }
            defer { (state.active, state.free) = ([], []) }
            return (state.active, state.free)
        }
        // A child of a fork releases no ring, because it shares rings in a file with the parent, which still uses them.
        guard generation == chain_fork_generation() else { return }
        RingBlock.deallocate(from: first)
        for ring in free { ring.deallocate() }
        for ring in active { ring.release(RingHeader.Holder.recorder) }
        // Unmapped last, because the blocks lie in the file.
        withExtendedLifetime(file) {}
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
