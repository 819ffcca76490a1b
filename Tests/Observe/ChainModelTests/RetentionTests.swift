import ChainEvents
import EventScripts
import SeededNumbers
import Testing

@testable import ChainModel

@Suite struct RetentionTests {
    private func settledChain(_ script: inout ScriptedForest, _ root: UInt64, at time: UInt64) {
        script.make(root, at: time)
        script.then(root + 1, on: root, at: time + 1)
        script.record(.fulfilled, root, at: time + 2)
        script.record(.fulfilled, root + 1, at: time + 3)
    }

    @Test func wholeSettledChainsGoFirstSettledFirst() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 4))
        script.make(1, at: 1)
        for root in stride(from: 10, to: 60, by: 10) as StrideTo<UInt64> { settledChain(&script, root, at: root) }
        #expect(script.forest.evictSettled(now: 100) == 6)
        #expect(script.roots == [1, 40, 50])
        #expect(script.forest.evictSettled(now: 100) == 0)
        #expect(script.forest.totals.evictedCount == 6)
        script.forest.expectConsistent()
    }

    @Test func agedChainsGoAndLiveOnesStay() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 50))
        script.make(1, at: 1)
        settledChain(&script, 10, at: 10)
        settledChain(&script, 20, at: 40)
        #expect(script.forest.evictSettled(now: 62) == 0)
        #expect(script.forest.evictSettled(now: 63) == 2)
        #expect(script.roots == [1, 20])
        #expect(script.forest.evictSettled(now: 1000) == 2)
        #expect(script.roots == [1])
        script.forest.expectConsistent()
    }

    /// Age evicts what was fulfilled, and not what a person comes to look for in the morning.
    @Test func ageDoesNotEvictWhatFailed() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 50))
        for root in stride(from: 10, through: 60, by: 10) as StrideThrough<UInt64> {
            script.make(root, at: root)
            script.then(root + 1, on: root, at: root)
        }
        let settlements: [(UInt64, EventKind)] = [
            (10, .fulfilled), (11, .fulfilled), (20, .rejected), (21, .skipped), (30, .abandoned), (31, .fulfilled),
            (40, .fulfilled), (41, .fulfilled), (50, .rejected), (51, .fulfilled), (60, .cancelled), (61, .cancelled),
        ]
        for (id, kind) in settlements {
            script.record(kind, id, at: 70, flags: kind == .skipped ? .error : [])
        }
        script.record(.settledAgain, 41, at: 71)
        script.make(70, at: 72)
        script.record(.rejected, 70, at: 73)
        script.forest.evictSettled(now: 1_000)
        #expect(script.roots == [20, 30, 40, 70])
        script.forest.expectConsistent()
    }

    @Test func theLatestFailedChainsStay() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 50, failedChainLimit: 3))
        for root in 1...10 as ClosedRange<UInt64> {
            script.make(root, at: root)
            script.record(.rejected, root, at: root + 1)
        }
        script.forest.evictSettled(now: 1_000)
        #expect(script.roots == [8, 9, 10])
        script.forest.expectConsistent()
    }

    /// Failed chains are evicted last, and have at most half of the nodes, so that something else is shown, too.
    @Test func aFloodEvictsFailedChainsLast() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 20))
        for root in 1...200 as ClosedRange<UInt64> {
            script.make(root * 10, at: root)
            script.record(root <= 5 || root > 100 ? .rejected : .fulfilled, root * 10, at: root)
            script.forest.evictSettled(now: root)
            #expect(script.forest.totals.nodeCount <= 20)
            guard root == 100 else { continue }
            #expect(script.roots == [1, 2, 3, 4, 5].map { $0 * 10 } + (86...100).map { $0 * 10 })
        }
        script.forest.expectConsistent()
        for root in 201...300 as ClosedRange<UInt64> {
            script.make(root * 10, at: root)
            script.record(.fulfilled, root * 10, at: root)
            script.forest.evictSettled(now: root)
        }
        let failedCount = script.forest.roots.count { script.forest.state(of: $0) == .rejected }
        #expect((9...11).contains(failedCount), "\(failedCount)")
        script.forest.expectConsistent()
    }

    @Test func ageDoesNotEvictFailedLeavesOfALiveChain() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 10))
        script.make(1, .pending, at: 1)
        for id in 2...5 as ClosedRange<UInt64> {
            script.then(id, on: 1, at: id)
            script.record(id % 2 == 0 ? .fulfilled : .rejected, id, at: 6)
        }
        script.forest.evictSettled(now: 1_000)
        #expect(script.children(1) == [3, 5])
        script.forest.expectConsistent()
    }

    /// A thread that seldom makes nodes has ids of a block of long ago.
    @Test func aNewNodeWithAForgottenIdIsShown() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 0))
        for node in 1...40_000 as ClosedRange<UInt64> {
            script.make(node << 8, at: node)
            script.record(.fulfilled, node << 8, at: node)
            if node % 1_000 == 0 { script.forest.evictSettled(now: node + 1, budget: 1 << 20) }
        }
        #expect(script.forest.totals.nodeCount == 0)
        script.record(.released, 2 << 8, at: 50_000)
        #expect(script.forest.totals.nodeCount == 0, "a late step of a forgotten node")
        script.make(2 << 8 | 1, at: 50_001)
        #expect(script.roots == [2 << 8 | 1])
        script.forest.expectConsistent()

        // With its further steps in the same batch, which are prefetched together.
        let late = NodeID(3 << 8 | 1)
        var batch = EventBatch(process: ScriptedForest.process, sequence: 100_000, time: 50_010)
        batch.events = [
            ChainEvent(time: 50_002, .created, node: late), ChainEvent(time: 50_003, .fulfilled, node: late),
        ]
        script.forest.apply(batch)
        #expect(script.forest.state(of: script.index(late.rawValue)) == .fulfilled)

        // Its creation was lost, and a snapshot has it; only a settled one may be of an evicted node.
        var snapshots = EventBatch(process: ScriptedForest.process, sequence: 100_001, time: 50_020)
        var settled = NodeSnapshot(id: NodeID(4 << 8 | 2), kind: .promise)
        (settled.created, settled.settled, settled.settlement) = (50_011, 50_012, .fulfilled)
        var live = NodeSnapshot(id: NodeID(4 << 8 | 1), kind: .promise)
        live.created = 50_013
        snapshots.nodes = [settled, live]
        script.forest.apply(snapshots)
        #expect(script.roots.contains(4 << 8 | 1) && !script.roots.contains(4 << 8 | 2))
        script.forest.expectConsistent()

        // A live node follows one; a member may have been evicted.
        script.adopt(2 << 8 | 1, 5 << 8 | 1, at: 50_030)
        script.member(2 << 8 | 1, 6 << 8 | 1, at: 50_031)
        #expect(script.children(2 << 8 | 1) == [5 << 8 | 1])
        script.forest.expectConsistent()
    }

    /// The members that went still count in `2/3`, what was under them does not.
    @Test func evictedMembersAreCountedWithoutWhatWasUnderThem() {
        var script = ScriptedForest(limits: ForestLimits(settledLeafLimit: 0, ageLimit: 0))
        script.make(1, .forEach, at: 1)
        for member in [10, 20] as [UInt64] {
            script.make(member, .promise, by: 1, at: member)
            script.member(1, member, at: member)
            script.then(member + 1, on: member, at: member + 1)
            script.record(.fulfilled, member, at: member + 2)
            script.record(.fulfilled, member + 1, at: member + 3)
        }
        script.forest.evictSettled(now: 1_000)
        #expect(script.forest.totals.nodeCount == 1)
        let combinator = script.index(1)
        #expect(script.forest.evictedCount(of: combinator) == 4)
        #expect(script.forest.evictedMemberCount(of: combinator) == 2)
        script.forest.expectConsistent()
    }

    @Test func anEvictedIdDoesNotComeBack() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 0))
        settledChain(&script, 10, at: 10)
        #expect(script.forest.evictSettled(now: 100) == 2)
        script.record(.released, 11, at: 101)
        script.make(10, at: 10)
        #expect(script.forest.totals.nodeCount == 0)
        #expect(script.forest.isEvicted(NodeID(10)))
        #expect(!script.forest.isEvicted(NodeID(12)))
        script.then(12, on: 10, at: 102)
        #expect(script.roots == [12])
        #expect(script.forest.origin(of: script.index(12)) == NodeID(10))
        #expect(script.forest.parent(of: script.index(12)) == nil)
        script.forest.expectConsistent()
    }

    /// A node that is known by references only may be pending, and may be reported at any time.
    @Test func aReferencedNodeStaysWhileALiveNodeFollowsIt() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 0, settledLeafLimit: 0, ageLimit: 0))
        for follower in [1, 2] as [UInt64] {
            script.make(follower, at: follower)
            script.adopt(follower, 9, at: 10 + follower)
        }
        for now in [100, 200] as [UInt64] { script.forest.evictSettled(now: now) }
        #expect(script.children(1) == [9])
        // Its first follower is evicted with the whole chain.
        script.record(.rejected, 1, at: 201)
        script.forest.evictSettled(now: 300)
        #expect(script.roots == [2])
        #expect(script.children(2) == [9])
        script.forest.expectConsistent()
        script.record(.rejected, 2, at: 301)
        script.forest.evictSettled(now: 400)
        #expect(script.forest.totals.nodeCount == 0)
        #expect(script.forest.isEvicted(NodeID(2)) && !script.forest.isEvicted(NodeID(9)))
        script.make(9, at: 5)
        #expect(script.roots == [9])
        script.forest.expectConsistent()
    }

    @Test func aLongLivedRootLosesSettledLeavesAndCountsThem() {
        var script = ScriptedForest(limits: ForestLimits(settledLeafLimit: 10, ageLimit: 1_000_000))
        script.make(1, .pending, at: 1)
        for id in 2...200 as ClosedRange<UInt64> {
            script.then(id, on: 1, at: id * 10)
            script.record(id % 10 == 3 ? .rejected : .fulfilled, id, at: id * 10 + 1)
            script.forest.evictSettled(now: id * 10 + 2)
            #expect(script.forest.totals.nodeCount <= 13)
        }
        let gone = script.forest.evictedCount(of: script.index(1))
        #expect(gone == 200 - script.forest.totals.nodeCount)
        #expect(script.forest.chain(of: script.index(1)).evictedCount == gone)
        #expect(script.forest.chain(of: script.index(1)).firstRejected == script.index(3), "the first rejection stays")
        script.forest.expectConsistent()
    }

    @Test func membersThatWereSettledChainsGo() {
        var script = ScriptedForest(limits: ForestLimits(settledLeafLimit: 10, ageLimit: 1_000_000))
        script.make(1, .all, at: 1)
        for id in 2...200 as ClosedRange<UInt64> {
            script.make(id, at: id * 10)
            script.record(.fulfilled, id, at: id * 10 + 1)
            script.member(1, id, at: id * 10 + 2)
            script.forest.evictSettled(now: id * 10 + 3)
        }
        #expect(script.forest.totals.nodeCount <= 13)
        script.forest.expectConsistent()
    }

    @Test func subtreesGoLeafByLeafAndTheirCountsGoUp() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 10))
        script.make(1, .pending, at: 1)
        script.then(2, on: 1, at: 2)
        script.then(3, on: 2, at: 3)
        script.then(4, on: 2, at: 3)
        for id in [2, 3, 4] as [UInt64] { script.record(.fulfilled, id, at: 5) }
        script.forest.evictSettled(now: 50)
        script.forest.evictSettled(now: 100)
        #expect(script.children(1) == [])
        #expect(script.forest.evictedCount(of: script.index(1)) == 3)
        script.forest.expectConsistent()
    }

    @Test func aChainWithoutEndLosesItsBeginning() {
        var script = ScriptedForest(limits: ForestLimits(chainNodeLimit: 20))
        script.make(1, at: 1)
        for id in 2...500 as ClosedRange<UInt64> {
            script.then(id, on: id - 1, at: id * 10)
            script.record(.fulfilled, id - 1, at: id * 10 + 1)
            script.forest.evictSettled(now: id * 10 + 2)
        }
        #expect(script.forest.totals.nodeCount == 20)
        #expect(script.roots == [481])
        #expect(script.forest.chain(of: script.index(500)).evictedCount == 480)
        script.forest.expectConsistent()
    }

    @Test func aRootThatLivesAgainAndAgainDoesNotGrow() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 50, settledLeafLimit: 20))
        script.make(1, at: 1)
        script.record(.fulfilled, 1, at: 2)
        for id in 2...400 as ClosedRange<UInt64> {
            script.then(id, on: 1, at: id * 10)
            script.record(.fulfilled, id, at: id * 10 + 1)
            script.forest.evictSettled(now: id * 10 + 2)
            #expect(script.forest.totals.nodeCount <= 60)
        }
        script.forest.expectConsistent()
    }

    @Test func theHardLimitRefusesAndCounts() {
        var script = ScriptedForest(limits: ForestLimits(nodeLimit: 3))
        for id in 1...5 as ClosedRange<UInt64> { script.make(id, at: id) }
        #expect(script.roots == [1, 2, 3])
        #expect(script.forest.totals.refusedCount == 2)
        script.record(.fulfilled, 1, at: 9)
        script.forest.evictSettled(now: 10)
        script.make(6, at: 11)
        #expect(script.roots == [2, 3, 6])
        script.forest.expectConsistent()
    }

    @Test func eachCallDoesBoundedWork() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 0))
        script.make(1, at: 1)
        for id in 2...300 as ClosedRange<UInt64> { script.then(id, on: id % 3 == 0 ? 1 : id - 1, at: id) }
        for id in 1...300 as ClosedRange<UInt64> { script.record(.fulfilled, id, at: 1000) }
        var calls = 0
        while script.forest.totals.nodeCount > 0 {
            #expect(script.forest.evictSettled(now: 2000, budget: 40) <= 40)
            script.forest.expectConsistent()
            calls += 1
            #expect(calls < 40)
        }
        #expect(calls >= 7)
    }

    /// Evicts at random moments: the counts stay consistent, and in the end no settled node is left.
    ///
    /// With seeds 58 and 64 a chain's first rejection is evicted before its other rejections.
    @Test(arguments: Seeds.upTo(15) + [58, 64])
    func evictionAtAnyMomentKeepsTheForestWhole(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let log = RandomLog(seed: seed, count: 600, isWild: seed % 2 == 0)
        var forest = ChainForest(
            process: .test,
            limits: ForestLimits(
                settledNodeLimit: 10, settledLeafLimit: 5, ageLimit: 2000, failedChainLimit: 0, chainNodeLimit: 30))
        for batch in log.entries.shuffled(by: &generator).batches(upTo: 40, using: &generator) {
            forest.apply(batch)
            forest.evictSettled(now: forest.now, budget: Int.random(in: 1...20, using: &generator))
            forest.expectConsistent("seed \(seed)")
        }
        for _ in 0..<200 { forest.evictSettled(now: forest.now + 1_000_000) }
        forest.expectConsistent("seed \(seed)")
        for root in forest.roots { #expect(forest.chain(of: root).liveCount > 0, "seed \(seed)") }
        #expect(forest.data.links.count <= forest.totals.nodeCount * 8)
        #expect(forest.data.extras.count <= forest.totals.nodeCount)
    }

    @Test func sideTablesShrink() {
        var script = ScriptedForest(limits: ForestLimits(ageLimit: 0, failedChainLimit: 0))
        for id in stride(from: 1, to: 2000, by: 2) as StrideTo<UInt64> {
            script.record(.created, id, at: id, text: "label \(id)", detail: UInt16(NodeKind.promise.rawValue))
            script.make(id + 1, at: id)
            script.adopt(id, id + 1, at: id)
            script.record(.rejected, id + 1, at: id, text: "error \(id)")
            script.record(.rejected, id, at: id, text: "error \(id)")
        }
        while script.forest.evictSettled(now: 5000) > 0 {}
        #expect(script.forest.totals.nodeCount == 0)
        #expect(script.forest.data.texts.count == 0)
        #expect(script.forest.data.extras.count == 0)
        #expect(script.forest.data.links.count == 0)
        #expect(script.forest.data.chains.count == 0)
        #expect(script.forest.indexBound <= 4096)
    }
}

// SPDX-License-Identifier: MIT
