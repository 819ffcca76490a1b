import AttachHarness
import ChainEvents
import ChainWire
import Foundation
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// Attaching over TCP.
@Suite(.onItsOwnThread) struct ServerTokenTests {
    private let folder = ScratchFolder()
    private let runtime = ChainRuntime(executor: ManualExecutor())
    private let clock = StillClock()

    /// Starts an inspector that listens on a port, with a server on a manual clock.
    private func start() throws -> (inspector: Inspector, address: String, port: UInt16) {
        var options = folder.options([.tcp(port: 0), .unix])
        options.adjustServer = { [clock] in $0.now = { clock.nanoseconds } }
        let inspector = try Inspector.start(runtime: runtime, options: options)
        try #require(inspector.endpointErrors == [])
        let address = inspector.addresses[0]
        return (inspector, address, try #require(UInt16(address.split(separator: ":").last!)))
    }

    /// Returns the token of a port, after checks of its file.
    private func token(_ port: UInt16) throws -> String {
        let path = SocketFolder(path: folder.path + "/s").tokenPath(port: port)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.utf8.count == 65 && text.hasSuffix("\n"))
        return String(text.dropLast())
    }

    /// Attaches with a token, and returns whether a hello came, and the farewell.
    private func attach(_ address: String, _ token: String) throws -> (isAdmitted: Bool, farewell: Goodbye?) {
        let viewer = try TestViewer(address)
        try viewer.say(.greeting(ClientHello(purpose: .look, token: token)), preamble: true)
        let farewell = viewer.farewell()
        return (viewer.hello != nil, farewell)
    }

    private func advance(_ inspector: Inspector, by nanoseconds: UInt64) {
        clock.advance(by: nanoseconds)
        inspector.server.withLock { $0 }?.wake()
    }

    /// Waits until the server's thread has taken at least one more turn.
    private func roundTrip(_ inspector: Inspector) throws {
        try TestViewer(inspector.addresses[1]).greet(ClientHello(purpose: .look))
    }

    @Test func theRightTokenAttaches() throws {
        let (inspector, address, port) = try start()
        #expect(address == "tcp:127.0.0.1:\(port)")
        let secret = try token(port)
        let viewer = try TestViewer(address)
        try viewer.greet(ClientHello(purpose: .watch, token: secret))
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        try viewer.watch { $0.index(of: promise.id) != nil }
        #expect(try viewer.ask(.cancel(.node(promise.id), by: "ann")) == .accepted(count: 1))
        inspector.stop()
        #expect(viewer.farewell()?.reason == .stopped)
        #expect(folder.files == ["s"])
        let second = try start()
        #expect(try token(second.port) != secret)
        second.inspector.stop()
        resolver.fulfill(1)
    }

    @Test func withoutATokenNothingIsSent() throws {
        let (inspector, address, port) = try start()
        defer { inspector.stop() }
        let secret = try token(port)
        let wrong = [
            "", "x", String(secret.dropLast()), secret + "0", String(secret.reversed()), secret.uppercased() + " ",
            String(repeating: "0", count: 64),
        ]
        for token in wrong where token != secret {
            let (isAdmitted, farewell) = try attach(address, token)
            #expect(!isAdmitted && farewell?.reason == .refused)
            #expect(farewell?.text.contains("tcp-PORT.token") == true)
            advance(inspector, by: 1_000_000_000)
        }
        #expect(try attach(address, secret).isAdmitted)
    }

    @Test func wrongTokensDelayTheNextAttempt() throws {
        let (inspector, address, port) = try start()
        defer { inspector.stop() }
        let secret = try token(port)
        // All three are accepted before the first token is known to be wrong.
        let viewers = try (0..<3).map { _ in try TestViewer(address) }
        for viewer in viewers {
            viewer.send(Wire.magic)
        }
        #expect(wait { (try? roundTrip(inspector)) != nil && inspector.handshakeCount == 3 })
        for viewer in viewers {
            var writer = MessageWriter()
            writer.writePreamble()
            try writer.write(.greeting(ClientHello(purpose: .look, token: "guess")))
            viewer.send(Array(writer.bytes.dropFirst(Wire.magic.count)))
            #expect(viewer.farewell()?.reason == .refused)
        }
        // Each wrong token delays the user's other connections by a fifth of a second.
        let late = try TestViewer(address)
        try late.say(.greeting(ClientHello(purpose: .look, token: secret)), preamble: true)
        advance(inspector, by: 599_000_000)
        try roundTrip(inspector)
        try roundTrip(inspector)
        #expect(late.isSilent)
        advance(inspector, by: 1_000_000)
        _ = late.farewell()
        #expect(late.hello != nil)
    }

    @Test func connectionsWithoutATokenMakeRoomForOthers() throws {
        let (inspector, address, port) = try start()
        defer { inspector.stop() }
        let secret = try token(port)
        var unauthenticated = try (0..<8).map { _ in try TestViewer(address) }
        #expect(wait { (try? roundTrip(inspector)) != nil && inspector.handshakeCount == 8 })
        let late = try TestViewer(address)
        try late.say(.greeting(ClientHello(purpose: .look, token: secret)), preamble: true)
        // The oldest makes room at once.
        _ = late.farewell()
        #expect(late.hello != nil)
        #expect(unauthenticated.removeFirst().farewell()?.reason == .busy)
        // The others can still attach.
        for stranger in unauthenticated {
            try stranger.say(.greeting(ClientHello(purpose: .look, token: secret)), preamble: true)
            _ = stranger.farewell()
            #expect(stranger.hello != nil)
        }
    }

    #if os(Linux)
        @Test func onlyTheLoopbackAddressIsListenedAt() throws {
            let (inspector, _, port) = try start()
            defer { inspector.stop() }
            // Another address of the same machine, which would reach a listener at all addresses.
            #expect(throws: TestViewer.NotConnected.self) { try TestViewer("tcp:127.0.0.2:\(port)") }
        }
    #endif

    @Test func aPortThatIsTakenIsReported() throws {
        let (inspector, _, port) = try start()
        defer { inspector.stop() }
        let other = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options([.tcp(port: port), .unix]))
        defer { other.stop() }
        #expect(other.addresses.count == 1 && other.addresses[0].hasPrefix("unix:"))
        #expect(other.endpointErrors.count == 1 && other.endpointErrors[0].description.contains("port \(port)"))
        // The other program's token is still there.
        #expect(try attach(inspector.addresses[0], token(port)).isAdmitted)
    }
}

// SPDX-License-Identifier: MIT
