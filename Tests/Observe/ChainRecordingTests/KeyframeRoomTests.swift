import ChainEvents
import ChainModel
import ChainSystem
import Testing

@testable import ChainRecording

/// Keyframes that are large beside the size limit, and the lists of a ring.
struct KeyframeRoomTests {
    /// Returns batches of nodes that stay live, so that each keyframe is larger than the one before.
    private static func growing(_ count: Int) -> [EventBatch] {
        (0..<UInt64(count)).map { number in
            var batch = EventBatch(process: .test, sequence: number + 1, time: 1_000_000_000 + number * 10_000_000)
            for index in 1...400 as ClosedRange<UInt64> {
                batch.events.append(
                    ChainEvent(time: batch.time - 400 + index, .created, node: NodeID(number * 400 + index), thread: 7))
            }
            return batch
        }
    }

    /// The newest whole segment stays until the next keyframe is written. Where there is no room for both, recording
    /// ends, and what was recorded can be shown.
    @Test(arguments: [true, false]) func aKeyframeThatDoesNotFitDestroysNothing(hasLimit: Bool) throws {
        let storage = MemoryStorage()
        if !hasLimit { storage.capacity = 1 << 20 }
        var recorder = try BatchRecorder(storage, limit: hasLimit ? 1 << 20 : nil) { $0.keyframeEvents = 1_600 }
        let batches = Self.growing(400)
        var recorded = 0
        #expect(throws: hasLimit ? RecordingError.limitTooSmall : .diskFull) {
            for batch in batches {
                try recorder.record(batch, at: batch.time)
                recorded += 1
            }
        }
        #expect(recorded > 10)
        let file = try storage.open()
        #expect(file.header.ending == (hasLimit ? .failed : .diskFull))
        let last = batches[recorded - 1].time
        #expect(file.range.upperBound == last)
        var player = RecordingPlayer(file)
        #expect(difference(ChainForest(applying: player.seek(to: .max)), liveForest(batches, at: last)) == nil)
    }

    /// At whichever write the program is killed.
    @Test func atEachWriteThereIsAWholeSegment() throws {
        let storage = WatchedStorage { bytes in
            let scan = try? RecordingFile(temporaryFile(bytes))
            return scan.map { !$0.segments.isEmpty } ?? false
        }
        let limit: UInt64 = 1 << 20
        var recorder = BatchRecorder(
            .test, RecordingWriter(storage, id: 7, limit: limit),
            options: {
                var options = BatchRecorder.Options()
                (options.keyframeEvents, options.leastInterval, options.settledLimit) = (4_000, 1, 300)
                return options
            }())
        for batch in Self.growing(10) { try recorder.record(batch, at: batch.time) }
        storage.isWatched = true
        let traffic = Traffic(chains: 3_000, batchSize: 500, step: 10_000).batches
        for var batch in traffic {
            batch.time += 1_000_000_000
            try recorder.record(batch, at: batch.time)
        }
        #expect(storage.watchedCount > 20 && storage.failedCount == 0, "\(storage.failedCount)")
    }

    /// Returns empty batches, as an idle program sends one each second.
    private static func heartbeats(_ count: Int, after time: UInt64) -> [EventBatch] {
        (1...UInt64(count)).map { EventBatch(process: .test, sequence: $0, time: time + $0 * 1_000_000_000) }
    }

    /// Each heartbeat is a chunk, so that an idle program, too, fills the ring again and again.
    @Test func anIdleProgramIsRecordedOn() throws {
        let storage = MemoryStorage()
        let limit: UInt64 = 1 << 17
        var recorder = try BatchRecorder(storage, limit: limit)
        var first = Self.growing(1)[0]
        first.events.removeLast(390)
        let idle = Self.heartbeats(3_000, after: first.time)
        try recorder.record([first] + idle)
        try recorder.finish()
        #expect(storage.bytes.count <= Int(limit))
        let file = try storage.open()
        #expect(file.header.ending == .finished && file.damage == [] && file.segments.count > 1)
        #expect(file.range.upperBound == idle.last?.time)
        var player = RecordingPlayer(file)
        let end = ChainForest(applying: player.seek(to: .max))
        #expect(end.totals.counts.liveCount == 10)
    }

    /// The writer lists the newest chunks only, and at least one of them has to be a keyframe.
    @Test func aKeyframeFollowsManyEmptyBatches() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { $0.keyframeBatches = 100 }
        let traffic = Traffic(chains: 5).batches
        try recorder.record(traffic)
        try recorder.record(Self.heartbeats(1_000, after: try #require(traffic.last).time))
        try recorder.finish()
        #expect(try storage.open().segments.count == 11)
        #expect(BatchRecorder.Options().keyframeBatches <= ChunkRing.entryLimit / 4)
    }

    @Test func theListOfChunksIsBounded() {
        var ring = ChunkRing(limit: nil, entryLimit: 1_000)
        for number in 0..<10_000 as Range<UInt32> {
            var header = ChunkHeader(number % 100 == 0 ? .keyframe : .batches)
            if number % 100 == 0 { header.flags = [.beginsKeyframe, .endsKeyframe] }
            (header.number, header.segment, header.storedCount) = (number, number / 100, 12)
            (header.firstTime, header.lastTime) = (UInt64(number), UInt64(number))
            ring.append(ChunkEntry(offset: 48 + 100 * UInt64(number), header: header))
            #expect(ring.chunks.count <= 1_000)
        }
        #expect(!ring.isComplete && ring.isAppending)
        ring.forgetChunks(before: 9_950)
        #expect(ring.chunks.map(\.header.number) == Array(9_900..<10_000))
        // The room of chunks that are no longer listed is used again, too.
        ring.limitHere()
        #expect(throws: Never.self) {
            let room = try ring.makeRoom(for: 5_000, of: 99)
            #expect(room.offset == 48 && room.truncation == 48 + 1_000_000)
        }
        #expect(ring.chunks.count == 100)
    }
}

/// A file in memory that is checked after each write.
private final class WatchedStorage: RecordingStorage {
    private let inner = MemoryStorage()
    private let check: ([UInt8]) -> Bool
    var isWatched = false
    private(set) var watchedCount = 0
    private(set) var failedCount = 0

    init(_ check: @escaping ([UInt8]) -> Bool) { self.check = check }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
        try inner.write(bytes, at: offset)
        checkBytes()
    }

    func truncate(to count: UInt64) throws(SystemError) {
        try inner.truncate(to: count)
        checkBytes()
    }

    private func checkBytes() {
        guard isWatched else { return }
        watchedCount += 1
        if !check(inner.bytes) { failedCount += 1 }
    }
}

// SPDX-License-Identifier: MIT
