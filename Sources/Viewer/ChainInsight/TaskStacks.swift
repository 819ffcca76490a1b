// SPDX-License-Identifier: MIT

import ChainEvents
import ChainModel

/// All tasks that are suspended in the same functions, as one row.
package struct TaskStack: Hashable, Sendable {
    /// The functions in which the tasks continue, one a line, innermost first.
    package var frames: String
    /// How many tasks are suspended there.
    package var count: Int
    /// How many of them are cancelled.
    package var cancelledCount: Int
    /// The task that has been suspended longest.
    package var oldest: NodeIndex
    /// Since when it has been seen suspended, in nanoseconds of the process's clock; nil if unknown.
    package var oldestSince: UInt64?
}

extension TaskStack {
    /// Returns the stacks of all suspended tasks whose frames are known: the stack with the most tasks first, among equal
    /// ones the one with the oldest task. O(nodes).
    package static func all(in forest: ChainForest) -> [TaskStack] {
        // By number, because comparing the texts of 100,000 tasks would take long.
        var stacks: [UInt32: TaskStack] = [:]
        forEachSuspended(in: forest) { node in
            let index = node.index
            guard let number = forest.framesNumber(of: index) else { return }
            let since = forest.lastSwitchTime(of: index)
            guard var stack = stacks[number] else {
                guard let frames = forest.frames(of: index) else { return }
                stacks[number] = TaskStack(
                    frames: frames, count: 1, cancelledCount: node.isCancelRequested ? 1 : 0, oldest: index,
                    oldestSince: since)
                return
            }
            stack.count += 1
            if node.isCancelRequested { stack.cancelledCount += 1 }
            if let since, since < stack.oldestSince ?? .max { (stack.oldest, stack.oldestSince) = (index, since) }
            stacks[number] = stack
        }
        return stacks.values.sorted {
            ($1.count, $0.oldestSince ?? .max, $0.frames) < ($0.count, $1.oldestSince ?? .max, $1.frames)
        }
    }

    /// Returns the number of suspended tasks, also of those whose frames are not known. O(nodes).
    package static func suspendedCount(in forest: ChainForest) -> Int {
        var count = 0
        forEachSuspended(in: forest) { _ in count += 1 }
        return count
    }

    private static func forEachSuspended(in forest: ChainForest, _ body: (NodeView) -> Void) {
        var next: UInt32 = 0
        let end = UInt32(forest.indexBound)
        while let index = forest.firstIndex(in: next..<end, madeBy: .task, at: { _ in true }) {
            next = index.rawValue + 1
            let node = forest.node(index)
            if node.isLive, node.isSuspended { body(node) }
        }
    }
}
