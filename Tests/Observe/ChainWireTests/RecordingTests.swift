import ChainEvents
import ChainModel
import ChainSystem
import ChainZstd
import EventScripts
import Foundation
import SeededNumbers
import TerminalHarness
import Testing

@testable import ChainRecording

/// The article on recordings agrees with the code.
struct RecordingArticleTests {
    private let article: Article

    init() throws { article = try Article("TheRecording") }

    private func names<Kind: RawRepresentable>(of kinds: [Kind]) -> [UInt64: String]
    where Kind.RawValue: FixedWidthInteger {
        Dictionary(uniqueKeysWithValues: kinds.map { (UInt64($0.rawValue), "\($0)") })
    }

    private func names(_ head: String) throws -> [UInt64: String] {
        Dictionary(uniqueKeysWithValues: try #require(article.table(head)).map { ($0.number, $0.cells[0]) })
    }

    @Test func itsNumbersAreThoseOfTheCode() throws {
        #expect(try names("chunk kind") == names(of: ChunkKind.allCases))
        #expect(try names("codec") == names(of: ChunkCodec.allCases))
        #expect(try names("ending") == names(of: RecordingEnding.allCases))
        for magic in [RecordingFormat.magic, RecordingFormat.chunkMagic] {
            let shown = magic.map { String($0, radix: 16) }.joined(separator: " ")
            #expect(article.text.contains("magic: `\(shown)`"))
        }
        #expect(article.text.contains("It is \(RecordingFormat.chunkLimit) bytes at most"))
        #expect(article.text.contains("or \(RecordingFormat.chunkDelay / 1_000_000) ms after its first message"))
        #expect(article.text.contains("\(RecordingFormat.uncounted): they were not counted"))
        let options = BatchRecorder.Options()
        #expect(options.keyframeEvents == 200_000 && options.settledLimit == 20_000)
        #expect(options.keyframeBatches == 16_384)
    }

    /// Each offset is where the field before it ends, and the sizes are those of the code.
    @Test func itsOffsetsFollowFromItsTypes() {
        let sizes = ["u8": 1, "u16": 2, "u32": 4, "u64": 8, "4 bytes": 4, "8 bytes": 8]
        for (heading, size) in [
            ("The file's header", RecordingFormat.fileHeaderSize), ("A chunk", RecordingFormat.chunkHeaderSize),
            ("The index", 24),
        ] {
            var offset = 0
            for row in article.fields(below: heading) {
                guard let count = sizes[row.type] else { break }
                #expect(row.offset == "\(offset)", "\(heading): \(row.field)")
                offset += count
            }
            #expect(offset == size, "\(heading)")
        }
    }
}

/// A reader in another language, written from the article alone, shows the same trees at the same moments.
@Suite(.onItsOwnThread, .enabled(if: Reader.hasPython, "python3 is not installed: see .ci/need"))
struct RecordingReaderTests {
    @Test(arguments: Seeds.upTo(4), ChunkCodec.allCases)
    func anIndependentReaderShowsTheSameTree(seed: UInt64, stored: ChunkCodec) throws {
        let codec: (any PayloadCodec)? =
            switch stored {
            case .raw: nil
            case .columns: PayloadColumns()
            case .zstd: Zstandard()
            }
        try #require(codec?.codec ?? .raw == stored)
        var generator = SeededGenerator(seed: seed)
        let entries = RandomLog(seed: seed, count: 200, isWild: seed % 2 == 0).entries
        let batches = entries.batches(upTo: 20, using: &generator)
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).chain").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = ProcessDescription(key: .test, pid: 7, name: "shop", wallOffset: 0)
        var options = BatchRecorder.Options()
        (options.keyframeEvents, options.leastInterval) = (60, 0)
        let storage = try RecordingFileStorage(path: path, overwrites: false)
        var recorder = BatchRecorder(process, RecordingWriter(storage, id: seed, codec: codec), options: options)
        for batch in batches { try recorder.record(batch, at: batch.time * 1_000_000) }
        if seed % 2 == 0 { try recorder.finish() } else { try recorder.tick(at: .max) }

        var player = RecordingPlayer(try RecordingFile(path: path, codec: codec))
        #expect(player.file.segments.count > 1)
        #expect(player.file.chunks.contains { $0.header.codec == stored })
        var moments = (0..<3).map { _ in UInt64.random(in: player.range, using: &generator) }
        moments.append(player.range.upperBound)
        for moment in moments {
            var forest = ChainForest(process: .test)
            for batch in player.seek(to: moment) { forest.apply(batch) }
            #expect(try Reader.read("--recording", path, "\(moment)") == forest.drawn(), "seed \(seed) at \(moment)")
        }
    }
}

// SPDX-License-Identifier: MIT
