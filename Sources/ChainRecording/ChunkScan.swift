/// A search for the chunks of a file: by its index, or from header to header.
struct ChunkScan {
    private let file: any StoredBytes
    private let id: UInt64
    private(set) var chunks: [ChunkEntry] = []
    private(set) var damage: [RecordingDamage] = []
    /// How many bytes are searched at once for a header.
    private static let searchCount = 64 << 10

    init(_ file: any StoredBytes, _ id: UInt64) {
        self.file = file
        self.id = id
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
            if isWhole, let index = RecordingIndex(payload, in: id) { return index }
        }
        noteIndex(at: offset)
        return nil
    }

    private mutating func noteIndex(at offset: UInt64) {
        let one = RecordingDamage(offset: offset, reason: "the index is damaged")
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

    /// Returns whether a whole chunk is at an offset. An index repeats the headers of other chunks, so the header alone
    /// is no evidence.
    private func hasChunk(at offset: UInt64) -> Bool {
        guard let entry = entry(at: offset), entry.end <= file.count else { return false }
        let start = offset + UInt64(RecordingFormat.chunkHeaderSize)
        let payload = file.bytes(at: start, count: Int(entry.header.storedCount))
        return payload.withUnsafeBytes { Checksum.of($0) } == entry.header.payloadChecksum
    }

    /// Returns the offset of the first whole chunk after an offset.
    private func nextHeader(after offset: UInt64) -> UInt64? {
        var start = offset + 1
        while start < file.count {
            let bytes = file.bytes(at: start, count: Self.searchCount)
            let magic = RecordingFormat.chunkMagic
            var index = 0
            while index + magic.count <= bytes.count {
                guard let match = bytes[index...].firstIndex(of: magic[0]), match + magic.count <= bytes.count else {
                    break
                }
                if bytes[match..<match + magic.count].elementsEqual(magic), hasChunk(at: start + UInt64(match)) {
                    return start + UInt64(match)
                }
                index = match + 1
            }
            guard bytes.count > magic.count else { return nil }
            start += UInt64(bytes.count - magic.count + 1)
        }
        return nil
    }

    /// Notes that the bytes up to the next header cannot be read.
    private mutating func noteGap(_ offset: UInt64, _ next: UInt64?) {
        let count = (next ?? file.count) - offset
        let reason =
            next == nil
            ? "the file ends within a chunk: its last \(count) bytes are unreadable" : "\(count) bytes are unreadable"
        damage.append(RecordingDamage(offset: offset, reason: reason))
    }

    /// Notes chunks that are missing between other chunks.
    private mutating func noteMissing() {
        for (one, next) in zip(chunks, chunks.dropFirst()) where next.header.number - one.header.number > 1 {
            let count = next.header.number - one.header.number - 1
            let reason = "\(count) chunk\(count == 1 ? " is" : "s are") missing"
            if !damage.contains(where: { $0.offset == one.end }) {
                damage.append(RecordingDamage(offset: one.end, reason: reason))
            }
        }
    }
}
