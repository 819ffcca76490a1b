import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// Threads that block until a node settles, and handlers at fault.
struct WaitTests {
    /// Returns a forest in which node 1 runs on thread 7 and node 2 is pending.
    private func scene() -> ScriptedForest {
        var script = ScriptedForest()
        script.make(1, .work, at: 10)
        script.record(.queued, 1, at: 11)
        script.record(.started, 1, at: 12, thread: 7)
        script.make(2, at: 13)
        return script
    }

    @Test func aWaitingHandlerIsBlockedByItsNode() {
        var script = scene()
        #expect(script.blocker(1) == Blocker(reason: .running))
        script.record(.awaited, 2, 1, at: 20, thread: 7)
        #expect(script.blocker(1) == Blocker(reason: .awaits, node: script.index(2)))
        #expect(script.blocker(2) == Blocker(reason: .resolver))
        #expect(
            script.forest.waits(of: 7) == [ThreadWait(thread: 7, node: NodeID(2), waiter: NodeID(1), since: 20)])
        script.record(.awaitEnded, 2, 1, at: 30, thread: 7)
        #expect(script.blocker(1) == Blocker(reason: .running))
        #expect(script.forest.waits.isEmpty)
    }

    @Test func aWaitWhoseEndWasLostEndsWithWhatItWaitsFor() {
        var script = scene()
        script.record(.awaited, 2, 1, at: 20, thread: 7)
        script.record(.fulfilled, 2, at: 30)
        #expect(script.blocker(1) == Blocker(reason: .running))
        #expect(script.forest.waits.isEmpty)
    }

    @Test func waitsNest() {
        var script = scene()
        script.make(3, .work, at: 20)
        script.make(4, at: 20)
        script.record(.awaited, 2, 1, at: 21, thread: 7)
        script.record(.started, 3, at: 22, thread: 7)
        script.record(.awaited, 4, 3, at: 23, thread: 7)
        #expect(script.forest.waits(of: 7).map(\.node) == [NodeID(2), NodeID(4)])
        #expect(script.blocker(1) == Blocker(reason: .awaits, node: script.index(2)))
        #expect(script.blocker(3) == Blocker(reason: .awaits, node: script.index(4)))
        script.record(.awaitEnded, 4, 3, at: 24, thread: 7)
        #expect(script.forest.waits(of: 7).map(\.node) == [NodeID(2)])
    }

    /// Repeated waits are equal, and applying them twice changes nothing.
    @Test func waitsAreRepeatedForLateSubscribers() {
        var script = scene()
        script.record(.awaited, 2, 1, at: 20, thread: 7)
        var late = ChainForest(process: .test)
        var batch = EventBatch(process: .test, sequence: 1, time: 40)
        batch.nodes = script.forest.snapshot(limit: 100).nodes
        batch.events = script.forest.waitEvents
        late.apply(batch)
        late.apply(batch)
        #expect(late.waits == script.forest.waits)
        #expect(late.dump(facts: true) == script.forest.dump(facts: true))
    }

    @Test func faultsAreMarkedAndInSnapshots() {
        var script = scene()
        script.record(.blocked, 1, at: 20)
        script.record(.awaitMisused, 2, 1, at: 21, thread: 7)
        #expect(script.node(1).marks.isSuperset(of: [.hasBlocked, .hasMisusedAwait]))
        #expect(script.node(2).marks.isDisjoint(with: [.hasBlocked, .hasMisusedAwait]))
        script.record(.awaitMisused, 2, at: 22)
        #expect(script.node(2).marks.contains(.hasMisusedAwait))
        var late = ChainForest(process: .test)
        var batch = EventBatch(process: .test, sequence: 1, time: 40)
        batch.nodes = script.forest.snapshot(limit: 100).nodes
        late.apply(batch)
        #expect(late.node(late.index(of: NodeID(1))!).marks.isSuperset(of: [.hasBlocked, .hasMisusedAwait]))
    }

    @Test func waitsOfEndedThreadsAreDropped() {
        var script = scene()
        for thread in 100..<5_000 {
            let node = UInt64(thread)
            script.make(node, at: node)
            script.record(.awaited, node, at: node, thread: ThreadID(thread))
            script.record(.fulfilled, node, at: node)
        }
        #expect(script.forest.data.threadWaits.count <= 1_025)
    }

    /// A pass over all threads that would make room for few of them comes only after many waits were refused.
    @Test func aFullTableOfWaitsIsNotSearchedForEachThread() {
        let limit = UInt64(ForestData.waitingThreadLimit)
        let extra = 10 * limit
        var script = ScriptedForest()
        var batch = EventBatch(process: ScriptedForest.process, sequence: 1, time: 10)
        for id in 1...limit {
            batch.events.append(
                ChainEvent(time: 10, .created, node: NodeID(id), detail: UInt16(NodeKind.promise.rawValue)))
            batch.events.append(ChainEvent(time: 10, .awaited, node: NodeID(id), thread: ThreadID(id)))
        }
        script.forest.apply(batch)
        #expect(script.forest.data.threadWaits.count == Int(limit))
        script.make(extra, at: 20)
        // By turns a wait ends without an event, and another thread waits.
        for turn in 1...1_000 as ClosedRange<UInt64> {
            script.record(.fulfilled, turn, at: 20)
            script.record(.awaited, extra, at: 20, thread: ThreadID(limit + turn))
        }
        let data = script.forest.data
        #expect(data.threadWaits.keys.count { data.waits(of: $0).isEmpty } == 999)
        batch = EventBatch(process: ScriptedForest.process, sequence: 3_000, time: 30)
        for id in 1...limit {
            batch.events.append(
                ChainEvent(time: 30, .awaited, node: NodeID(extra), thread: ThreadID(2 * limit + id)))
        }
        script.forest.apply(batch)
        #expect(script.forest.data.threadWaits.keys.allSatisfy { !script.forest.waits(of: $0).isEmpty })
        #expect(script.forest.data.threadWaits.count == Int(limit))
    }
}

// SPDX-License-Identifier: MIT
