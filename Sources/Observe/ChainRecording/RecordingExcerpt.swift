// SPDX-License-Identifier: MIT

import ChainSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension SegmentRecorder {
    /// Forgets segments that ended before a time: ``writeExcerpt(from:of:to:)`` no longer copies them.
    package mutating func forget(before time: UInt64) { writer.forgetChunks(before: time) }

    /// Copies the segments from a time on into another file: a complete recording with an index, marked as finished.
    /// If recording has failed, copies the segments that were written before the failure. Costs a copy of the bytes.
    ///
    /// - Parameters:
    ///   - time: in nanoseconds of the program's clock; if no segment is that old, all are copied.
    ///   - path: the file that is being recorded into.
    /// - Returns: the size of the new file in bytes.
    /// - Throws: ``RecordingError/empty`` if there is no segment to copy, and ``RecordingError/system(_:)`` for an
    ///   error of either file.
    @discardableResult
    package mutating func writeExcerpt(
        from time: UInt64, of path: String, to target: any RecordingStorage
    ) throws(RecordingError) -> UInt64 {
        // If the flush fails, the chunks before can still be copied, and the next batch throws the error.
        do throws(RecordingError) { try writer.flush() } catch {}
        let (id, chunks) = writer.written
        guard
            let first = chunks.indexOfKeyframe(at: time)
                ?? chunks.firstIndex(where: { $0.header.flags.contains(.beginsKeyframe) })
        else { throw .empty }
        do throws(SystemError) {
            var excerpt = Excerpt(of: try ByteFile(path: path), id, to: target)
            return try excerpt.write(chunks[first...])
        } catch { throw .system(error) }
    }
}

/// A recording that is copied chunk by chunk.
private struct Excerpt {
    private let source: ByteFile
    private let target: any RecordingStorage
    /// A header with the id of the source, on which the checksums of its chunks depend.
    private var header: FileHeader
    /// The size so far.
    private var end = UInt64(RecordingFormat.fileHeaderSize)

    init(of source: ByteFile, _ id: UInt64, to target: any RecordingStorage) {
        (self.source, self.target) = (source, target)
        header = FileHeader(id: id)
    }

    /// Writes the file, and returns its size.
    mutating func write(_ chunks: ArraySlice<ChunkEntry>) throws(SystemError) -> UInt64 {
        try write(header.bytes, at: 0)
        // Counts are totals since the recording began, so the series starts from the totals in the first chunk's
        // header.
        let series = chunks.first.map { CountSeries(after: $0.header.counts) } ?? CountSeries()
        var index = RecordingIndex(chunks: [], series: series)
        index.chunks.reserveCapacity(chunks.count)
        for entry in chunks {
            let bytes = source.bytes(at: entry.offset, count: Int(entry.header.size))
            guard bytes.count == Int(entry.header.size) else { throw SystemError(code: EIO) }
            index.chunks.append(ChunkEntry(offset: end, header: entry.header))
            index.series.note(entry.header.counts, at: entry.header.lastTime)
            try append(bytes)
        }
        if let last = chunks.last?.header {
            header.index = end
            try append(index.chunk(last.number + 1, segment: last.segment, last.counts, in: header.id))
        }
        header.ending = .finished
        try write(header.bytes, at: 0)
        return end
    }

    private mutating func append(_ bytes: [UInt8]) throws(SystemError) {
        try write(bytes, at: end)
        end += UInt64(bytes.count)
    }

    private func write(_ bytes: [UInt8], at offset: UInt64) throws(SystemError) {
        // Typed throws do not pass through the closure.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try target.write(bytes, at: offset) }
        }
        try result.get()
    }
}
