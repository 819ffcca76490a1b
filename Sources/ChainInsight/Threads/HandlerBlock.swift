import ChainModel

/// How a handler blocks its thread.
public struct HandlerBlock: Hashable, Sendable {
    /// Since when, in nanoseconds of the process's clock.
    public var since: UInt64
    /// The node that it waits for; `.none` where that is not known.
    public var node: NodeID

    /// The block by the running handler of a node; nil where none runs, or its thread is not blocked. O(1).
    public init?(of node: NodeIndex, in forest: borrowing ChainForest) {
        self.init(forest.node(node), forest)
    }

    init?(_ view: NodeView, _ forest: borrowing ChainForest) {
        guard view.occupiesThread else { return nil }
        if let wait = forest.wait(of: view.index) {
            (since, self.node) = (wait.since, wait.node)
        } else if view.marks.contains(.hasBlocked), let started = forest.switched(of: view.index) ?? view.started {
            (since, self.node) = (started, .none)
        } else {
            return nil
        }
    }

    /// Whether it lasts for as long as the warning ``WarningKind/blockedWorker`` takes, whether or not that is enabled:
    /// only then anything is called blocked.
    public func isOverLimit(_ options: WarningOptions, now: UInt64) -> Bool {
        since <= now && now - since >= options.blockedWorkerLimit
    }
}
