import ChainEvents
import ChainWire
import SeededNumbers
import Testing

@testable import ChainRecording

/// Payloads in columns.
struct ColumnsTests {
    /// Returns the payloads of a recording with names, snapshots and events.
    private func payloads() throws -> [[UInt8]] {
        let storage = MemoryStorage()
        var options = BatchRecorder.Options()
        (options.keyframeEvents, options.settledLimit) = (1_000, 300)
        var recorder = BatchRecorder(.test, RecordingWriter(storage, id: 1), options: options)
        try recorder.record(Traffic(chains: 400, batchSize: 500, step: 10_000).batches)
        try recorder.finish()
        return try storage.open().chunks.map { chunk in
            let start = Int(chunk.offset) + RecordingFormat.chunkHeaderSize
            return Array(storage.bytes[start..<start + Int(chunk.header.storedCount)])
        }
    }

    private func inColumns(_ payload: [UInt8]) -> [UInt8]? {
        payload.withUnsafeBytes { PayloadColumns.columns(of: $0) }
    }

    private func fromColumns(_ columns: [UInt8], count: Int) -> [UInt8]? {
        columns.withUnsafeBytes { PayloadColumns.payload(of: $0, count: count) }
    }

    @Test func theSamePayloadComesBack() throws {
        let payloads = try payloads()
        for bytes in payloads {
            let columns = try #require(inColumns(bytes))
            #expect(columns.count <= PayloadColumns.headerSize + bytes.count)
            #expect(fromColumns(columns, count: bytes.count) == bytes)
        }
        let long = payloads.filter { $0.count > 20_000 }
        #expect(!long.isEmpty)
        for bytes in long {
            let head = try #require(inColumns(bytes)).withUnsafeBytes { $0.number(at: 0, as: UInt32.self) }
            #expect(Int(head) * 4 < bytes.count, "\(head) of \(bytes.count) bytes")
        }
    }

    /// Numbers that batches of programs never have, and bytes that are no batches.
    @Test func anyBytesOfWholeMessagesComeBack() throws {
        var random = SeededGenerator(seed: 11)
        for bytes in try payloads() {
            for _ in 0..<20 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...400, using: &random) {
                    changed[Int.random(in: 8..<changed.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                guard let columns = inColumns(changed) else { continue }
                #expect(fromColumns(columns, count: changed.count) == changed)
            }
        }
    }

    @Test func extremeNumbersComeBack() throws {
        var batch = EventBatch(process: .test, sequence: 1, time: 5)
        let extremes: [UInt64] = [0, 1, 2, .max, .max / 2, .max / 2 + 1, .max / 2 + 2]
        for time in extremes {
            for node in extremes {
                for other in extremes {
                    batch.events.append(ChainEvent(time: time, .created, node: NodeID(node), other: NodeID(other)))
                }
            }
        }
        var writer = MessageWriter()
        try writer.write(.batch(batch))
        let count = writer.bytes.count
        // The code of the difference 2^63 would be 2^64; such a payload is stored as it is.
        #expect(inColumns(writer.bytes) == nil)
        batch.events.removeAll { $0.other.rawValue != 0 && $0.other.rawValue &- $0.node.rawValue == 1 << 63 }
        writer.removeAll()
        try writer.write(.batch(batch))
        #expect(writer.bytes.count < count)
        #expect(fromColumns(try #require(inColumns(writer.bytes)), count: writer.bytes.count) == writer.bytes)
    }

    @Test func bytesThatAreNoMessagesAreRefused() {
        #expect(inColumns([7]) == nil)
        #expect(inColumns([UInt8](repeating: 255, count: 100)) == nil)
        #expect(fromColumns([], count: 0) == nil)
        let empty = [UInt8](repeating: 0, count: PayloadColumns.headerSize)
        #expect(inColumns([]) == empty && fromColumns(empty, count: 0) == [])
        #expect(fromColumns(empty, count: 1) == nil)
    }

    /// Columns with bytes changed at random, as a chunk with a valid checksum may hold them.
    @Test func hostileColumnsAreRefusedOrOfTheSameLength() throws {
        var random = SeededGenerator(seed: 13)
        var refused = 0
        for bytes in try payloads() {
            let columns = try #require(inColumns(bytes))
            for round in 0..<200 {
                var changed = columns
                // In turn: the counts, the head, anywhere.
                let ranges = [0..<PayloadColumns.headerSize, 16..<min(400, changed.count), 0..<changed.count]
                let range = ranges[round % 3]
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    changed[Int.random(in: range, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if let result = fromColumns(changed, count: bytes.count) {
                    #expect(result.count == bytes.count)
                } else {
                    refused += 1
                }
            }
        }
        #expect(refused > 100)
    }
}

// SPDX-License-Identifier: MIT
