// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainRecording
import ChainSystem
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A mapped file that rings lie in, so that they outlive the program: the black box of a flight recorder.
///
/// The threads of the program write into these rings as into other rings. The collector adds what a reader needs to
/// decode the slots: anchors (ticks and nanoseconds of one moment) and numbers of call sites.
final class RingFile: @unchecked Sendable {
    // Sendable: `ringCount` is behind a lock. The counts are atomic, and the entries that they count are written before, by
    // one thread at a time: the one that holds the collector's or the pool's lock.
    private let base: UnsafeMutableRawPointer
    private let size: Int
    private let file: Descriptor
    private let blockSize: Int
    private let ringCount = Lock(0)

    private typealias Format = RingFileFormat

    /// Makes the file, which is sparse; replaces an existing one.
    ///
    /// - Parameter byteLimit: the most bytes of rings. Rings beyond ``RingFileFormat/sizeLimit`` do not fit.
    init(path: String, process: UInt64, recorder: Recorder, byteLimit: Int) throws(SystemError) {
        size = Self.size(byteLimit: byteLimit)
        blockSize = recorder.pool.blockSize
        unlink(path)
        file = Descriptor(owning: try SystemError.check(chain_open_new_to_map(path)))
        do throws(SystemError) {
            _ = try SystemError.check(ftruncate(file.number, off_t(size)) == 0 ? 0 : -errno)
            _ = try SystemError.check(chain_reserve(file.number, 0, Int64(Format.ringsOffset)))
            let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
            guard let mapped, mapped != MAP_FAILED else { throw SystemError() }
            base = mapped
        } catch {
            unlink(path)
            throw error
        }
        store(process, at: Format.processOffset)
        store(UInt64(blockSize), at: Format.blockSizeOffset)
        let (head, tail) = Ring.counterOffsets
        store(UInt32(head), at: Format.headPlaceOffset)
        store(UInt32(tail), at: Format.tailPlaceOffset)
        store(recorder.usesCycleCounter ? Format.cycleCounterFlag : 0, at: Format.flagsOffset)
        store(Format.version, at: Format.versionOffset)
        base.copyMemory(from: Format.magic, byteCount: Format.magic.count)
    }

    deinit { munmap(base, size) }

    /// Returns the size of a file with at most `byteLimit` bytes of rings.
    static func size(byteLimit: Int) -> Int {
        let (wanted, overflows) = Format.headerSize.addingReportingOverflow(max(0, byteLimit))
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

    /// Returns zeroed memory for the header of a ring, and its number; nil if there is no room in the file or on the
    /// disk.
    func makeRing() -> (memory: UnsafeMutableRawPointer, number: Int)? {
        ringCount.withLock { count in
            let offset = Format.ringsOffset + count * Format.ringSize
            guard count < Format.ringLimit, reserve(offset, Format.ringSize) else { return nil }
            defer { count += 1 }
            return (base + offset, count)
        }
    }

    /// Returns zeroed memory for a block; nil if there is no room in the file or on the disk. Called under the pool's
    /// lock.
    func makeBlock() -> UnsafeMutableRawPointer? {
        let index = Int(counter(Format.blockCountOffset).pointee.load(ordering: .relaxed))
        let offset = Format.headerSize + index * blockSize
        guard offset + blockSize <= size, reserve(offset, blockSize) else { return nil }
        counter(Format.blockCountOffset).pointee.store(UInt64(index + 1), ordering: .releasing)
        return base + offset
    }

    /// Reserves room on the disk, because a write into mapped memory without room would end the program (SIGBUS).
    private func reserve(_ offset: Int, _ byteCount: Int) -> Bool {
        chain_reserve(file.number, Int64(offset), Int64(byteCount)) == 0
    }
}
