// SPDX-License-Identifier: MIT

import ChainEvents

/// A decoder of messages from the bytes of a stream, however the bytes are split. Any bytes give messages or an error.
/// No memory is reserved for a length alone, and the memory of a large message is freed after the message was decoded.
public struct MessageReader: Sendable {
    private var bytes: [UInt8] = []
    /// The index of the first byte that was not decoded.
    private var position = 0
    private var hasPreamble = false
    private var failure: WireError?
    private let limit: Int

    /// Reads a stream from its beginning.
    ///
    /// - Parameter limit: The maximum payload of one message in bytes: ``Wire/programMessageLimit`` or
    ///   ``Wire/viewerMessageLimit``.
    public init(limit: Int) { self.limit = limit }

    /// Appends received bytes; after an error they are dropped.
    public mutating func append(_ received: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        compact()
        bytes.append(contentsOf: received)
    }

    /// Returns the next message, or nil where more bytes are needed. Skips messages of unknown kinds.
    ///
    /// - Throws: An error once the stream is invalid, and the same error at every later call.
    public mutating func next() throws(WireError) -> Message? {
        if let failure { throw failure }
        do {
            if !hasPreamble {
                guard try readPreamble() else { return nil }
                hasPreamble = true
            }
            while let message = try readMessage() {
                if let message { return message }
            }
        } catch {
            failure = error
            (bytes, position) = ([], 0)
            throw error
        }
        compact()
        return nil
    }

    /// Whether the bytes so far end between two messages.
    public var isAtBoundary: Bool { hasPreamble && position == bytes.count && failure == nil }

    /// How many bytes of memory the buffer takes.
    var capacity: Int { bytes.capacity }

    /// Drops decoded bytes once they are at least half, so that moving bytes costs amortised O(1) for each byte. Also
    /// frees the memory that a large message has left behind.
    private mutating func compact() {
        let rest = bytes.count - position
        if rest <= Wire.keptRoom / 2, bytes.capacity > Wire.keptRoom {
            bytes = Array(bytes[position...])
        } else if position > 0, position >= rest {
            bytes.removeSubrange(..<position)
        } else {
            return
        }
        position = 0
    }

    private mutating func readPreamble() throws(WireError) -> Bool {
        // Compare the first bytes at once, so that another protocol is rejected before sixteen bytes have come.
        guard bytes.starts(with: Wire.magic.prefix(bytes.count)) else { throw .notChainview }
        guard bytes.count >= Wire.preambleSize else { return false }
        let version = UInt16(bytes[8]) | UInt16(bytes[9]) << 8
        let oldest = UInt16(bytes[10]) | UInt16(bytes[11]) << 8
        guard version >= 1, oldest <= Wire.version else { throw .version(version) }
        position = Wire.preambleSize
        return true
    }

    /// Returns nil where the message is incomplete; an inner nil for a message of unknown kind.
    private mutating func readMessage() throws(WireError) -> Message?? {
        guard bytes.count - position >= Wire.headerSize else { return nil }
        var length = 0
        for index in 0..<4 { length |= Int(bytes[position + index]) << (8 * index) }
        guard length <= limit else { throw .tooLong(bytes: length, limit: limit) }
        let start = position + Wire.headerSize
        guard bytes.count - start >= length else { return nil }
        let kind = MessageKind(rawValue: bytes[position + 4])
        position = start + length
        guard let kind else { return .some(nil) }
        // Typed throws do not pass through the closure.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
                return try Message(kind, from: &reader)
            }
        }
        return try result.get()
    }
}

extension Message {
    /// Decodes messages that stand one after another, without a preamble. Messages of kinds that this version does not
    /// know are left out.
    ///
    /// - Throws: An error where the bytes are not whole messages.
    public static func all(in bytes: UnsafeRawBufferPointer) throws(WireError) -> [Message] {
        var reader = ByteReader(bytes)
        var messages: [Message] = []
        while reader.restCount > 0 {
            let length = Int(try reader.next(UInt32.self))
            let kind = MessageKind(rawValue: try reader.next(UInt8.self))
            _ = try reader.nextBytes(3)
            var payload = ByteReader(try reader.nextBytes(length))
            if let kind { messages.append(try Message(kind, from: &payload)) }
        }
        return messages
    }

    fileprivate init(_ kind: MessageKind, from reader: inout ByteReader) throws(WireError) {
        self =
            switch kind {
            case .greeting: .greeting(try ClientHello(from: &reader))
            case .hello: .hello(try Hello(from: &reader))
            case .batch: .batch(try EventBatch(from: &reader))
            case .command: try .command(from: &reader)
            case .reply: .reply(try CommandReply(from: &reader))
            case .farewell: .farewell(try Goodbye(from: &reader))
            case .dumpPart: .dumpPart(try DumpPart(from: &reader))
            }
    }
}
