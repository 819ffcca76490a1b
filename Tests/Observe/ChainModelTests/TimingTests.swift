import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

@Suite struct TimingTests {
    @Test func waitRunAndTotalOfALink() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, at: 20)
        #expect(script.timing(2, now: 90) == Timing())
        script.record(.fulfilled, 1, at: 100)
        #expect(script.timing(1, now: 500) == Timing(total: 90))
        #expect(script.timing(2, now: 130) == Timing(total: 30))
        script.record(.queued, 2, at: 105)
        #expect(script.timing(2, now: 130) == Timing(wait: 25, total: 30))
        script.record(.started, 2, at: 125)
        #expect(script.timing(2, now: 130) == Timing(wait: 20, run: 5, total: 30))
        script.record(.fulfilled, 2, at: 140, flags: .handlerEnded)
        #expect(script.timing(2, now: 999) == Timing(wait: 20, run: 15, total: 40))
    }

    /// Steps days after their node was made have their times, in units of 100 µs.
    @Test(arguments: [1, 40]) func stepsAfterDaysHaveTheirTimes(hours: UInt64) throws {
        let hour: UInt64 = 3_600_000_000_000
        let (made, later) = (hours * hour + 12_345, (hours + 120) * hour + 777)
        var script = ScriptedForest()
        script.make(1, at: made)
        script.then(2, on: 1, at: made)
        script.record(.fulfilled, 1, at: later)
        script.record(.queued, 2, at: later)
        script.record(.started, 2, at: later)
        for time in [script.forest.node(script.index(1)).settled, script.forest.node(script.index(2)).queued] {
            #expect(try #require(time) <= later && later - time! < 100_000)
        }
        #expect(script.timing(2, now: later + 1_000_000).wait == 0)
        #expect(try #require(script.timing(2, now: later + 1_000_000).run) < 2_000_000)
        #expect(try #require(script.timing(1, now: later).total) > 119 * hour)
    }

    /// The times of an old node are rounded, those of a younger one that it depends on are exact.
    @Test(arguments: [38, 40]) func anOldNodeKeepsItsCauseAndTheOrderOfItsSteps(hours: UInt64) {
        let made: UInt64 = 1_000_012_345
        for shift in 0..<100 as Range<UInt64> {
            let time = made + hours * 3_600_000_000_000 + shift * 7_919
            var script = ScriptedForest()
            script.make(1, at: made)
            script.start(1, at: time)
            script.make(2, by: 1, at: time + 1_000)
            script.end(1, at: time + 2_000)
            script.adopt(1, 2, at: time + 3_000)
            script.record(.cancelRequested, 1, at: time + 1_000_000)
            script.record(.rejected, 2, at: time + 1_001_000)
            script.record(.rejected, 1, at: time + 1_002_000)
            let (old, cause) = (script.index(1), script.index(2))
            let origin = script.forest.rejectionOrigin(of: old)
            #expect(origin.node == cause && origin.steps == 1, "shift \(shift)")
            #expect(script.forest.chain(of: old).firstRejected == cause, "shift \(shift)")
            #expect(
                script.forest.history(of: old).map(\.kind) == [
                    .created, .started(1), .ended, .adopted(cause), .cancelRequested, .settled(.rejected),
                ], "shift \(shift)")
        }
    }

    @Test func totalCountsFromTheMakingIfTheParentSettledBefore() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.fulfilled, 1, at: 20)
        script.then(2, on: 1, at: 50)
        #expect(script.timing(2, now: 60) == Timing(total: 10))
    }

    @Test func aCombinatorHasOnlyATotal() {
        var script = ScriptedForest()
        script.make(1, .all, at: 10)
        script.record(.queued, 1, at: 11)
        script.record(.started, 1, at: 12)
        #expect(script.timing(1, now: 40) == Timing(total: 30))
    }

    @Test func aSkippedNodeHasNoTiming() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, at: 11)
        script.record(.rejected, 1, at: 20)
        script.record(.skipped, 2, at: 20, flags: .error)
        #expect(script.timing(2, now: 40) == Timing())
    }

    @Test func aCallbackRunsForItsHandlerAndThenIsPending() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.fulfilled, 1, at: 20)
        script.then(2, on: 1, .callback, at: 20)
        script.record(.queued, 2, at: 20)
        script.record(.started, 2, at: 22)
        script.record(.ended, 2, at: 25)
        #expect(script.timing(2, now: 60) == Timing(wait: 2, run: 3, total: 40))
        script.record(.fulfilled, 2, at: 80)
        #expect(script.timing(2, now: 90) == Timing(wait: 2, run: 3, total: 60))
    }

    @Test func anAdopterLastsToItsOwnSettlement() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.started, 1, at: 11)
        script.make(2, by: 1, at: 12)
        script.record(.ended, 1, at: 13)
        script.adopt(1, 2, at: 13)
        script.record(.fulfilled, 2, at: 40)
        #expect(script.timing(1, now: 45) == Timing(run: 2, total: 35))
        script.record(.fulfilled, 1, at: 50)
        #expect(script.timing(1, now: 99) == Timing(run: 2, total: 40))
    }

    @Test func aHandlerThatIgnoresItsCancellationRunsOn() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.started, 1, at: 20)
        script.record(.cancelled, 1, at: 30)
        #expect(script.timing(1, now: 70) == Timing(run: 50, total: 20))
    }

    @Test func aNodeCancelledBeforeItsTurnHasNoTotal() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, at: 11)
        script.record(.cancelled, 2, at: 20)
        #expect(script.timing(2, now: 70) == Timing())
        script.record(.fulfilled, 1, at: 30)
        #expect(script.timing(2, now: 70) == Timing())
    }

    /// A chain ends when its last node settles, however late that is reported: a viewer that attaches later sees the
    /// same.
    @Test func aChainLastsToTheSettlementOfItsLastNode() throws {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.then(2, on: 1, at: 20)
        script.record(.fulfilled, 1, at: 30)
        script.record(.fulfilled, 2, at: 65)
        #expect(script.forest.chain(of: script.index(1)).settled == 65)
        var late = ChainForest(process: .test)
        var batch = EventBatch(process: .test, sequence: 1, time: 12_600)
        batch.nodes = script.forest.snapshot(limit: .max).nodes
        late.apply(batch)
        let root = try #require(late.index(of: NodeID(1)))
        #expect(late.chain(of: root).settled == 65)
        // A corrected settlement moves the end of its chain.
        script.forest.apply(batch)
        script.record(.fulfilled, 2, at: 60)
        #expect(script.forest.chain(of: script.index(1)).settled == 60)
        script.record(.rejected, 1, at: 80)
        #expect(script.forest.chain(of: script.index(1)).settled == 80)
        script.record(.rejected, 1, at: 70)
        #expect(script.forest.chain(of: script.index(1)).settled == 70)
    }

    @Test func aChainSettledWhenItsLastNodeDidAlsoIfTheRootIsReportedLate() throws {
        for rootSettled in [15, 30] as [UInt64] {
            var script = ScriptedForest()
            // The child's thread is collected first: all that is known of the root is its id.
            var batch = EventBatch(process: ScriptedForest.process, sequence: 1, time: 100)
            let created = UInt16(NodeKind.then.rawValue)
            batch.append(
                ChainEvent(time: 10, .created, node: NodeID(2), other: NodeID(1), detail: created, flags: .hasParent),
                text: nil)
            batch.append(ChainEvent(time: 20, .fulfilled, node: NodeID(2)), text: nil)
            batch.append(ChainEvent(time: rootSettled, .fulfilled, node: NodeID(1)), text: nil)
            script.forest.apply(batch)
            #expect(script.forest.chain(of: script.index(2)).settled == max(20, rootSettled))
        }
    }

    @Test func durationsOfHoursAreExactAndTimesBeforeTheMakingAreNotNegative() {
        var script = ScriptedForest()
        let hours: UInt64 = 18 * 3_600_000_000_000
        script.make(1, at: 1000)
        script.record(.queued, 1, at: 990)
        script.record(.started, 1, at: 1000 + hours)
        script.record(.fulfilled, 1, at: 1000 + 2 * hours + 1, flags: .handlerEnded)
        #expect(script.timing(1, now: 0) == Timing(wait: hours, run: hours + 1, total: 2 * hours + 1))
    }

    @Test func historyIsInOrder() {
        var script = ScriptedForest()
        script.make(1, at: 10)
        script.record(.queued, 1, at: 11, detail: 3)
        script.record(.started, 1, at: 12, thread: 7)
        script.make(2, by: 1, at: 13)
        script.record(.ended, 1, at: 14)
        script.adopt(1, 2, at: 14)
        script.record(.cancelRequested, 1, at: 15)
        script.record(.cancelled, 1, at: 16)
        #expect(
            script.forest.history(of: script.index(1)) == [
                HistoryStep(kind: .created, time: 10), HistoryStep(kind: .queued(3), time: 11),
                HistoryStep(kind: .started(7), time: 12), HistoryStep(kind: .ended, time: 14),
                HistoryStep(kind: .adopted(script.index(2)), time: 14), HistoryStep(kind: .cancelRequested, time: 15),
                HistoryStep(kind: .settled(.cancelled), time: 16),
            ])
    }
}

// SPDX-License-Identifier: MIT
