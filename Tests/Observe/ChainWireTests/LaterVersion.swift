import ChainEvents

@testable import ChainWire

/// Bytes made by hand: messages of a later version, which this version has to read as far as it can.
enum LaterVersion {
    /// Returns the bytes of a number, little-endian.
    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    static func text(_ text: String) -> [UInt8] { bytes(UInt32(text.utf8.count)) + Array(text.utf8) }

    static func message(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
        bytes(UInt32(payload.count)) + [kind, 0xAA, 0xAA, 0xAA] + payload
    }

    /// Version 2, readable by version 1.
    static let preamble = Wire.magic + bytes(UInt16(2)) + bytes(UInt16(1)) + bytes(UInt32(0xAAAA_AAAA))

    /// Returns an event of 48 bytes, of which the last eight are new.
    static func event(_ kind: UInt8) -> [UInt8] {
        bytes(UInt64(5)) + bytes(UInt64(7)) + bytes(UInt64(8)) + bytes(UInt32(1)) + bytes(UInt32(2)) + bytes(UInt32(3))
            + bytes(UInt16(4)) + [kind, 0xFF] + bytes(UInt64.max)
    }

    /// A node with a new kind, settlement, mark and field; the field follows the label.
    static let node: [UInt8] = {
        let fields = bytes(UInt64(3)) + text("label") + text("something new")
        return bytes(UInt32(32 + fields.count)) + bytes(UInt32(1 | 1 << 11 | 1 << 31)) + bytes(UInt64(9))
            + bytes(UInt32(1)) + bytes(UInt32(2)) + bytes(UInt16(3)) + [200, 201] + bytes(UInt32(0x8000_0001)) + fields
    }()

    /// A batch with a mark, lists and events that are new.
    static let batch: [UInt8] = {
        var payload: [UInt8] = []
        for number in [1, 2, 3, 4, 5, 6, 7] as [UInt64] { payload += bytes(number) }
        payload += bytes(UInt32(9)) + bytes(UInt32(48)) + bytes(UInt64(8))
        for count in [0, 0, 2, 0, 1, 3] as [UInt32] { payload += bytes(count) }
        payload += bytes(UInt32(70_000)) + text("more than 16 bits") + bytes(UInt32(2)) + text("pool")
        return payload + node + event(7) + event(99) + event(15) + bytes(UInt64.max)
    }()

    static let stream: [UInt8] =
        preamble
        + message(99, Array(repeating: 0xFF, count: 33))
        + message(3, batch)
        + message(4, bytes(UInt64(5)) + bytes(UInt64(6)) + bytes(UInt32(257)) + [1, 2, 3])
        + message(6, [77, 0, 0, 0] + text("new reason") + [1, 2, 3])

    /// What this version reads of the stream.
    static let messages: [Message] = {
        var batch = EventBatch(process: ProcessKey(rawValue: 1), sequence: 2, time: 3)
        batch.loss = EventCounts(madeCount: 4, deliveredCount: 5, lostInRings: 6, lostAtClient: 7)
        batch.executors = [2: "pool"]
        var node = NodeSnapshot(id: NodeID(9), kind: .other)
        (node.parent, node.label, node.settlement, node.flags) = (NodeID(3), "label", .unknown, .released)
        (node.site, node.thread, node.executor) = (1, 2, 3)
        batch.nodes = [node]
        batch.events = [EventKind.fulfilled, .released].map {
            ChainEvent(
                time: 5, $0, node: NodeID(7), other: NodeID(8), site: 1, text: 2, thread: 3, detail: 4,
                flags: EventFlags(rawValue: 0xFF))
        }
        return [.batch(batch), .unknownCommand(id: 5), .farewell(Goodbye(.other, "new reason"))]
    }()
}

// SPDX-License-Identifier: MIT
