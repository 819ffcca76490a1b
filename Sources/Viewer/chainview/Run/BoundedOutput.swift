// SPDX-License-Identifier: MIT

/// The output of two streams in order of arrival. A quarter of the limit keeps the beginning of the output, and three
/// quarters keep its end.
struct BoundedOutput: Sendable {
    struct Chunk: Hashable, Sendable {
        var stream: ProgramOutput.Stream
        var bytes: [UInt8]
    }

    /// The maximum number of bytes that are kept.
    let limit: Int
    private var head: [Chunk] = []
    /// The number of bytes in `head`.
    private var headCount = 0
    private var isHeadFull = false
    private var tail: [Chunk] = []
    /// The index of the first kept chunk of `tail`; the chunks before it are empty.
    private var tailStart = 0
    /// The number of bytes in `tail`.
    private var tailCount = 0
    /// The number of bytes dropped between `head` and `tail`.
    private(set) var cutCount = 0

    /// Makes an empty buffer of at most `limit` bytes.
    init(limit: Int) { self.limit = limit }

    mutating func append(_ bytes: ArraySlice<UInt8>, _ stream: ProgramOutput.Stream) {
        if !isHeadFull, headCount + bytes.count <= limit / 4 {
            headCount += bytes.count
            return Self.join(bytes, stream, to: &head, from: 0)
        }
        isHeadFull = true
        tailCount += bytes.count
        Self.join(bytes, stream, to: &tail, from: tailStart)
        while tailCount > limit - limit / 4, tailStart < tail.count {
            let count = tail[tailStart].bytes.count
            (tailCount, cutCount) = (tailCount - count, cutCount + count)
            tail[tailStart].bytes = []
            tailStart += 1
        }
        if tailStart > 1_000 {
            tail.removeSubrange(..<tailStart)
            tailStart = 0
        }
    }

    /// Appends bytes: to the last chunk if that chunk is small and of the same stream, and as a new chunk otherwise.
    private static func join(
        _ bytes: ArraySlice<UInt8>, _ stream: ProgramOutput.Stream, to chunks: inout [Chunk], from first: Int
    ) {
        if chunks.count > first, chunks[chunks.count - 1].stream == stream,
            chunks[chunks.count - 1].bytes.count < 16_384
        {
            chunks[chunks.count - 1].bytes += bytes
        } else {
            chunks.append(Chunk(stream: stream, bytes: Array(bytes)))
        }
    }

    /// The kept chunks, with a note in place of dropped bytes.
    var chunks: [Chunk] {
        let note = "\n[chainview: \(cutCount) bytes of output were dropped here]\n"
        let notes = cutCount > 0 ? [Chunk(stream: .error, bytes: Array(note.utf8))] : []
        return head + notes + tail[tailStart...]
    }
}
