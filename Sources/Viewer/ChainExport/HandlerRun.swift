// SPDX-License-Identifier: MIT

import ChainModel

/// A handler that occupied a thread; times are nanoseconds of the program's clock.
struct HandlerRun {
    var thread: ThreadID
    var begin: UInt64
    var end: UInt64

    /// Makes the run of a node's handler; nil if it has not started, its thread or end is unknown, or it ran in a task.
    ///
    /// - Parameter now: the end of a handler that still runs; nil leaves such handlers out.
    init?(_ view: NodeView, _ now: UInt64? = nil) {
        let unknownEnd = view.activity == .running ? now : nil
        guard let begin = view.started, view.thread != 0, !view.kind.runsInTask, view.kind.role != .combinator,
            let end = view.ended ?? unknownEnd
        else { return nil }
        (thread, self.begin, self.end) = (view.thread, begin, max(begin, end))
    }

    /// The maximum number of nodes that are visited to find the handler that settled a node.
    private static let depthLimit = 8
    /// The maximum number of links of one node that are read.
    private static let linkLimit = 64

    /// Returns the run of the handler that settled a node; nil if a resolver or a timer settled it, or if no handler
    /// is found. The search begins with the node's own handler. It goes on to the followed node, to the member that
    /// settled last or, for a skipped node, to the parent.
    static func settling(_ node: NodeIndex, in forest: borrowing ChainForest) -> HandlerRun? {
        var node = node
        for _ in 0..<depthLimit {
            let view = forest.node(node)
            guard let settled = view.settled, let latest = view.latestSettled else { return nil }
            let run = HandlerRun(view)
            // A handler that returned before the settlement left the settlement to the promise that it returned.
            if let run, run.end >= settled, run.begin <= settled { return run }
            var next: (node: NodeIndex, settled: UInt64)?
            for link in forest.targets(of: node, limit: linkLimit) {
                guard let time = forest.node(link.node).settled, time <= latest, time >= next?.settled ?? 0 else {
                    continue
                }
                next = (link.node, time)
            }
            guard let found = next?.node ?? (view.state == .skipped ? forest.parent(of: node) : nil) else {
                return nil
            }
            node = found
        }
        return nil
    }
}
