import ChainModel

/// How a handler blocks its thread.
public struct HandlerBlock: Hashable, Sendable {
    /// When the block began, in nanoseconds of the process's clock.
    public var since: UInt64
    /// The node that the handler waits for; `.none` if that is not known.
    public var node: NodeID

    /// Finds how a node's running handler blocks its thread; nil if no handler runs or the thread is not blocked. O(1).
    public init?(of node: NodeIndex, in forest: borrowing ChainForest) {
        self.init(forest.node(node), forest)
    }

    init?(_ view: NodeView, _ forest: borrowing ChainForest) {
        guard view.occupiesThread else { return nil }
        if let wait = forest.wait(of: view.index) {
            (since, self.node) = (wait.since, wait.node)
        } else if view.marks.contains(.hasBlocked), let started = forest.lastSwitchTime(of: view.index) ?? view.started
        {
            (since, self.node) = (started, .none)
        } else {
            return nil
        }
    }

    /// Returns whether the block has lasted for the limit of ``WarningKind/blockedWorker``, even if that warning is
    /// disabled. A thread with a shorter block is not shown as blocked.
    public func isOverLimit(_ options: WarningOptions, now: UInt64) -> Bool {
        since <= now && now - since >= options.blockedWorkerLimit
    }
}
