// SPDX-License-Identifier: MIT

/// The positions of chunks in the file: one after another, and from the beginning again at the size limit.
///
/// The newest segment with a whole keyframe is never given up: without such a segment the file could not be shown.
struct ChunkRing {
    /// The position of a chunk that is to be written.
    struct Room {
        var offset: UInt64
        /// The size to cut the file to before writing, because older chunks at its end are given up.
        var truncation: UInt64?
    }

    /// Chunks of one segment, one after another.
    private struct Stretch {
        var segment: UInt32
        var start: UInt64
        var end: UInt64
    }

    /// The maximum size of the file in bytes; nil for no limit.
    private(set) var limit: UInt64?
    /// The size of the file in bytes.
    private(set) var extent = UInt64(RecordingFormat.fileHeaderSize)
    /// Where the next chunk begins.
    private var position = UInt64(RecordingFormat.fileHeaderSize)
    /// The stretches in the file, oldest first: one for a segment, two if it continues at the beginning of the file.
    private var stretches = DropQueue<Stretch>()
    /// The listed chunks, in order.
    private var entries = DropQueue<ChunkEntry>()
    private let entryLimit: Int
    /// Whether ``chunks`` has all chunks of the file.
    private(set) var isComplete = true
    /// The newest segment with a whole keyframe.
    private var wholeSegment: UInt32?
    /// The error that is thrown where nothing more can be given up.
    private var refusal = RecordingError.limitTooSmall

    /// The maximum number of listed chunks: they take 28 MB, and cover 10 hours with a chunk every 150 ms.
    static let entryLimit = 1 << 18

    /// - Parameter entryLimit: the maximum number of listed chunks; past that number the older half is no longer
    ///   listed, but stays in the file.
    init(limit: UInt64?, entryLimit: Int = Self.entryLimit) {
        self.limit = limit
        self.entryLimit = entryLimit
    }

    /// The newest chunks, in order: all of them where ``isComplete``.
    var chunks: ArraySlice<ChunkEntry> { entries.all }

    /// The ``chunks`` through the end of the newest segment with a whole keyframe.
    var wholeChunks: ArraySlice<ChunkEntry> {
        let last = wholeSegment.flatMap { whole in chunks.lastIndex { $0.header.segment <= whole } }
        return last.map { chunks[...$0] } ?? []
    }

    mutating func append(_ entry: ChunkEntry) {
        let segment = entry.header.segment
        if let last = stretches.all.last, last.segment == segment, last.end == entry.offset {
            stretches.updateLast { $0.end = entry.end }
        } else {
            stretches.append(Stretch(segment: segment, start: entry.offset, end: entry.end))
        }
        if entries.all.count >= entryLimit { forgetChunks(entryLimit / 2) }
        entries.append(entry)
        position = entry.end
        if entry.header.flags.contains(.endsKeyframe) { wholeSegment = segment }
    }

    /// Removes the chunks of segments that ended before a time (nanoseconds of the program's clock) from ``chunks``.
    /// The removed chunks stay in the file.
    mutating func forgetChunks(before time: UInt64) {
        let index = entries.all.indexOfKeyframe(at: time)
        if let index { forgetChunks(index - entries.all.startIndex) }
    }

    private mutating func forgetChunks(_ count: Int) {
        guard count > 0 else { return }
        entries.removeFirst(count)
        isComplete = false
    }

    /// Whether the next chunk is placed after all other chunks in the file.
    var isAppending: Bool { !stretches.all.contains { $0.start >= position } }

    /// Makes the position of the next chunk the size limit, because the disk is full.
    mutating func limitHere() {
        refusal = .diskFull
        limit = position
        extent = position
    }

    /// Returns the position for a chunk of `count` bytes, and gives up the oldest segments if their room is needed.
    /// Throws where this does not make enough room.
    mutating func makeRoom(for count: Int, of segment: UInt32) throws(RecordingError) -> Room {
        var truncation: UInt64?
        if let limit, position + UInt64(count) > limit {
            truncation = position
            // The chunks after this position are from the round before, and would be left between newer chunks.
            try drop(present: segment) { [position] in $0.start >= position }
            extent = position
            position = UInt64(RecordingFormat.fileHeaderSize)
            guard position + UInt64(count) <= limit else { throw refusal }
        }
        let end = position + UInt64(count)
        try drop(present: segment) { [position] in $0.start < end && $0.end > position }
        extent = max(extent, end)
        return Room(offset: position, truncation: truncation)
    }

    /// Drops segments, the oldest first, while the beginning of the oldest segment is to be overwritten. Throws instead
    /// of dropping the newest segment with a whole keyframe, or a segment after it.
    private mutating func drop(present: UInt32, while isLost: (Stretch) -> Bool) throws(RecordingError) {
        while let first = stretches.all.first, isLost(first) {
            guard first.segment < wholeSegment ?? present else { throw refusal }
            stretches.removeFirst(stretches.all.prefix { $0.segment == first.segment }.count)
            entries.removeFirst(entries.all.prefix { $0.header.segment <= first.segment }.count)
        }
    }
}

extension ArraySlice<ChunkEntry> {
    /// Returns the index of the first chunk of the last keyframe whose time is not after `time`.
    func indexOfKeyframe(at time: UInt64) -> Int? {
        let end = lastIndex { $0.header.flags.contains(.endsKeyframe) && $0.header.lastTime <= time }
        return end.flatMap { end in self[...end].lastIndex { $0.header.flags.contains(.beginsKeyframe) } }
    }
}

/// A queue in an array; removal is amortised O(1).
private struct DropQueue<Element> {
    private var elements: [Element] = []
    private var firstIndex = 0

    var all: ArraySlice<Element> { elements[firstIndex...] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func updateLast(_ change: (inout Element) -> Void) { change(&elements[elements.count - 1]) }

    mutating func removeFirst(_ count: Int) {
        firstIndex += count
        // Moves the remaining elements to the front only when over half of the array's elements are removed.
        guard firstIndex * 2 > elements.count, firstIndex > 64 || firstIndex == elements.count else { return }
        elements.removeSubrange(..<firstIndex)
        firstIndex = 0
    }
}
