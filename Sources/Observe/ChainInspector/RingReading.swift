// SPDX-License-Identifier: MIT

/// The part of one ring that a pass reads: the events published when the pass began.
struct RingCursor {
    let ring: Ring
    /// Whether the ring's thread had released it before `end` was read, so that no event follows after `end`.
    let isDetached: Bool
    /// The slot after the last one to read.
    let end: UInt64
    /// The slot of the next event.
    var next: UInt64
    /// The ticks of the next event; of no meaning if all events were read.
    var nextTicks: UInt64 = 0

    /// The block of the next event.
    private(set) var block: RingBlock

    init(_ ring: Ring) {
        self.ring = ring
        isDetached = ring.isDetached
        block = ring.header.pointee.reading
        next = ring.header.pointee.tail.load(ordering: .relaxed)
        end = ring.header.pointee.head.load(ordering: .acquiring)
        peek()
    }

    var isAtEnd: Bool { next == end }

    private func slot(_ index: UInt64) -> UnsafeMutableRawPointer {
        block.slots + Int(truncatingIfNeeded: index &- block.start) &* RingSlot.size
    }

    private var event: UnsafeMutablePointer<RingSlot> { slot(next).assumingMemoryBound(to: RingSlot.self) }

    private mutating func peek() {
        guard !isAtEnd else { return }
        // A block is linked before its first slot is published.
        if let following = block.next, following.start == next { block = following }
        nextTicks = event.pointee.ticks
    }

    /// Returns the next event and its text; there must be a next event. ``release(to:)`` frees the slots of the event.
    mutating func read() -> (slot: RingSlot, text: String?) {
        let slot = event.pointee
        next &+= 1
        var text: String?
        if slot.textLength != 0 { text = readText(slot.textLength) }
        peek()
        return (slot, text)
    }

    private mutating func readText(_ lengthAndCut: UInt16) -> String {
        let length = Int(lengthAndCut & ~RingSlot.cutBit)
        let isCut = lengthAndCut & RingSlot.cutBit != 0
        let slotCount = (length + RingSlot.size - 1) / RingSlot.size
        var text = String(unsafeUninitializedCapacity: length) { buffer in
            for part in 0..<slotCount {
                let start = part * RingSlot.size
                UnsafeMutableRawPointer(buffer.baseAddress! + start).copyMemory(
                    from: slot(next &+ UInt64(part)), byteCount: min(RingSlot.size, length - start))
            }
            return length
        }
        next &+= UInt64(slotCount)
        if isCut { text += "…" }
        return text
    }

    /// Lets the producer write as many slots as were read, and gives the blocks that were read to their end back.
    func release(to pool: RingPool) {
        ring.header.pointee.tail.store(next, ordering: .releasing)
        let first = ring.header.pointee.reading
        guard first != block else { return }
        ring.header.pointee.reading = block
        pool.giveBack(from: first, upTo: block)
    }
}

/// The cursors of one pass, read as one stream in the order of time.
///
/// The events of one ring keep their order, whatever their times. So do the events of a thread with two rings: `end` of
/// the newer ring is fixed before `end` of the older ring, so that no event is read without the earlier events in the
/// older ring. At equal times the events of the older ring come first.
struct RingMerge {
    private(set) var cursors: [RingCursor]
    /// A binary heap of the indices of cursors that are not at their end: the least (ticks, index) on top.
    private var heap: [Int] = []

    /// Fixes how far each ring will be read.
    ///
    /// - Parameter rings: oldest first.
    init(_ rings: [Ring]) {
        // The newest ring comes first, because all events of a thread's newer ring come after the events of its older
        // ring.
        cursors = rings.reversed().map { RingCursor($0) }
        cursors.reverse()
        for index in cursors.indices where !cursors[index].isAtEnd { push(index) }
    }

    /// Whether all events were read.
    var isAtEnd: Bool { heap.isEmpty }

    /// The rings that were read to their end, and to which no thread writes any more.
    var detachedRings: [Ring] { cursors.lazy.filter { $0.isDetached && $0.isAtEnd }.map(\.ring) }

    /// Lets the producers write as many slots as were read, and gives the blocks that were read to their end back.
    func release(to pool: RingPool) {
        for cursor in cursors { cursor.release(to: pool) }
    }

    /// Returns the earliest unread event, its ring and its block; nil at the end.
    mutating func next() -> (ring: Ring, block: RingBlock, slot: RingSlot, text: String?)? {
        guard let index = heap.first else { return nil }
        let block = cursors[index].block
        let (slot, text) = cursors[index].read()
        if cursors[index].isAtEnd {
            heap[0] = heap[heap.count - 1]
            heap.removeLast()
        }
        sink()
        return (cursors[index].ring, block, slot, text)
    }

    private func comesBefore(_ left: Int, _ right: Int) -> Bool {
        (cursors[left].nextTicks, left) < (cursors[right].nextTicks, right)
    }

    private mutating func push(_ index: Int) {
        heap.append(index)
        var child = heap.count - 1
        while child > 0, comesBefore(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Restores the order of the heap after its top changed.
    private mutating func sink() {
        var parent = 0
        while true {
            var least = 2 * parent + 1
            guard least < heap.count else { return }
            if least + 1 < heap.count, comesBefore(heap[least + 1], heap[least]) { least += 1 }
            guard comesBefore(heap[least], heap[parent]) else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
