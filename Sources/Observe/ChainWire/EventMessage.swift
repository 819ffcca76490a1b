// SPDX-License-Identifier: MIT

import ChainEvents

extension MessageWriter {
    ///     event   0      8      16      24     28     32       36       38     39      40
    ///             ├ time ┼ node ┼ other ┼ site ┼ text ┼ thread ┼ detail ┼ kind ┼ flags ┤
    ///
    /// `text` is 1 + the index of the event's text among the texts of the batch, or 0 if the event has no text.
    mutating func append(_ events: [ChainEvent]) {
        let needed = bytes.count + events.count * Wire.eventSize
        if needed > bytes.capacity { reserveCapacity(max(needed, 2 * bytes.capacity)) }
        events.withUnsafeBufferPointer { events in
            // 24 events are written at a time, because a temporary allocation of up to 1,024 bytes is on the stack.
            for start in stride(from: 0, to: events.count, by: 24) {
                append(atMost: 24 * Wire.eventSize) { room in
                    var offset = 0
                    for event in events[start..<min(start + 24, events.count)] {
                        event.store(in: room, at: offset)
                        offset += Wire.eventSize
                    }
                    return offset
                }
            }
        }
    }
}

extension ChainEvent {
    @inline(__always)
    fileprivate func store(in room: UnsafeMutableRawBufferPointer, at offset: Int) {
        func storeField<Number: FixedWidthInteger>(_ number: Number, _ field: Int) {
            room.storeBytes(of: number.littleEndian, toByteOffset: offset + field, as: Number.self)
        }
        storeField(time, 0)
        storeField(node.rawValue, 8)
        storeField(other.rawValue, 16)
        storeField(site, 24)
        storeField(text, 28)
        storeField(thread, 32)
        storeField(detail, 36)
        storeField(kind.rawValue, 38)
        storeField(flags.rawValue, 39)
    }

    /// Decodes an event; nil for a kind that this version does not know.
    @inline(__always)
    fileprivate init?(in bytes: UnsafeRawBufferPointer, at offset: Int) {
        func get<Number: FixedWidthInteger>(_ field: Int, _: Number.Type) -> Number {
            Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + field, as: Number.self))
        }
        guard let kind = EventKind(rawValue: bytes[offset + 38]) else { return nil }
        self.init(
            time: get(0, UInt64.self), kind, node: NodeID(get(8, UInt64.self)), other: NodeID(get(16, UInt64.self)),
            site: get(24, UInt32.self), text: get(28, UInt32.self), thread: get(32, UInt32.self),
            detail: get(36, UInt16.self), flags: EventFlags(rawValue: bytes[offset + 39]))
    }
}

extension ByteReader {
    /// Reads `count` events of `size` bytes each. Decodes the first ``Wire/eventSize`` bytes of each event, and skips
    /// events of kinds that this version does not know.
    mutating func nextEvents(_ count: Int, size: Int) throws(WireError) -> [ChainEvent] {
        guard count > 0 else { return [] }
        guard size >= Wire.eventSize else { throw .malformed("the size of an event") }
        guard count <= restCount / size else { throw .malformed("a list that is longer than its message") }
        let bytes = try nextBytes(count * size)
        return [ChainEvent](unsafeUninitializedCapacity: count) { events, filled in
            for offset in stride(from: 0, to: bytes.count, by: size) {
                // Events of unknown kinds, which later versions may send, are skipped.
                guard let event = ChainEvent(in: bytes, at: offset) else { continue }
                events.initializeElement(at: filled, to: event)
                filled += 1
            }
        }
    }
}
