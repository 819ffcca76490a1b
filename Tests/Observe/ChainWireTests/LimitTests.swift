import ChainEvents
import Testing

@testable import ChainWire

/// Input of a peer costs no more memory than the bytes that it sent.
struct LimitTests {
    /// Returns a reader that has received a preamble and the bytes.
    private func reader(limit: Int = Wire.programMessageLimit, _ bytes: [UInt8]) throws -> MessageReader {
        var reader = MessageReader(limit: limit)
        try stream([]).withUnsafeBytes { reader.append($0) }
        bytes.withUnsafeBytes { reader.append($0) }
        return reader
    }

    /// Returns the header of a batch with a payload of `length` bytes.
    private func header(_ length: UInt32) -> [UInt8] { LaterVersion.bytes(length) + [3, 0, 0, 0] }

    @Test func aLengthOverTheLimitIsRefusedAtOnce() throws {
        var within = try reader(limit: 1000, header(1000))
        #expect(try within.next() == nil)
        var over = try reader(limit: 1000, header(1001))
        #expect(throws: WireError.tooLong(bytes: 1001, limit: 1000)) { try over.next() }
    }

    @Test func aLengthAloneReservesNoMemory() throws {
        var reader = try reader(header(UInt32(Wire.programMessageLimit)))
        #expect(try reader.next() == nil)
        #expect(reader.capacity < 1024)
    }

    /// Each count of a batch is 4 billion, in turn.
    @Test(arguments: 0..<6)
    func aCountAloneReservesNoMemory(number: Int) throws {
        var payload = Array(try stream([.batch(EventBatch(process: Samples.process, sequence: 1, time: 1))])[24...])
        payload.replaceSubrange(72 + 4 * number..<76 + 4 * number, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let bytes = try stream([]) + header(UInt32(payload.count)) + payload
        #expect(throws: WireError.self) { try messages(of: bytes) }
    }

    @Test func eventsAndNodesOfTooFewBytesAreRefused() throws {
        let batch = Samples.all.first { $0.name == "batch-events" }!.message
        for size in [0, 39] as [UInt8] {
            var bytes = try stream([batch])
            bytes[24 + 60] = size
            #expect(throws: WireError.malformed("the size of an event")) { try messages(of: bytes) }
        }
        var nodes = EventBatch(process: Samples.process, sequence: 1, time: 1)
        nodes.nodes = [NodeSnapshot(id: NodeID(1), kind: .all)]
        var bytes = try stream([.batch(nodes)])
        bytes[24 + 96] = 31
        #expect(throws: WireError.malformed("the size of a node")) { try messages(of: bytes) }
    }

    @Test func anErrorLasts() throws {
        var reader = try reader(limit: 10, header(11))
        for _ in 0..<3 {
            #expect(throws: WireError.tooLong(bytes: 11, limit: 10)) { try reader.next() }
            let more = [UInt8](repeating: 0, count: 1000)
            more.withUnsafeBytes { reader.append($0) }
        }
        #expect(reader.capacity == 0)
        #expect(!reader.isAtBoundary)
    }

    @Test func theMemoryOfALargeMessageIsFreed() throws {
        var batch = EventBatch(process: Samples.process, sequence: 1, time: 1)
        batch.events = Array(repeating: ChainEvent(time: 1, .started, node: NodeID(1)), count: 100_000)
        var writer = MessageWriter()
        writer.writePreamble()
        try writer.write(.batch(batch))
        #expect(writer.bytes.count > 4_000_000)
        var reader = MessageReader(limit: Wire.programMessageLimit)
        // The beginning of another message follows.
        let bytes = writer.bytes + header(100) + [1, 2, 3]
        bytes.withUnsafeBytes { reader.append($0) }
        #expect(try reader.next() == .batch(batch))
        #expect(try reader.next() == nil)
        #expect(reader.capacity <= Wire.keptRoom)
        writer.removeAll()
        #expect(writer.bytes.capacity <= Wire.keptRoom)
    }

    @Test func theRoomOfAUsualMessageIsKept() throws {
        var writer = MessageWriter()
        try writer.write(.farewell(Goodbye(.stopped, String(repeating: "a", count: 1000))))
        let room = writer.bytes.capacity
        writer.removeAll()
        #expect(writer.bytes.capacity == room)
    }

    @Test func aMessageOverTheLimitIsNotWritten() throws {
        var writer = MessageWriter()
        try writer.write(.farewell(Goodbye(.stopped, "a")))
        let before = writer.bytes
        let text = String(repeating: "a", count: Wire.programMessageLimit)
        #expect(throws: WireError.tooLong(bytes: Wire.programMessageLimit + 8, limit: Wire.programMessageLimit)) {
            try writer.write(.farewell(Goodbye(.stopped, text)))
        }
        #expect(writer.bytes == before)
    }
}

// SPDX-License-Identifier: MIT
