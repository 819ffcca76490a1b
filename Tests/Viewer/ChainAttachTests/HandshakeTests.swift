import ChainEvents
import ChainSource
import ChainWire
import Foundation
import Testing

@testable import ChainAttach

/// Peers that are no healthy program: with another version or protocol, without an answer, with a damaged stream.
@Suite struct HandshakeTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func messagesMayComeInAnyPieces() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let viewer = try program.nextViewer()
        var writer = MessageWriter()
        writer.writePreamble()
        try writer.write(.hello(program.hello))
        try writer.write(.batch(program.batch(1, made: [1, 2, 3])))
        for byte in writer.bytes { viewer.sendBytes([byte]) }
        #expect(try watched.waitForBatch(1).events.count == 3)
        watched.source.stop()
    }

    @Test func anotherVersionEndsTheWait() throws {
        let program = try FakeProgram(in: folder)
        var options = folder.options
        options.waits = true
        let watched = Watched(.unix(path: program.path), options)
        var writer = MessageWriter()
        writer.writePreamble()
        var bytes = writer.bytes
        (bytes[8], bytes[10]) = (7, 7)
        try program.nextViewer().sendBytes(bytes)
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last?.failure?.contains("speaks version 7") == true)
    }

    @Test func anotherListenerIsRecognised() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        try program.nextViewer().sendBytes(Array("HTTP/1.1 400 Bad Request\r\n".utf8))
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last?.failure?.contains("does not speak chainview's protocol") == true)
    }

    @Test(arguments: [false, true])
    func aRefusalEndsTheSourceWhetherOrNotItWaits(_ waits: Bool) throws {
        let program = try FakeProgram(in: folder)
        var options = folder.options
        options.waits = waits
        let watched = Watched(.unix(path: program.path), options)
        let viewer = try program.nextViewer()
        viewer.sendPreamble()
        viewer.send(.farewell(Goodbye(.refused, "Only \u{1B}[31mann\u{202E} may look.")))
        try watched.status.waitForCompletion()
        // Control characters are replaced, because the text is shown on a terminal.
        #expect(watched.status.all.last?.failure == "Only \u{FFFD}[31mann\u{FFFD} may look")
    }

    @Test func aFullProgramIsTriedAgainWhileWaiting() throws {
        let program = try FakeProgram(in: folder)
        var options = folder.options
        options.waits = true
        let watched = Watched(.unix(path: program.path), options)
        var viewer = try program.nextViewer()
        viewer.sendPreamble()
        viewer.send(.farewell(Goodbye(.busy, "50 viewers are attached already.")))
        try watched.status.wait("the next attempt") {
            $0 == .connecting(attempt: 2, lastFailure: "50 viewers are attached already")
        }
        watched.clock.advance(by: try watched.clock.restToDeadline())
        viewer = try program.welcome().0
        try watched.waitUntilLive()
        watched.source.stop()
    }

    @Test func aProgramThatNeverAnswersIsGivenUp() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let viewer = try program.nextViewer()
        #expect(try watched.clock.restToDeadline() == .seconds(5))
        // Half a preamble is no answer.
        viewer.sendBytes(Wire.magic)
        watched.clock.advance(by: .seconds(5))
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last?.failure?.contains("takes connections, but does not answer") == true)
    }

    @Test func aConnectionThatIsClosedAtOnceIsAFailure() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        _ = try program.nextViewer()
        try watched.status.waitForCompletion()
        #expect(watched.status.all.last?.failure != nil)
    }

    /// Unreadable bytes after the hello are an outage, because the next connection begins a clean stream.
    @Test(arguments: [Damage.length, .payload, .stranger, .half])
    fileprivate func aDamagedStreamIsAnOutage(_ damage: Damage) throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        var viewer: FakeConnection? = try program.welcome().0
        viewer?.send(.batch(program.batch(1)))
        viewer?.sendBytes(damage.bytes(program))
        viewer = nil
        let disconnection = try #require(try watched.status.wait("an outage") { $0.disconnection != nil }.disconnection)
        #expect(!disconnection.reason.isEmpty)
        watched.clock.advance(by: try watched.clock.restToDeadline())
        viewer = try program.welcome().0
        viewer?.send(.batch(program.batch(1)))
        _ = try watched.waitForBatch(2)
        #expect(watched.status.all.last == .live(program.info))
        watched.source.stop()
    }

    @Test func unknownMessagesAreIgnored() throws {
        let program = try FakeProgram(in: folder)
        let watched = Watched(.unix(path: program.path), folder.options)
        let (viewer, _) = try program.welcome()
        viewer.sendBytes([3, 0, 0, 0, 200, 0, 0, 0, 1, 2, 3])
        viewer.send(.greeting(ClientHello(purpose: .look)))
        viewer.send(.reply(CommandReply(command: 77, outcome: .accepted(count: 1))))
        viewer.send(.batch(program.batch(1)))
        _ = try watched.waitForBatch(1)
        #expect(watched.replies.all.isEmpty)
        watched.source.stop()
    }
}

private enum Damage {
    /// A message past the limit of length.
    case length
    /// A batch with an unreadable payload.
    case payload
    /// A batch of another program.
    case stranger
    /// Half a batch, then the end.
    case half

    func bytes(_ program: FakeProgram) -> [UInt8] {
        let batch = FakeConnection.bytes(of: .batch(program.batch(2, made: [1, 2, 3])))
        switch self {
        case .length: return [0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 0, 0]
        case .payload: return [8, 0, 0, 0, 3, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
        case .stranger:
            var stranger = program.batch(2)
            stranger.process = ProcessKey(rawValue: 99)
            return FakeConnection.bytes(of: .batch(stranger))
        case .half: return Array(batch.prefix(batch.count / 2))
        }
    }
}

// SPDX-License-Identifier: MIT
