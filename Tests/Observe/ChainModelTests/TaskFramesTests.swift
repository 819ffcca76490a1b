import ChainEvents
import EventScripts
import Testing

@testable import ChainModel

/// The frames of suspended tasks, which viewers ask for.
@Suite struct TaskFramesTests {
    /// Returns a forest with a task that was suspended at 20.
    private func suspended() -> ScriptedForest {
        var script = ScriptedForest()
        script.make(1, .task, at: 10)
        script.record(.suspended, 1, at: 20, thread: 1)
        return script
    }

    private func reading(at time: UInt64, _ stack: String) -> FrameReading {
        FrameReading(
            time: time, taskCount: 1, partCount: 1, readCount: 1, stacks: [stack],
            entries: [FrameReading.Entry(node: NodeID(1), stack: 0)])
    }

    private func frames(_ script: ScriptedForest) -> String? { script.forest.frames(of: script.index(1)) }

    @Test func aSuspendedTaskHasTheFramesThatWereRead() {
        var script = suspended()
        #expect(script.forest.lacksFrames(of: script.index(1)) && frames(script) == nil)
        script.forest.apply(reading(at: 30, "Stock.reserve(Int)\norder(Int)"))
        #expect(frames(script) == "Stock.reserve(Int)\norder(Int)")
        #expect(script.forest.innermostFrame(of: script.index(1)) == "Stock.reserve(Int)")
        #expect(!script.forest.lacksFrames(of: script.index(1)) && script.forest.frameCount == 1)
        script.forest.apply(reading(at: 31, "charge(Int)"))
        #expect(frames(script) == "charge(Int)")
    }

    @Test func theFramesEndWithTheSuspension() {
        for kind in [EventKind.resumed, .fulfilled, .rejected, .cancelled] {
            var script = suspended()
            script.forest.apply(reading(at: 30, "Stock.reserve(Int)"))
            script.record(kind, 1, at: 40, thread: 1)
            #expect(frames(script) == nil && script.forest.frameCount == 0, "\(kind)")
        }
    }

    @Test func framesOfATaskThatHasRunSinceAreLeftOut() {
        var script = suspended()
        script.forest.apply(reading(at: 19, "Stock.reserve(Int)"))
        #expect(frames(script) == nil)
        script.forest.apply(reading(at: 30, "Stock.reserve(Int)"))
        script.record(.suspended, 1, at: 40, thread: 1)
        #expect(frames(script) != nil && script.forest.lacksFrames(of: script.index(1)))
        script.record(.suspended, 1, at: 2_000_000_000, thread: 1)
        #expect(frames(script) == nil, "they were read long before the suspension")
    }

    @Test func anInvalidReadingChangesNothing() {
        var script = suspended()
        script.make(2, at: 10)
        var invalid = reading(at: 30, "")
        invalid.entries += [
            FrameReading.Entry(node: NodeID(1), stack: 9), FrameReading.Entry(node: NodeID(2), stack: 0),
            FrameReading.Entry(node: NodeID(3), stack: 0),
        ]
        script.forest.apply(invalid)
        #expect(script.forest.frameCount == 0)
    }

    @Test func anEvictedTaskLeavesNoFrames() {
        var script = suspended()
        script.forest.apply(reading(at: 30, "Stock.reserve(Int)"))
        script.record(.fulfilled, 1, at: 40)
        script.forest.evictSettled(now: .max, budget: 100)
        #expect(script.forest.frameCount == 0 && script.forest.data.texts.count == 0)
    }
}

// SPDX-License-Identifier: MIT
