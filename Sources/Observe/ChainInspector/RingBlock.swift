// SPDX-License-Identifier: MIT

import ChainRecording
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A reference to a block: the memory of some pages that a ring writes its slots into, with a header. A copy refers to
/// the same block.
///
/// The layout is that of ``RingFileFormat``, because blocks may lie in a file.
struct RingBlock: Equatable, @unchecked Sendable {
    // Sendable: one side owns a block at a time. The thread owns the header until it links the next block, and the slots
    // until it publishes them; then the collector; then the pool, which hands the block over under its lock.
    let memory: UnsafeMutableRawPointer

    private typealias Format = RingFileFormat

    /// Makes a block; nil where there is no memory for it.
    ///
    /// - Parameter file: the file in which the block is made if there is room; else it is made in memory of the process.
    static func allocate(byteCount: Int, in file: RingFile?) -> RingBlock? {
        var memory = file?.makeBlock()
        let isInFile = memory != nil
        guard isInFile || posix_memalign(&memory, 128, byteCount) == 0, let memory else { return nil }
        memory.storeBytes(of: isInFile ? 1 : 0, toByteOffset: Format.blockIsInFileOffset, as: UInt8.self)
        let block = RingBlock(memory: memory)
        block.setNext(nil)
        return block
    }

    /// Frees a block and those after it; blocks in a file go with the file.
    static func deallocate(from first: RingBlock?) {
        var next = first
        while let block = next {
            next = block.next
            if block.memory.load(fromByteOffset: Format.blockIsInFileOffset, as: UInt8.self) == 0 { free(block.memory) }
        }
    }

    /// Returns how many slots fit into a block of that size.
    static func capacity(byteCount: Int) -> UInt64 {
        UInt64((byteCount - Format.blockHeaderSize) / RingSlot.size)
    }

    /// The first slot; the others follow.
    var slots: UnsafeMutableRawPointer { memory + Format.blockHeaderSize }

    /// The number of the first slot, counted since the ring was made.
    var start: UInt64 {
        get { memory.load(fromByteOffset: Format.blockStartOffset, as: UInt64.self) }
        nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Format.blockStartOffset, as: UInt64.self) }
    }

    /// When the pool got the block back, in nanoseconds of the monotonic clock; used by the pool only.
    var freedTime: UInt64 {
        get { memory.load(fromByteOffset: Format.blockFreedOffset, as: UInt64.self) }
        nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Format.blockFreedOffset, as: UInt64.self) }
    }

    private var link: UnsafeMutablePointer<Atomic<UInt>> {
        (memory + Format.blockNextOffset).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    /// The block that the ring, or the pool's list, goes on with; nil for none. Who sees it also sees its header.
    var next: RingBlock? {
        UnsafeMutableRawPointer(bitPattern: link.pointee.load(ordering: .acquiring)).map { RingBlock(memory: $0) }
    }

    func setNext(_ next: RingBlock?) {
        link.pointee.store(next.map { UInt(bitPattern: $0.memory) } ?? 0, ordering: .releasing)
    }

    /// Prepares the block for the slots of a ring from `start` on.
    ///
    /// - Parameter ring: the ring's number in the file of the rings; nil outside of that file.
    func begin(at start: UInt64, ring: Int?, thread: UInt32, name: UnsafeRawBufferPointer) {
        // No ring while the header is changed: a reader of the file skips such a block.
        setRing(nil)
        setNext(nil)
        self.start = start
        setEnd(.max)
        memory.storeBytes(of: thread, toByteOffset: Format.blockThreadOffset, as: UInt32.self)
        (memory + Format.blockNameOffset).copyMemory(
            from: name.baseAddress!, byteCount: min(name.count, Format.nameSize))
        setRing(ring)
    }

    /// Sets the number of the slot after the last one, for readers of the file.
    func setEnd(_ end: UInt64) { memory.storeBytes(of: end, toByteOffset: Format.blockEndOffset, as: UInt64.self) }

    private func setRing(_ number: Int?) {
        memory.storeBytes(of: UInt64((number ?? -1) + 1), toByteOffset: Format.blockRingOffset, as: UInt64.self)
    }

    /// The thread that wrote the slots.
    var thread: UInt32 { memory.load(fromByteOffset: Format.blockThreadOffset, as: UInt32.self) }

    /// The name of the thread when it took its ring, NUL-terminated.
    var name: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + Format.blockNameOffset, count: Format.nameSize)
    }
}

extension RingBlock {
    /// The name of the thread; empty where the thread has no name.
    var threadName: String { String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) }
}
