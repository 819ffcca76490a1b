/// What is only worth sending on request: the long form of what a viewer has in one bounded line, and facts that no event
/// tells. Open-ended: a viewer shows the entries that come, in their order, under their names.
public struct NodeDetail: Hashable, Sendable {
    /// One fact.
    public struct Entry: Hashable, Sendable {
        /// A word or two: `error`, `cause`, `value`, `waiting handlers`.
        public var name: String
        /// The fact; may have several lines. Bounded by the sender, unescaped: hostile until shown.
        public var text: String

        /// Names a fact.
        public init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// Whose facts they are.
    public var node: NodeID
    /// The facts.
    public var entries: [Entry]

    /// Describes a node.
    public init(node: NodeID, entries: [Entry] = []) {
        self.node = node
        self.entries = entries
    }
}

/// How much there is to see in a process, for a list of what can be attached to.
public struct ProcessTotals: Hashable, Sendable {
    /// Roots of trees that are kept.
    public var chainCount: UInt64
    /// Nodes that are kept, and those of them that are pending, whose handler runs, and that were rejected.
    public var nodeCount: UInt64, liveCount: UInt64, runningCount: UInt64, rejectedCount: UInt64
    /// Viewers that are attached, without the one that asks.
    public var viewerCount: UInt64

    /// Counts; nothing by default.
    public init(
        chainCount: UInt64 = 0, nodeCount: UInt64 = 0, liveCount: UInt64 = 0, runningCount: UInt64 = 0,
        rejectedCount: UInt64 = 0, viewerCount: UInt64 = 0
    ) {
        self.chainCount = chainCount
        self.nodeCount = nodeCount
        self.liveCount = liveCount
        self.runningCount = runningCount
        self.rejectedCount = rejectedCount
        self.viewerCount = viewerCount
    }
}
