import AttachHarness
import ChainWire
import PromiseRuntime
import TerminalHarness
import Testing

@testable import ChainInspector

/// The wait at the exit of a process, on a clock of the test.
@Suite(.onItsOwnThread) struct ProcessExitTests {
    private let folder = ScratchFolder()

    /// Calls the exit handler with a clock that each pause advances by 50 ms, and returns the number of pauses.
    private func pauses(_ server: AttachServer.Shared) -> Int {
        var (now, count) = (7 as UInt64, 0)
        ProcessExit.finish([server], now: { now }) {
            now += 50_000_000
            count += 1
        }
        return count
    }

    @Test func anExitWaitsForAViewerThatDoesNotReadForAFifthOfASecond() throws {
        let runtime = ChainRuntime(executor: ManualExecutor())
        var options = folder.options()
        options.adjustServer = { $0.flushLimit = 240_000_000_000 }
        let inspector = try Inspector.start(runtime: runtime, options: options)
        defer { inspector.stop() }
        // More than a socket takes.
        let label = String(repeating: "order", count: 80)
        var kept: [(promise: Promise<Int>, resolver: Resolver<Int>)] = []
        for _ in 0..<80 {
            kept += runtime.run { (0..<50).map { _ in Promise<Int>.pending(label: label) } }
            inspector.collectNow()
        }
        let viewer = try TestViewer(inspector.addresses[0])
        try viewer.greet()
        let server = try #require(inspector.server.withLock { $0 }?.shared)
        #expect(pauses(server) == 4)
        // What it reads later is whole, and ends with a goodbye.
        #expect(viewer.farewell()?.text == "The program has ended")
        #expect(viewer.forest?.totals.counts.liveCount == kept.count)
        withExtendedLifetime(kept) {}
    }

    @Test func anExitWithoutViewersWaitsForNothing() throws {
        let inspector = try Inspector.start(
            runtime: ChainRuntime(executor: ManualExecutor()), options: folder.options())
        defer { inspector.stop() }
        let server = try #require(inspector.server.withLock { $0 }?.shared)
        #expect(pauses(server) == 0)
        #expect(try TestViewer(inspector.addresses[0]).greet().process == inspector.info)
    }
}

// SPDX-License-Identifier: MIT
