import ChainEvents
import SeededNumbers
import Testing

@testable import ChainWire

/// The laws of the wire, on random messages; a failure names its seed.
struct PropertyTests {
    @Test(arguments: Seeds.upTo(60))
    func writtenMessagesAreRead(seed: UInt64) throws {
        var random = RandomMessages(seed: seed)
        let sent = random.stream(of: 20)
        #expect(try messages(of: stream(sent)) == sent, "seed \(seed)")
    }

    @Test(arguments: Seeds.upTo(30))
    func anyCutsGiveTheSameMessages(seed: UInt64) throws {
        var random = RandomMessages(seed: seed)
        let sent = random.stream(of: 8)
        let bytes = try stream(sent)
        #expect(try messages(of: bytes, cuts: [1]) == sent, "seed \(seed)")
        for _ in 0..<4 {
            let cuts = (0...random.pick(0...5)).map { _ in random.pick(1...300) }
            #expect(try messages(of: bytes, cuts: cuts) == sent, "seed \(seed), cuts \(cuts)")
        }
    }

    @Test(arguments: Seeds.upTo(30))
    func aTruncatedStreamGivesItsWholeMessages(seed: UInt64) throws {
        var random = RandomMessages(seed: seed)
        let sent = random.stream(of: 5)
        let bytes = try stream(sent)
        var count = 0
        let lengths = [0, 1, Wire.preambleSize, bytes.count] + (0..<100).map { _ in random.pick(0...bytes.count) }
        for length in lengths.sorted() {
            let read = try messages(of: bytes[..<length])
            #expect(read == Array(sent.prefix(read.count)), "seed \(seed), length \(length)")
            #expect(read.count >= count, "seed \(seed), length \(length)")
            count = read.count
        }
        #expect(count == sent.count)
    }

    @Test(arguments: Seeds.upTo(40))
    func damagedStreamsAreReadOrRefused(seed: UInt64) throws {
        var random = RandomMessages(seed: seed)
        let bytes = try stream(random.stream(of: 6))
        for _ in 0..<50 {
            let damaged = random.damage(bytes)
            // What was read can be written, and is read as the same again.
            guard let read = try? messages(of: damaged) else { continue }
            #expect(try messages(of: stream(read)) == read, "seed \(seed)")
        }
    }

    @Test(arguments: Seeds.upTo(20))
    func anyPayloadIsReadOrRefused(seed: UInt64) throws {
        var random = RandomMessages(seed: seed)
        for _ in 0..<200 {
            let payload = random.bytes(random.pick(0...200))
            let bytes =
                try stream([]) + LaterVersion.bytes(UInt32(payload.count))
                + [UInt8(random.pick(0...8)), 0, 0, 0] + payload
            guard let read = try? messages(of: bytes) else { continue }
            #expect(try messages(of: stream(read)) == read, "seed \(seed)")
        }
    }

    @Test func anotherProtocolIsRejectedByItsFirstByte() throws {
        for first in UInt8.min ... .max where first != Wire.magic[0] {
            #expect(throws: WireError.notChainview) { try messages(of: [first]) }
        }
        #expect(throws: WireError.notChainview) { try messages(of: "GET / HTTP/1.1\r\n".utf8) }
        #expect(try messages(of: []) == [])
    }

    @Test func anotherVersionIsReported() throws {
        func preamble(_ version: UInt16, _ oldest: UInt16) -> [UInt8] {
            Wire.magic + LaterVersion.bytes(version) + LaterVersion.bytes(oldest) + [0, 0, 0, 0]
        }
        #expect(try messages(of: preamble(9, 1)) == [])
        #expect(throws: WireError.version(9)) { try messages(of: preamble(9, 2)) }
        #expect(throws: WireError.version(0)) { try messages(of: preamble(0, 0)) }
    }

    @Test func invalidTextIsMended() throws {
        var bytes = try stream([.farewell(Goodbye(.stopped, "abc"))])
        bytes[bytes.count - 2] = 0xFF
        #expect(try messages(of: bytes) == [.farewell(Goodbye(.stopped, "a\u{FFFD}c"))])
    }
}

// SPDX-License-Identifier: MIT
