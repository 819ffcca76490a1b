// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A part of a recording that cannot be read.
package struct RecordingDamage: Hashable, Sendable, CustomStringConvertible {
    /// The offset in the file at which the damaged part begins.
    package var offset: UInt64
    /// What is wrong there.
    package var reason: String

    package var description: String { "\(reason) at byte \(offset)" }
}

/// A part of a recording that can be shown without the parts before it.
package struct RecordingSegment: Hashable, Sendable {
    /// The moment of its keyframe's last batch, in nanoseconds of the program's clock.
    package var time: UInt64
    /// The indices in ``RecordingFile/chunks`` of the segment's chunks, and of the chunks of its keyframe. Between the
    /// latter there may be batches that came meanwhile, and that the keyframe contains.
    package var chunks: Range<Int>, keyframe: Range<Int>
}

/// An open recording. Reads a chunk at a time: keeps the chunks' headers, some 100 bytes each, and not their payloads.
///
/// Opening reads the index or, if there is none, the header of each chunk: some 30 ms for 20,000 chunks. A file that is
/// still being written is read up to the size that it had when it was opened.
package final class RecordingFile {
    package let header: FileHeader
    /// The chunks of all segments, in order.
    package let chunks: [ChunkEntry]
    /// Segments that begin with a whole keyframe, in order; at least one.
    package let segments: [RecordingSegment]
    /// Counts over time: from the index or, if there is none, from the headers of the chunks.
    package let series: CountSeries
    /// Whether the file has an index that can be read. Only a recording that was ended in good order has an index.
    package let hasIndex: Bool
    /// The program that was recorded.
    package let hello: Hello
    /// What was found damaged so far, in the order of finding.
    package private(set) var damage: [RecordingDamage]
    /// The elements of ``damage``.
    private var knownDamage: Set<RecordingDamage>
    private let file: any StoredBytes
    private let codec: (any PayloadCodec)?

    /// Opens a file.
    ///
    /// - Parameter codec: unpacks chunks that need a library. If it is nil, a recording with such chunks is refused.
    package convenience init(path: String, codec: (any PayloadCodec)? = nil) throws(RecordingError) {
        let file: ByteFile
        do { file = try ByteFile(path: path) } catch { throw .system(error) }
        try self.init(file, codec)
    }

    /// Reads a recording.
    ///
    /// - Parameter added: chunks to add after the chunks of the file; ignored if the file has an index.
    init(
        _ file: any StoredBytes, _ codec: (any PayloadCodec)? = nil, added: AddedChunks? = nil
    ) throws(RecordingError) {
        self.file = added.map { AppendedBytes(base: file, added: $0.bytes) } ?? file
        self.codec = codec
        header = try FileHeader(file.bytes(at: 0, count: RecordingFormat.fileHeaderSize))
        var scan = ChunkScan(file, header.id)
        if let index = scan.index(at: header.index) {
            (chunks, series, hasIndex) = (index.chunks, index.series, true)
        } else {
            scan.run()
            (chunks, hasIndex) = (scan.chunks + (added?.chunks ?? []), false)
            var series = CountSeries()
            for chunk in chunks { series.note(chunk.header.counts, at: chunk.header.lastTime) }
            self.series = series
        }
        damage = scan.damage
        knownDamage = Set(damage)
        segments = Self.segments(of: chunks)
        guard chunks.allSatisfy({ $0.header.codec != .zstd || codec?.codec == .zstd }) else { throw .packed }
        guard let (hello, damage) = Self.hello(self.file, header.id, codec, chunks, segments) else { throw .empty }
        self.hello = hello
        note(damage)
    }

    /// The program's description.
    package var process: ProcessDescription { hello.process }

    /// The times of the first keyframe and of the last batch, in nanoseconds of the program's clock.
    package var range: ClosedRange<UInt64> {
        let first = segments[0].time
        return first...max(first, chunks.last?.header.lastTime ?? 0)
    }

    /// Returns the messages of a chunk; nil if the chunk is damaged. The damage is noted in ``damage``.
    package func messages(ofChunk index: Int) -> [Message]? {
        do throws(RecordingDamage) {
            return try Self.messages(file, header.id, codec, chunks[index])
        } catch {
            note([error])
            return nil
        }
    }

    /// Returns the batches of a chunk; nil if the chunk is damaged. The damage is noted in ``damage``.
    package func batches(ofChunk index: Int) -> [EventBatch]? {
        messages(ofChunk: index)?.compactMap { if case .batch(let batch) = $0 { batch } else { nil } }
    }

    /// Notes damage that was found in the same file.
    package func note(_ found: [RecordingDamage]) {
        for one in found where knownDamage.insert(one).inserted { damage.append(one) }
    }

    /// Reads the bytes of all chunks, to find what is damaged among them. The damage is noted in ``damage``.
    package func readAll() {
        for entry in chunks {
            do throws(RecordingDamage) { _ = try Self.stored(file, header.id, entry) } catch { note([error]) }
        }
    }

    private static func segments(of chunks: [ChunkEntry]) -> [RecordingSegment] {
        var segments: [RecordingSegment] = []
        var start = 0
        while start < chunks.count {
            let number = chunks[start].header.segment
            var end = start
            while end < chunks.count, chunks[end].header.segment == number { end += 1 }
            if let keyframe = keyframe(of: chunks[start..<end]) {
                let time = chunks[keyframe.upperBound - 1].header.lastTime
                segments.append(RecordingSegment(time: time, chunks: start..<end, keyframe: keyframe))
            }
            start = end
        }
        return segments
    }

    /// Returns the chunks of a segment's keyframe; nil where one is missing.
    private static func keyframe(of chunks: ArraySlice<ChunkEntry>) -> Range<Int>? {
        guard let first = chunks.first, first.header.flags.contains(.beginsKeyframe) else { return nil }
        for index in chunks.indices {
            let header = chunks[index].header
            guard Int(header.number) - Int(first.header.number) == index - chunks.startIndex else { return nil }
            if header.flags.contains(.endsKeyframe) { return chunks.startIndex..<index + 1 }
        }
        return nil
    }

    /// Returns the first hello that can be read, and the damage found before it; nil if no hello can be read.
    private static func hello(
        _ file: any StoredBytes, _ id: UInt64, _ codec: (any PayloadCodec)?, _ chunks: [ChunkEntry],
        _ segments: [RecordingSegment]
    ) -> (Hello, [RecordingDamage])? {
        var damage: [RecordingDamage] = []
        for segment in segments {
            do throws(RecordingDamage) {
                for case .hello(let hello) in try messages(file, id, codec, chunks[segment.chunks.lowerBound]) {
                    return (hello, damage)
                }
            } catch { damage.append(error) }
        }
        return nil
    }

    /// Returns the bytes of a chunk with its header, after a check of both.
    private static func stored(
        _ file: any StoredBytes, _ id: UInt64, _ entry: ChunkEntry
    ) throws(RecordingDamage) -> [UInt8] {
        func damaged(_ reason: String) -> RecordingDamage { RecordingDamage(offset: entry.offset, reason: reason) }
        let headerSize = RecordingFormat.chunkHeaderSize
        let bytes = file.bytes(at: entry.offset, count: headerSize + Int(entry.header.storedCount))
        guard ChunkHeader(bytes, in: id) == entry.header else { throw damaged("the header of a chunk is damaged") }
        guard bytes.count == headerSize + Int(entry.header.storedCount) else { throw damaged("a chunk is cut off") }
        let checksum = bytes.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[headerSize...])) }
        guard checksum == entry.header.payloadChecksum else { throw damaged("a chunk is damaged") }
        return bytes
    }

    private static func messages(
        _ file: any StoredBytes, _ id: UInt64, _ codec: (any PayloadCodec)?, _ entry: ChunkEntry
    ) throws(RecordingDamage) -> [Message] {
        func damaged(_ reason: String) -> RecordingDamage { RecordingDamage(offset: entry.offset, reason: reason) }
        let headerSize = RecordingFormat.chunkHeaderSize
        let bytes = try stored(file, id, entry)
        // Typed throws do not pass through the closure.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(RecordingDamage) in
                let payload = UnsafeRawBufferPointer(rebasing: bytes[headerSize...])
                let isRaw = entry.header.codec == .raw
                let codec = entry.header.codec == .columns ? PayloadColumns() : codec
                let unpacked = isRaw ? nil : codec?.unpacked(payload, count: Int(entry.header.rawCount))
                guard isRaw || unpacked != nil else { throw damaged("a chunk cannot be unpacked") }
                do {
                    guard let unpacked else { return try Message.all(in: payload) }
                    return try unpacked.withUnsafeBytes { try Message.all(in: $0) }
                } catch { throw damaged("a chunk cannot be understood") }
            }
        }
        return try result.get()
    }
}

extension RecordingDamage: Error {}

/// Bytes of a recording, to be read.
protocol StoredBytes {
    var count: UInt64 { get }

    /// Returns `count` bytes from an offset on, or fewer if the bytes end before that or cannot be read.
    func bytes(at offset: UInt64, count: Int) -> [UInt8]

    /// How many bytes are stored, where that is known: without the holes of a file.
    var storedCount: UInt64 { get }

    /// Returns the offset of the first bytes at or after an offset that are not in a hole of a file.
    func dataOffset(from offset: UInt64) -> UInt64
}

extension StoredBytes {
    var storedCount: UInt64 { count }

    func dataOffset(from offset: UInt64) -> UInt64 { offset }

    /// Returns how many of `count` bytes there are from an offset on.
    func available(at offset: UInt64, _ count: Int) -> Int {
        offset < self.count ? Int(min(UInt64(count), self.count - offset)) : 0
    }
}

/// A file's bytes.
final class ByteFile: StoredBytes {
    private let descriptor: Descriptor
    let count: UInt64

    init(path: String) throws(SystemError) {
        descriptor = Descriptor(owning: try SystemError.check(chain_open_to_read(path)))
        let end = lseek(descriptor.number, 0, SEEK_END)
        guard end >= 0 else { throw SystemError() }
        // A directory reports `Int.max`.
        guard end < Int.max else { throw SystemError(code: EISDIR) }
        count = UInt64(end)
    }

    var storedCount: UInt64 {
        var facts = stat()
        guard fstat(descriptor.number, &facts) == 0 else { return count }
        return min(count, UInt64(max(0, facts.st_blocks)) * 512)
    }

    func dataOffset(from offset: UInt64) -> UInt64 {
        guard let offset = Int64(exactly: offset) else { return .max }
        return UInt64(chain_data_offset(descriptor.number, offset))
    }

    func bytes(at offset: UInt64, count: Int) -> [UInt8] {
        let room = available(at: offset, count)
        // With a capacity of 0, the count would be written into the empty array that all threads share.
        guard room > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            filled = 0
            while filled < room {
                let next = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let got = pread(descriptor.number, next.baseAddress, next.count, off_t(offset) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                filled += got
            }
        }
    }
}
