// SPDX-License-Identifier: MIT

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A search for the chunks of a file: by its index, or from header to header.
struct ChunkScan {
    private let file: any StoredBytes
    private let id: UInt64
    private(set) var chunks: [ChunkEntry] = []
    private(set) var damage: [RecordingDamage] = []
    /// How many more bytes of payloads may be checksummed by searches for whole chunks. The limit is for files of
    /// hostile headers, each of which claims the same long payload.
    private var checkBudget: UInt64
    /// Whether a search ended because of ``checkBudget``.
    private var isOverBudget = false
    /// How many bytes searches have checksummed.
    private(set) var checkedCount: UInt64 = 0
    /// The bytes that were last searched, and their offset. They are kept, because the next gap may be among them.
    private var window: (start: UInt64, bytes: [UInt8]) = (0, [])
    /// How many bytes are searched at once for a header.
    private static let searchCount = 64 << 10

    init(_ file: any StoredBytes, _ id: UInt64) {
        self.file = file
        self.id = id
        // An index that cannot be read holds the headers of all chunks, whose payloads together are as long as the file.
        checkBudget = 2 * min(file.storedCount, 1 << 60) + 16 << 20
    }

    /// Returns the index at an offset; nil for offset 0, or where the index cannot be read. An index that cannot be
    /// read is noted as damage.
    mutating func index(at offset: UInt64) -> RecordingIndex? {
        guard offset != 0 else { return nil }
        let headerSize = RecordingFormat.chunkHeaderSize
        let start = file.bytes(at: offset, count: headerSize)
        if let header = ChunkHeader(start, in: id), header.kind == .index {
            let payload = file.bytes(at: offset + UInt64(headerSize), count: Int(header.storedCount))
            let isWhole = payload.withUnsafeBytes { Checksum.of($0) } == header.payloadChecksum
            if isWhole, let index = RecordingIndex(payload, in: id), index.isPlausible(in: file.count) { return index }
        }
        noteIndex(at: offset)
        return nil
    }

    private mutating func noteIndex(at offset: UInt64) {
        // The place of an index beyond the end is in the header of a file that was cut off.
        let isBeyond = offset >= file.count
        let reason =
            isBeyond ? "the file is cut off: it has \(file.count) bytes, and its index began" : "the index is damaged"
        let one = RecordingDamage(offset: offset, reason: reason)
        if !damage.contains(one) { damage.append(one) }
    }

    /// Finds the chunks from header to header, and orders them by number.
    mutating func run() {
        var found: [ChunkEntry] = []
        var offset = UInt64(RecordingFormat.fileHeaderSize)
        while offset < file.count {
            let chunk = entry(at: offset)
            if let chunk, chunk.end <= file.count {
                found.append(chunk)
                offset = chunk.end
                continue
            }
            // An index is the last chunk, also where it was not written to its end.
            if chunk?.header.kind == .index {
                noteIndex(at: offset)
                break
            }
            let next = nextHeader(after: offset)
            noteGap(offset, next)
            guard let next else { break }
            offset = next
        }
        found.sort { $0.header.number < $1.header.number }
        // In a ring, the newest chunk may overwrite a part of the chunk after it, which is no damage.
        if let newest = found.last, found.contains(where: { $0.offset > newest.offset }) {
            damage.removeAll { $0.offset == newest.end }
        }
        found.removeAll { $0.header.kind == .index }
        // In a ring, the oldest segment may have lost its beginning; the remaining chunks of that segment are left out.
        let first = found.firstIndex { $0.header.flags.contains(.beginsKeyframe) }
        chunks = Array(found[(first ?? found.count)...])
        noteMissing()
    }

    /// Returns the chunk with a whole header at an offset. Its end may be cut off.
    private func entry(at offset: UInt64) -> ChunkEntry? {
        let bytes = file.bytes(at: offset, count: RecordingFormat.chunkHeaderSize)
        guard let header = ChunkHeader(bytes, in: id) else { return nil }
        return ChunkEntry(offset: offset, header: header)
    }

    /// Returns whether the payload of a chunk is whole. An index repeats the headers of other chunks, so the header
    /// alone is no evidence.
    private mutating func isWhole(_ entry: ChunkEntry) -> Bool {
        guard entry.end <= file.count else { return false }
        let count = UInt64(entry.header.storedCount)
        guard count <= checkBudget else {
            isOverBudget = true
            return false
        }
        checkBudget -= count
        checkedCount += count
        var (offset, checksum): (UInt64, UInt32) = (entry.end - count, 0)
        while offset < entry.end {
            let bytes = file.bytes(at: offset, count: Int(min(1 << 20, entry.end - offset)))
            guard !bytes.isEmpty else { return false }
            checksum = bytes.withUnsafeBytes { Checksum.of($0, after: checksum) }
            offset += UInt64(bytes.count)
        }
        return checksum == entry.header.payloadChecksum
    }

    /// Returns the offset of the first whole chunk after an offset.
    private mutating func nextHeader(after offset: UInt64) -> UInt64? {
        let headerSize = UInt64(RecordingFormat.chunkHeaderSize)
        var start = file.dataOffset(from: offset + 1)
        while start < file.count {
            if start < window.start || start + headerSize > window.start + UInt64(window.bytes.count) {
                window = (start, file.bytes(at: start, count: Self.searchCount))
            }
            var index = Int(start - window.start)
            while let match = Self.headerIndex(in: window.bytes, from: index) {
                checkedCount += headerSize
                if let header = ChunkHeader(window.bytes, at: match, in: id) {
                    let entry = ChunkEntry(offset: window.start + UInt64(match), header: header)
                    if isWhole(entry) { return entry.offset }
                    if isOverBudget { return nil }
                }
                index = match + 1
            }
            guard window.bytes.count >= RecordingFormat.chunkHeaderSize else { return nil }
            start = file.dataOffset(from: window.start + UInt64(window.bytes.count) - headerSize + 1)
        }
        return nil
    }

    /// Returns the index of the first bytes that may be a header.
    private static func headerIndex(in bytes: [UInt8], from index: Int) -> Int? {
        let first = RecordingFormat.chunkMagic[0]
        return bytes.withUnsafeBytes { bytes in
            var index = index
            while index + RecordingFormat.chunkHeaderSize <= bytes.count {
                guard let found = memchr(bytes.baseAddress! + index, Int32(first), bytes.count - index) else {
                    return nil
                }
                index = UnsafeRawPointer(found) - bytes.baseAddress!
                guard index + RecordingFormat.chunkHeaderSize <= bytes.count else { return nil }
                if ChunkHeader.isPlausible(bytes, at: index) { return index }
                index += 1
            }
            return nil
        }
    }

    /// Notes that the bytes up to the next header cannot be read.
    private mutating func noteGap(_ offset: UInt64, _ next: UInt64?) {
        let count = (next ?? file.count) - offset
        let reason =
            if next != nil {
                "\(count) bytes are unreadable"
            } else if isOverBudget {
                "the last \(count) bytes are unreadable: they hold too many headers without a chunk"
            } else {
                "the file ends within a chunk: its last \(count) bytes are unreadable"
            }
        damage.append(RecordingDamage(offset: offset, reason: reason))
    }

    /// Notes chunks that are missing between other chunks.
    private mutating func noteMissing() {
        let known = Set(damage.map(\.offset))
        for (one, next) in zip(chunks, chunks.dropFirst()) where next.header.number - one.header.number > 1 {
            let count = next.header.number - one.header.number - 1
            let reason = "\(count) chunk\(count == 1 ? " is" : "s are") missing"
            if !known.contains(one.end) {
                damage.append(RecordingDamage(offset: one.end, reason: reason))
            }
        }
    }
}
