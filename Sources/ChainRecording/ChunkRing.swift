/// Where chunks stand in the file: one behind another, from the beginning again at the limit.
struct ChunkRing {
    /// Where a chunk is to be written.
    struct Room {
        var offset: UInt64
        /// The size to cut the file to before, because older chunks at its end are given up.
        var truncation: UInt64?
    }

    /// The size of the file at most.
    private(set) var limit: UInt64?
    /// Bytes of the file.
    private(set) var extent = UInt64(RecordingFormat.fileHeaderSize)
    /// Where the next chunk begins.
    private var position = UInt64(RecordingFormat.fileHeaderSize)
    private var all: [ChunkEntry] = []
    private var firstIndex = 0

    init(limit: UInt64?) { self.limit = limit }

    /// The chunks of whole segments, in order.
    var chunks: ArraySlice<ChunkEntry> { all[firstIndex...] }

    mutating func append(_ entry: ChunkEntry) {
        // Half of the entries at most are removed ones.
        if firstIndex > 1_024, firstIndex * 2 > all.count {
            all.removeSubrange(..<firstIndex)
            firstIndex = 0
        }
        all.append(entry)
        position = entry.end
    }

    /// Whether the next chunk is behind all others.
    var isAppending: Bool { !chunks.contains { $0.offset >= position } }

    /// Makes the present size the limit.
    mutating func limitHere() {
        limit = position
        extent = position
    }

    /// Gives up the oldest segments where their room is needed, but not the present one.
    mutating func makeRoom(for count: Int, of segment: UInt32) throws(RecordingError) -> Room {
        var truncation: UInt64?
        if let limit, position + UInt64(count) > limit {
            truncation = position
            // What is behind was written in the round before, and would be left between newer chunks.
            try drop(present: segment) { [position] in $0.offset >= position }
            extent = position
            position = UInt64(RecordingFormat.fileHeaderSize)
            guard position + UInt64(count) <= limit else { throw .limitTooSmall }
        }
        let end = position + UInt64(count)
        try drop(present: segment) { [position] in $0.offset < end && $0.end > position }
        extent = max(extent, end)
        return Room(offset: position, truncation: truncation)
    }

    /// Drops segments from the oldest on while their next chunk is to be overwritten.
    private mutating func drop(present: UInt32, while isLost: (ChunkEntry) -> Bool) throws(RecordingError) {
        while let first = chunks.first, isLost(first) {
            guard first.header.segment != present else { throw .limitTooSmall }
            while let next = chunks.first, next.header.segment == first.header.segment { firstIndex += 1 }
        }
    }
}
