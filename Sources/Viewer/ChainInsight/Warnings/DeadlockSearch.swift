// SPDX-License-Identifier: MIT

import ChainModel

/// A search for nodes and threads that wait for each other.
struct DeadlockSearch {
    /// By executor, the node of its only running handler, if that handler blocks its thread. Nodes that are queued on
    /// the executor wait for this node.
    private var blocking: [ExecutorID: NodeIndex] = [:]

    /// The maximum length of the path of one search.
    static let stepLimit = 1_000

    /// Prepares searches, which are valid until the forest changes. O(threads that wait).
    init(_ forest: ChainForest) {
        for wait in forest.waits {
            guard let waiter = forest.index(of: wait.waiter) else { continue }
            let view = forest.node(waiter)
            guard view.activity == .running, view.executor != 0, forest.load(of: view.executor).runningCount == 1 else {
                continue
            }
            blocking[view.executor] = waiter
        }
    }

    /// Returns the node that a node waits for. Nil if it waits for no node, or if something else (a timer, another
    /// member) may settle it.
    private func next(_ node: NodeIndex, _ forest: ChainForest) -> NodeIndex? {
        let view = forest.node(node)
        switch view.kind {
        case .race, .any, .timeout, .delay: return nil
        default: break
        }
        let blocker = forest.blocker(of: node)
        if blocker.reason == .queued { return blocking[view.executor] }
        return blocker.node
    }

    /// How many steps a search takes before it allocates its path, because most searches end earlier.
    private static let shortPathLength = 6

    /// Returns the cycle of nodes that a node waits for, directly or through others; nil if none is found within
    /// ``stepLimit``. Adds the steps taken to `steps`.
    func cycle(from start: NodeIndex, in forest: ChainForest, steps: inout Int) -> [NodeIndex]? {
        var node = start
        for _ in 0..<Self.shortPathLength {
            guard let next = next(node, forest) else { return nil }
            steps += 1
            node = next
        }
        var path = [start]
        var indices = [start: 0]
        while path.count < Self.stepLimit, let next = next(path[path.count - 1], forest) {
            steps += 1
            if let index = indices[next] { return Array(path[index...]) }
            indices[next] = path.count
            path.append(next)
        }
        return nil
    }

    /// How long what was read from outside has to be unchanged until it counts, in nanoseconds: longer than from one
    /// look at a program to the next, so that it was seen twice. A cycle of facts that were read one after another may
    /// never have existed.
    private static let confirmationTime: UInt64 = 400_000_000

    /// Returns the time from which a cycle is certain: 0 if its nodes are joined by events of the program itself.
    static func confirmation(of cycle: [NodeIndex], in forest: ChainForest) -> UInt64 {
        latestReport(in: cycle, forest)?.addingClamped(confirmationTime) ?? 0
    }

    /// Returns since when all tasks of a cycle wait, and all its actors and locks are held; nil if it has no such step.
    private static func latestReport(in cycle: [NodeIndex], _ forest: ChainForest) -> UInt64? {
        cycle.compactMap {
            forest.kind(of: $0).isResource ? forest.holder(of: $0)?.since : forest.taskWait(of: $0)?.since
        }
        .max()
    }

    /// Returns the warning of a cycle. It is about the cycle's node with the lowest id, a task rather than an actor or
    /// a lock, so that it is the same from whichever node the search began.
    static func warning(of cycle: [NodeIndex], in forest: ChainForest) -> Warning? {
        var least: (id: NodeID, index: Int)?
        var since = latestReport(in: cycle, forest) ?? 0
        let hasTask = cycle.contains { !forest.kind(of: $0).isResource }
        for (index, node) in cycle.enumerated() {
            let view = forest.node(node)
            since = max(since, view.created)
            if hasTask, view.kind.isResource { continue }
            if view.id < least?.id ?? NodeID(.max) { least = (view.id, index) }
        }
        guard let least else { return nil }
        let next = forest.id(of: cycle[(least.index + 1) % cycle.count])
        return Warning(.deadlock, least.id, since: since, amount: UInt64(cycle.count), other: next)
    }
}
