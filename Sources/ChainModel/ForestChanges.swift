import ChainEvents

/// What changed of one node since the last take.
public struct NodeChanges: OptionSet, Hashable, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It is new.
    public static let created = NodeChanges(rawValue: 1)
    /// It stands elsewhere: under another node, became or stopped being a root, or has another place among siblings.
    public static let moved = NodeChanges(rawValue: 2)
    /// The word for it is another.
    public static let state = NodeChanges(rawValue: 4)
    /// Something else of it: times, marks, label, summary, kind, links, number of children.
    public static let facts = NodeChanges(rawValue: 8)
    /// It is a root and the counts of its chain are others (if it is one no longer, it says ``moved`` too).
    public static let summary = NodeChanges(rawValue: 16)
    /// Whether exactly one operation was called on it, and which (``ChainForest/continuation(of:)``), may have changed.
    public static let continuation = NodeChanges(rawValue: 32)
    /// Of what does not change by running: its label, summary, canceller, kind or call site (it says ``facts``, too).
    public static let description = NodeChanges(rawValue: 64)
}

/// What is asked of each node that changed, so that its record need not be looked up again.
public struct NodeTraits: OptionSet, Hashable, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It was abandoned, has a mark of a fault, or is a race (`race`, `any`) that has settled.
    public static let needsAttention = NodeTraits(rawValue: 1)
    /// It is not settled, or its handler has not returned.
    public static let unfinished = NodeTraits(rawValue: 2)
    /// It is a root.
    public static let root = NodeTraits(rawValue: 4)
}

/// What changed in a forest between two takes, so that no frame walks all nodes: each node once.
public struct ForestChanges: Sendable {
    /// One node's changes.
    public struct Entry: Hashable, Sendable {
        /// A node that is there.
        public var index: NodeIndex
        /// What of it is new.
        public var changes: NodeChanges
        /// What it is now.
        public var traits: NodeTraits
        /// By which operation it was made.
        public var kind: NodeKind
        /// The word for it now.
        public var state: NodeState
    }

    /// One node that is gone.
    public struct Eviction: Sendable {
        /// Its last facts.
        public let node: NodeView
        /// Of the root of a long chain that shed its beginning: who is the root since, of all that was under it. Where that
        /// one stands elsewhere by now, or other nodes of the chain do, ``ForestChanges/nodes`` says so.
        public let newRoot: NodeIndex?

        /// Where it was; another node may be there by now (then it is in ``ForestChanges/nodes`` as created).
        public var index: NodeIndex { node.index }
        /// Who it was.
        public var id: NodeID { node.id }
        /// Whether it was a root.
        public var wasRoot: Bool { node.record.has(.isRoot) }
        /// As ``NodeTraits/needsAttention``.
        public var needsAttention: Bool { node.record.needsAttention }
    }

    /// There were too many to list (or it is the first take): look at everything. The lists are empty then.
    public internal(set) var isEverything = false
    /// Nodes that went, in order: to be taken in before ``nodes``.
    public internal(set) var evicted: [Eviction] = []
    /// Nodes that are there and changed, each once, in the order of their first change.
    public internal(set) var nodes: [Entry] = []
    /// Whether loss, tables (sites, threads, executors) or totals changed.
    public internal(set) var tables = false

    /// Nothing.
    public init() {}

    /// Whether there is nothing to draw anew.
    public var isEmpty: Bool { !isEverything && !tables && evicted.isEmpty && nodes.isEmpty }
}
