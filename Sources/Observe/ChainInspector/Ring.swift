// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainRecording
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One event in a ring. Its text, of `textLength` bytes, follows in slots of plain bytes.
///
/// ```text
/// 0       8      16      24     32     36      38     40   41    42     48
/// ├ ticks ┼ node ┼ other ┼ file ┼ line ┼ text ─┼detail┼kind┼flags┼ free ─┤
/// ```
///
/// The thread is in the block's header.
struct RingSlot {
    var ticks: UInt64
    var node: UInt64
    var other: UInt64
    var file: UnsafePointer<UInt8>?
    var line: UInt32
    /// Bytes of the text; ``cutBit`` marks a cut text.
    var textLength: UInt16
    var detail: UInt16
    var kind: UInt8
    var flags: UInt8

    static let size = 48
    static let cutBit: UInt16 = 0x8000
}

/// The fixed part of a ring, in raw memory, so that recording retains and releases nothing.
///
/// One thread produces and the collector consumes. The slots lie in blocks: the thread links a new block behind a full
/// one, and the collector gives the blocks that it has read back to the pool, so that they go round. An idle thread
/// holds one block. `head` and `tail` count slots since the ring was made, and never wrap. The fields that the producer
/// writes and the fields that the consumer writes are on different cache lines.
struct RingHeader: ~Copyable {
    /// The number of the recorder that the ring belongs to, for ever.
    let owner: UInt64
    /// The most slots that wait for the consumer.
    let capacity: UInt64

    // The fields of the producer.
    /// The next ring in the thread's list, which belongs to another recorder.
    var next: UnsafeMutablePointer<RingHeader>?
    /// The block that is written to, and the addresses and numbers of its first slot and of the slot after its last.
    var block: RingBlock
    var slots: UnsafeMutableRawPointer
    var start: UInt64 = 0
    var blockEnd: UInt64 = 0
    /// The head at which the producer has to read `tail` again, because the ring may be half full, or full.
    var roomLimit: UInt64 = 0
    /// The head at which the producer needs a block or has to read `tail`: the lower of the two limits above.
    var headLimit: UInt64 = 0
    let head = Atomic<UInt64>(0)
    let madeCount = Atomic<UInt64>(0)
    let lostCount = Atomic<UInt64>(0)
    /// The sides that still hold the memory: bits of ``Holder``.
    let holders = Atomic<UInt8>(0)

    // Keeps the consumer's cache line away from the producer's.
    private let apart: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    // The fields of the consumer.
    let tail = Atomic<UInt64>(0)
    /// The block that is read.
    var reading: RingBlock
    /// The time of the last event that was read, so that the times of one thread never go back.
    var lastTime: UInt64 = 0
    /// The ``NameTables/threadEpoch`` in which the thread's name was last added; 0 for none.
    var namedEpoch: UInt32 = 0

    /// The ``RingFile`` that the ring's blocks may lie in, retained; nil if there is none.
    var file: UnsafeMutableRawPointer?
    /// The ring's number in that file; nil for a header in memory of the process.
    var number: UInt32?

    enum Holder {
        static let thread: UInt8 = 1
        static let recorder: UInt8 = 2
    }

    init(owner: UInt64, capacity: Int, block: RingBlock) {
        self.owner = owner
        self.capacity = UInt64(capacity)
        self.block = block
        slots = block.slots
        reading = block
        next = nil
    }
}

/// A reference to a ring's memory; a copy refers to the same ring.
struct Ring: Equatable, @unchecked Sendable {
    // Sendable: the header divides its fields between the two sides, and the memory lives while one of the sides holds
    // it.
    let header: UnsafeMutablePointer<RingHeader>

    /// The bytes of a ring without its blocks.
    static let headerSize = RingFileFormat.ringSize

    /// Makes an empty ring; nil where there is no memory for it.
    ///
    /// - Parameters:
    ///   - capacity: the most slots that wait.
    ///   - block: any block; ``reset(thread:block:capacity:)`` sets the ring's first block.
    ///   - file: the file in which the ring is made if there is room; else it is made in memory of the process.
    static func allocate(owner: UInt64, capacity: Int, block: RingBlock, in file: RingFile?) -> Ring? {
        precondition(MemoryLayout<RingHeader>.size <= headerSize && MemoryLayout<RingSlot>.size <= RingSlot.size)
        var memory: UnsafeMutableRawPointer?
        let place = file?.makeRing()
        if let place {
            memory = place.memory
        } else {
            guard posix_memalign(&memory, 128, headerSize) == 0 else { return nil }
        }
        let header = memory!.bindMemory(to: RingHeader.self, capacity: 1)
        header.initialize(to: RingHeader(owner: owner, capacity: capacity, block: block))
        header.pointee.file = file.map { Unmanaged.passRetained($0).toOpaque() }
        header.pointee.number = place.map { UInt32($0.number) }
        return Ring(header: header)
    }

    /// Where the two counters are that readers of a file need, in bytes from the beginning of a header.
    static var counterOffsets: (head: Int, tail: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: headerSize, alignment: 128)
        defer { memory.deallocate() }
        let header = memory.assumingMemoryBound(to: RingHeader.self)
        let (head, tail) = withUnsafePointer(to: header.pointee.head) { head in
            withUnsafePointer(to: header.pointee.tail) { (UnsafeRawPointer(head), UnsafeRawPointer($0)) }
        }
        return (head - UnsafeRawPointer(memory), tail - UnsafeRawPointer(memory))
    }

    /// Resets the ring for the calling thread. Its former thread must have released it, and all events must have been
    /// read.
    ///
    /// - Parameter blockCapacity: the slots of a block.
    func reset(thread: UInt32, block: RingBlock, blockCapacity: UInt64) {
        // The numbers of slots go on, so that blocks of the former thread stay readable in a file.
        let head = header.pointee.head.load(ordering: .relaxed)
        withUnsafeTemporaryAllocation(byteCount: RingFileFormat.nameSize, alignment: 8) { name in
            chain_thread_display_name(name.baseAddress!.assumingMemoryBound(to: CChar.self), name.count)
            block.begin(at: head, ring: number, thread: thread, name: UnsafeRawBufferPointer(name))
        }
        header.pointee.next = nil
        header.pointee.reading = block
        use(block, at: head, blockCapacity: blockCapacity)
        header.pointee.roomLimit = head &+ header.pointee.capacity / 2
        header.pointee.headLimit = min(header.pointee.roomLimit, header.pointee.blockEnd)
        header.pointee.lastTime = 0
        header.pointee.namedEpoch = 0
        header.pointee.madeCount.store(0, ordering: .relaxed)
        header.pointee.lostCount.store(0, ordering: .relaxed)
        header.pointee.holders.store(RingHeader.Holder.thread | RingHeader.Holder.recorder, ordering: .releasing)
    }

    /// Makes a block the one that is written to, from the slot with that number on.
    func use(_ block: RingBlock, at head: UInt64, blockCapacity: UInt64) {
        header.pointee.block = block
        header.pointee.slots = block.slots
        header.pointee.start = head
        header.pointee.blockEnd = head &+ blockCapacity
    }

    /// The ring's number in the file of the rings.
    var number: Int? { header.pointee.number.map { Int($0) } }

    /// Ends the hold of one side on the memory. When both sides have released it, the memory is freed.
    func release(_ holder: UInt8) {
        let left = header.pointee.holders.bitwiseAnd(~holder, ordering: .acquiringAndReleasing).newValue
        guard left == 0 else { return }
        RingBlock.deallocate(from: header.pointee.reading)
        deallocate()
    }

    /// Frees the header, which neither side holds any more.
    func deallocate() {
        let file = header.pointee.file
        let isInFile = header.pointee.number != nil
        header.deinitialize(count: 1)
        if !isInFile { free(header) }
        if let file { Unmanaged<RingFile>.fromOpaque(file).release() }
    }

    /// Whether the thread has released the ring, so that no event is added any more.
    var isDetached: Bool { header.pointee.holders.load(ordering: .acquiring) & RingHeader.Holder.thread == 0 }
    /// Whether the recorder has released the ring, so that it is not drained any more.
    var isClosed: Bool { header.pointee.holders.load(ordering: .acquiring) & RingHeader.Holder.recorder == 0 }
}
