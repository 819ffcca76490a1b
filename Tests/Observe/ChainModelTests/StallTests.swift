import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// Threads that are blocked in the system while they run a handler or a task.
struct StallTests {
    /// Returns a forest in which node 1 runs on thread 7, and node 2, a task, on thread 8.
    private func scene() -> ScriptedForest {
        var script = ScriptedForest()
        script.make(1, .work, at: 10)
        script.record(.queued, 1, at: 11)
        script.record(.started, 1, at: 12, thread: 7)
        script.make(2, .task, at: 13)
        script.record(.resumed, 2, at: 20, thread: 8)
        return script
    }

    @Test func aStallLastsUntilItsEnd() {
        var script = scene()
        script.record(.stalled, 1, at: 30, detail: SystemWait.futex.rawValue, thread: 7)
        script.record(.stalled, 2, at: 31, detail: SystemWait.read.rawValue, thread: 8)
        #expect(script.blocker(1) == Blocker(reason: .system))
        #expect(
            script.forest.stalls == [
                ThreadStall(thread: 7, node: NodeID(1), wait: .futex, since: 30),
                ThreadStall(thread: 8, node: NodeID(2), wait: .read, since: 31),
            ])
        #expect(script.forest.shownStall(of: script.index(1), now: 30 + 999_999_999) == nil)
        #expect(script.forest.shownStall(of: script.index(1), now: 30 + 1_000_000_000)?.wait == .futex)
        // It sits in another call since.
        script.record(.stalled, 1, at: 30, detail: SystemWait.sleep.rawValue, thread: 7)
        #expect(script.forest.stall(of: script.index(1))?.wait == .sleep)
        script.record(.stallEnded, 1, at: 40, thread: 7)
        #expect(script.blocker(1) == Blocker(reason: .running))
        #expect(script.forest.stalls.map(\.node) == [NodeID(2)])
    }

    @Test func aStallWhoseEndWasLostEndsWithTheRun() {
        var script = scene()
        script.record(.stalled, 1, at: 30, thread: 7)
        script.record(.stalled, 2, at: 30, thread: 8)
        script.record(.fulfilled, 1, at: 40, flags: .handlerEnded, thread: 7)
        script.record(.suspended, 2, at: 40, thread: 8)
        #expect(script.forest.stalls.isEmpty)
        // The task runs again on the same thread.
        script.record(.resumed, 2, at: 50, thread: 8)
        #expect(script.blocker(2) == Blocker(reason: .running))
        script.record(.stalled, 2, at: 60, thread: 8)
        #expect(script.blocker(2) == Blocker(reason: .system))
    }

    @Test func aSettledNodeMayStillBlockItsThread() {
        var script = scene()
        script.record(.stalled, 1, at: 30, thread: 7)
        script.record(.cancelled, 1, at: 40)
        #expect(script.forest.stall(of: script.index(1)) != nil)
    }

    @Test func aWaitForANodeSaysMoreThanAStall() {
        var script = scene()
        script.make(3, at: 13)
        script.record(.stalled, 1, at: 30, thread: 7)
        script.record(.awaited, 3, 1, at: 31, thread: 7)
        #expect(script.blocker(1) == Blocker(reason: .awaits, node: script.index(3)))
    }

    @Test func stallsAreRepeatedForLateSubscribers() {
        var script = scene()
        script.record(.stalled, 1, at: 30, detail: SystemWait.epoll.rawValue, thread: 7)
        script.record(.stalled, 2, at: 30, detail: 9_999, thread: 8)
        var late = ChainForest(process: .test)
        var batch = EventBatch(process: .test, sequence: 1, time: 40)
        batch.nodes = script.forest.snapshot(limit: 100).nodes
        batch.events = script.forest.waitEvents
        late.apply(batch)
        late.apply(batch)
        #expect(late.stalls == script.forest.stalls && late.stalls.map(\.wait) == [.epoll, .unknown])
    }

    @Test func stallsOfEndedThreadsAreDropped() {
        var script = ScriptedForest()
        for node in 1...5_000 as ClosedRange<UInt64> {
            script.make(node, .work, at: node)
            script.record(.started, node, at: node, thread: ThreadID(node))
            script.record(.stalled, node, at: node, thread: ThreadID(node))
            script.record(.ended, node, at: node, thread: ThreadID(node))
        }
        #expect(script.forest.data.stalls.count <= ForestData.leastStallRoom)
    }
}

// SPDX-License-Identifier: MIT
