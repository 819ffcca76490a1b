import CChainRuntime
import Synchronization

#if canImport(Darwin)
    import Darwin
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
/// The thread is in the ring's header, because a ring serves one thread until it is drained.
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
/// One thread produces and the collector consumes. `head` and `tail` count slots since the thread took the ring, and
/// never wrap. The fields that the producer writes and the fields that the consumer writes are on different cache
/// lines.
struct RingHeader: ~Copyable {
    /// The number of the recorder that the ring belongs to, for ever.
    let owner: UInt64
    let slots: UnsafeMutableRawPointer
    /// The number of slots, a power of two.
    let capacity: UInt64

    // The fields of the producer.
    /// The next ring in the thread's list, which belongs to another recorder.
    var next: UnsafeMutablePointer<RingHeader>?
    /// The head at which the producer has to read `tail` again, because the ring may be half full, or full.
    var headLimit: UInt64
    var thread: UInt32 = 0
    let head = Atomic<UInt64>(0)
    let madeCount = Atomic<UInt64>(0)
    let lostCount = Atomic<UInt64>(0)
    /// The sides that still hold the memory: bits of ``Holder``.
    let holders = Atomic<UInt8>(0)
    /// The thread's name when it took the ring, NUL-terminated; written before the collector may see the ring.
    var name: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    // Keeps the consumer's cache line away from the producer's.
    private let apart: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    // The fields of the consumer.
    let tail = Atomic<UInt64>(0)
    /// The time of the last event that was read, so that the times of one thread never go back.
    var lastTime: UInt64 = 0
    /// The ``NameTables/threadEpoch`` in which the thread's name was last added; 0 for none.
    var namedEpoch: UInt32 = 0

    /// The ``RingFile`` that the ring lies in, retained; nil for memory of the process.
    var file: UnsafeMutableRawPointer?
    /// The ring's entry in that file.
    var entry: RingEntry?

    enum Holder {
        static let thread: UInt8 = 1
        static let recorder: UInt8 = 2
    }

    init(owner: UInt64, slots: UnsafeMutableRawPointer, capacity: UInt64) {
        self.owner = owner
        self.slots = slots
        self.capacity = capacity
        headLimit = 0
        next = nil
    }
}

/// A reference to a ring's memory; a copy refers to the same ring.
struct Ring: Equatable, @unchecked Sendable {
    // Sendable: the header divides its fields between the two sides, and the memory lives while one of the sides holds
    // it.
    let header: UnsafeMutablePointer<RingHeader>

    private static let headerSize = 256

    /// Makes an empty ring; nil where there is no memory for it.
    ///
    /// - Parameter file: the file in which the ring is made if there is room; else it is made in memory of the process.
    static func allocate(owner: UInt64, capacity: Int, in file: RingFile? = nil) -> Ring? {
        precondition(MemoryLayout<RingHeader>.size <= headerSize && MemoryLayout<RingSlot>.size <= RingSlot.size)
        if let file, let (memory, entry) = file.allocate(byteCount(capacity: capacity)) {
            let header = memory.bindMemory(to: RingHeader.self, capacity: 1)
            header.initialize(
                to: RingHeader(owner: owner, slots: memory + headerSize, capacity: UInt64(capacity)))
            header.pointee.file = Unmanaged.passRetained(file).toOpaque()
            header.pointee.entry = entry
            withUnsafePointer(to: header.pointee.head) { head in
                withUnsafePointer(to: header.pointee.tail) { tail in
                    file.place(
                        entry, slots: memory + headerSize, capacity: UInt64(capacity), head: UnsafeRawPointer(head),
                        tail: UnsafeRawPointer(tail))
                }
            }
            return Ring(header: header)
        }
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 128, byteCount(capacity: capacity)) == 0, let memory else { return nil }
        let header = memory.bindMemory(to: RingHeader.self, capacity: 1)
        header.initialize(
            to: RingHeader(owner: owner, slots: memory + headerSize, capacity: UInt64(capacity)))
        return Ring(header: header)
    }

    static func byteCount(capacity: Int) -> Int { headerSize + capacity * RingSlot.size }

    /// Resets the ring for the calling thread. Its former thread must have released it, and all events must have been
    /// read.
    func reset(thread: UInt32) {
        header.pointee.next = nil
        header.pointee.headLimit = header.pointee.capacity / 2
        header.pointee.thread = thread
        header.pointee.lastTime = 0
        header.pointee.namedEpoch = 0
        header.pointee.head.store(0, ordering: .relaxed)
        header.pointee.tail.store(0, ordering: .relaxed)
        header.pointee.madeCount.store(0, ordering: .relaxed)
        header.pointee.lostCount.store(0, ordering: .relaxed)
        withUnsafeMutableBytes(of: &header.pointee.name) { name in
            chain_thread_display_name(name.baseAddress!.assumingMemoryBound(to: CChar.self), name.count)
            header.pointee.entry?.reset(thread: thread, name: UnsafeRawBufferPointer(name))
        }
        header.pointee.holders.store(RingHeader.Holder.thread | RingHeader.Holder.recorder, ordering: .releasing)
    }

    /// Ends the hold of one side on the memory. When both sides have released it, the memory is freed.
    func release(_ holder: UInt8) {
        let left = header.pointee.holders.bitwiseAnd(~holder, ordering: .acquiringAndReleasing).newValue
        guard left == 0 else { return }
        let file = header.pointee.file
        header.deinitialize(count: 1)
        if let file { Unmanaged<RingFile>.fromOpaque(file).release() } else { free(header) }
    }

    /// Whether the thread has released the ring, so that no event is added any more.
    var isDetached: Bool { header.pointee.holders.load(ordering: .acquiring) & RingHeader.Holder.thread == 0 }
    /// Whether the recorder has released the ring, so that it is not drained any more.
    var isClosed: Bool { header.pointee.holders.load(ordering: .acquiring) & RingHeader.Holder.recorder == 0 }

    func slot(_ index: UInt64) -> UnsafeMutableRawPointer {
        header.pointee.slots + Int(truncatingIfNeeded: index & (header.pointee.capacity &- 1)) * RingSlot.size
    }

    /// The name of the ring's thread; empty where the thread has no name.
    var threadName: String {
        withUnsafeBytes(of: header.pointee.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
