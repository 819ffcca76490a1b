import ChainModel
import ChainRows

// The rows that match the filter, and those that are dimmed: rows that do not match, and all rows of a lost program.
extension Program {
    /// Returns whether a node's row is dimmed. The row of a whole chain is not dimmed while any node of the chain
    /// matches.
    func isDimmed(_ node: NodeIndex, isChain: Bool = false) -> Bool {
        guard connection.disconnection == nil else { return true }
        guard rowModel.filterState.isActive else { return false }
        return isChain ? rowModel.matchCount(of: node) == 0 : !rowModel.isMatch(node)
    }

    /// Returns whether a thread's row is dimmed.
    func isDimmed(_ activity: ThreadActivity) -> Bool {
        connection.disconnection != nil || rowModel.filterState.isActive && !isMatch(activity)
    }

    /// Returns whether any node that a thread runs or waits for matches.
    func isMatch(_ activity: ThreadActivity) -> Bool {
        activity.entries.contains { forest.index(of: $0.node).map { rowModel.isMatch($0) } ?? false }
    }

    /// Returns the next match below a node, or above it if not `forward`; without a node, the first match or the last.
    func match(from node: NodeIndex?, forward: Bool) -> NodeIndex? {
        guard isReached else { return nil }
        return rowModel.match(from: node, forward: forward, in: forest)
    }
}
