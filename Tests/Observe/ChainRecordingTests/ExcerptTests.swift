import ChainEvents
import ChainModel
import Foundation
import Testing

@testable import ChainRecording

/// Copies of the newest part of a recording.
struct ExcerptTests {
    private static let batches = Traffic(chains: 6_000, batchSize: 500, step: 10_000).batches

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/chain-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func recorder(_ path: String, limit: UInt64) throws -> BatchRecorder {
        try BatchRecorder(RecordingFileStorage(path: path, overwrites: false), limit: limit) {
            ($0.keyframeEvents, $0.settledLimit) = (8_000, 300)
        }
    }

    @Test func anExcerptIsARecordingOfTheNewestPart() throws {
        try withFolder { folder in
            var recorder = try recorder(folder + "/ring", limit: 2 << 20)
            try recorder.record(Self.batches)
            let end = try #require(Self.batches.last).time
            for (name, last) in [("a", 150_000_000), ("b", 0), ("all", end)] as [(String, UInt64)] {
                let storage = MemoryStorage()
                let size = try recorder.segments.writeExcerpt(from: end - last, of: folder + "/ring", to: storage)
                #expect(size == UInt64(storage.bytes.count), "\(name)")
                let file = try storage.open()
                #expect(file.hasIndex && file.damage == [] && file.header.ending == .finished, "\(name)")
                #expect(file.range.upperBound == end, "\(name)")
                if last < end { #expect(file.range.lowerBound <= end - last, "\(name)") }
                if name == "b" { #expect(file.segments.count == 1) }
                #expect(file.series.entries.reduce(0) { $0 + Int($1.settled) } > 0, "\(name)")
                var player = RecordingPlayer(file)
                let live = liveForest(Self.batches, at: file.segments[0].time)
                let forest = ChainForest(applying: player.seek(to: file.segments[0].time))
                #expect(forest.totals.counts.liveCount == live.totals.counts.liveCount, "\(name)")
            }
            // The recording itself continues.
            var batch = Self.batches[0]
            batch.time = end + 1_000_000
            try recorder.record(batch, at: batch.time)
            try recorder.finish()
            #expect(try RecordingFile(path: folder + "/ring").range.upperBound == end + 1_000_000)
        }
    }

    @Test func forgottenChunksAreNotCopied() throws {
        try withFolder { folder in
            var recorder = try recorder(folder + "/ring", limit: 64 << 20)
            #expect(throws: RecordingError.empty) {
                try recorder.segments.writeExcerpt(from: 0, of: folder + "/ring", to: MemoryStorage())
            }
            try recorder.record(Self.batches)
            let end = try #require(Self.batches.last).time
            recorder.segments.forget(before: end - 500_000_000)
            let storage = MemoryStorage()
            try recorder.segments.writeExcerpt(from: 0, of: folder + "/ring", to: storage)
            let file = try storage.open()
            #expect((end - 1_000_000_000...end - 500_000_000).contains(file.range.lowerBound))
            #expect(file.damage == [])
        }
    }

    @Test func afterAnErrorAnExcerptHasWhatWasWritten() throws {
        try withFolder { folder in
            var recorder = try recorder(folder + "/ring", limit: 300_000)
            #expect(throws: RecordingError.limitTooSmall) { try recorder.record(Self.batches) }
            let storage = MemoryStorage()
            try recorder.segments.writeExcerpt(from: 0, of: folder + "/ring", to: storage)
            var player = RecordingPlayer(try storage.open())
            let forest = ChainForest(applying: player.seek(to: .max))
            let live = liveForest(Self.batches, at: player.range.upperBound)
            #expect(forest.totals.counts.liveCount == live.totals.counts.liveCount && live.totals.counts.liveCount > 0)
            #expect(player.range.upperBound > Self.batches[10].time)
        }
    }
}

// SPDX-License-Identifier: MIT
