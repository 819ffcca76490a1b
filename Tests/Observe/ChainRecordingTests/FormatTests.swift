import CChainRuntime
import ChainEvents
import ChainModel
import EventScripts
import GoldenSupport
import SeededNumbers
import Testing

@testable import ChainRecording

/// The bytes of a recording.
struct FormatTests {
    @Test func theChecksumIsCastagnolis() {
        // The check value of the catalogue of CRC parametrisations (CRC-32/ISCSI).
        let digits = Array("123456789".utf8)
        #expect(digits.withUnsafeBytes { Checksum.of($0) } == 0xE306_9283)
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<50 {
            let bytes = (0..<Int.random(in: 0...70, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let cut = Int.random(in: 0...bytes.count, using: &generator)
            bytes.withUnsafeBytes { bytes in
                let whole = Checksum.of(bytes)
                let first = Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
                #expect(Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[cut...]), after: first) == whole)
                if let start = bytes.baseAddress { #expect(chain_crc32c_by_tables(0, start, bytes.count) == whole) }
            }
        }
    }

    /// A small recording of one chain; changing the file breaks compatibility with recordings of released versions.
    @Test func aRecordingIsWrittenAndReadAsEver() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage)
        try recorder.record(Self.sample)
        try recorder.finish()
        #expect(Golden.complaint(about: storage.bytes, named: "recording") == nil)
        let file = try RecordingFile(temporaryFile(try #require(Golden.bytes(named: "recording"))))
        #expect(file.process == .test && file.hasIndex && file.damage == [])
        #expect(file.header.ending == .finished)
        var player = RecordingPlayer(file)
        let forest = ChainForest(applying: player.seek(to: .max))
        #expect(difference(forest, liveForest(Self.sample, at: .max)) == nil)
    }

    /// A process that was killed leaves no index.
    @Test func aKilledRecordingIsWrittenAndReadAsEver() throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage)
        try recorder.record(Self.sample)
        try recorder.tick(at: .max)
        #expect(Golden.complaint(about: storage.bytes, named: "killed") == nil)
        let file = try storage.open()
        #expect(!file.hasIndex && file.damage == [] && file.header.ending == .open)
    }

    /// A chain of one node that is rejected, in two batches.
    static let sample: [EventBatch] = {
        var batch = EventBatch(process: .test, sequence: 9, time: 5_000)
        batch.sites = [1: CodeLocation(fileID: "Shop/Order.swift", line: 41)]
        batch.threads = [7: "worker"]
        batch.append(
            ChainEvent(
                time: 1_000, .created, node: NodeID(1), site: 1, thread: 7, detail: UInt16(NodeKind.work.rawValue)),
            text: "order 17")
        batch.append(ChainEvent(time: 2_000, .started, node: NodeID(1), thread: 7), text: nil)
        var next = EventBatch(process: .test, sequence: 10, time: 9_000)
        next.loss = EventCounts(madeCount: 4, deliveredCount: 3, lostInRings: 1)
        next.append(
            ChainEvent(time: 8_000, .rejected, node: NodeID(1), thread: 7, flags: .handlerEnded), text: "declined")
        return [batch, next]
    }()

    @Test func aSeriesOfCountsHalvesItsResolution() {
        var series = CountSeries(limit: 4)
        var counts = RecordingCounts()
        for interval in 0..<10 {
            counts.made += 2
            counts.running = UInt32(interval)
            series.note(counts, at: 50 + UInt64(interval) * 100_000_000)
        }
        #expect(series.interval == 400_000_000 && series.start == 50)
        #expect(series.entries.map(\.made) == [8, 8, 4])
        #expect(series.entries.map(\.running) == [3, 7, 9])
    }
}

// SPDX-License-Identifier: MIT
