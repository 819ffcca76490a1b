// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// The suspended tasks of one program by their stacks, as of the last second, and how the stacks have grown. Counted
/// only while the page of stacks is shown.
struct StacksInsight {
    struct Entry {
        var stack: TaskStack
        /// The task that has been suspended longest.
        var oldest: NodeID
        /// Nil as long as not all frames were read.
        var change: StackGrowth.Change?
    }

    /// By the number of tasks; last, without frames, all stacks beyond the limit.
    private(set) var entries: [Entry] = []
    /// The suspended tasks, also those whose frames are not known.
    private(set) var suspendedCount = 0
    private(set) var growth = StackGrowth()
    /// A number that changes with each count.
    private(set) var generation: UInt64 = 0
    /// The time of the last count, in nanoseconds of the program's clock.
    private var time: UInt64 = 0

    /// Returns whether the stacks are to be counted: once a second; while the clock is stopped, after each move.
    func isDue(at now: UInt64, isClockStopped: Bool) -> Bool {
        guard generation > 0 else { return true }
        return isClockStopped ? now != time : now / 1_000_000_000 != time / 1_000_000_000
    }

    /// Counts the stacks. O(nodes).
    ///
    /// - Parameter isComplete: whether the frames of all tasks were read; only then do the counts say something about
    ///   growth.
    mutating func count(_ forest: borrowing ChainForest, now: UInt64, isComplete: Bool) {
        let stacks = growth.folded(TaskStack.all(in: forest))
        if isComplete { growth.note(stacks, at: now) }
        entries = stacks.map { stack in
            Entry(
                stack: stack, oldest: forest.node(stack.oldest).id,
                change: isComplete ? growth.change(of: stack.frames) : nil)
        }
        suspendedCount = TaskStack.suspendedCount(in: forest)
        time = now
        generation += 1
    }

    /// Counts the growth from the next count on.
    mutating func beginGrowth() {
        (growth, time) = (StackGrowth(), .max)
    }
}

extension Program {
    /// Whether the frames of all tasks are known, as far as they can be: a recording has those that it has, and a
    /// program that refuses to read frames may send them by itself.
    private var hasAllFrames: Bool {
        connection.replay != nil || frameReader.isComplete || frameReader.isRefused
    }

    /// Whether the stacks of tasks are to be counted anew.
    var areStacksDue: Bool { wasReached && insight.stacks.isDue(at: shownNow, isClockStopped: isClockStopped) }

    mutating func countStacks() {
        guard areStacksDue else { return }
        insight.stacks.count(forest, now: shownNow, isComplete: hasAllFrames)
    }
}
