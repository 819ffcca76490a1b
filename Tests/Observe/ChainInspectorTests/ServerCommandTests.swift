import AttachHarness
import ChainEvents
import ChainModel
import ChainWire
import Dispatch
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// Commands of viewers over a socket.
@Suite(.onItsOwnThread) struct ServerCommandTests {
    private let folder = ScratchFolder()
    private let runtime = ChainRuntime(executor: ManualExecutor())

    private func refusal(_ outcome: CommandReply.Outcome) -> String? {
        if case .refused(let reason) = outcome { reason } else { nil }
    }

    @Test func aViewerCancels() throws {
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        defer { inspector.stop() }
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        try viewer.watch { $0.index(of: promise.id) != nil }
        #expect(try viewer.ask(.cancel(.node(promise.id), by: "ann")) == .accepted(count: 1))
        try viewer.watch { forest in forest.index(of: promise.id).map { forest.state(of: $0) == .cancelled } ?? false }
        #expect(viewer.replies.count == 1)
        resolver.fulfill(1)
    }

    @Test func aViewerForCommandsGetsNoBatches() throws {
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        defer { inspector.stop() }
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet(ClientHello(purpose: .command))
        for id in 1...40 as ClosedRange<UInt64> {
            try viewer.say(
                .command(
                    ViewerCommand(id: id, process: inspector.info.key, request: .cancel(.node(promise.id), by: "ann"))))
        }
        while viewer.replies.count < 40 { _ = try viewer.next() }
        #expect(viewer.replies.map(\.command) == Array(1...40))
        #expect(viewer.replies[0].outcome == .accepted(count: 1))
        #expect(viewer.replies[39].outcome != .accepted(count: 1))
        #expect(viewer.batchCount == 0)
        resolver.fulfill(1)
    }

    @Test(arguments: [true, false]) func aReadOnlyViewerIsRefusedWithTheReason(_ isProgramReadOnly: Bool) throws {
        var options = folder.options()
        options.isReadOnly = isProgramReadOnly
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        let viewer = try TestViewer(inspector.addresses[0])
        let hello = try viewer.greet(ClientHello(purpose: .watch, isReadOnly: !isProgramReadOnly))
        #expect(hello.process.isReadOnly == isProgramReadOnly)
        let reason = try refusal(viewer.ask(.cancel(.node(promise.id), by: "ann")))
        #expect(reason?.contains("read-only") == true)
        #expect(promise.result == nil)
        // A command that changes nothing is performed.
        #expect(try viewer.ask(.resync, id: 2) == .accepted(count: 0))
        resolver.fulfill(1)
    }

    @Test func commandsForAnotherRunAndUnknownCommandsAreRefused() throws {
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        defer { inspector.stop() }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        let other = ProcessKey(rawValue: inspector.info.key.rawValue &+ 1)
        #expect(try refusal(viewer.ask(.resync, process: other))?.contains("another run") == true)
        try viewer.say(.unknownCommand(id: 77))
        while viewer.replies.count < 2 { _ = try viewer.next() }
        #expect(viewer.replies[1].command == 77)
        #expect(refusal(viewer.replies[1].outcome)?.contains("release") == true)
    }

    @Test func aFreshStateGoesOnlyToTheViewerThatAsked() throws {
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        defer { inspector.stop() }
        let promises = runtime.run { (0..<100).map { _ in Promise<Int>.pending() } }
        let viewers = try (0..<2).map { _ in try TestViewer(inspector.addresses[0]) }
        for viewer in viewers {
            try viewer.greet()
            try viewer.watch { $0.totals.counts.liveCount == promises.count }
        }
        try viewers[0].say(.command(ViewerCommand(id: 1, process: inspector.info.key, request: .resync)))
        /// Returns how many states begin before `isOver` returns true.
        func stateCount(_ viewer: TestViewer, until isOver: () -> Bool) throws -> Int {
            var count = 0
            while !isOver() {
                // A requested state begins with all tables; a walk over the registry sends only new entries.
                if case .batch(let batch) = try viewer.next(), case .begin = batch.resync, !batch.sites.isEmpty {
                    count += 1
                }
            }
            return count
        }
        var now = UInt64.max
        let first = try stateCount(viewers[0]) {
            if !viewers[0].replies.isEmpty, now == .max { now = inspector.runtime.clock.nanoseconds }
            return viewers[0].forest!.now >= now
        }
        #expect(first >= 1 && viewers[0].replies.map(\.outcome) == [.accepted(count: 0)])
        #expect(try stateCount(viewers[1]) { viewers[1].forest!.now >= now } == 0)
    }

    @Test func aHandlerThatBlocksDelaysNoOtherViewer() throws {
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        defer { inspector.stop() }
        let isEntered = DispatchSemaphore(value: 0)
        let isReleased = DispatchSemaphore(value: 0)
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        defer { resolver.fulfill(1) }
        let handled = promise.catch(on: InlineExecutor.shared) { _ in
            isEntered.signal()
            isReleased.wait()
            return 0
        }
        let first = try TestViewer(inspector.addresses[0])
        try first.greet()
        let second = try TestViewer(inspector.addresses[0])
        try second.greet()
        try first.watch { $0.index(of: handled.id) != nil }
        try first.say(
            .command(
                ViewerCommand(id: 1, process: inspector.info.key, request: .cancel(.node(promise.id), by: "ann"))))
        isEntered.wait()
        let late = runtime.run { Promise<Int>.pending() }
        try second.watch { $0.index(of: late.promise.id) != nil }
        // More commands than may wait at once: the rest is read when there is room.
        for id in 1...50 as ClosedRange<UInt64> {
            try second.say(
                .command(ViewerCommand(id: id, process: inspector.info.key, request: .describe(late.promise.id))))
        }
        let third = try TestViewer(inspector.addresses[0])
        try third.greet()
        try third.watch { $0.index(of: late.promise.id) != nil }
        isReleased.signal()
        while second.replies.count < 50 { _ = try second.next() }
        #expect(second.replies.map(\.command) == Array(1...50))
        while first.replies.isEmpty { _ = try first.next() }
        #expect(first.replies[0].outcome == .accepted(count: 1))
        late.resolver.fulfill(1)
    }

    @Test func aHandlerThatAViewerCancelledMayStopTheInspector() throws {
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        defer { resolver.fulfill(1) }
        let handled = promise.catch(on: InlineExecutor.shared) { _ in
            inspector.stop()
            return 0
        }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        try viewer.watch { $0.index(of: handled.id) != nil }
        try viewer.say(
            .command(ViewerCommand(id: 1, process: inspector.info.key, request: .cancel(.node(promise.id), by: "ann"))))
        #expect(viewer.farewell()?.reason == .stopped)
        #expect(wait { folder.files == ["s"] })
    }

    @Test func aHandlerThatDoesNotReturnDelaysNoStop() throws {
        let inspector = try Inspector.start(runtime: runtime, options: folder.options())
        let isEntered = DispatchSemaphore(value: 0)
        let isReleased = DispatchSemaphore(value: 0)
        defer { isReleased.signal() }
        let (promise, resolver) = runtime.run { Promise<Int>.pending() }
        defer { resolver.fulfill(1) }
        let handled = promise.catch(on: InlineExecutor.shared) { _ in
            isEntered.signal()
            isReleased.wait()
            return 0
        }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        try viewer.watch { $0.index(of: handled.id) != nil }
        try viewer.say(
            .command(ViewerCommand(id: 1, process: inspector.info.key, request: .cancel(.node(promise.id), by: "ann"))))
        isEntered.wait()
        inspector.stop()
        #expect(viewer.farewell()?.reason == .stopped)
        #expect(folder.files == ["s"])
    }
}

// SPDX-License-Identifier: MIT
