/// Kinds of changes of one node since changes were last consumed.
public struct NodeChanges: OptionSet, Hashable, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It is new.
    public static let created = NodeChanges(rawValue: 1)
    /// Its position in the tree changed: another parent, became or stopped being a root, or another index among
    /// siblings.
    public static let moved = NodeChanges(rawValue: 2)
    /// Its state changed.
    public static let state = NodeChanges(rawValue: 4)
    /// Something else of it: times, marks, label, summary, kind, links, number of children.
    public static let facts = NodeChanges(rawValue: 8)
    /// It is a root and its chain's counts changed. A node that stopped being a root has ``moved``.
    public static let summary = NodeChanges(rawValue: 16)
    /// Whether it has exactly one operation called on it, and which (``ChainForest/continuation(of:)``), may have
    /// changed.
    public static let continuation = NodeChanges(rawValue: 32)
    /// A fact that running does not change: label, summary, canceller, kind or call site. ``facts`` is set, too.
    public static let description = NodeChanges(rawValue: 64)
}

/// Facts of a changed node that most readers need, so that they need not look up its record.
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
    /// The changes of one node.
    public struct Entry: Hashable, Sendable {
        /// A node that is there.
        public var index: NodeIndex
        /// What of it is new.
        public var changes: NodeChanges
        /// What it is now.
        public var traits: NodeTraits
        /// By which operation it was made.
        public var kind: NodeKind
        /// Its state now.
        public var state: NodeState
    }

    /// One evicted node.
    public struct Eviction: Sendable {
        /// Its last facts.
        public let node: NodeView
        /// The new root of the chain, where a long chain's first node was evicted; nil otherwise. Nodes of the chain
        /// that moved elsewhere since are in ``ForestChanges/nodes``.
        public let newRoot: NodeIndex?

        /// Its last index. Another node may have it by now; that one is in ``ForestChanges/nodes`` as created.
        public var index: NodeIndex { node.index }
        /// Its id.
        public var id: NodeID { node.id }
        /// Whether it was a root.
        public var wasRoot: Bool { node.record.has(.isRoot) }
        /// As ``NodeTraits/needsAttention``.
        public var needsAttention: Bool { node.record.needsAttention }
    }

    /// Whether there were too many changes to list, or none were consumed before: read everything. The lists are empty
    /// then.
    public internal(set) var isEverything = false
    /// Evicted nodes in order, to be applied before ``nodes``.
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
