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
/// The threads of the program write into these rings as into other rings. The collector adds what a reader needs to
/// decode the slots: anchors (ticks and nanoseconds of one moment), numbers of call sites, and slots at which events
/// begin.
final class RingFile: @unchecked Sendable {
    // Sendable: `next` is behind a lock. The counts are atomic, and the entries that they count are written before, by
    // one thread at a time: the one that holds the collector's or the pool's lock.
    private let base: UnsafeMutableRawPointer
    private let size: Int
    private let file: Descriptor
    /// Where the next ring's memory begins.
    private let next = Lock(RingFileFormat.headerSize)

    private typealias Format = RingFileFormat
    private static let pageSize = 4096

    /// Makes the file, which is sparse; replaces an existing one.
    ///
    /// - Parameter byteLimit: the most bytes of rings. Rings beyond ``RingFileFormat/sizeLimit`` do not fit.
    init(path: String, process: UInt64, recorder: Recorder, byteLimit: Int) throws(SystemError) {
        size = Self.size(byteLimit: byteLimit)
        unlink(path)
        file = Descriptor(owning: try SystemError.check(chain_open_new_to_map(path)))
        do throws(SystemError) {
            _ = try SystemError.check(ftruncate(file.number, off_t(size)) == 0 ? 0 : -errno)
            _ = try SystemError.check(chain_reserve(file.number, 0, Int64(Format.headerSize)))
            let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
            guard let mapped, mapped != MAP_FAILED else { throw SystemError() }
            base = mapped
        } catch {
            unlink(path)
            throw error
        }
        store(process, at: Format.processOffset)
        store(UInt64(recorder.slotsOfAnEvent), at: Format.eventSlotsOffset)
        store(recorder.usesCycleCounter ? Format.cycleCounterFlag : 0, at: Format.flagsOffset)
        store(Format.version, at: Format.versionOffset)
        base.copyMemory(from: Format.magic, byteCount: Format.magic.count)
    }

    deinit { munmap(base, size) }

    /// Returns the size of a file with at most `byteLimit` bytes of rings.
    static func size(byteLimit: Int) -> Int {
        let (wanted, overflows) = (Format.headerSize + Format.ringLimit * pageSize)
            .addingReportingOverflow(max(0, byteLimit))
        return overflows ? Format.sizeLimit : min(wanted, Format.sizeLimit)
    }

    private func store<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }

    private func counter(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Writes an entry of a table, and then the table's count, so that a reader finds no appended entry half written.
    /// An entry that overwrites the oldest may be read half written. Returns the index of the entry; nil if the table
    /// is full and `overwritesOldest` is false.
    private func add(
        _ countOffset: Int, limit: Int, overwritesOldest: Bool, _ write: (_ index: Int) -> Void
    ) -> Int? {
        let count = Int(counter(countOffset).pointee.load(ordering: .relaxed))
        guard overwritesOldest || count < limit else { return nil }
        write(count % limit)
        counter(countOffset).pointee.store(UInt64(count + 1), ordering: .releasing)
        return count % limit
    }

    /// Adds an anchor; called under the collector's lock.
    func note(_ anchor: Calibration.Anchor) {
        _ = add(Format.anchorCountOffset, limit: Format.anchorLimit, overwritesOldest: true) { index in
            store(anchor.ticks, at: Format.anchorsOffset + index * Format.anchorSize)
            store(anchor.time, at: Format.anchorsOffset + index * Format.anchorSize + 8)
        }
    }

    /// Adds the number of a call site; called under the collector's lock. If the table is full, the call site is left
    /// out, and is unknown to a reader.
    func note(site address: UnsafePointer<UInt8>, line: UInt32, number: UInt32) {
        _ = add(Format.siteCountOffset, limit: Format.siteLimit, overwritesOldest: false) { index in
            let offset = Format.sitesOffset + index * Format.siteSize
            store(UInt64(UInt(bitPattern: address)), at: offset)
            store(line, at: offset + 8)
            store(number, at: offset + 12)
        }
    }

    // MARK: Rings

    /// Returns memory for a ring, and the ring's entry; nil if there is no room in the file or on the disk.
    func allocate(_ byteCount: Int) -> (memory: UnsafeMutableRawPointer, entry: RingEntry)? {
        next.withLock { next in
            let start = (next + Self.pageSize - 1) / Self.pageSize * Self.pageSize
            guard start + byteCount <= size,
                // Reserved, because a write into mapped memory without room on the disk would end the program (SIGBUS).
                chain_reserve(file.number, Int64(start), Int64(byteCount)) == 0
            else { return nil }
            let index = add(Format.ringCountOffset, limit: Format.ringLimit, overwritesOldest: false) { index in
                let entry = RingEntry(memory: base + Format.ringsOffset + index * Format.ringSize)
                entry.memory.initializeMemory(as: UInt8.self, repeating: 0, count: Format.ringSize)
            }
            guard let index else { return nil }
            next = start + byteCount
            return (base + start, RingEntry(memory: base + Format.ringsOffset + index * Format.ringSize))
        }
    }

    /// Writes the capacity of a ring into its entry, and where its slots and counters are.
    func place(
        _ entry: RingEntry, slots: UnsafeRawPointer, capacity: UInt64, head: UnsafeRawPointer, tail: UnsafeRawPointer
    ) {
        entry.store(UInt64(slots - UnsafeRawPointer(base)), at: 0)
        entry.store(UInt64(head - UnsafeRawPointer(base)), at: 16)
        entry.store(UInt64(tail - UnsafeRawPointer(base)), at: 24)
        entry.store(capacity, at: 8)
    }
}

/// The entry of a ring in the table of a ``RingFile``.
struct RingEntry {
    let memory: UnsafeMutableRawPointer

    private typealias Format = RingFileFormat

    func store<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
        memory.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Number.self)
    }

    /// Resets the entry for a new thread. The head of its ring is at 0, where an event begins, so all boundaries are 0.
    func reset(thread: UInt32, name: UnsafeRawBufferPointer) {
        (memory + Format.boundariesOffset).initializeMemory(
            as: UInt8.self, repeating: 0, count: Format.boundaryCount * 8)
        (memory + Format.nameOffset).copyMemory(from: name.baseAddress!, byteCount: min(name.count, Format.nameSize))
        store(thread, at: Format.threadOffset)
    }

    /// Records a slot at which an event begins; called under the collector's lock. An entry has 15 such slots, which
    /// reach back over most of the ring.
    func note(boundary: UInt64, capacity: UInt64) {
        let spacing = max(1, capacity / UInt64(Format.boundaryCount + 1))
        let index = Int(boundary / spacing % UInt64(Format.boundaryCount))
        store(boundary, at: Format.boundariesOffset + index * 8)
    }
}
