import ChainEvents
import GoldenSupport
import Testing

@testable import ChainWire

/// The golden files of version 1, each the stream of one message. Changing a file breaks compatibility with released
/// programs and viewers.
struct GoldenTests {
    @Test(arguments: Samples.all.map(\.name))
    func aMessageIsWrittenAndReadAsEver(name: String) throws {
        let sample = try #require(Samples.all.first { $0.name == name })
        #expect(Golden.complaint(about: try stream([sample.message]), named: name) == nil)
        let recorded = try #require(Golden.bytes(named: name))
        #expect(try messages(of: recorded) == [sample.message])
    }

    @Test func everyFileHasASample() throws {
        let names = try Golden.names(ofFilesWith: "bin")
        #expect(Set(names).subtracting(Samples.all.map(\.name)) == ["later-version"])
    }

    @Test func everyKindHasASample() throws {
        let kinds = try Samples.all.map { try stream([$0.message])[Wire.preambleSize + 4] }
        #expect(Set(kinds) == Set(MessageKind.allCases.map(\.rawValue)))
    }

    /// The file `later-version` holds the stream of a fictitious later version, see ``LaterVersion``.
    @Test func aLaterVersionIsReadAsEver() throws {
        #expect(Golden.complaint(about: LaterVersion.stream, named: "later-version") == nil)
        #expect(try messages(of: try #require(Golden.bytes(named: "later-version"))) == LaterVersion.messages)
    }
}

// SPDX-License-Identifier: MIT
