import ChainEvents
import ChainSystem
import ChainWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes a recording: collects messages in chunks, and places the chunks in the file.
///
/// Chunks are appended until the size limit, or until the disk is full; from then on the file is a ring, in which each
/// chunk overwrites the oldest ones. A segment without its beginning is of no use, so the oldest segments go first.
///
/// Not thread-safe. After an error it writes nothing any more.
package struct RecordingWriter {
    private let storage: any RecordingStorage
    private var header: FileHeader
    private var ring: ChunkRing
    private var series = CountSeries()
    private var nextNumber: UInt32 = 0
    /// The number of the next segment.
    private var nextSegment: UInt32 = 0
    /// The chunk that is being filled, and room for its header and its payload.
    private var chunk = ChunkHeader(.batches)
    private var buffer = [UInt8](repeating: 0, count: RecordingFormat.chunkHeaderSize)
    /// When the first message of that chunk came, by the caller's clock.
    private var begun: UInt64 = 0
    private var encoder = MessageWriter()
    private var failure: RecordingError?
    /// The counts after the last batch.
    package private(set) var counts = RecordingCounts()
    /// Bytes of the present segment behind its keyframe.
    package private(set) var segmentSize: UInt64 = 0

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - id: random.
    ///   - limit: bytes of the file at most.
    package init(_ storage: any RecordingStorage, id: UInt64, limit: UInt64? = nil) throws(RecordingError) {
        self.storage = storage
        header = FileHeader(id: id)
        ring = ChunkRing(limit: limit)
        try writeHeader()
    }

    /// Bytes of the file.
    package var fileSize: UInt64 { ring.extent }

    /// The size limit: the caller's, or where the disk was full.
    package var sizeLimit: UInt64? { ring.limit }

    /// Writes the beginning of a segment: what a viewer gets that attaches now.
    ///
    /// - Parameters:
    ///   - state: batches that end a resync.
    ///   - now: as in ``append(_:running:warnings:at:)``.
    package mutating func beginSegment(_ hello: Hello, _ state: [EventBatch], at now: UInt64) throws(RecordingError) {
        try flush()
        nextSegment += 1
        chunk.kind = .keyframe
        chunk.flags = .beginsKeyframe
        (chunk.firstTime, chunk.lastTime) = (hello.time, hello.time)
        try write(.hello(hello), at: now)
        for batch in state {
            for part in batch.parts(upTo: RecordingFormat.chunkLimit - Wire.headerSize) {
                try write(.batch(part), at: now)
                chunk.kind = .keyframe
                chunk.note(part)
            }
        }
        chunk.flags.insert(.endsKeyframe)
        try flush()
        segmentSize = 0
    }

    /// Appends a batch to the present segment.
    ///
    /// - Parameters:
    ///   - running: nodes with a running handler after it.
    ///   - warnings: open warnings after it, or ``RecordingFormat/uncounted``.
    ///   - now: nanoseconds of a clock of the caller that never goes back.
    package mutating func append(
        _ batch: EventBatch, running: Int, warnings: UInt32 = RecordingFormat.uncounted, at now: UInt64
    ) throws(RecordingError) {
        for part in batch.parts(upTo: RecordingFormat.chunkLimit - Wire.headerSize) {
            try write(.batch(part), at: now)
            chunk.note(part)
            // Afterwards, because a chunk that is full is written with the counts before it.
            counts.add(part.events)
        }
        (counts.running, counts.warnings) = (UInt32(clamping: running), warnings)
        series.note(counts, at: batch.time)
        try flush(olderThan: RecordingFormat.chunkDelay, at: now)
    }

    /// Writes the chunk that is being filled if its first batch is so old.
    package mutating func flush(olderThan delay: UInt64, at now: UInt64) throws(RecordingError) {
        if now >= begun, now - begun >= delay { try flush() }
    }

    /// Ends the file with an index. Where that fails the recording is whole all the same.
    package mutating func finish() throws(RecordingError) {
        try flush()
        do { header.index = try writeIndex() } catch { header.index = 0 }
        header.ending = .finished
        try writeHeader()
    }
}

// MARK: Chunks

extension RecordingWriter {
    /// Adds a message to the chunk that is being filled, after writing that where it has no room.
    private mutating func write(_ message: Message, at now: UInt64) throws(RecordingError) {
        if let failure { throw failure }
        encoder.removeAll()
        // One name, node or event is never over the wire's limit, because it came over the wire.
        do { try encoder.write(message) } catch { return }
        let filled = buffer.count - RecordingFormat.chunkHeaderSize
        if filled > 0, filled + encoder.bytes.count > RecordingFormat.chunkLimit { try flush() }
        if buffer.count == RecordingFormat.chunkHeaderSize { begun = now }
        buffer += encoder.bytes
    }

    /// Writes the chunk that is being filled.
    package mutating func flush() throws(RecordingError) {
        if let failure { throw failure }
        let headerSize = RecordingFormat.chunkHeaderSize
        guard buffer.count > headerSize else { return }
        chunk.number = nextNumber
        chunk.segment = max(1, nextSegment) - 1
        chunk.rawCount = UInt32(buffer.count - headerSize)
        chunk.storedCount = chunk.rawCount
        chunk.counts = counts
        chunk.payloadChecksum = buffer.withUnsafeBytes {
            Checksum.of(UnsafeRawBufferPointer(rebasing: $0[headerSize...]))
        }
        buffer.replaceSubrange(..<headerSize, with: chunk.bytes(in: header.id))
        let offset = try place(buffer)
        ring.append(ChunkEntry(offset: offset, header: chunk))
        nextNumber += 1
        segmentSize += chunk.size
        buffer.removeSubrange(headerSize...)
        chunk = ChunkHeader(.batches)
    }

    /// Writes the bytes of a chunk where the ring has room, and returns their offset.
    private mutating func place(_ bytes: [UInt8]) throws(RecordingError) -> UInt64 {
        do {
            return try write(bytes, at: ring.makeRoom(for: bytes.count, of: max(1, nextSegment) - 1))
        } catch {
            guard case .system(let cause) = error, [ENOSPC, EDQUOT, EFBIG].contains(cause.code) else {
                throw fail(error)
            }
            // A file system that copies what is overwritten needs room for that, too.
            guard ring.isAppending else { throw fail(.diskFull) }
        }
        do throws(RecordingError) {
            // The file does not grow any more. What was written of the chunk is given back.
            ring.limitHere()
            return try write(bytes, at: ring.makeRoom(for: bytes.count, of: max(1, nextSegment) - 1))
        } catch {
            throw fail(.diskFull)
        }
    }

    private mutating func write(_ bytes: [UInt8], at room: ChunkRing.Room) throws(RecordingError) -> UInt64 {
        let failed = bytes.withUnsafeBytes { bytes -> SystemError? in
            do throws(SystemError) {
                if let count = room.truncation { try storage.truncate(to: count) }
                try storage.write(bytes, at: room.offset)
                return nil
            } catch { return error }
        }
        if let failed { throw .system(failed) }
        return room.offset
    }

    private mutating func writeIndex() throws(RecordingError) -> UInt64 {
        let size = RecordingFormat.chunkHeaderSize + RecordingIndex.size(ring.chunks.count, series.entries.count)
        // Small recordings keep their room for what was recorded: a reader finds the chunks without an index.
        if let limit = ring.limit, UInt64(size) > limit / 4 { return 0 }
        let room = try ring.makeRoom(for: size, of: max(1, nextSegment) - 1)
        if let first = ring.chunks.first { series.removeEntries(before: first.header.firstTime) }
        let payload = RecordingIndex(chunks: Array(ring.chunks), series: series).bytes(in: header.id)
        var index = ChunkHeader(.index)
        (index.number, index.segment) = (nextNumber, max(1, nextSegment) - 1)
        (index.rawCount, index.storedCount) = (UInt32(payload.count), UInt32(payload.count))
        index.counts = counts
        index.payloadChecksum = payload.withUnsafeBytes { Checksum.of($0) }
        return try write(index.bytes(in: header.id) + payload, at: room)
    }

    // MARK: The file's header

    private mutating func writeHeader() throws(RecordingError) {
        let failed = header.bytes.withUnsafeBytes { bytes -> SystemError? in
            do throws(SystemError) {
                try storage.write(bytes, at: 0)
                return nil
            } catch { return error }
        }
        if let failed { throw .system(failed) }
    }

    /// Notes in the file why nothing more is written.
    private mutating func fail(_ error: RecordingError) -> RecordingError {
        failure = error
        header.ending = error == .diskFull ? .diskFull : .failed
        try? writeHeader()
        return error
    }
}

extension ChunkHeader {
    fileprivate mutating func note(_ batch: EventBatch) {
        // No moment is 0.
        if firstTime == 0 { firstTime = batch.time }
        lastTime = batch.time
        eventCount += UInt32(batch.events.count)
        nodeCount += UInt32(batch.nodes.count)
    }
}
