import ChainEvents
import Testing

@testable import ChainWire

/// Messages without a stream around them, as recordings hold them.
struct MessageListTests {
    private func bytes(of messages: [Message]) throws -> [UInt8] {
        Array(try stream(messages).dropFirst(Wire.preambleSize))
    }

    private func all(_ bytes: [UInt8]) throws -> [Message] {
        try bytes.withUnsafeBytes { bytes in try Message.all(in: bytes) }
    }

    @Test func messagesAreReadAsFromAStream() throws {
        let messages = Samples.all.map(\.message)
        #expect(try all(bytes(of: messages)) == messages)
        #expect(try all([]).isEmpty)
    }

    /// A message of a later version is left out, and a cut message is an error.
    @Test func unknownKindsAreLeftOutAndCutOnesRefused() throws {
        let known = try bytes(of: [Samples.all[0].message])
        let unknown: [UInt8] = [3, 0, 0, 0, 200, 0, 0, 0, 1, 2, 3]
        #expect(try all(unknown + known + unknown).count == 1)
        for count in 1..<known.count { #expect(throws: WireError.self) { try all(Array(known[..<count])) } }
    }
}

// SPDX-License-Identifier: MIT
