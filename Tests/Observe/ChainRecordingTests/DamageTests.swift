import ChainEvents
import ChainModel
import Foundation
import SeededNumbers
import Testing

@testable import ChainRecording

/// Recordings that were cut, or that have wrong bits.
struct DamageTests {
    private static let batches = Traffic(chains: 250, batchSize: 150, step: 100_000).batches

    /// Returns the bytes of a recording of all batches.
    private func bytes(finished: Bool = true) throws -> [UInt8] {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { $0.keyframeEvents = 1_200 }
        for batch in Self.batches { try recorder.record(batch, at: batch.time) }
        if finished { try recorder.finish() } else { try recorder.tick(at: .max) }
        return storage.bytes
    }

    @Test func withoutAnIndexTheSameIsRead() throws {
        let (whole, killed) = (
            try RecordingFile(temporaryFile(try bytes())), try RecordingFile(temporaryFile(try bytes(finished: false)))
        )
        #expect(whole.hasIndex && !killed.hasIndex)
        #expect(whole.chunks == killed.chunks && whole.segments == killed.segments && whole.segments.count > 2)
        #expect(whole.damage == [] && killed.damage == [])
        let totals = { (file: RecordingFile) in file.series.entries.reduce(0) { $0 + $1.settled } }
        #expect(totals(whole) == totals(killed))
    }

    /// Wherever the file ends, all chunks that are whole are read.
    @Test func aTornTailCostsOneChunk() throws {
        let killed = try bytes(finished: false)
        let chunks = try RecordingFile(temporaryFile(killed)).chunks
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<25 {
            let end = Int.random(in: Int(chunks[0].end)..<killed.count, using: &generator)
            let file = try RecordingFile(temporaryFile(Array(killed[..<end])))
            let expected = chunks.prefix { Int($0.end) <= end }
            #expect(file.chunks == Array(expected))
            #expect(file.damage.isEmpty == (expected.last.map { Int($0.end) } == end), "cut at \(end)")
            var player = RecordingPlayer(file)
            let last = expected.last { $0.header.kind == .batches }?.header.lastTime ?? 0
            let forest = ChainForest(applying: player.seek(to: .max))
            if last >= file.range.upperBound {
                #expect(difference(forest, liveForest(Self.batches, at: last)) == nil, "cut at \(end)")
            }
        }
    }

    /// The index repeats the headers of all chunks, which are not taken for chunks, wherever the file ends.
    @Test func aTornIndexCostsNothing() throws {
        let (whole, chunks) = (try bytes(), try RecordingFile(temporaryFile(try bytes(finished: false))).chunks)
        let index = Int(try #require(chunks.last).end)
        var pages = MemoryPages()
        whole.withUnsafeBytes { pages.write($0, at: 0) }
        for end in (index..<whole.count).reversed() {
            pages.truncate(to: end)
            let file = try RecordingFile(pages)
            #expect(file.chunks == chunks && !file.hasIndex, "cut at \(end)")
            let reason =
                end == index ? "the file is cut off: it has \(end) bytes, and its index began" : "the index is damaged"
            #expect(file.damage.first?.reason == reason, "cut at \(end)")
            // Where its header is whole, the index is recognised.
            if end >= index + RecordingFormat.chunkHeaderSize { #expect(file.damage.count == 1, "cut at \(end)") }
        }
    }

    /// What the shown moment does not touch is found by reading all, which changes nothing else.
    @Test func readingAllFindsEachWrongBit() throws {
        let whole = try bytes()
        let chunks = try RecordingFile(temporaryFile(whole)).chunks
        for entry in chunks {
            var damaged = whole
            damaged[Int(entry.end) - 1] ^= 1
            let file = try RecordingFile(temporaryFile(damaged))
            file.readAll()
            #expect(file.damage.contains { $0.offset == entry.offset }, "\(entry.offset)")
            let count = file.damage.count
            file.readAll()
            #expect(file.damage.count == count)
        }
        let file = try RecordingFile(temporaryFile(whole))
        file.readAll()
        #expect(file.damage.isEmpty)
    }

    /// Nor are they where the header of the index is damaged.
    @Test func aWrongBitInTheHeaderOfTheIndexCostsNothing() throws {
        let (whole, chunks) = (try bytes(), try RecordingFile(temporaryFile(try bytes(finished: false))).chunks)
        let index = Int(try #require(chunks.last).end)
        for position in index..<index + RecordingFormat.chunkHeaderSize {
            var damaged = whole
            damaged[position] ^= 4
            let file = try RecordingFile(temporaryFile(damaged))
            #expect(file.chunks == chunks && file.damage.first?.reason == "the index is damaged", "byte \(position)")
        }
    }

    /// Counts the bytes that are read.
    private final class CountedBytes: StoredBytes {
        private let base: any StoredBytes
        private(set) var readCount = 0

        init(_ base: any StoredBytes) { self.base = base }

        var count: UInt64 { base.count }
        var storedCount: UInt64 { base.storedCount }
        func dataOffset(from offset: UInt64) -> UInt64 { base.dataOffset(from: offset) }

        func bytes(at offset: UInt64, count: Int) -> [UInt8] {
            let bytes = base.bytes(at: offset, count: count)
            readCount += bytes.count
            return bytes
        }
    }

    /// Returns a header whose payload has another checksum.
    private func falseHeader(_ count: UInt32) -> [UInt8] {
        var header = ChunkHeader(.batches)
        (header.number, header.storedCount, header.rawCount, header.payloadChecksum) = (1_000, count, count, 1)
        return header.bytes(in: 0x1122_3344_5566_7788)
    }

    @Test func aHoleIsNotSearched() throws {
        let path = FileManager.default.temporaryDirectory.path + "/chain-\(UUID().uuidString)"
        let killed = try bytes(finished: false)
        try Data(killed).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let size: UInt64 = 16 << 30
        try #require(truncate(path, off_t(size)) == 0)
        let bytes = CountedBytes(try ByteFile(path: path))
        let file = try RecordingFile(bytes)
        #expect(file.chunks == (try RecordingFile(temporaryFile(killed)).chunks) && file.damage.count == 1)
        #expect(bytes.readCount < 10 << 20, "\(bytes.readCount) bytes were read")
    }

    /// Each header claims the same bytes as the others.
    @Test func headersWithoutAChunkAreSearchedForSoLong() throws {
        let killed = try bytes(finished: false)
        let headers = [UInt8]((0..<5_000).map { _ in falseHeader(300_000) }.joined())
        let end = [UInt8](repeating: 0, count: 300_000)
        let bytes = CountedBytes(try temporaryFile(killed + [1] + headers + end))
        let file = try RecordingFile(bytes)
        #expect(file.chunks == (try RecordingFile(temporaryFile(killed)).chunks))
        #expect(
            file.damage.map(\.reason).contains { $0.contains("too many headers without a chunk") }, "\(file.damage)")
        #expect(bytes.readCount < 60 << 20, "\(bytes.readCount) bytes were read")
        // After a few of them the next chunk is found.
        let middle = Int(file.chunks[file.chunks.count / 2].offset)
        let some = [1] + headers.prefix(20 * RecordingFormat.chunkHeaderSize)
        let interrupted = try RecordingFile(temporaryFile(killed[..<middle] + some + killed[middle...]))
        #expect(interrupted.chunks.map(\.header) == file.chunks.map(\.header))
    }

    /// Whatever the bytes look like, a search checksums and reads each of them a few times at most.
    @Test func aSearchIsLinear() throws {
        let id: UInt64 = 0x1122_3344_5566_7788
        let start = [UInt8](repeating: 0, count: RecordingFormat.fileHeaderSize)
        func scan(_ repeated: [UInt8], _ count: Int) throws -> (scan: ChunkScan, size: Int, readCount: Int) {
            let all = start + (0..<count).flatMap { _ in repeated }
            let bytes = CountedBytes(try temporaryFile(all))
            var scan = ChunkScan(bytes, id)
            scan.run()
            return (scan, all.count, bytes.readCount)
        }
        // The beginnings of headers, with sizes that no payload has, and with sizes that a payload may have.
        let magics = RecordingFormat.chunkMagic + [ChunkKind.batches.rawValue, ChunkCodec.raw.rawValue]
        let beginnings = try scan(magics, 1_000_000)
        #expect(beginnings.scan.checkedCount == 0 && beginnings.readCount < 2 * beginnings.size)
        let plausible = try scan(magics + [UInt8](repeating: 0, count: 18), 1_000_000)
        #expect(plausible.scan.checkedCount < 4 * plausible.size && plausible.readCount < 2 * plausible.size)
        // Whole chunks without a payload, with a wrong byte before each.
        let chunks = try scan([1] + ChunkHeader(.batches).bytes(in: id), 10_000)
        #expect(chunks.scan.damage.count == 10_000 && chunks.readCount < 4 * chunks.size, "\(chunks.readCount)")
    }

    /// Reading an index of such chunks would take longer than reading any file of that length.
    @Test func anIndexOfChunksThatShareBytesIsDamaged() throws {
        let killed = try bytes(finished: false)
        let chunks = try RecordingFile(temporaryFile(killed)).chunks
        let index = RecordingIndex(chunks: chunks + chunks + chunks, series: CountSeries())
        var header = FileHeader(id: 0x1122_3344_5566_7788)
        (header.index, header.ending) = (UInt64(killed.count), .finished)
        let chunk = index.chunk(2_000, segment: 100, RecordingCounts(), in: header.id)
        let whole = header.bytes + killed.dropFirst(RecordingFormat.fileHeaderSize) + chunk
        let file = try RecordingFile(temporaryFile(whole))
        #expect(!file.hasIndex && file.chunks == chunks && file.damage.map(\.reason) == ["the index is damaged"])
    }

    /// A wrong bit is found wherever it is. In a payload or a header it costs that chunk; the state is right again from
    /// the next keyframe on.
    @Test func aWrongBitCostsOneChunk() throws {
        let whole = try bytes()
        let original = try RecordingFile(temporaryFile(whole))
        let keyframes = original.segments
        var generator = SeededGenerator(seed: 4)
        for round in 0..<40 {
            let index = Int.random(in: 0..<original.chunks.count, using: &generator)
            let entry = original.chunks[index]
            let position = Int(UInt64.random(in: entry.offset..<entry.end, using: &generator))
            var damaged = whole
            damaged[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            // Every other time without the index.
            if round % 2 == 0 { damaged.replaceSubrange(28..<44, with: [UInt8](repeating: 0, count: 16)) }
            let file = try RecordingFile(temporaryFile(damaged))
            var player = RecordingPlayer(file)
            _ = player.seek(to: 0)
            _ = player.advance(to: .max)
            for segment in file.segments.indices { _ = player.seek(to: file.segments[segment].time) }
            #expect(!file.damage.isEmpty, "byte \(position)")
            let later = keyframes.first { $0.chunks.lowerBound > index }
            guard let later else { continue }
            #expect(
                difference(ChainForest(applying: player.seek(to: later.time)), liveForest(Self.batches, at: later.time))
                    == nil,
                "byte \(position)")
        }
    }

    /// A node that ended in a missing chunk is *unknown* from the next keyframe on. No state is wrong.
    @Test func playingOverAGapIsCorrectedByTheNextKeyframe() throws {
        var damaged = try bytes()
        let original = try RecordingFile(temporaryFile(damaged))
        let segment = try #require(original.segments.dropFirst().first)
        let lost = try #require(original.chunks[segment.chunks].last { $0.header.kind == .batches })
        damaged[Int(lost.offset) + 200] ^= 1
        let file = try RecordingFile(temporaryFile(damaged))
        var player = RecordingPlayer(file)
        let batches = player.seek(to: 0) + player.advance(to: .max)
        let forest = ChainForest(applying: batches)
        let live = liveForest(Self.batches, at: .max)
        #expect(file.damage.map(\.reason) == ["a chunk is damaged"])
        #expect(forest.totals.counts.liveCount == live.totals.counts.liveCount)
        for root in live.roots {
            let node = try #require(forest.index(of: live.id(of: root)))
            #expect([live.state(of: root), .unknown].contains(forest.state(of: node)))
        }
    }

    /// A keyframe of which a chunk is lost corrects nothing. The next whole one does.
    @Test(arguments: [32, 200]) func aKeyframeWithoutAChunkDoesNotEndAGap(damagedByte: Int) throws {
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage) { $0.keyframeEvents = 10_000 }
        // All nodes stay live, so that each keyframe has them.
        let batches = (0..<80 as Range<UInt64>).map { number in
            var batch = EventBatch(process: .test, sequence: number + 1, time: 1_000_000_000 + number * 10_000_000)
            for index in 1...400 as ClosedRange<UInt64> {
                batch.events.append(
                    ChainEvent(time: batch.time - 400 + index, .created, node: NodeID(number * 400 + index), thread: 7))
            }
            return batch
        }
        try recorder.record(batches)
        try recorder.finish()
        let original = try storage.open()
        let segments = original.segments.dropFirst().filter { $0.keyframe.count > 2 }
        try #require(segments.count > 1)
        var damaged = storage.bytes
        let lost = original.chunks[segments[0].keyframe.lowerBound - 1]
        let middle = original.chunks[segments[0].keyframe.lowerBound + 1]
        try #require(lost.header.kind == .batches && middle.header.kind == .keyframe)
        damaged[Int(lost.offset) + 200] ^= 1
        damaged[Int(middle.offset) + damagedByte] ^= 1
        // Without the index, so that the header is read from its chunk.
        damaged.replaceSubrange(28..<44, with: [UInt8](repeating: 0, count: 16))
        let file = try RecordingFile(temporaryFile(damaged))
        var player = RecordingPlayer(file)
        let forest = ChainForest(applying: player.seek(to: 0) + player.advance(to: .max))
        #expect(difference(forest, liveForest(batches, at: .max)) == nil)
    }

    @Test func aDamagedKeyframeIsLeftOut() throws {
        var damaged = try bytes()
        let original = try RecordingFile(temporaryFile(damaged))
        let segment = original.segments[2]
        damaged[Int(original.chunks[segment.chunks.lowerBound].offset) + 300] ^= 1
        var player = RecordingPlayer(try RecordingFile(temporaryFile(damaged)))
        let moment = segment.time + 1_000_000
        #expect(difference(ChainForest(applying: player.seek(to: moment)), liveForest(Self.batches, at: moment)) == nil)
        #expect(player.file.damage.count == 1)
    }

    @Test func otherFilesAreRefused() throws {
        func error(_ bytes: [UInt8]) -> RecordingError? {
            do throws(RecordingError) {
                _ = try RecordingFile(try! temporaryFile(bytes))
                return nil
            } catch { return error }
        }
        let whole = try bytes()
        #expect(error([]) == .notRecording && error(Array("#!/bin/sh".utf8)) == .notRecording)
        #expect(error(Array(whole[..<20])) == .empty && error(Array(whole[..<48])) == .empty)
        var later = whole
        (later[8], later[10]) = (9, 9)
        #expect(error(later) == .version(9))
        var wrong = whole
        wrong[17] ^= 1
        #expect(error(wrong) == .damagedHeader)
    }

    /// Without a wait for a writer, during which every fork of the process would wait, too.
    @Test func aPipeIsRefusedAtOnce() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        do throws(RecordingError) {
            _ = try RecordingFile(path: path)
            Issue.record("a pipe was opened as a recording")
        } catch { #expect(error.description == "is a pipe: write it into a file first") }
    }

    /// A text of a program may look like a chunk, but its checksum does not include this file's id.
    @Test func aTextThatLooksLikeAChunkIsNotRead() throws {
        let fake = try RecordingFile(temporaryFile(try bytes())).chunks[0].header.bytes(in: 1)
        let storage = MemoryStorage()
        var recorder = try BatchRecorder(storage)
        var batch = EventBatch(process: .test, sequence: 1, time: 5)
        for _ in 0..<20 {
            batch.texts.append(String(decoding: fake, as: UTF8.self))
            batch.events.append(
                ChainEvent(time: 5, .created, node: NodeID(UInt64(batch.texts.count)), text: UInt32(batch.texts.count)))
        }
        try recorder.record([batch])
        try recorder.finish()
        var damaged = storage.bytes
        damaged.replaceSubrange(28..<44, with: [UInt8](repeating: 0, count: 16))
        // Damages the header of the first chunk, so that the next chunk is searched for.
        damaged[50] ^= 1
        #expect(throws: RecordingError.empty) { try RecordingFile(temporaryFile(damaged)) }
    }
}

// SPDX-License-Identifier: MIT
