// SPDX-License-Identifier: MIT

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

/// A writer of a recording: collects messages in chunks, and places the chunks in the file.
///
/// Chunks are appended until the size limit, or until the disk is full; from then on the file is a ring, in which each
/// chunk overwrites the oldest ones. A segment without its beginning is of no use, so whole segments are dropped.
///
/// Not thread-safe. After a failure to write a chunk, no more chunks are written, and further writes throw that error.
package struct RecordingWriter {
    private let storage: any RecordingStorage
    private let codec: (any PayloadCodec)?
    private var header: FileHeader
    private var ring: ChunkRing
    private var series = CountSeries()
    /// The number of the next chunk.
    private var nextNumber: UInt32 = 0
    /// The number of the next segment.
    private var nextSegment: UInt32 = 0
    /// The header of the chunk that is being filled.
    private var chunk = ChunkHeader(.batches)
    /// The chunk that is being filled: room for its header, then its payload so far.
    private var buffer = [UInt8](repeating: 0, count: RecordingFormat.chunkHeaderSize)
    /// When the first message of the chunk that is being filled came, by the caller's clock.
    private var chunkStartTime: UInt64 = 0
    private var encoder = MessageWriter()
    /// The error after which no more chunks are written.
    private var failure: RecordingError?
    /// The counts after the last batch.
    package private(set) var counts = RecordingCounts()
    /// The size in bytes of the written chunks of the present segment, without its keyframe.
    package private(set) var segmentSize: UInt64 = 0

    /// Prepares a recording. The first segment then begins the file, and deletes what the file held before.
    ///
    /// - Parameters:
    ///   - id: a random number.
    ///   - limit: the maximum size of the file in bytes; nil for no limit.
    ///   - codec: packs the chunks; nil to store them as they are.
    package init(
        _ storage: any RecordingStorage, id: UInt64, limit: UInt64? = nil, codec: (any PayloadCodec)? = nil
    ) {
        self.storage = storage
        self.codec = codec
        header = FileHeader(id: id)
        ring = ChunkRing(limit: limit)
    }

    /// When the first message of the chunk that is being filled came, by the caller's clock; nil while there is none.
    package var openChunkTime: UInt64? { buffer.count > RecordingFormat.chunkHeaderSize ? chunkStartTime : nil }

    /// The size of the file in bytes.
    package var fileSize: UInt64 { ring.extent }

    /// The size limit: the caller's, or the size at which the disk was full.
    package var sizeLimit: UInt64? { ring.limit }

    /// Begins a segment with a keyframe: the state that a viewer gets when it attaches now. The state is then appended
    /// batch by batch, because a whole state may take hundreds of megabytes; see ``appendState(_:at:)`` and
    /// ``endState()``.
    ///
    /// - Parameter now: as in ``append(_:running:warnings:at:)``.
    package mutating func beginSegment(_ hello: Hello, at now: UInt64) throws(RecordingError) {
        if nextSegment == 0 { try writeHeader(truncating: true) }
        try flush()
        nextSegment += 1
        chunk.kind = .keyframe
        chunk.flags = .beginsKeyframe
        (chunk.firstTime, chunk.lastTime) = (hello.time, hello.time)
        try write(.hello(hello), at: now)
    }

    /// Appends a batch to the keyframe that was begun. The first batch of a keyframe begins a resync, the last ends it.
    /// In between other batches may be appended, which are in chunks of their own.
    package mutating func appendState(_ batch: EventBatch, at now: UInt64) throws(RecordingError) {
        if chunk.kind != .keyframe { try flush() }
        for part in batch.parts(upTo: RecordingFormat.chunkLimit - Wire.headerSize) {
            try write(.batch(part), at: now)
            chunk.kind = .keyframe
            chunk.note(part)
        }
    }

    /// Ends the keyframe that was begun.
    package mutating func endState() throws(RecordingError) {
        chunk.flags.insert(.endsKeyframe)
        try flush()
        segmentSize = 0
    }

    /// Appends a batch to the present segment.
    ///
    /// - Parameters:
    ///   - running: the number of nodes with a running handler after the batch.
    ///   - warnings: the number of open warnings after the batch, or ``RecordingFormat/uncounted``.
    ///   - now: nanoseconds of a monotonic clock of the caller.
    package mutating func append(
        _ batch: EventBatch, running: Int, warnings: UInt32 = RecordingFormat.uncounted, at now: UInt64
    ) throws(RecordingError) {
        if chunk.kind == .keyframe { try flush() }
        for part in batch.parts(upTo: RecordingFormat.chunkLimit - Wire.headerSize) {
            try write(.batch(part), at: now)
            chunk.note(part)
            // Counted after `write`, which may write a full chunk first, with the counts after the last batch of that
            // chunk.
            counts.add(part.events)
        }
        (counts.running, counts.warnings) = (UInt32(clamping: running), warnings)
        series.note(counts, at: batch.time)
        try flush(olderThan: RecordingFormat.chunkDelay, at: now)
    }

    /// Leaves a gap in the numbers of the chunks for batches that are not appended: a reader continues at the next
    /// keyframe.
    package mutating func skip() throws(RecordingError) {
        try flush()
        nextNumber += 1
    }

    /// Writes the chunk that is being filled if its first message is at least `delay` old.
    package mutating func flush(olderThan delay: UInt64, at now: UInt64) throws(RecordingError) {
        if now >= chunkStartTime, now - chunkStartTime >= delay { try flush() }
    }

    /// Ends the file with an index. If the index cannot be written, the recording is complete without it.
    package mutating func finish() throws(RecordingError) {
        guard nextSegment > 0 else { return }
        try flush()
        do { header.index = try writeIndex() } catch { header.index = 0 }
        header.ending = .finished
        try writeHeader()
        try checkName()
    }
}

// MARK: Chunks

extension RecordingWriter {
    /// Adds a message to the chunk that is being filled; writes that chunk first if it has no room.
    private mutating func write(_ message: Message, at now: UInt64) throws(RecordingError) {
        if let failure { throw failure }
        encoder.removeAll()
        // Never throws: a single name, node or event fits the wire's limit, because it was received in a message.
        do { try encoder.write(message) } catch { return }
        let filled = buffer.count - RecordingFormat.chunkHeaderSize
        if filled > 0, filled + encoder.bytes.count > RecordingFormat.chunkLimit { try flush() }
        if buffer.count == RecordingFormat.chunkHeaderSize { chunkStartTime = now }
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
        chunk.counts = counts
        pack()
        chunk.storedCount = UInt32(buffer.count - headerSize)
        chunk.payloadChecksum = buffer.withUnsafeBytes {
            Checksum.of(UnsafeRawBufferPointer(rebasing: $0[headerSize...]))
        }
        buffer.replaceSubrange(..<headerSize, with: chunk.bytes(in: header.id))
        let offset = try writeChunk(buffer)
        try checkName()
        ring.append(ChunkEntry(offset: offset, header: chunk))
        nextNumber += 1
        segmentSize += chunk.size
        buffer.removeSubrange(headerSize...)
        chunk = ChunkHeader(.batches)
    }

    /// Throws if the file was removed: what is written is lost then.
    private mutating func checkName() throws(RecordingError) {
        if storage.isRemoved { throw fail(.removed) }
    }

    /// Packs the payload of the chunk, unless it would not become shorter.
    private mutating func pack() {
        guard let codec else { return }
        let headerSize = RecordingFormat.chunkHeaderSize
        let packed = buffer.withUnsafeBytes { codec.packed(UnsafeRawBufferPointer(rebasing: $0[headerSize...])) }
        guard let packed else { return }
        chunk.codec = codec.codec
        buffer.replaceSubrange(headerSize..., with: packed)
    }

    /// Writes the bytes of a chunk where the ring has room, and returns their offset.
    private mutating func writeChunk(_ bytes: [UInt8]) throws(RecordingError) -> UInt64 {
        let refusal: RecordingError
        do {
            return try write(bytes, at: ring.makeRoom(for: bytes.count, of: max(1, nextSegment) - 1))
        } catch {
            guard case .system(let cause) = error, cause.isNoRoom else { throw fail(error) }
            refusal = cause.code == ENOSPC ? .diskFull : error
            // A copy-on-write file system needs new room for overwritten bytes, so a ring may find the disk full, too.
            guard ring.isAppending else { throw fail(refusal) }
        }
        do throws(RecordingError) {
            // From here on the file keeps its size: the oldest segments make room, and the part of this chunk that was
            // written is cut off.
            ring.limitHere()
            return try write(bytes, at: ring.makeRoom(for: bytes.count, of: max(1, nextSegment) - 1))
        } catch {
            throw fail(refusal)
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
        // A reader finds the chunks without an index, too. No index is written if a long recording no longer lists all
        // chunks in memory, or if the index would exceed a quarter of the limit.
        guard ring.isComplete else { return 0 }
        if let limit = ring.limit, UInt64(size) > limit / 4 { return 0 }
        let end = ring.extent
        let room = try ring.makeRoom(for: size, of: max(1, nextSegment) - 1)
        if let first = ring.chunks.first { series.removeEntries(before: first.header.firstTime) }
        let index = RecordingIndex(chunks: Array(ring.chunks), series: series)
        let chunk = index.chunk(nextNumber, segment: max(1, nextSegment) - 1, counts, in: header.id)
        do throws(RecordingError) { return try write(chunk, at: room) } catch {
            // On a full disk, the part of the index that was written would take the last room.
            if room.truncation == nil, room.offset == end {
                ring.limitHere()
                try? storage.truncate(to: end)
            }
            throw error
        }
    }

    // MARK: The file's header

    private mutating func writeHeader(truncating: Bool = false) throws(RecordingError) {
        let failed = header.bytes.withUnsafeBytes { bytes -> SystemError? in
            do throws(SystemError) {
                if truncating { try storage.truncate(to: 0) }
                try storage.write(bytes, at: 0)
                return nil
            } catch { return error }
        }
        if let failed { throw .system(failed) }
    }

    /// Stores the error, and writes its kind into the file's header if that is possible; returns the error.
    private mutating func fail(_ error: RecordingError) -> RecordingError {
        failure = error
        header.ending = error == .diskFull ? .diskFull : .failed
        try? writeHeader()
        return error
    }
}

extension ChunkHeader {
    /// Adds a batch to the counts and times.
    mutating func note(_ batch: EventBatch) {
        // 0 stands for a time that is not set yet: no batch has the time 0.
        if firstTime == 0 { firstTime = batch.time }
        lastTime = batch.time
        eventCount += UInt32(batch.events.count)
        nodeCount += UInt32(batch.nodes.count)
    }
}

// MARK: What was written

extension RecordingWriter {
    /// The file's id, and its listed chunks up to the end of the newest segment with a whole keyframe.
    var written: (id: UInt64, chunks: ArraySlice<ChunkEntry>) { (header.id, ring.wholeChunks) }

    /// Removes from ``written`` the segments that ended before a time. They stay in the file, which then gets no index.
    mutating func forgetChunks(before time: UInt64) { ring.forgetChunks(before: time) }
}
