import ChainEvents
import ChainModel
import ChainSystem
import Testing

@testable import ChainInspector

/// Losses at the worst moments: live nodes are shown, ended ones do not stay.
@Suite struct LossTests {
    private let clock = StillClock()

    private func bench(ringCapacity: Int = 16, _ set: (inout CollectorOptions) -> Void = { _ in }) -> Bench {
        var recorder = RecorderOptions()
        recorder.ringCapacity = ringCapacity
        var options = CollectorOptions()
        options.resyncInterval = 0
        set(&options)
        return Bench(clock: clock, recorder: recorder, collector: options)
    }

    /// Records a node's creation, fills the ring, and so loses the node's end.
    private static func lose(_ node: UInt64, _ bench: Bench) {
        bench.record(.created, node)
        let before = bench.recorder.counts.lost
        while bench.recorder.counts.lost == before { bench.record(.queued, 1) }
        bench.record(.fulfilled, node)
    }

    /// Returns the states of nodes in a forest, nil for missing ones.
    private func states(_ forest: ChainForest, _ nodes: [UInt64]) -> [NodeState?] {
        nodes.map { node in forest.index(of: NodeID(node)).map { forest.node($0).state } }
    }

    @Test func anEndThatIsLostDuringAPassLeavesTheNodeUnknown() {
        let bench = bench { $0.batchLimit = 1 }
        bench.runtime.setLive([NodeID(1)])
        for node in 1...3 as ClosedRange<UInt64> { bench.record(.created, node) }
        // The pass does not read the creation of node 50 any more, but its loss is counted at the end of the pass.
        let hasLost = Lock(false)
        let observing = bench.collector.batches.subscribe(onNext: { [unowned bench, clock] _ in
            let isFirst = hasLost.withLock { hasLost in
                defer { hasLost = true }
                return !hasLost
            }
            if isFirst { LossTests.lose(50, bench) }
            clock.advance(by: 10)
        })
        bench.collector.collectNow()
        #expect(bench.counts.lostInRings == 2)
        bench.collector.collectNow()
        observing.dispose()
        #expect(bench.collector.withState { states($0.forest, [1, 50]) } == [.queued, .unknown])
        #expect(bench.counts.madeCount == bench.counts.deliveredCount + bench.counts.lostInRings)
    }

    @Test(arguments: 0..<4)
    func anEndThatIsLostDuringAWalkLeavesTheNodeUnknown(shard: Int) {
        let bench = bench()
        bench.runtime.setLive([NodeID(1)])
        bench.runtime.onLook { [unowned bench, clock] looked in
            if looked == shard, bench.recorder.counts.lost == 2 { LossTests.lose(50, bench) }
            clock.advance(by: 10)
        }
        LossTests.lose(40, bench)
        clock.advance(by: 10)
        bench.collector.collectNow()
        bench.collector.collectNow()
        #expect(bench.counts.lostInRings == 4)
        #expect(bench.collector.withState { states($0.forest, [1, 40, 50]) } == [.queued, .unknown, .unknown])
    }

    @Test func anEndThatIsLostWhileTheClockStandsStillLeavesTheNodeUnknown() {
        let bench = bench()
        var forest = ChainForest(process: Bench.process)
        LossTests.lose(50, bench)
        bench.collector.collectNow()
        for batch in bench.batches { forest.apply(batch) }
        #expect(states(forest, [1, 50]) == [.unknown, .unknown])
    }

    /// A program with many live nodes may lose events all the time.
    @Test func aWalkThatTookLongIsNotRepeatedSoon() {
        let bench = bench { $0.resyncInterval = 1_000 }
        let walkCount = Lock(0)
        bench.runtime.onLook { [clock] shard in
            if shard == 0 { walkCount.withLock { $0 += 1 } }
            clock.advance(by: 100)
        }
        // Each walk takes 400 ns.
        for (node, pause, count) in [(40, 0, 1), (41, 7_500, 1), (42, 1_000, 2)] as [(UInt64, UInt64, Int)] {
            clock.advance(by: pause)
            LossTests.lose(node, bench)
            bench.collector.collectNow()
            #expect(walkCount.withLock { $0 } == count)
        }
    }

    @Test func anIncompleteWalkDecidesNothing() {
        let bench = bench()
        let live = [1, 2, 3, 4, 5, 8] as [UInt64]
        bench.runtime.setLive(live.map { NodeID($0) })
        for node in 1...8 as ClosedRange<UInt64> { bench.record(.created, node) }
        bench.collector.collectNow()
        let subscription = bench.collector.subscribe(mailboxLimit: 4, onReady: {})
        let forest = Lock(ChainForest(process: Bench.process))
        @Sendable func read(atMost limit: Int) {
            for _ in 0..<limit {
                guard let batch = subscription.next() else { return }
                forest.withLock { $0.apply(batch) }
            }
        }
        read(atMost: .max)
        clock.advance(by: 10)
        bench.runtime.onLook { shard in
            // The beginning and the first part fit into the mailbox, the second does not, the others do again.
            if shard == 2 { read(atMost: 2) }
        }
        bench.collector.withState { $0.walk.isRequested = true }
        bench.collector.collectNow()
        read(atMost: .max)
        #expect(forest.withLock { states($0, live) } == live.map { _ in .pending })
        #expect(forest.withLock { states($0, [6, 7]) } == [.unknown, .unknown])
        subscription.dispose()
    }
}

// SPDX-License-Identifier: MIT
