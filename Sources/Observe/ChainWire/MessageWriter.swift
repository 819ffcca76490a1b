// SPDX-License-Identifier: MIT

/// An encoder of messages into a buffer of bytes, which the owner empties as the socket accepts the bytes.
public struct MessageWriter: Sendable {
    /// The encoded bytes since ``removeAll()``.
    public private(set) var bytes: [UInt8] = []

    /// Begins with an empty buffer.
    public init() {}

    /// Empties the buffer. Keeps the buffer's memory for the next messages, unless a large message has made it exceed
    /// `Wire.keptRoom`.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: bytes.capacity <= Wire.keptRoom) }

    /// Appends the preamble, which begins a stream.
    public mutating func writePreamble() {
        bytes += Wire.magic
        append(Wire.version)
        append(Wire.oldestVersion)
        append(UInt32(0))
    }

    /// Appends a message.
    ///
    /// - Throws: ``WireError/tooLong(bytes:limit:)`` where the payload exceeds ``Wire/programMessageLimit``; nothing
    ///   is appended then.
    public mutating func write(_ message: Message) throws(WireError) {
        let start = bytes.count
        append(UInt32(0))
        append(UInt32(message.kind.rawValue))
        switch message {
        case .greeting(let greeting): write(greeting)
        case .hello(let hello): write(hello)
        case .batch(let batch): write(batch)
        case .command(let command): write(command)
        case .unknownCommand(let id): writeUnknownCommand(id)
        case .reply(let reply): write(reply)
        case .farewell(let farewell): write(farewell)
        case .dumpPart(let part): write(part)
        }
        let length = bytes.count - start - Wire.headerSize
        guard length <= Wire.programMessageLimit else {
            bytes.removeSubrange(start...)
            throw .tooLong(bytes: length, limit: Wire.programMessageLimit)
        }
        setSize(from: start + Wire.headerSize, at: start)
    }

    // MARK: Parts

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends a text: its length in bytes, then the bytes.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(UInt32(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    mutating func append(_ raw: [UInt8]) { bytes += raw }

    /// Writes the number of bytes from `start` on into the four bytes at `position`.
    mutating func setSize(from start: Int, at position: Int) {
        let size = bytes.count - start
        for index in 0..<4 { bytes[position + index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
    }

    /// Reserves memory for `count` bytes in all.
    mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }

    /// Appends at most `size` bytes that `fill` writes into raw memory; `fill` returns their number.
    @inline(__always)
    mutating func append(atMost size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { room in
            let count = fill(room)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<count]))
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
        case .dumpPart: .dumpPart
        }
    }
}
