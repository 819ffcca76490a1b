import AttachHarness
import ChainEvents
import ChainModel
import ChainSystem
import ChainWire
import Foundation
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

@Suite(.onItsOwnThread) struct ServerTests {
    private let folder = ScratchFolder()

    @Test func listensUnderItsPidAndLeavesNoFile() throws {
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        #expect(inspector.addresses == ["unix:\(folder.path)/s/\(getpid()).sock"])
        #expect(inspector.endpointErrors.isEmpty)
        #expect(folder.files == ["s", "s/\(getpid()).name", "s/\(getpid()).sock"])
        let socket = try #require(FileFacts(at: folder.path + "/s/\(getpid()).sock"))
        #expect(socket.isSocket && socket.othersPermissions == 0 && socket.ownersPermissions == 0o600)
        let second = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        #expect(second.addresses == ["unix:\(folder.path)/s/\(getpid())-2.sock"])
        inspector.stop()
        #expect(folder.files == ["s", "s/\(getpid())-2.name", "s/\(getpid())-2.sock"])
        second.stop()
        second.stop()
        #expect(folder.files == ["s"])
    }

    @Test func aStoppedInspectorIsReleased() throws {
        weak var released: Inspector?
        do {
            let inspector = try Inspector.start(
                runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
            let viewer = try TestViewer(inspector.addresses[0])
            _ = try viewer.greet()
            released = inspector
            inspector.stop()
        }
        #expect(released == nil)
    }

    @Test func aViewerReceivesTheStateAndLaterEvents() throws {
        let executor = ManualExecutor()
        let runtime = ChainRuntime(executor: executor)
        var options = folder.options()
        options.capturesValues = true
        options.recording = RecordingFilter(except: [.label("nobody")])
        let inspector = try Inspector.start(name: "till", runtime: runtime, options: options)
        defer { inspector.stop() }
        let (early, resolver) = runtime.run { Promise<Int>.pending(label: "early") }
        inspector.collectNow()
        let viewer = try TestViewer(inspector.addresses[0])
        let hello = try viewer.greet()
        #expect(hello.process == inspector.info && hello.process.name == "till" && hello.process.startTime > 0)
        #expect(hello.capabilities == [.values, .errors, .isNarrowed])
        #expect(hello.time > 0)
        #expect(hello.totals == ProcessTotals(chainCount: 1, nodeCount: 1, liveCount: 1))
        try viewer.watch { $0.index(of: early.id) != nil }
        let late = early.map { $0 + 1 }
        resolver.fulfill(1)
        executor.runAll()
        try viewer.watch { forest in forest.index(of: late.id).map { forest.state(of: $0) == .fulfilled } ?? false }
        let forest = try #require(viewer.forest)
        let index = try #require(forest.index(of: early.id))
        #expect(forest.label(of: index) == "early" && forest.state(of: index) == .fulfilled)
        #expect(forest.loss.lostCount == 0)
    }

    @Test func eventsBeforeTheEndAreSentWithIt() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        let last = runtime.run { Promise.resolve(1) }
        inspector.stop()
        let farewell = try #require(viewer.farewell())
        #expect(farewell.reason == .stopped)
        #expect(viewer.forest?.index(of: last.id) != nil)
        #expect(throws: TestViewer.NotConnected.self) { try TestViewer(inspector.addresses[0]) }
    }

    @Test func aStateOfManyChunksIsSentWhole() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        defer { inspector.stop() }
        let count = 20_000
        let all = runtime.run { (0..<count).map { _ in Promise<Int>.pending() } }
        #expect(
            wait {
                inspector.collectNow()
                return inspector.hello(viewerCount: 0).totals.liveCount == count
            })
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        try viewer.watch { $0.totals.counts.liveCount == count }
        #expect(all.allSatisfy { viewer.forest?.index(of: $0.promise.id) != nil })
    }

    @Test func aConnectionForTheHelloGetsTheHelloOnly() throws {
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        defer { inspector.stop() }
        let watching = try TestViewer(inspector.addresses[0])
        try watching.greet()
        let looking = try TestViewer(inspector.addresses[0])
        let hello = try looking.greet(ClientHello(purpose: .look))
        #expect(hello.totals.viewerCount == 1)
        #expect(throws: TestViewer.Ended.self) { try looking.next() }
    }

    @Test func anIdleProgramSendsHeartbeats() throws {
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        defer { inspector.stop() }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        try viewer.watch { _ in viewer.batchCount > 3 }
        let first = try #require(viewer.forest).now
        try viewer.watch { $0.now >= first + 2_000_000_000 }
    }
}

// SPDX-License-Identifier: MIT
