import ChainEvents
import ChainModel
import Foundation
import Testing

@testable import ChainRecording

/// Recordings with a size limit, and on a disk that is full.
struct RingTests {
    private static let batches = Traffic(chains: 6_000, batchSize: 500, step: 10_000).batches

    private func record(
        _ storage: MemoryStorage, limit: UInt64?, finished: Bool = true, count: Int = .max
    ) throws {
        var recorder = try BatchRecorder(storage, limit: limit) { ($0.keyframeEvents, $0.settledLimit) = (8_000, 300) }
        for batch in Self.batches.prefix(count) { try recorder.record(batch, at: batch.time) }
        if finished { try recorder.finish() } else { try recorder.tick(at: .max) }
    }

    /// Checks that a file without damage has the newest part of the batches.
    private func expectTheNewest(_ file: RecordingFile, _ what: String) throws {
        #expect(file.damage == [], "\(what)")
        #expect(file.range.upperBound == Self.batches.last?.time, "\(what)")
        #expect(file.range.lowerBound > Self.batches[0].time, "\(what)")
        var player = RecordingPlayer(file)
        let moment = try #require(file.segments.last).time
        let forest = ChainForest(applying: player.seek(to: moment))
        let live = liveForest(Self.batches, at: moment)
        #expect(forest.totals.counts.liveCount == live.totals.counts.liveCount, "\(what)")
        let end = ChainForest(applying: player.seek(to: .max))
        #expect(end.totals.counts.liveCount == 0 && end.totals.counts[.rejected] > 0, "\(what)")
    }

    @Test func pastItsLimitTheOldestSegmentsGo() throws {
        for limit in [2 << 20, 2_500_001] as [UInt64] {
            for finished in [true, false] {
                let storage = MemoryStorage()
                try record(storage, limit: limit, finished: finished)
                #expect(storage.bytes.count <= Int(limit))
                let file = try storage.open()
                try expectTheNewest(file, "\(limit) \(finished)")
                #expect(file.segments.count > 1)
                let kept = file.chunks.reduce(0) { $0 + $1.header.size }
                #expect(kept > limit / 2, "of \(limit) bytes \(kept) are of use")
            }
        }
    }

    /// After whichever batch the program is killed, that batch is there.
    @Test func aRingThatWasKilledIsWhole() throws {
        for count in stride(from: 140, to: Self.batches.count, by: 61) {
            let storage = MemoryStorage()
            try record(storage, limit: 2 << 20, finished: false, count: count)
            let file = try storage.open()
            #expect(file.range.upperBound == Self.batches[count - 1].time && file.damage == [])
        }
    }

    /// A program sends more settled nodes than the file keeps, as after losses.
    @Test func aStateLargerThanTheFileIsFolded() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage, limit: 1 << 20) { $0.settledLimit = 300 }
        let (before, after) = (Self.batches[..<100], Self.batches[100...])
        try recorder.record(Array(before))
        let state = liveForest(Self.batches, at: before[99].time)
        let epoch = before[99].time
        let eventCount = recorder.progress.eventCount
        for round in 0..<20 {
            var batch = EventBatch(process: .test, sequence: 0, time: epoch)
            if round == 0 { batch.resync = .begin(epoch: epoch) }
            if round == 19 { batch.resync = .end(epoch: epoch) }
            batch.nodes = state.snapshot(limit: .max).nodes
            batch.events = [ChainEvent(time: epoch, .cancelRequested, node: batch.nodes[0].id)]
            try recorder.record(batch, at: epoch)
            #expect(recorder.isInResync == (round < 19))
        }
        // Events that are only folded are not in the file.
        #expect(recorder.progress.eventCount == eventCount && eventCount == 50_000)
        let size = storage.bytes.count
        #expect(size < 1 << 20)
        try recorder.record(after.first.map { [$0] } ?? [])
        try recorder.flush()
        var player = RecordingPlayer(try storage.open())
        let forest = ChainForest(applying: player.seek(to: .max))
        #expect(
            forest.totals.counts.liveCount
                == liveForest(Self.batches, at: after[100].time).totals.counts.liveCount)
        try recorder.record(Array(after.dropFirst()))
        try recorder.finish()
        #expect(try storage.open().header.ending == .finished)
    }

    @Test func onAFullDiskTheOldestSegmentsGo() throws {
        let storage = MemoryStorage()
        storage.capacity = 2_100_000
        try record(storage, limit: nil)
        #expect(storage.bytes.count <= 2_100_000)
        let file = try storage.open()
        try expectTheNewest(file, "full disk")
        #expect(file.header.ending == .finished)
    }

    /// The part of the index that was written is cut off again.
    @Test func anIndexThatDoesNotFitIsLeftOut() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { $0.keyframeEvents = 8_000 }
        try recorder.record(Array(Self.batches.prefix(200)))
        try recorder.flush()
        let size = storage.bytes.count
        storage.capacity = size + 200
        try recorder.finish()
        #expect(storage.bytes.count == size && recorder.progress.fileSize == UInt64(size))
        let file = try storage.open()
        #expect(file.damage == [] && !file.hasIndex && file.header.ending == .finished)
        #expect(file.range.upperBound == Self.batches[199].time)
    }

    @Test func withoutRoomForASegmentRecordingStops() throws {
        let storage = MemoryStorage()
        storage.capacity = 400_000
        #expect(throws: RecordingError.diskFull) { try record(storage, limit: nil) }
        let file = try storage.open()
        #expect(file.header.ending == .diskFull)
        var player = RecordingPlayer(file)
        let end = ChainForest(applying: player.seek(to: .max))
        #expect(difference(end, liveForest(Self.batches, at: file.range.upperBound)) == nil)

        let small = MemoryStorage()
        #expect(throws: RecordingError.limitTooSmall) { try record(small, limit: 100_000) }
        #expect(try small.open().header.ending == .failed)
    }

    /// Whether the first byte or a later one does not fit.
    @Test(arguments: [ENOSPC, EDQUOT, EFBIG], [0, 400_000])
    func whyAFileMayNotGrowIsSaid(code: Int32, capacity: Int) throws {
        let storage = MemoryStorage()
        (storage.capacity, storage.fullError) = (capacity, code)
        let error = #expect(throws: RecordingError.self) { try record(storage, limit: nil) }
        let causes = [ENOSPC: "the disk is full", EFBIG: "a size limit: of ulimit -f, or of its file system"]
        #expect(error?.description.hasPrefix("cannot be written: ") == true, "\(String(describing: error))")
        #expect(error?.description.contains(causes[code] ?? "quota exceeded") == true, "\(String(describing: error))")
    }
}

// SPDX-License-Identifier: MIT
