import ChainEvents

/// Writes messages into a buffer of bytes, which the owner empties as the socket takes them.
///
///     var writer = MessageWriter()
///     writer.writePreamble()
///     writer.write(.hello(hello))
///     send(writer.bytes)
///
/// Writing takes some 4 ns an event and nothing from the heap but the buffer's growth.
public struct MessageWriter: Sendable {
    /// What was written and not removed.
    public private(set) var bytes: [UInt8] = []

    /// Begins with an empty buffer.
    public init() {}

    /// Empties the buffer and keeps its room.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Begins a stream.
    public mutating func writePreamble() {
        bytes += Wire.magic
        append(Wire.version)
        append(Wire.oldestVersion)
        append(UInt32(0))
    }

    /// Appends a message.
    ///
    /// - Throws: ``WireError/tooLong(bytes:limit:)`` where the payload is over ``Wire/batchLimit``; then nothing was
    ///   appended.
    public mutating func write(_ message: Message) throws(WireError) {
        let start = bytes.count
        append(UInt32(0))
        append(message.kind.rawValue)
        for _ in 0..<3 { bytes.append(0) }
        switch message {
        case .greeting(let greeting): write(greeting)
        case .hello(let hello): write(hello)
        case .batch(let batch): write(batch)
        case .command(let command): write(command)
        case .unknownCommand(let id): writeUnknownCommand(id)
        case .reply(let reply): write(reply)
        case .farewell(let farewell): write(farewell)
        }
        let length = bytes.count - start - Wire.headerSize
        guard length <= Wire.batchLimit else {
            bytes.removeSubrange(start...)
            throw .tooLong(bytes: length, limit: Wire.batchLimit)
        }
        for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
    }

    // MARK: Parts

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A text: its length in bytes, then the bytes.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(UInt32(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// Room for `count` events, filled by `body`.
    mutating func appendEvents(_ events: [ChainEvent]) {
        bytes.reserveCapacity(bytes.count + events.count * Wire.eventSize)
        for event in events {
            withUnsafeTemporaryAllocation(byteCount: Wire.eventSize, alignment: 8) { slot in
                slot.storeBytes(of: event.time.littleEndian, toByteOffset: 0, as: UInt64.self)
                slot.storeBytes(of: event.node.rawValue.littleEndian, toByteOffset: 8, as: UInt64.self)
                slot.storeBytes(of: event.other.rawValue.littleEndian, toByteOffset: 16, as: UInt64.self)
                slot.storeBytes(of: event.site.littleEndian, toByteOffset: 24, as: UInt32.self)
                slot.storeBytes(of: event.text.littleEndian, toByteOffset: 28, as: UInt32.self)
                slot.storeBytes(of: event.thread.littleEndian, toByteOffset: 32, as: UInt32.self)
                slot.storeBytes(of: event.detail.littleEndian, toByteOffset: 36, as: UInt16.self)
                slot.storeBytes(of: event.kind.rawValue, toByteOffset: 38, as: UInt8.self)
                slot.storeBytes(of: event.flags.rawValue, toByteOffset: 39, as: UInt8.self)
                bytes.append(contentsOf: slot)
            }
        }
    }
}

extension Message {
    fileprivate var kind: MessageKind {
        switch self {
        case .greeting: .greeting
        case .hello: .hello
        case .batch: .batch
        case .command, .unknownCommand: .command
        case .reply: .reply
        case .farewell: .farewell
        }
    }
}
