// SPDX-License-Identifier: MIT

import ChainEvents
import Synchronization

// The producer's side: only the ring's own thread may call these methods.
extension Ring {
    /// Appends one event, or drops and counts it where there is no room. Sets `wakes` where the caller has to wake the
    /// consumer.
    ///
    /// - Parameter pool: the pool of the ring's blocks.
    @inline(__always)
    func append(ticks: UInt64, _ record: EventRecord, from pool: RingPool, wakes: inout Bool) {
        let head = header.pointee.head.load(ordering: .relaxed)
        count(header.pointee.madeCount)
        if head >= header.pointee.headLimit, !makeRoom(for: 1, at: head, from: pool, wakes: &wakes) { return }
        write(ticks: ticks, record, textLength: 0, at: head)
        header.pointee.head.store(head &+ 1, ordering: .releasing)
    }

    /// Appends one event, and at most `limit` bytes of its text in the following slots.
    func append(
        ticks: UInt64, _ record: EventRecord, text: String, limit: Int, from pool: RingPool, wakes: inout Bool
    ) {
        let utf8 = text.utf8
        let written: Void? = utf8.withContiguousStorageIfAvailable {
            append(ticks: ticks, record, bytes: UnsafeRawBufferPointer($0), limit: limit, from: pool, wakes: &wakes)
        }
        if written == nil {
            // A bridged string is copied, because its bytes are not contiguous.
            Array(utf8.prefix(limit + 4)).withUnsafeBytes {
                append(ticks: ticks, record, bytes: $0, limit: limit, from: pool, wakes: &wakes)
            }
        }
    }

    private func append(
        ticks: UInt64, _ record: EventRecord, bytes: UnsafeRawBufferPointer, limit: Int, from pool: RingPool,
        wakes: inout Bool
    ) {
        var length = min(bytes.count, limit)
        if length < bytes.count {
            // Cut before a scalar, not inside one.
            while length > 0, bytes[length] & 0xC0 == 0x80 { length -= 1 }
        }
        let slotCount = 1 + (length + RingSlot.size - 1) / RingSlot.size
        let head = header.pointee.head.load(ordering: .relaxed)
        count(header.pointee.madeCount)
        if head &+ UInt64(slotCount) > header.pointee.headLimit,
            !makeRoom(for: UInt64(slotCount), at: head, from: pool, wakes: &wakes)
        {
            return
        }
        let cut = length < bytes.count ? RingSlot.cutBit : 0
        write(ticks: ticks, record, textLength: UInt16(length) | cut, at: head)
        for part in 1..<slotCount {
            let start = (part - 1) * RingSlot.size
            slot(head &+ UInt64(part)).copyMemory(
                from: bytes.baseAddress! + start, byteCount: min(RingSlot.size, length - start))
        }
        header.pointee.head.store(head &+ UInt64(slotCount), ordering: .releasing)
    }

    @inline(__always)
    private func slot(_ index: UInt64) -> UnsafeMutableRawPointer {
        header.pointee.slots + Int(truncatingIfNeeded: index &- header.pointee.start) &* RingSlot.size
    }

    @inline(__always)
    private func write(ticks: UInt64, _ record: EventRecord, textLength: UInt16, at index: UInt64) {
        slot(index).assumingMemoryBound(to: RingSlot.self).pointee = RingSlot(
            ticks: ticks, node: record.node.rawValue, other: record.other.rawValue, file: record.site.filePointer,
            line: record.site.line, textLength: textLength, detail: record.detail, kind: record.kind.rawValue,
            flags: record.flags.rawValue)
    }

    /// Reads the consumer's position again, or takes a further block, and returns whether there is room for
    /// `slotCount` slots in one block; counts a loss where there is none.
    @inline(never)
    private func makeRoom(for slotCount: UInt64, at head: UInt64, from pool: RingPool, wakes: inout Bool) -> Bool {
        let end = head &+ slotCount
        let tail = header.pointee.tail.load(ordering: .acquiring)
        if end > header.pointee.roomLimit {
            let (used, capacity) = (end &- tail, header.pointee.capacity)
            guard used <= capacity else { return lose(&wakes) }
            wakes = wakes || used > capacity / 2
            header.pointee.roomLimit = tail &+ (used > capacity / 2 ? capacity : capacity / 2)
        }
        if end > header.pointee.blockEnd {
            let isBehind = head &- tail > pool.blockCapacity
            guard let block = pool.takeBlock(isBehind: isBehind) else { return lose(&wakes) }
            let full = header.pointee.block
            block.begin(at: head, ring: number, thread: full.thread, name: full.name)
            full.setEnd(head)
            // From here on the full block belongs to the consumer.
            full.setNext(block)
            use(block, at: head, blockCapacity: pool.blockCapacity)
        }
        header.pointee.headLimit = min(header.pointee.roomLimit, header.pointee.blockEnd)
        return true
    }

    private func lose(_ wakes: inout Bool) -> Bool {
        let lost = header.pointee.lostCount.load(ordering: .relaxed)
        header.pointee.lostCount.store(lost &+ 1, ordering: .releasing)
        wakes = true
        return false
    }

    /// Adds one without a read-modify-write, because only this thread writes the counter.
    @inline(__always)
    private func count(_ counter: borrowing Atomic<UInt64>) {
        counter.store(counter.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
}
