import ChainEvents
import ChainModel
import ChainSystem
import ChainZstd
import Foundation
import SeededNumbers
import Testing

@testable import ChainRecording

/// Recordings with packed chunks.
struct PackedTests {
    private static let batches = Traffic(chains: 6_000, batchSize: 500, step: 10_000).batches
    private let zstandard: Zstandard

    init() throws { zstandard = try #require(Zstandard()) }

    private func recorded(_ codec: (any PayloadCodec)?, limit: UInt64? = nil) throws -> MemoryStorage {
        let storage = MemoryStorage()
        var options = BatchRecorder.Options()
        (options.keyframeEvents, options.settledLimit) = (8_000, 300)
        let writer = RecordingWriter(storage, id: 0x1122_3344_5566_7788, limit: limit, codec: codec)
        var recorder = BatchRecorder(.test, writer, options: options)
        try recorder.record(Self.batches)
        try recorder.finish()
        return storage
    }

    @Test(arguments: [ChunkCodec.zstd, .columns])
    func aPackedRecordingShowsTheSameAndIsShorter(codec: ChunkCodec) throws {
        let (raw, packed) = (try recorded(nil), try recorded(codec == .zstd ? zstandard : PayloadColumns()))
        let least = codec == .zstd ? 4.0 : 2.5
        #expect(
            Double(packed.bytes.count) * least < Double(raw.bytes.count), "\(packed.bytes.count) of \(raw.bytes.count)")
        let one = try raw.open()
        // Columns need no codec of another module.
        let other = try RecordingFile(temporaryFile(packed.bytes), codec == .zstd ? zstandard : nil)
        #expect(other.damage == [] && other.range == one.range && other.series == one.series)
        // A chunk of a few bytes may not become shorter.
        let packedChunks = other.chunks.filter { $0.header.rawCount > 1_000 }
        #expect(!packedChunks.isEmpty)
        #expect(packedChunks.allSatisfy { $0.header.codec == codec && $0.header.storedCount < $0.header.rawCount })
        var (players, random) = ((RecordingPlayer(one), RecordingPlayer(other)), SeededGenerator(seed: 5))
        for _ in 0..<20 {
            let moment = UInt64.random(in: one.range, using: &random)
            let forests = (
                ChainForest(applying: players.0.seek(to: moment)), ChainForest(applying: players.1.seek(to: moment))
            )
            #expect(difference(forests.0, forests.1) == nil)
        }
    }

    @Test func aPackedRingKeepsLonger() throws {
        let limit: UInt64 = 2 << 20
        let (raw, packed) = (try recorded(nil, limit: limit), try recorded(zstandard, limit: limit))
        let (one, other) = (try raw.open(), try RecordingFile(temporaryFile(packed.bytes), zstandard))
        #expect(packed.bytes.count <= Int(limit) && other.damage == [])
        #expect(other.range.lowerBound < one.range.lowerBound && other.range.upperBound == one.range.upperBound)
    }

    @Test func aPackedRecordingIsRefusedWithoutItsCodec() throws {
        let file = try temporaryFile(try recorded(zstandard).bytes)
        #expect(throws: RecordingError.packed) { try RecordingFile(file) }
    }

    /// The stored bytes have the right checksum, but do not unpack to the length in their header.
    @Test func wrongContentCostsOneChunk() throws {
        struct WrongCount: PayloadCodec {
            let inner: Zstandard
            var codec: ChunkCodec { .zstd }
            func packed(_ payload: UnsafeRawBufferPointer) -> [UInt8]? { inner.packed(payload) }
            func unpacked(_ stored: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
                inner.unpacked(stored, count: count - 1)
            }
        }
        #expect(throws: RecordingError.empty) {
            try RecordingFile(temporaryFile(try recorded(zstandard).bytes), WrongCount(inner: zstandard))
        }
        var damaged = try recorded(zstandard).bytes
        let chunk = try RecordingFile(temporaryFile(damaged), zstandard).chunks[4]
        let start = Int(chunk.offset) + RecordingFormat.chunkHeaderSize
        // A frame of Zstandard begins with its magic number.
        damaged[start] ^= 0xFF
        var header = chunk.header
        header.payloadChecksum = damaged[start..<start + Int(header.storedCount)].withUnsafeBytes { Checksum.of($0) }
        damaged.replaceSubrange(Int(chunk.offset)..<start, with: header.bytes(in: 0x1122_3344_5566_7788))
        // Without the index, which has the header as it was.
        damaged.replaceSubrange(28..<44, with: [UInt8](repeating: 0, count: 16))
        let file = try RecordingFile(temporaryFile(damaged), zstandard)
        #expect(file.batches(ofChunk: 4) == nil && file.batches(ofChunk: 5) != nil)
        #expect(file.damage.contains { $0.reason == "a chunk cannot be unpacked" })
    }

    @Test func whatDoesNotBecomeShorterIsStoredAsItIs() {
        var random = SeededGenerator(seed: 9)
        let noise = (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(noise.withUnsafeBytes { zstandard.packed($0) } == nil)
        #expect([UInt8]().withUnsafeBytes { zstandard.packed($0) } == nil)
        #expect([7].withUnsafeBytes { zstandard.packed($0) } == nil)
    }

    /// The file keeps its old content until a recording begins.
    @Test func aFileIsReplacedOnceSomethingIsRecorded() throws {
        let path = FileManager.default.temporaryDirectory.path + "/chain-\(UUID().uuidString)"
        defer { unlink(path) }
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: SystemError(code: EEXIST)) { try RecordingFileStorage(path: path, overwrites: false) }
        let storage = try RecordingFileStorage(path: path, overwrites: true)
        var writer = RecordingWriter(storage, id: 1)
        try writer.finish()
        storage.discard()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
        var recorder = BatchRecorder(.test, writer)
        try recorder.record(Self.batches)
        try recorder.finish()
        #expect(try RecordingFile(path: path).damage == [])

        let new = try RecordingFileStorage(path: path + ".new", overwrites: true)
        #expect(FileManager.default.fileExists(atPath: path + ".new"))
        new.discard()
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }
}

// SPDX-License-Identifier: MIT
