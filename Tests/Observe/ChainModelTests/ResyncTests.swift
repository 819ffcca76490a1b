import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

@Suite struct ResyncTests {
    private func batch(_ time: UInt64, _ resync: Resync? = nil, nodes: [NodeSnapshot] = []) -> EventBatch {
        var batch = EventBatch(process: .test, sequence: 1, time: time)
        batch.resync = resync
        batch.nodes = nodes
        return batch
    }

    @Test func anOldPendingUnnamedNodeEndsUnknown() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.make(2, at: 11)
        script.make(3, at: 12)
        script.record(.fulfilled, 3, at: 13)
        script.record(.started, 3, at: 13)
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.make(4, at: 21)
        script.forest.apply(batch(25, .end(epoch: 20), nodes: [NodeSnapshot(id: NodeID(2), kind: .promise)]))
        #expect(script.state(1) == .unknown)
        #expect(script.state(2) == .pending)
        #expect(script.state(3) == .fulfilled)
        #expect(!script.node(3).marks.contains(.stillOnThread))
        #expect(script.state(4) == .pending, "made after the epoch")
        #expect(script.node(1).settled == 25)
        script.forest.expectConsistent()
    }

    @Test func onAStandingClockTheBeginningSeparatesOldNodes() {
        var script = ScriptedForest()
        script.make(1, at: 20)
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.make(2, at: 20)
        script.forest.apply(batch(20, .end(epoch: 20)))
        #expect(script.state(1) == .unknown)
        #expect(script.state(2) == .pending)
    }

    /// A state comes in parts: members before the node that has them, and children before their parents.
    @Test func partsOfAStateAreNotChainsOrFailures() {
        func node(_ id: UInt64, under parent: UInt64 = 0, _ settlement: Settlement) -> NodeSnapshot {
            var node = NodeSnapshot(id: NodeID(id), kind: parent == 0 ? .promise : .then)
            (node.parent, node.created, node.settlement) = (NodeID(parent), id, settlement)
            node.settled = 10 + id
            return node
        }
        var script = ScriptedForest()
        script.forest.apply(batch(20, .begin(epoch: 20)))
        // Five members, and a child of the fourth whose parent follows; the third is rejected.
        var nodes = (1...4).map { node($0, $0 == 3 ? .rejected : .fulfilled) }
        nodes.append(node(6, under: 5, .fulfilled))
        script.forest.apply(batch(21, nodes: nodes))
        #expect(script.forest.history.failedCount == 0, "its `catch` has not come yet")
        var all = node(9, .fulfilled)
        all.members = (1...5).map { NodeID($0) }
        all.memberTimes = [9, 9, 9, 9, 9]
        nodes = [node(5, under: 4, .fulfilled), node(7, under: 3, .fulfilled), all]
        script.forest.apply(batch(25, .end(epoch: 20), nodes: nodes))
        #expect(script.forest.totals.chainCount == 1)
        #expect(script.forest.history.madeCount == 1)
        #expect(script.forest.history.failedCount == 0)
        #expect(script.forest.history.recoveredCount == 1)
        script.forest.expectConsistent()
    }

    /// What failed while a state was read counts when the state is complete.
    @Test func failuresOfAStateCountAtItsEnd() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.record(.rejected, 1, at: 21)
        #expect(script.forest.history.failedCount == 0)
        script.forest.apply(batch(25, .end(epoch: 20)))
        #expect(script.forest.history.failedCount == 1)
        script.forest.expectConsistent()
    }

    @Test func aLostNodeComesBackByBeingNamed() {
        var script = ScriptedForest()
        var named = NodeSnapshot(id: NodeID(7), kind: .then)
        named.parent = NodeID(6)
        named.label = "kept"
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.forest.apply(batch(25, .end(epoch: 20), nodes: [named]))
        #expect(script.state(7) == .waiting)
        #expect(script.treeParent(7) == 6)
        #expect(script.node(7).marks == .seenLate)
        #expect(script.forest.label(of: script.index(7)) == "kept")
    }

    /// Of nodes 1 to 3 the end of the handler was lost, of node 4 the whole handler. The handler of node 5 runs on
    /// after its settlement.
    @Test func handlersWhoseEndWasLostRunNoMore() {
        var script = ScriptedForest()
        for node in 1...5 as ClosedRange<UInt64> {
            script.make(node, node == 3 ? .callback : .then, at: 10)
            script.record(.queued, node, at: 11, detail: 1)
        }
        for node in [1, 2, 3, 5] as [UInt64] { script.record(.started, node, at: 12) }
        script.record(.cancelled, 2, at: 13)
        script.record(.cancelled, 5, at: 13)
        func snapshot(_ node: UInt64, _ kind: NodeKind, _ settlement: Settlement) -> NodeSnapshot {
            var snapshot = NodeSnapshot(id: NodeID(node), kind: kind)
            snapshot.settlement = settlement
            if node != 5 { snapshot.flags = .handlerEnded }
            return snapshot
        }
        script.forest.apply(batch(20, .begin(epoch: 20)))
        let named = [
            snapshot(1, .then, .fulfilled), snapshot(2, .then, .cancelled), snapshot(3, .callback, .pending),
            snapshot(4, .then, .pending), snapshot(5, .then, .cancelled),
        ]
        script.forest.apply(batch(25, .end(epoch: 20), nodes: named))
        #expect((1...4).allSatisfy { script.node($0).activity == .none })
        #expect(script.state(3) == .pending && script.state(4) == .pending)
        #expect(script.timing(1, now: 900).run == 13 && script.timing(2, now: 900).run == 13)
        #expect(script.node(5).activity == .running && script.node(5).marks.contains(.stillOnThread))
        script.forest.expectConsistent()
        // A late event has a truer time than the resync.
        script.record(.ended, 2, at: 15)
        #expect(script.timing(2, now: 900).run == 3)
        script.record(.ended, 5, at: 40)
        #expect(script.timing(5, now: 900).run == 28)
    }

    /// A node that a resync does not name is released, so its handler does not run.
    @Test func aReleasedNodeRunsNoMore() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.started, 1, at: 12)
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.forest.apply(batch(25, .end(epoch: 20)))
        #expect(script.state(1) == .unknown && script.node(1).activity == .none)
        #expect(script.timing(1, now: 900).run == 13 && !script.node(1).marks.contains(.stillOnThread))
    }

    @Test func anEndWithoutItsBeginDoesNothing() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.forest.apply(batch(25, .end(epoch: 20)))
        script.forest.apply(batch(30, .begin(epoch: 30)))
        script.forest.apply(batch(35, .end(epoch: 20)))
        #expect(script.state(1) == .pending)
    }

    @Test func aLateTrueSettlementWins() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.forest.apply(batch(25, .end(epoch: 20)))
        script.record(.rejected, 1, at: 15)
        #expect(script.state(1) == .rejected)
        #expect(script.node(1).settled == 15)
    }

    @Test func threeHundredResyncsNameNoNodeByMistake() {
        var script = ScriptedForest()
        script.make(1, at: 1)
        var alive = NodeSnapshot(id: NodeID(1), kind: .promise)
        alive.created = 1
        for epoch in 2...300 as ClosedRange<UInt64> {
            script.forest.apply(batch(epoch, .begin(epoch: epoch)))
            script.forest.apply(batch(epoch, .end(epoch: epoch), nodes: [alive]))
            #expect(script.state(1) == .pending)
        }
        script.forest.apply(batch(400, .begin(epoch: 400)))
        script.forest.apply(batch(400, .end(epoch: 400)))
        #expect(script.state(1) == .unknown)
    }

    @Test func lossIsKeptAndNeverGoesDown() {
        var script = ScriptedForest()
        var one = batch(10)
        one.loss = EventCounts(madeCount: 10, deliveredCount: 8, lostInRings: 2)
        script.forest.apply(one)
        var other = EventBatch(process: ProcessKey(rawValue: 99), sequence: 2, time: 20)
        other.loss = EventCounts(madeCount: 100, deliveredCount: 0, lostInRings: 100)
        script.forest.apply(other)
        script.forest.apply(batch(20))
        #expect(script.forest.loss == EventCounts(madeCount: 10, deliveredCount: 8, lostInRings: 2))
        #expect(script.forest.now == 20)
    }
}

// SPDX-License-Identifier: MIT
