import CChainRuntime
import ChainRecording
import ChainSystem
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A mapped file that rings lie in, so that they outlive the program: the black box of a flight recorder.
///
/// The threads of the program write into it as into other rings. The collector adds what a reader needs to understand
/// the slots: anchors of the clock, numbers of call sites, and where events begin.
final class RingFile: @unchecked Sendable {
    // Sendable: `next` is behind a lock; the counts are atomic, and what they count is written before by one thread at a
    // time, the one that holds the collector's or the pool's lock.
    private let base: UnsafeMutableRawPointer
    private let size: Int
    private let file: Descriptor
    /// Where the next ring's memory begins.
    private let next = Lock(RingFileFormat.headerSize)

    private typealias Format = RingFileFormat
    private static let pageSize = 4096

    /// Makes the file.
    ///
    /// - Parameter byteLimit: bytes of rings at most. The file is sparse.
    init(path: String, process: UInt64, recorder: Recorder, byteLimit: Int) throws(SystemError) {
        unlink(path)
        file = Descriptor(owning: try SystemError.check(chain_open_new_to_map(path)))
        size = Format.headerSize + byteLimit + Format.ringLimit * Self.pageSize
        let mapped =
            ftruncate(file.number, off_t(size)) == 0 && chain_reserve(file.number, 0, Int64(Format.headerSize)) == 0
            ? mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0) : MAP_FAILED
        guard let mapped, mapped != MAP_FAILED else {
            let error = SystemError()
            unlink(path)
            throw error
        }
        base = mapped
        put(process, at: Format.processOffset)
        put(UInt64(recorder.slotsOfAnEvent), at: Format.eventSlotsOffset)
        put(recorder.usesCycleCounter ? Format.cycleCounterFlag : 0, at: Format.flagsOffset)
        put(Format.version, at: Format.versionOffset)
        base.copyMemory(from: Format.magic, byteCount: Format.magic.count)
    }

    deinit { munmap(base, size) }

    private func put<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }

    private func counter(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Writes an entry of a table, and then its count, so that a reader finds no entry that is half written.
    private func add(
        _ countOffset: Int, limit: Int, isRing: Bool, _ write: (_ index: Int) -> Void
    ) -> Int? {
        let count = Int(counter(countOffset).pointee.load(ordering: .relaxed))
        guard isRing || count < limit else { return nil }
        write(count % limit)
        counter(countOffset).pointee.store(UInt64(count + 1), ordering: .releasing)
        return count % limit
    }

    /// Notes a moment, by the collector.
    func note(_ anchor: Calibration.Anchor) {
        _ = add(Format.anchorCountOffset, limit: Format.anchorLimit, isRing: true) { index in
            put(anchor.ticks, at: Format.anchorsOffset + index * Format.anchorSize)
            put(anchor.time, at: Format.anchorsOffset + index * Format.anchorSize + 8)
        }
    }

    /// Notes the number of a call site, by the collector; further ones than there is room for are unknown to a reader.
    func note(site address: UnsafePointer<UInt8>, line: UInt32, number: UInt32) {
        _ = add(Format.siteCountOffset, limit: Format.siteLimit, isRing: false) { index in
            let offset = Format.sitesOffset + index * Format.siteSize
            put(UInt64(UInt(bitPattern: address)), at: offset)
            put(line, at: offset + 8)
            put(number, at: offset + 12)
        }
    }

    // MARK: Rings

    /// Memory for a ring, and its entry; nil where there is no room, on the disk either.
    func allocate(_ byteCount: Int, capacity: Int) -> (memory: UnsafeMutableRawPointer, entry: RingEntry)? {
        next.withLock { next in
            let start = (next + Self.pageSize - 1) / Self.pageSize * Self.pageSize
            guard start + byteCount <= size,
                // Else a write into a file on a full disk would end the program (SIGBUS).
                chain_reserve(file.number, Int64(start), Int64(byteCount)) == 0
            else { return nil }
            let index = add(Format.ringCountOffset, limit: Format.ringLimit, isRing: false) { index in
                let entry = RingEntry(memory: base + Format.ringsOffset + index * Format.ringSize)
                entry.memory.initializeMemory(as: UInt8.self, repeating: 0, count: Format.ringSize)
            }
            guard let index else { return nil }
            next = start + byteCount
            return (base + start, RingEntry(memory: base + Format.ringsOffset + index * Format.ringSize))
        }
    }

    /// Says where a ring's slots and counters are.
    func place(
        _ entry: RingEntry, slots: UnsafeRawPointer, capacity: UInt64, head: UnsafeRawPointer, tail: UnsafeRawPointer
    ) {
        entry.put(UInt64(slots - UnsafeRawPointer(base)), at: 0)
        entry.put(UInt64(head - UnsafeRawPointer(base)), at: 16)
        entry.put(UInt64(tail - UnsafeRawPointer(base)), at: 24)
        entry.put(capacity, at: 8)
    }
}

/// The entry of a ring in the table of a ``RingFile``.
struct RingEntry {
    let memory: UnsafeMutableRawPointer

    private typealias Format = RingFileFormat

    func put<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }

    /// For a new thread, when the ring's head is at 0, where an event begins.
    func reset(thread: UInt32, name: UnsafeRawBufferPointer) {
        (memory + Format.boundariesOffset).initializeMemory(
            as: UInt8.self, repeating: 0, count: Format.boundaryCount * 8)
        (memory + Format.nameOffset).copyMemory(from: name.baseAddress!, byteCount: min(name.count, Format.nameSize))
        put(thread, at: Format.threadOffset)
    }

    /// Notes a slot at which an event begins, by the collector; 15 of them reach back over most of the ring.
    func note(boundary: UInt64, capacity: UInt64) {
        let spacing = max(1, capacity / UInt64(Format.boundaryCount + 1))
        let index = Int(boundary / spacing % UInt64(Format.boundaryCount))
        put(boundary, at: Format.boundariesOffset + index * 8)
    }
}
