import ChainEvents
import ChainModel
import Testing

@testable import Dashboard

/// What a dashboard shows of steps from before it attached.
struct LateAttachTests {
    /// Returns a screen that attached 12 s after a chain of three nodes had settled; the chain took 2.5 ms.
    private func screen() -> Screen {
        var script = Script(time: 10)
        script.make(1, .promise, "order")
        script.make(2, .then, "check", under: 1)
        script.make(3, .then, "charge", under: 2)
        script.at(11)
        script.fulfill(1)
        script.fulfill(2)
        script.at(12.5)
        script.fulfill(3)
        var program = ChainForest(process: Script.process.key)
        program.apply(script.batch)
        var batch = EventBatch(process: Script.process.key, sequence: 1, time: 12_600_000_000)
        batch.nodes = program.snapshot(limit: .max).nodes
        var screen = Screen(150, 20)
        screen.act(.received(SourceID(0), batch))
        screen.tick(12_600)
        return screen
    }

    @Test func aSettledChainLastedAsLongAsItDid() {
        let screen = screen()
        #expect(screen.text.contains("2.5ms") && !screen.text.contains("12.6s"), "\(screen.text)")
    }

    @Test func theTimelineShowsTheSameDuration() {
        var screen = screen()
        screen.type("3a")
        #expect(screen.text.contains("lasted 2.5ms"), "\(screen.text)")
    }

    /// The chain settled long ago, so it stands among the settled chains at once, as one row.
    @Test func aChainThatSettledLongAgoIsFoldedAtOnce() {
        #expect(screen().visibleIDs == [1])
    }

    /// Chains from before the recording come after one that was made during it, though they are seen later.
    @Test func chainsFromBeforeTheRecordingAreOlder() {
        var screen = Screen(100, 20)
        var script = Script(time: 10)
        script.make(5, .promise, "made meanwhile", external: true)
        screen.feed(script)
        var batch = EventBatch(process: Script.process.key, sequence: 2, time: 20_000_000)
        batch.nodes = ([3, 4] as [UInt64]).map {
            var node = NodeSnapshot(id: NodeID($0), kind: .promise)
            node.seen = 15_000_000
            return node
        }
        screen.act(.received(SourceID(0), batch))
        screen.tick(20)
        #expect(screen.visibleIDs == [5, 4, 3])
    }
}

// SPDX-License-Identifier: MIT
