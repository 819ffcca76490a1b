// SPDX-License-Identifier: MIT

/// The position and the header of a chunk.
package struct ChunkEntry: Hashable, Sendable {
    /// The offset of its header in the file.
    package var offset: UInt64
    package var header: ChunkHeader

    /// The offset of the first byte after the chunk.
    var end: UInt64 { offset + header.size }
}

/// The payload of an index: the positions and headers of all chunks, and counts over time.
///
///     index   0             4              8       16         24
///             ├ chunk count ┼ entry count ─┼ start ┼ interval ┼ chunks: offset (8), header (88) … ┼ entries …
///
///     entry   0      4         8          12        16         20
///             ├ made ┼ settled ┼ rejected ┼ running ┼ warnings ┤
package struct RecordingIndex: Hashable, Sendable {
    package var chunks: [ChunkEntry]
    package var series: CountSeries

    func bytes(in file: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size(chunks.count, series.entries.count))
        bytes.put(UInt32(chunks.count))
        bytes.put(UInt32(series.entries.count))
        bytes.put(series.start)
        bytes.put(series.interval)
        for chunk in chunks {
            bytes.put(chunk.offset)
            bytes += chunk.header.bytes(in: file)
        }
        for entry in series.entries {
            for count in [entry.made, entry.settled, entry.rejected, entry.running, entry.warnings] {
                bytes.put(count)
            }
        }
        return bytes
    }

    /// Returns the whole chunk of the index, which has the greatest number of the chunks in its file.
    func chunk(_ number: UInt32, segment: UInt32, _ counts: RecordingCounts, in file: UInt64) -> [UInt8] {
        let payload = bytes(in: file)
        var header = ChunkHeader(.index)
        (header.number, header.segment) = (number, segment)
        (header.rawCount, header.storedCount) = (UInt32(payload.count), UInt32(payload.count))
        header.counts = counts
        header.payloadChecksum = payload.withUnsafeBytes { Checksum.of($0) }
        return header.bytes(in: file) + payload
    }

    /// Returns the size of an index in bytes.
    static func size(_ chunkCount: Int, _ entryCount: Int) -> Int {
        24 + chunkCount * RecordingFormat.indexEntrySize + entryCount * RecordingFormat.countSize
    }

    /// Decodes an index; nil if the bytes are too few.
    init?(_ bytes: [UInt8], in file: UInt64) {
        guard bytes.count >= 24 else { return nil }
        let chunkCount = Int(bytes.number(at: 0, UInt32.self))
        let entryCount = Int(bytes.number(at: 4, UInt32.self))
        guard bytes.count >= Self.size(chunkCount, entryCount) else { return nil }
        chunks = []
        chunks.reserveCapacity(chunkCount)
        for index in 0..<chunkCount {
            let offset = 24 + index * RecordingFormat.indexEntrySize
            // A chunk of a kind that only later versions know is left out.
            guard let header = ChunkHeader(bytes, at: offset + 8, in: file) else { continue }
            chunks.append(ChunkEntry(offset: bytes.number(at: offset), header: header))
        }
        let start = Self.size(chunkCount, 0)
        let entries = (0..<entryCount).map { index in
            func field(_ number: Int) -> UInt32 {
                bytes.number(at: start + index * RecordingFormat.countSize + 4 * number)
            }
            var entry = IntervalCounts()
            (entry.made, entry.settled, entry.rejected) = (field(0), field(1), field(2))
            (entry.running, entry.warnings) = (field(3), field(4))
            return entry
        }
        series = CountSeries(start: bytes.number(at: 8), interval: bytes.number(at: 16), entries: entries)
    }

    /// Whether the chunks may be in a file of `count` bytes. Chunks that share bytes are a hostile file's: reading it
    /// would take longer than any file of that length.
    func isPlausible(in count: UInt64) -> Bool {
        var rest = count
        for chunk in chunks {
            guard chunk.offset < count, chunk.header.size <= rest else { return false }
            rest -= chunk.header.size
        }
        return true
    }

    init(chunks: [ChunkEntry], series: CountSeries) { (self.chunks, self.series) = (chunks, series) }
}
