// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

// The rows that match the filter, and the rows that are dimmed: rows that do not match, and all rows of a lost program.
extension Program {
    /// Returns whether a node's row is dimmed. If `isChain`, the row stands for the whole chain of the node: it is not
    /// dimmed while any node of the chain matches.
    func isDimmed(_ node: NodeIndex, isChain: Bool = false) -> Bool {
        guard connection.disconnection == nil else { return true }
        guard outline.filterState.isActive else { return false }
        return isChain ? outline.matchCount(of: node) == 0 : !outline.isMatch(node)
    }

    /// Returns whether a thread's row is dimmed.
    func isDimmed(_ activity: ThreadActivity) -> Bool {
        connection.disconnection != nil || outline.filterState.isActive && !isMatch(activity)
    }

    /// Returns whether any node that a thread runs or waits for matches.
    func isMatch(_ activity: ThreadActivity) -> Bool {
        activity.entries.contains { forest.index(of: $0.node).map { outline.isMatch($0) } ?? false }
    }

    /// Returns the nearest matching node below `node` in the order of the rows, or above it if not `forward`. If `node`
    /// is nil, returns the first match, or the last match if not `forward`.
    func match(from node: NodeIndex?, forward: Bool) -> NodeIndex? {
        guard wasReached else { return nil }
        return outline.match(from: node, forward: forward, in: forest)
    }
}
