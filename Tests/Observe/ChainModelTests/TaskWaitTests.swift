import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// What Swift tasks wait for, and who holds it.
@Suite struct TaskWaitTests {
    /// Returns a forest with three suspended tasks, 1 to 3, an actor 4 and a lock 5.
    private func scene() -> ScriptedForest {
        var script = ScriptedForest()
        for task in 1...3 as ClosedRange<UInt64> {
            script.make(task, .task, at: 10)
            script.record(.suspended, task, at: 20, thread: 1)
        }
        script.make(4, .actor, "Store", at: 10)
        script.make(5, .lock, at: 10)
        return script
    }

    private func wait(_ script: ScriptedForest, _ task: UInt64 = 1) -> TaskWait? {
        script.forest.taskWait(of: script.index(task))
    }

    private func holder(_ script: ScriptedForest, _ node: UInt64) -> ResourceHolder? {
        script.forest.holder(of: script.index(node))
    }

    @Test func aWaitHoldsUntilTheNextOne() {
        var script = scene()
        script.record(.waitsFor, 1, 4, at: 20)
        #expect(wait(script) == TaskWait(target: .actor, node: script.index(4), since: 20))
        script.record(.waitsFor, 1, at: 30, detail: WaitTarget.continuation.rawValue)
        #expect(wait(script) == TaskWait(target: .continuation, since: 30))
        script.record(.waitsFor, 1, 4, at: 25)
        #expect(wait(script)?.target == .continuation, "an earlier event came later")
        script.record(.waitsFor, 1, at: 40, detail: 9_999)
        #expect(wait(script) == nil, "it waits for nothing that is known")
        #expect(script.forest.waiterCount(of: script.index(4)) == 0 && script.forest.taskWaitCount == 1)
    }

    @Test(arguments: [EventKind.resumed, .fulfilled, .rejected, .cancelled, .released])
    func aWaitEndsWithARunOrASettlement(kind: EventKind) {
        for order in [[0, 1], [1, 0]] {
            var script = scene()
            for index in order {
                if index == 0 {
                    script.record(.waitsFor, 1, 4, at: 30)
                } else {
                    script.record(kind, 1, at: 40, thread: 1)
                }
            }
            #expect(wait(script) == nil, "\(order)")
            #expect(script.forest.taskWaitCount == 0 && script.forest.waiterCount(of: script.index(4)) == 0)
        }
    }

    @Test func aRunningTaskWaitsForALock() {
        var script = scene()
        script.record(.resumed, 1, at: 30, thread: 7)
        script.record(.waitsFor, 1, 5, at: 40)
        #expect(script.blocker(1) == Blocker(reason: .lock, node: script.index(5)))
        script.record(.suspended, 1, at: 50, thread: 7)
        #expect(script.blocker(1) == Blocker(reason: .suspended))
    }

    @Test func eachTargetIsAReason() {
        let reasons: [(WaitTarget, Blocker.Reason)] = [
            (.unknown, .suspended), (.task, .task), (.continuation, .continuation), (.group, .group), (.actor, .actor),
            (.pool, .pool), (.lock, .lock), (.executor, .executor), (.moving, .suspended),
        ]
        #expect(reasons.map(\.0) == WaitTarget.allCases)
        for (target, reason) in reasons {
            var script = scene()
            script.record(.waitsFor, 1, at: 30, detail: target.rawValue)
            #expect(script.blocker(1) == Blocker(reason: reason), "\(target)")
        }
    }

    @Test func aTaskMovesUntilItIsRead() {
        var script = scene()
        script.record(.waitsFor, 1, 4, at: 20)
        script.record(.waitsFor, 1, at: 30, detail: WaitTarget.moving.rawValue)
        #expect(script.forest.isMoving(script.index(1)) && wait(script) == nil)
        #expect(!script.forest.isMoving(script.index(2)))
        script.record(.suspended, 1, at: 40, thread: 1)
        script.record(.waitsFor, 1, 4, at: 40)
        #expect(!script.forest.isMoving(script.index(1)) && wait(script)?.target == .actor)
    }

    @Test func aQueuedTaskWaitsForItsTurn() {
        var script = ScriptedForest()
        script.make(1, .task, at: 10)
        script.record(.queued, 1, at: 10)
        script.make(2, .executor, at: 10)
        script.record(.waitsFor, 1, 2, at: 10)
        #expect(script.blocker(1) == Blocker(reason: .executor, node: script.index(2)))
    }

    @Test func blockersLeadToTheHolder() {
        var script = scene()
        script.record(.waitsFor, 1, 4, at: 20)
        script.record(.heldBy, 4, 2, at: 20, thread: 7)
        script.record(.waitsFor, 2, 5, at: 20)
        script.record(.heldBy, 5, at: 20, thread: 9)
        #expect(script.blocker(1) == Blocker(reason: .actor, node: script.index(4)))
        #expect(script.blocker(4) == Blocker(reason: .holder, node: script.index(2)))
        #expect(script.blocker(2) == Blocker(reason: .lock, node: script.index(5)))
        #expect(script.blocker(5) == Blocker(reason: .holder))
        #expect(holder(script, 4) == ResourceHolder(node: script.index(2), thread: 7, since: 20))
        #expect(holder(script, 5) == ResourceHolder(thread: 9, since: 20))
        script.record(.heldBy, 4, at: 30, thread: 0)
        #expect(holder(script, 4) == nil && script.blocker(4) == Blocker(reason: .free))
        script.record(.heldBy, 4, 2, at: 25)
        #expect(holder(script, 4) == nil, "an earlier event came later")
    }

    @Test func aSettledTaskHoldsNothing() {
        var script = scene()
        script.record(.heldBy, 4, 2, at: 20)
        script.record(.fulfilled, 2, at: 30)
        #expect(holder(script, 4) == nil)
        script.record(.heldBy, 5, 3, at: 20)
        script.record(.released, 5, at: 30)
        #expect(holder(script, 5) == nil && script.blocker(5) == Blocker(reason: .settled))
    }

    @Test func waitersAreCounted() {
        var script = scene()
        for task in 1...3 as ClosedRange<UInt64> {
            script.record(.waitsFor, task, 4, at: 20)
            script.record(.waitsFor, task, 4, at: 20)
        }
        #expect(script.forest.waiterCount(of: script.index(4)) == 3)
        script.record(.waitsFor, 1, 5, at: 21)
        script.record(.resumed, 2, at: 30, thread: 1)
        #expect(script.forest.waiterCount(of: script.index(4)) == 1)
        #expect(script.forest.waiterCount(of: script.index(5)) == 1)
    }

    @Test func waitersAreChangesOfWhatTheyWaitFor() {
        var script = scene()
        _ = script.forest.consumeChanges()
        script.record(.waitsFor, 1, 4, at: 20)
        #expect(Set(script.forest.consumeChanges().nodes.map(\.index)) == [script.index(1), script.index(4)])
        script.record(.resumed, 1, at: 30, thread: 1)
        #expect(Set(script.forest.consumeChanges().nodes.map(\.index)) == [script.index(1), script.index(4)])
    }

    @Test func aTargetThatIsNotFoundIsLeftOut() {
        var script = scene()
        script.record(.waitsFor, 1, 77, at: 20, detail: WaitTarget.actor.rawValue)
        #expect(wait(script) == TaskWait(target: .actor, since: 20))
        script.make(77, .actor, at: 30)
        #expect(wait(script)?.node == script.index(77))
    }

    @Test func lateSubscribersGetWaitsAndHolders() {
        var script = scene()
        script.record(.waitsFor, 1, 4, at: 20)
        script.record(.waitsFor, 2, at: 20, detail: WaitTarget.pool.rawValue)
        script.record(.heldBy, 4, 3, at: 20, thread: 7)
        var late = ChainForest(process: .test)
        var batch = EventBatch(process: .test, sequence: 1, time: 40)
        batch.nodes = script.forest.snapshot(limit: 100).nodes
        batch.events = script.forest.waitEvents
        late.apply(batch)
        late.apply(batch)
        #expect(firstDifference(late.dump(facts: true), script.forest.dump(facts: true)) == nil)
        #expect(late.taskWaitCount == 2 && late.waitEvents == script.forest.waitEvents)
    }

    @Test func anEvictedNodeLeavesNothing() {
        var script = scene()
        script.record(.waitsFor, 1, 4, at: 20)
        script.record(.heldBy, 4, 1, at: 20)
        for node in 1...5 as ClosedRange<UInt64> { script.record(.released, node, at: 30) }
        script.forest.evictSettled(now: .max, budget: 100)
        #expect(script.forest.taskWaitCount == 0 && script.forest.data.taskWaits.holders.isEmpty)
        #expect(script.forest.data.taskWaits.waiterCounts.isEmpty)
    }

    /// A batch sets frames after its events, so that they are those of the suspension that it reports.
    @Test func aBatchSetsFramesLast() {
        var script = scene()
        var batch = EventBatch(process: ScriptedForest.process, sequence: 9, time: 50)
        batch.events = [ChainEvent(time: 40, .suspended, node: NodeID(1), thread: 1)]
        batch.frames = FrameReading(
            time: 50, stacks: ["reserve()"], entries: [FrameReading.Entry(node: NodeID(1), stack: 0)])
        script.forest.apply(batch)
        #expect(script.forest.frames(of: script.index(1)) == "reserve()")
        #expect(script.forest.frameReadings.map(\.stacks) == [["reserve()"]])
    }
}

// SPDX-License-Identifier: MIT
