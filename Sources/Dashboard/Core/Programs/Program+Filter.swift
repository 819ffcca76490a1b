import ChainModel
import ChainRows

// Which rows the filter dims in the views that hide nothing.
extension Program {
    /// Whether a node's row is dimmed where nothing is hidden; a whole chain is not while any of it matches.
    func isDimmed(_ node: NodeIndex, isChain: Bool = false) -> Bool {
        guard connection.outage == nil else { return true }
        guard outline.isFiltering else { return false }
        return isChain ? outline.matchCount(of: node) == 0 : !outline.isMatch(node)
    }

    /// Whether a thread's row is dimmed: the nodes that it runs or waits for count.
    func isDimmed(_ activity: ThreadActivity) -> Bool {
        connection.outage != nil || outline.isFiltering && !isMatch(activity)
    }

    /// Whether any node of a thread's activity matches.
    func isMatch(_ activity: ThreadActivity) -> Bool {
        activity.entries.contains { forest.index(of: $0.node).map { outline.isMatch($0) } ?? false }
    }
}
