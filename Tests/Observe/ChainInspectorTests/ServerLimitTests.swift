import AttachHarness
import ChainEvents
import ChainModel
import ChainWire
import Foundation
import PromiseRuntime
import SeededNumbers
import TerminalHarness
import Testing

@testable import ChainInspector

/// Viewers past the limit, viewers that are too slow, and clients that are no viewers.
@Suite(.onItsOwnThread) struct ServerLimitTests {
    private let folder = ScratchFolder()
    private let runtime = ChainRuntime(executor: ManualExecutor())
    private let clock = StillClock()

    private func start(_ adjust: @escaping @Sendable (inout ServerOptions) -> Void = { _ in }) throws -> Inspector {
        var options = folder.options()
        options.adjustServer = { [clock] options in
            options.now = { clock.nanoseconds }
            adjust(&options)
        }
        return try Inspector.start(runtime: runtime, options: options)
    }

    private func advance(_ inspector: Inspector, by nanoseconds: UInt64) {
        clock.advance(by: nanoseconds)
        inspector.server.withLock { $0 }?.wake()
    }

    @Test func oneViewerTooManyIsRefused() throws {
        let inspector = try start { $0.viewerLimit = 2 }
        defer { inspector.stop() }
        var viewers = try (0..<2).map { _ in try TestViewer(inspector.addresses[0]) }
        for viewer in viewers { try viewer.greet() }
        let third = try TestViewer(inspector.addresses[0])
        try third.say(.greeting(ClientHello(purpose: .watch)), preamble: true)
        let farewell = try #require(third.farewell())
        #expect(farewell.reason == .busy && farewell.text.contains("2 viewers"))
        #expect(third.hello == nil)
        // A viewer that only asks for the hello is admitted all the same.
        let looking = try TestViewer(inspector.addresses[0])
        #expect(try looking.greet(ClientHello(purpose: .look)).totals.viewerCount == 2)
        viewers.removeLast()
        #expect(
            wait {
                guard let fourth = try? TestViewer(inspector.addresses[0]) else { return false }
                try? fourth.say(.greeting(ClientHello(purpose: .watch)), preamble: true)
                guard case .hello? = try? fourth.next() else { return false }
                return true
            })
        #expect(viewers.count == 1)
    }

    /// More than a message may hold, in one chunk of nodes.
    @Test func aStateWithLongTextsIsSent() throws {
        let recorded = ChainRuntime(executor: ManualExecutor())
        var options = folder.options()
        options.textByteLimit = 100_000
        let inspector = try Inspector.start(runtime: recorded, options: options)
        defer { inspector.stop() }
        let label = String(repeating: "t", count: 32_000)
        let made = (0..<2_200).map { number in
            // A ring holds 24 such labels.
            if number.isMultiple(of: 10) { inspector.collectNow() }
            return recorded.run { Promise<Int>.pending(label: label) }
        }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        while true {
            if case .batch(let batch) = try viewer.next(), case .end? = batch.resync { break }
        }
        #expect(viewer.forest?.totals.counts.liveCount == made.count)
    }

    /// Nor do they keep a viewer waiting until their time is over.
    @Test func silentConnectionsGiveWayToAViewer() throws {
        let inspector = try start {
            $0.viewerLimit = 1
            $0.silentLimit = 16
        }
        defer { inspector.stop() }
        let silent = try (0..<40).map { _ in try TestViewer(inspector.addresses[0]) }
        let late = try TestViewer(inspector.addresses[0])
        #expect(try late.greet(ClientHello(purpose: .look)).totals.viewerCount == 0)
        let farewell = try #require(silent[0].farewell())
        #expect(farewell.reason == .busy && farewell.text.contains("Others came before"))
        // The newest 15 beside the viewer are left.
        #expect(wait { inspector.handshakeCount == 15 })
        #expect(try silent[39].greet().process.key == inspector.info.key)
    }

    @Test func aConnectionWithoutHelloIsClosed() throws {
        let inspector = try start()
        defer { inspector.stop() }
        var writer = MessageWriter()
        writer.writePreamble()
        try writer.write(.greeting(ClientHello(purpose: .watch, name: "slow")))
        let beginnings = [0, 1, 8, 16, 20, writer.bytes.count - 1].map { Array(writer.bytes[..<$0]) }
        let viewers = try beginnings.map { bytes in
            let viewer = try TestViewer(inspector.addresses[0])
            viewer.send(bytes)
            return viewer
        }
        #expect(wait { inspector.handshakeCount == viewers.count })
        advance(inspector, by: 4_999_999_999)
        // Slow bytes do not extend the time limit.
        viewers[0].send(Array(writer.bytes[..<4]))
        try TestViewer(inspector.addresses[0]).greet(ClientHello(purpose: .look))
        for viewer in viewers { #expect(viewer.isSilent) }
        advance(inspector, by: 1)
        for viewer in viewers { #expect(viewer.farewell()?.reason == .refused) }
    }

    @Test func aClientThatDoesNotReadItsFarewellIsClosed() throws {
        let inspector = try start()
        defer { inspector.stop() }
        let viewer = try TestViewer(inspector.addresses[0])
        viewer.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(wait { inspector.connectionCount == 1 && inspector.handshakeCount == 0 })
        advance(inspector, by: 999_999_999)
        try TestViewer(inspector.addresses[0]).greet(ClientHello(purpose: .look))
        #expect(inspector.connectionCount >= 1)
        advance(inspector, by: 1)
        #expect(wait { inspector.connectionCount == 0 })
        #expect(viewer.farewell()?.reason == .misunderstood)
    }

    @Test func anUnexpectedMessageIsAnsweredWithAFarewell() throws {
        let inspector = try start()
        defer { inspector.stop() }
        func farewell(_ make: (inout MessageWriter) throws -> Void) throws -> Goodbye? {
            let viewer = try TestViewer(inspector.addresses[0])
            var writer = MessageWriter()
            try make(&writer)
            viewer.send(writer.bytes)
            return viewer.farewell()
        }
        let command = Message.command(ViewerCommand(id: 1, process: inspector.info.key, request: .resync))
        #expect(
            try farewell { writer in
                writer.writePreamble()
                try writer.write(command)
            } == Goodbye(.misunderstood, "A viewer has to begin with a greeting"))
        #expect(
            try farewell { writer in
                writer.writePreamble()
                try writer.write(.greeting(ClientHello(purpose: .command)))
                try writer.write(.greeting(ClientHello(purpose: .command)))
            } == Goodbye(.misunderstood, "This is not a command"))
        #expect(
            try farewell { writer in
                writer.writePreamble()
                try writer.write(.greeting(ClientHello(purpose: .command)))
                try writer.write(.farewell(Goodbye(.stopped, String(repeating: "x", count: Wire.viewerMessageLimit))))
            }?.reason == .misunderstood)
    }

    /// Random bytes at any point of a conversation: the server continues, and other viewers are not delayed.
    @Test func rubbishHarmsNothing() throws {
        let inspector = try start { $0.now = { 1 } }
        defer { inspector.stop() }
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        var beginning = MessageWriter()
        beginning.writePreamble()
        let preamble = beginning.bytes
        try beginning.write(.greeting(ClientHello(purpose: .watch, name: "rubbish")))
        let greeting = beginning.bytes
        try beginning.write(
            .command(ViewerCommand(id: 1, process: inspector.info.key, request: .cancel(.nodes([NodeID(1)]), by: "x"))))
        let command = beginning.bytes
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var bytes = [[], preamble, greeting, command].randomElement(using: &random)!
            switch seed % 4 {
            case 0: bytes += (0..<Int.random(in: 0...5000, using: &random)).map { _ in UInt8(random.next() & 255) }
            case 1 where !bytes.isEmpty:
                for _ in 0...3 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(random.next() & 255) }
            case 2: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
            default:
                // A message with a known kind and the right length, but random content.
                let length = Int.random(in: 0...200, using: &random)
                bytes += [UInt8(length), 0, 0, 0, UInt8.random(in: 0...8, using: &random), 0, 0, 0]
                bytes += (0..<length).map { _ in UInt8(random.next() & 255) }
            }
            let viewer = try TestViewer(inspector.addresses[0])
            viewer.send(bytes)
            // A third wait for the farewell; the others close before it.
            if seed % 3 == 0 { viewer.finishSending(); _ = viewer.farewell() }
        }
        #expect(wait { inspector.connectionCount == 0 })
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        try viewer.watch { $0.index(of: promise.id) != nil }
        resolver.fulfill(1)
    }

    /// A viewer that does not read loses events, which are counted, and gets the present state in the end.
    @Test func aStoppedViewerDelaysNoOther() throws {
        let inspector = try start { $0.mailboxLimit = 5000 }
        defer { inspector.stop() }
        let slow = try TestViewer(inspector.addresses[0])
        try slow.greet()
        let quick = try TestViewer(inspector.addresses[0])
        try quick.greet()
        var live: [Promise<Int>] = []
        var resolvers: [Resolver<Int>] = []
        for round in 0..<24 {
            let pairs = runtime.run { (0..<500).map { _ in Promise<Int>.pending(label: "round \(round)") } }
            for (promise, resolver) in pairs.dropLast() {
                resolver.fulfill(1)
                _ = promise
            }
            live.append(pairs.last!.promise)
            resolvers.append(pairs.last!.resolver)
            inspector.collectNow()
            try quick.watch { $0.index(of: pairs.last!.promise.id) != nil }
        }
        let isWhole = { (forest: ChainForest) in
            live.allSatisfy { promise in forest.index(of: promise.id).map { forest.state(of: $0).isLive } ?? false }
                && forest.totals.counts.liveCount == live.count
        }
        try quick.watch(until: isWhole)
        try slow.watch(until: isWhole)
        try slow.watch { $0.loss.lostAtClient > 0 }
        for resolver in resolvers { resolver.fulfill(2) }
        try slow.watch { $0.totals.counts.liveCount == 0 }
    }
}

// SPDX-License-Identifier: MIT
