import AttachHarness
import ChainEvents
import ChainWire
import Foundation
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// Connections that make room for others: those without a token, watchers that do not read, single commands.
@Suite(.onItsOwnThread) struct ServerPlaceTests {
    private let folder = ScratchFolder()
    private let runtime = ChainRuntime(executor: ManualExecutor())
    private let clock = StillClock()

    private func start(
        _ endpoints: [InspectorEndpoint] = [.unix],
        _ adjust: @escaping @Sendable (inout ServerOptions) -> Void = { _ in }
    ) throws -> Inspector {
        var options = folder.options(endpoints)
        options.adjustServer = { [clock] options in
            options.now = { clock.nanoseconds }
            adjust(&options)
        }
        return try Inspector.start(runtime: runtime, options: options)
    }

    private func token(of inspector: Inspector) throws -> String {
        let port = try #require(UInt16(inspector.addresses[0].split(separator: ":").last!))
        let path = SocketFolder(path: folder.path + "/s").tokenPath(port: port)
        return try String(contentsOfFile: path, encoding: .utf8).filter { !$0.isWhitespace }
    }

    /// Returns whether a viewer with the token is admitted while the clock stands still.
    private func attaches(_ inspector: Inspector, _ token: String) throws -> Bool {
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.say(.greeting(ClientHello(purpose: .look, token: token)), preamble: true)
        _ = viewer.farewell()
        return viewer.hello != nil
    }

    @Test func silentConnectionsWithoutATokenBlockNoViewer() throws {
        let inspector = try start([.tcp(port: 0)])
        defer { inspector.stop() }
        let token = try token(of: inspector)
        let silent = try (0..<100).map { _ in try TestViewer(inspector.addresses[0]) }
        for _ in 0..<10 { #expect(try attaches(inspector, token)) }
        #expect(inspector.connectionCount <= 9)
        withExtendedLifetime(silent) {}
    }

    @Test(.enabled(if: otherUser != nil, "only root can become another user"))
    func anotherUsersConnectionsTakeTheirOwnSlotsOnly() throws {
        let inspector = try start([.tcp(port: 0)])
        defer { inspector.stop() }
        let token = try token(of: inspector)
        // This user's connection stays although it has sent no token yet.
        let slow = try TestViewer(inspector.addresses[0])
        #expect(wait { inspector.handshakeCount == 1 })
        let silent = try ProbeRun(["silent-as", "\(otherUser!)", inspector.addresses[0], "100"])
        #expect(silent.line() == "connected")
        #expect(try attaches(inspector, token))
        try slow.say(.greeting(ClientHello(purpose: .look, token: token)), preamble: true)
        _ = slow.farewell()
        #expect(slow.hello != nil)
        _ = silent.end()
    }

    @Test(.enabled(if: otherUser != nil, "only root can become another user"))
    func anotherUsersWrongTokensDelayThatUserOnly() throws {
        let inspector = try start([.tcp(port: 0)])
        defer { inspector.stop() }
        let token = try token(of: inspector)
        // On this clock the delay after a wrong token never ends.
        let refused = try ProbeRun(["attach-as", "\(otherUser!)", inspector.addresses[0]])
        #expect(refused.line().hasPrefix("no hello refused: A token is needed"))
        #expect(try attaches(inspector, token))
        _ = refused.end()
    }

    @Test func watchersLeaveRoomForSingleCommands() throws {
        let inspector = try start { $0.viewerLimit = 4 }
        defer { inspector.stop() }
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        let watchers = try (0..<4).map { _ in try TestViewer(inspector.addresses[0]) }
        for watcher in watchers { try watcher.greet() }
        let fifth = try TestViewer(inspector.addresses[0])
        try fifth.say(.greeting(ClientHello(purpose: .watch)), preamble: true)
        #expect(fifth.farewell()?.reason == .busy)
        // `chainview ps`, many times over: each leaves when it has the state.
        for _ in 0..<30 {
            let visitor = try TestViewer(inspector.addresses[0])
            try visitor.greet(ClientHello(purpose: .watch, leavesAfterState: true))
            try visitor.watch { $0.index(of: promise.id) != nil }
        }
        // `chainview cancel`: visitors that stay and send nothing more make room.
        let visitors = try (0..<30).map { _ in
            clock.advance(by: 1_000_000_000)
            let visitor = try TestViewer(inspector.addresses[0])
            try visitor.greet(ClientHello(purpose: .command))
            return visitor
        }
        #expect(try visitors.last!.ask(.cancel(.node(promise.id), by: "ann")) == .accepted(count: 1))
        // The watchers, the places for visitors, the visitor that is closing, and the visitor for which it made room.
        #expect(inspector.connectionCount <= 4 + 8 + 2)
        withExtendedLifetime((watchers, resolver)) {}
    }

    @Test func aVisitorIsSentTheStateAndNothingMore() throws {
        let inspector = try start()
        defer { inspector.stop() }
        let visitor = try TestViewer(inspector.addresses[0])
        try visitor.greet(ClientHello(purpose: .watch, leavesAfterState: true))
        while true {
            guard case .batch(let batch) = try visitor.next(), case .end? = batch.resync else { continue }
            break
        }
        let count = visitor.batchCount
        runtime.run { _ = Promise.resolve(1) }
        inspector.collectNow()
        try TestViewer(inspector.addresses[0]).greet(ClientHello(purpose: .look))
        #expect(visitor.isSilent)
        // It may still send commands.
        guard case .refused = try visitor.ask(.describe(NodeID(1 << 60))) else {
            Issue.record("an unknown node was described")
            return
        }
        #expect(visitor.batchCount == count)
    }

    @Test func aWatcherThatDoesNotReadIsDetached() throws {
        let inspector = try start { $0.viewerLimit = 1 }
        defer { inspector.stop() }
        let slow = try TestViewer(inspector.addresses[0])
        try slow.greet()
        // More than the buffers of both sockets hold.
        for _ in 0..<40 {
            let pairs = runtime.run {
                (0..<500).map { _ in Promise<Int>.pending(label: String(repeating: "x", count: 99)) }
            }
            for (_, resolver) in pairs { resolver.fulfill(1) }
            inspector.collectNow()
        }
        func isAdmitted() throws -> Bool {
            let viewer = try TestViewer(inspector.addresses[0])
            try viewer.say(.greeting(ClientHello(purpose: .watch)), preamble: true)
            guard case .hello? = try? viewer.next() else { return false }
            return true
        }
        #expect(try !isAdmitted())
        clock.advance(by: 29_000_000_000)
        #expect(try !isAdmitted())
        clock.advance(by: 1_000_000_001)
        inspector.server.withLock { $0 }?.wake()
        #expect(wait { (try? isAdmitted()) == true })
        #expect(slow.farewell() == nil)
    }
}

// SPDX-License-Identifier: MIT
