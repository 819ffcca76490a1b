import ChainModel
import ChainRows

// Which rows the filter dims in the views that hide nothing, and which match.
extension Program {
    /// Whether a node's row is dimmed where nothing is hidden; a whole chain is not while any of it matches.
    func isDimmed(_ node: NodeIndex, isChain: Bool = false) -> Bool {
        guard connection.outage == nil else { return true }
        guard rowModel.isFiltering else { return false }
        return isChain ? rowModel.matchCount(of: node) == 0 : !rowModel.isMatch(node)
    }

    /// Whether a thread's row is dimmed: the nodes that it runs or waits for count.
    func isDimmed(_ activity: ThreadActivity) -> Bool {
        connection.outage != nil || rowModel.isFiltering && !isMatch(activity)
    }

    /// Whether any node of a thread's activity matches.
    func isMatch(_ activity: ThreadActivity) -> Bool {
        activity.entries.contains { forest.index(of: $0.node).map { rowModel.isMatch($0) } ?? false }
    }

    /// Returns the nearest match below a node, or above it; without a node the first match, or the last.
    func match(from node: NodeIndex?, forward: Bool) -> NodeIndex? {
        guard isReached else { return nil }
        return rowModel.match(from: node, forward: forward, in: forest)
    }
}
