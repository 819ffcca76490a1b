import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// A Swift task runs many times. Its latest run or suspension holds.
@Suite struct SwitchTests {
    private static let steps: [(kind: EventKind, time: UInt64, thread: ThreadID)] = [
        (.resumed, 10, 1), (.suspended, 20, 1), (.resumed, 30, 2), (.suspended, 40, 2),
    ]

    private func script(_ order: [Int]) -> ScriptedForest {
        var script = ScriptedForest()
        script.make(1, .task, at: 5)
        for index in order {
            let step = Self.steps[index]
            script.record(step.kind, 1, at: step.time, thread: step.thread)
        }
        return script
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func theLatestRunHoldsInAnyOrder(order: [Int]) {
        let script = script(order)
        #expect(script.node(1).state == .running && script.node(1).activity == .running)
        #expect(script.node(1).thread == 2 && script.node(1).started == 10)
        let timing = script.forest.timing(of: script.index(1), now: 50)
        #expect(timing == Timing(run: 20, total: 45))
    }

    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [3, 0, 2, 1]])
    func aSuspendedTaskIsPendingWithItsOwnWord(order: [Int]) {
        let script = script(order)
        let node = script.node(1)
        #expect(node.state == .pending && node.activity == .none && node.isSuspended && node.stateWord == "suspended")
        #expect(script.forest.lastSwitchTime(of: script.index(1)) == 40)
        #expect(script.forest.timing(of: script.index(1), now: 50) == Timing(wait: 10, total: 45))
        #expect(script.forest.blocker(of: script.index(1)).reason == .suspended)
    }

    @Test func aSuspensionHoldsOverARunAtTheSameTime() {
        for kinds in [[EventKind.resumed, .suspended], [.suspended, .resumed]] {
            var script = ScriptedForest()
            script.make(1, .task, at: 5)
            for kind in kinds { script.record(kind, 1, at: 10, thread: 3) }
            #expect(script.node(1).isSuspended)
        }
    }

    @Test func anEndedTaskIsNotSuspended() {
        for order in [[0, 1], [1, 0]] {
            var script = ScriptedForest()
            script.make(1, .task, at: 5)
            for index in order {
                if index == 0 {
                    script.record(.suspended, 1, at: 10, thread: 1)
                } else {
                    script.record(.fulfilled, 1, at: 20, flags: .handlerEnded)
                }
            }
            #expect(script.node(1).state == .fulfilled && !script.node(1).isSuspended)
            #expect(!script.node(1).marks.contains(.stillOnThread))
        }
    }

    /// A viewer that attaches later sees the same, and older events do not undo it.
    @Test(arguments: [[0], [0, 1], [0, 1, 2]])
    func snapshotsHaveTheLastSwitch(steps: [Int]) throws {
        let script = script(steps)
        let snapshot = try #require(script.forest.snapshot(limit: 10).nodes.first)
        for hasCreation in [false, true] {
            var late = ScriptedForest()
            if hasCreation { late.make(1, .task, at: 5) }
            var batch = EventBatch(process: ScriptedForest.process, sequence: 1, time: 40)
            batch.nodes = [snapshot]
            late.forest.apply(batch)
            late.record(.suspended, 1, at: 8, thread: 9)
            #expect(late.node(1).state == script.node(1).state && late.node(1).thread == script.node(1).thread)
            #expect(late.forest.lastSwitchTime(of: late.index(1)) == script.forest.lastSwitchTime(of: script.index(1)))
            late.record(.resumed, 1, at: 100, thread: 4)
            #expect(late.node(1).state == .running && late.node(1).thread == 4)
        }
    }
}

// SPDX-License-Identifier: MIT
