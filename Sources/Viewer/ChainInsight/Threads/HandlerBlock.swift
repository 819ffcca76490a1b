// SPDX-License-Identifier: MIT

import ChainModel

/// How a handler or a Swift task blocks its thread.
package struct HandlerBlock: Hashable, Sendable {
    /// When the block began, in nanoseconds of the process's clock.
    package var since: UInt64
    /// The node that the handler waits for; `.none` if the thread is blocked in the system.
    package var node: NodeID
    /// What the thread is blocked in; nil if the handler waits for a node.
    package var wait: SystemWait?

    /// Finds how a running node blocks its thread; nil if it does not run or the thread is not blocked. O(1).
    package init?(of node: NodeIndex, in forest: borrowing ChainForest) {
        self.init(forest.node(node), forest)
    }

    init?(_ view: NodeView, _ forest: borrowing ChainForest) {
        guard view.occupiesThread else { return nil }
        if let wait = forest.wait(of: view.index) {
            (since, self.node) = (wait.since, wait.node)
        } else if let stall = forest.stall(of: view.index) {
            (since, self.node, wait) = (stall.since, .none, stall.wait)
        } else {
            return nil
        }
    }

    /// Returns whether the block has lasted for the limit of ``WarningKind/blockedWorker``, even if that warning is
    /// disabled. A thread with a shorter block is not shown as blocked.
    package func isOverLimit(_ options: WarningOptions, now: UInt64) -> Bool {
        since <= now && now - since >= options[.blockedWorker]
    }
}
