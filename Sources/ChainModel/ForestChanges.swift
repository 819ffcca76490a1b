/// Kinds of changes of one node since changes were last consumed.
public struct NodeChanges: OptionSet, Hashable, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    // Computed, because reading a stored constant of another module is a call.

    /// It is new.
    @inlinable public static var created: NodeChanges { NodeChanges(rawValue: 1) }
    /// Its position in the tree changed: another parent, became or stopped being a root, or another index among
    /// siblings.
    @inlinable public static var moved: NodeChanges { NodeChanges(rawValue: 2) }
    /// Its state changed.
    @inlinable public static var state: NodeChanges { NodeChanges(rawValue: 4) }
    /// Something else of it: times, marks, label, summary, kind, links, number of children.
    @inlinable public static var facts: NodeChanges { NodeChanges(rawValue: 8) }
    /// It is a root and its chain's counts changed. A node that stopped being a root has ``moved``.
    @inlinable public static var summary: NodeChanges { NodeChanges(rawValue: 16) }
    /// Whether it has exactly one operation called on it, and which (``ChainForest/continuation(of:)``), may have
    /// changed.
    @inlinable public static var continuation: NodeChanges { NodeChanges(rawValue: 32) }
    /// A fact that running does not change: label, summary, canceller, kind or call site. ``facts`` is set, too.
    @inlinable public static var description: NodeChanges { NodeChanges(rawValue: 64) }
}

/// Facts of a changed node that most readers need, so that they need not look up its record.
public struct NodeTraits: OptionSet, Hashable, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It was abandoned, has a mark of a fault, or is a race (`race`, `any`) that has settled.
    @inlinable public static var needsAttention: NodeTraits { NodeTraits(rawValue: 1) }
    /// It is not settled, or its handler has not returned.
    @inlinable public static var unfinished: NodeTraits { NodeTraits(rawValue: 2) }
    /// It is a root.
    @inlinable public static var root: NodeTraits { NodeTraits(rawValue: 4) }
    /// It has rare facts: links to other nodes or from them may be among these.
    @inlinable package static var mayHaveLinks: NodeTraits { NodeTraits(rawValue: 8) }
    /// It has no children.
    @inlinable package static var isLeaf: NodeTraits { NodeTraits(rawValue: 16) }
    /// It has more than 128 children.
    @inlinable package static var hasManyChildren: NodeTraits { NodeTraits(rawValue: 32) }
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
