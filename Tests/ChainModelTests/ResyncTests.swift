import ChainEvents
import Testing

@testable import ChainModel

@Suite struct ResyncTests {
    private func batch(_ time: UInt64, _ resync: Resync? = nil, nodes: [NodeSnapshot] = []) -> EventBatch {
        var batch = EventBatch(process: .test, sequence: 1, time: time)
        batch.resync = resync
        batch.nodes = nodes
        return batch
    }

    @Test func whoIsOldPendingAndNotNamedEndedUnknown() {
        var script = Script()
        script.make(1, at: 10)
        script.make(2, at: 11)
        script.make(3, at: 12)
        script.tell(.fulfilled, 3, at: 13)
        script.tell(.started, 3, at: 13)
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

    @Test func whereTheClockStandsStillTheBeginningTellsWhoIsOld() {
        var script = Script()
        script.make(1, at: 20)
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.make(2, at: 20)
        script.forest.apply(batch(20, .end(epoch: 20)))
        #expect(script.state(1) == .unknown)
        #expect(script.state(2) == .pending)
    }

    @Test func whoWasLostComesBackByBeingNamed() {
        var script = Script()
        var named = NodeSnapshot(id: NodeID(7), kind: .then)
        named.parent = NodeID(6)
        named.label = "kept"
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.forest.apply(batch(25, .end(epoch: 20), nodes: [named]))
        #expect(script.state(7) == .waiting)
        #expect(script.above(7) == 6)
        #expect(script.node(7).marks == .seenLate)
        #expect(script.forest.label(of: script.index(7)) == "kept")
    }

    @Test func anEndWithoutItsBeginDoesNothing() {
        var script = Script()
        script.make(1, at: 10)
        script.forest.apply(batch(25, .end(epoch: 20)))
        script.forest.apply(batch(30, .begin(epoch: 30)))
        script.forest.apply(batch(35, .end(epoch: 20)))
        #expect(script.state(1) == .pending)
    }

    @Test func aTrueSettlementThatComesAfterAllIsTaken() {
        var script = Script()
        script.make(1, at: 10)
        script.forest.apply(batch(20, .begin(epoch: 20)))
        script.forest.apply(batch(25, .end(epoch: 20)))
        script.tell(.rejected, 1, at: 15)
        #expect(script.state(1) == .rejected)
        #expect(script.node(1).settled == 15)
    }

    @Test func threeHundredResyncsNameNobodyByMistake() {
        var script = Script()
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
        var script = Script()
        var one = batch(10)
        one.loss = Loss(madeCount: 10, deliveredCount: 8, lostInRings: 2)
        script.forest.apply(one)
        var other = EventBatch(process: ProcessKey(rawValue: 99), sequence: 2, time: 20)
        other.loss = Loss(madeCount: 100, deliveredCount: 0, lostInRings: 100)
        script.forest.apply(other)
        script.forest.apply(batch(20))
        #expect(script.forest.loss == Loss(madeCount: 10, deliveredCount: 8, lostInRings: 2))
        #expect(script.forest.now == 20)
    }
}
