import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// How a chain ended: by the end of its main line.
@Suite struct OutcomeTests {
    /// Returns a chain of `count` nodes in a line: root 1, then 2, 3, ….
    private func line(_ count: UInt64) -> ScriptedForest {
        var script = ScriptedForest()
        script.make(1, .promise)
        for id in 2...count { script.make(id, .then, under: id - 1) }
        return script
    }

    /// Returns the outcome of the chain of node 1.
    private func outcome(_ script: ScriptedForest) -> ChainOutcome {
        script.forest.expectConsistent()
        return script.forest.chain(of: script.index(1)).outcome
    }

    /// Returns the node that decided the outcome of the chain of node 1.
    private func concluding(_ script: ScriptedForest) -> UInt64? {
        script.forest.concludingNode(of: script.index(1)).map { script.forest.id(of: $0).rawValue }
    }

    @Test func aRecoveredRejectionIsNotTheOutcome() {
        var script = line(3)
        script.record(.rejected, 1)
        script.record(.skipped, 2, flags: .error)
        #expect(outcome(script) == .live)
        #expect(concluding(script) == nil)
        script.record(.fulfilled, 3)
        #expect(outcome(script) == .recovered)
        #expect(script.forest.chain(of: script.index(1)).rejectedCount == 1)
        #expect(concluding(script) == 3)
    }

    @Test func aRejectedEndIsTheOutcomeThoughTheRootWasFulfilled() {
        var script = line(3)
        script.record(.fulfilled, 1)
        script.record(.rejected, 2)
        script.record(.skipped, 3, flags: .error)
        #expect(outcome(script) == .rejected)
        #expect(concluding(script) == 2)
    }

    @Test func aCancelledAndAnAbandonedEndAreTheOutcomeThroughSkippedNodes() {
        for (kind, wanted) in [(EventKind.cancelled, ChainOutcome.cancelled), (.abandoned, .abandoned)] {
            var script = line(3)
            script.record(kind, 1)
            script.record(.skipped, 2, flags: .error)
            script.record(.skipped, 3, flags: .error)
            #expect(outcome(script) == wanted)
            #expect(concluding(script) == 1)
        }
    }

    @Test func ofBranchesTheWorstCounts() {
        var script = line(2)
        script.make(3, .then, under: 1)
        script.record(.fulfilled, 1)
        script.record(.fulfilled, 2)
        script.record(.rejected, 3)
        #expect(outcome(script) == .rejected)
        #expect(concluding(script) == 3)
        // A handler on the rejected branch recovers it.
        script.make(4, .failed, under: 3)
        #expect(outcome(script) == .live)
        script.record(.fulfilled, 4)
        #expect(outcome(script) == .recovered)
        #expect(concluding(script) == 1)
    }

    @Test func aRejectedChildIsNotOnTheMainLine() {
        var script = line(2)
        script.make(5, .promise, by: 1)
        script.record(.rejected, 5)
        script.record(.fulfilled, 1)
        script.record(.fulfilled, 2)
        #expect(outcome(script) == .recovered)
        #expect(concluding(script) == 2)
    }

    @Test func aHigherRankChangesTheOutcomeOfASettledChain() {
        var script = line(2)
        script.record(.fulfilled, 1)
        script.record(.skipped, 2)
        #expect(outcome(script) == .fulfilled)
        script.record(.rejected, 1)
        script.record(.skipped, 2, flags: .error)
        #expect(outcome(script) == .rejected)
        var single = ScriptedForest()
        single.make(1, .promise)
        single.record(.skipped, 1)
        #expect(outcome(single) == .fulfilled)
        single.record(.skipped, 1, flags: .error)
        #expect(outcome(single) == .rejected)
        single.record(.cancelled, 1)
        #expect(outcome(single) == .cancelled)
    }

    /// The end of a long line is stored, so that a line that grows and settles by turns is not walked again each time.
    @Test func aLongLineThatSettlesAtEachStepIsNotWalkedAgain() {
        var script = ScriptedForest()
        script.make(1, .promise)
        script.record(.fulfilled, 1)
        let count: UInt64 = 50_000
        var longestWalk: UInt64 = 0
        for id in 2...count {
            longestWalk = max(longestWalk, id - walkStart(script))
            script.make(id, .then, under: id - 1)
            script.record(id == 7 ? .rejected : .fulfilled, id)
        }
        #expect(longestWalk <= 65, "steps from the stored end of the line")
        #expect(script.forest.chain(of: script.index(1)).outcome == .recovered)
        #expect(concluding(script) == count)
        // A second operation on a node of the line ends the main line there.
        script.make(count + 1, .then, under: 10)
        script.record(.rejected, count + 1)
        #expect(script.forest.chain(of: script.index(1)).outcome == .rejected)
        #expect(concluding(script) == count + 1)
    }

    /// Returns the node from which the next walk along the main line of node 1 begins.
    private func walkStart(_ script: ScriptedForest) -> UInt64 {
        let (root, data) = (script.index(1), script.forest.data)
        let end = data.lineEnds[data.nodes[root.rawValue].pointee.chain]
        return script.forest.id(of: end.map { NodeIndex(rawValue: $0) } ?? root).rawValue
    }

    // MARK: Counts that never fall

    @Test func historyCountsEvictedChainsToo() {
        var script = ScriptedForest(limits: ForestLimits(settledNodeLimit: 0))
        var counts: [[Int]] = []
        for id in 1...100 as ClosedRange<UInt64> {
            script.make(2 * id, .promise)
            script.make(2 * id + 1, .then, under: 2 * id)
            script.record(.rejected, 2 * id)
            if id.isMultiple(of: 2) {
                script.record(.fulfilled, 2 * id + 1)
            } else {
                script.record(.skipped, 2 * id + 1, flags: .error)
            }
            script.forest.evictSettled(now: script.time, budget: Int(id % 5))
            let history = script.forest.history
            counts.append([history.madeCount, history.failedCount, history.recoveredCount])
        }
        #expect(counts.last == [100, 50, 50])
        #expect(script.forest.totals.chainCount < 50)
        for (before, after) in zip(counts, counts.dropFirst()) {
            #expect(zip(before, after).allSatisfy { $0 <= $1 }, "\(before) fell to \(after)")
        }
    }

    /// A failed chain that is live again hides neither its next failure nor that of another chain.
    @Test func historyCountsEachFailure() {
        var script = ScriptedForest()
        func addFailure(_ id: UInt64) {
            script.make(id, .then, under: id - 1)
            script.record(.rejected, id)
        }
        func counts() -> [Int] {
            let history = script.forest.history
            return [history.madeCount, history.failedCount, history.recoveredCount]
        }
        script.make(1, .promise)
        script.record(.rejected, 1)
        #expect(counts() == [1, 1, 0])
        addFailure(2)
        #expect(counts() == [1, 2, 0], "the same chain, once more")
        script.make(3, .catch, under: 2)
        #expect(counts() == [1, 2, 0], "a live chain")
        script.make(11, .promise)
        script.record(.rejected, 11)
        #expect(counts() == [2, 3, 0], "another one, while the first is live again")
        script.record(.fulfilled, 3)
        #expect(counts() == [2, 3, 1])
        script.forest.expectConsistent()
    }

    /// A chain that is settled only between two events of a batch is not counted. A chain that has failed before and
    /// after a batch counts once.
    @Test func historyCountsWhatABatchEndsWith() {
        var forest = ChainForest(process: ProcessKey(rawValue: 7))
        func apply(_ sequence: UInt64, _ events: [ChainEvent]) {
            var batch = EventBatch(process: ProcessKey(rawValue: 7), sequence: sequence, time: sequence)
            batch.events = events
            forest.apply(batch)
        }
        func made(_ id: UInt64, under parent: UInt64 = 0) -> ChainEvent {
            ChainEvent(
                time: id, .created, node: NodeID(id), other: NodeID(parent),
                detail: UInt16((parent == 0 ? NodeKind.promise : .then).rawValue),
                flags: parent == 0 ? [] : .hasParent)
        }
        apply(1, [made(1), ChainEvent(time: 1, .rejected, node: NodeID(1)), made(2, under: 1)])
        #expect(forest.history.failedCount == 0)
        apply(2, [ChainEvent(time: 2, .rejected, node: NodeID(2)), made(3, under: 2)])
        #expect(forest.history.failedCount == 0)
        apply(3, [ChainEvent(time: 3, .rejected, node: NodeID(3))])
        #expect(forest.history.failedCount == 1)
        apply(4, [made(4, under: 3), ChainEvent(time: 4, .rejected, node: NodeID(4))])
        #expect(forest.history.failedCount == 1, "it has failed at the end of both batches")
        forest.expectConsistent()
    }

    @Test func aTrimmedLongChainIsOneChain() {
        var script = ScriptedForest(limits: ForestLimits(chainNodeLimit: 10))
        script.make(1, .promise)
        script.record(.rejected, 1)
        for id in 2...100 as ClosedRange<UInt64> {
            script.make(id, .then, under: id - 1)
            script.record(id == 2 ? .fulfilled : .skipped, id)
            script.forest.evictSettled(now: script.time)
        }
        #expect(script.forest.history.madeCount == 1)
        #expect(script.forest.totals.outcomes.chainCount == 1)
        script.forest.expectConsistent()
    }

    @Test func theOldestLiveChainIsTheOneThatBeganFirst() {
        var script = ScriptedForest()
        for id in 1...300 as ClosedRange<UInt64> { script.make(id, .promise) }
        func oldest() -> UInt64? { script.forest.oldestLiveRoot.map { script.forest.id(of: $0).rawValue } }
        for id in 1...200 as ClosedRange<UInt64> where id != 150 { script.record(.fulfilled, id) }
        #expect(oldest() == 150)
        // Live again, because something was added to it.
        script.make(301, .then, under: 20)
        #expect(oldest() == 20)
        script.record(.fulfilled, 301)
        script.record(.fulfilled, 150)
        #expect(oldest() == 201)
        for id in 201...300 as ClosedRange<UInt64> { script.record(.fulfilled, id) }
        #expect(oldest() == nil)
        script.forest.expectConsistent()
    }

    /// Such as a cached value: a settled promise for which many requests wait, one after another.
    @Test func aChainThatIsLiveAgainAndAgainIsNotedAFewTimes() {
        var script = ScriptedForest()
        for id in 1...2 as ClosedRange<UInt64> { script.make(id, .promise) }
        script.record(.fulfilled, 1)
        var batch = EventBatch(process: ScriptedForest.process, sequence: 100, time: 1_000_000)
        for id in 3...2_000 as ClosedRange<UInt64> {
            let kind = UInt16(NodeKind.then.rawValue)
            batch.append(
                ChainEvent(
                    time: batch.time, .created, node: NodeID(id), other: NodeID(1), detail: kind, flags: .hasParent),
                text: nil)
            if id < 2_000 { batch.append(ChainEvent(time: batch.time, .fulfilled, node: NodeID(id)), text: nil) }
        }
        script.forest.apply(batch)
        #expect(script.forest.oldestLiveRoot == script.index(1))
        #expect(script.forest.data.liveRoots.count < 64)
        script.record(.fulfilled, 2_000)
        #expect(script.forest.oldestLiveRoot == script.index(2))
        script.forest.expectConsistent()
    }
}

// SPDX-License-Identifier: MIT
