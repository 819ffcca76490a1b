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
    /// Its state changed, or the time of its settlement.
    @inlinable public static var state: NodeChanges { NodeChanges(rawValue: 4) }
    /// Another fact of it changed: times, marks, label, summary, kind, links, number of children.
    @inlinable public static var facts: NodeChanges { NodeChanges(rawValue: 8) }
    /// It is a root and its chain's counts changed. A node that stopped being a root has ``moved``.
    @inlinable public static var chainCounts: NodeChanges { NodeChanges(rawValue: 16) }
    /// Its ``ChainForest/continuation(of:)`` may have changed.
    @inlinable public static var continuation: NodeChanges { NodeChanges(rawValue: 32) }
    /// Its label, summary, canceller, kind, call site or parent in another process changed. ``facts`` is set, too.
    @inlinable public static var description: NodeChanges { NodeChanges(rawValue: 64) }
}

/// Facts of a changed node that most readers need, so that they need not look up its record.
public struct NodeTraits: OptionSet, Hashable, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It was abandoned, is a settled `race` or `any`, or has one of the marks ``NodeMark/unhandled``,
    /// ``NodeMark/settledAgain`` and ``NodeMark/hasMisusedAwait``.
    @inlinable public static var needsAttention: NodeTraits { NodeTraits(rawValue: 1) }
    /// It is not settled, or its handler has not returned.
    @inlinable public static var unfinished: NodeTraits { NodeTraits(rawValue: 2) }
    /// It is a root.
    @inlinable public static var root: NodeTraits { NodeTraits(rawValue: 4) }
    /// It has rare facts, which may include links to other nodes or from them.
    @inlinable package static var mayHaveLinks: NodeTraits { NodeTraits(rawValue: 8) }
    /// It has no children.
    @inlinable package static var isLeaf: NodeTraits { NodeTraits(rawValue: 16) }
    /// It has more than 128 children.
    @inlinable package static var hasManyChildren: NodeTraits { NodeTraits(rawValue: 32) }
}

/// What changed in a forest since changes were last consumed, so that no frame walks all nodes.
public struct ForestChanges: Sendable {
    /// The changes of one node.
    public struct Entry: Hashable, Sendable {
        /// The index of the changed node.
        public var index: NodeIndex
        /// What changed.
        public var changes: NodeChanges
        /// Its traits now.
        public var traits: NodeTraits
        /// The operation that made it.
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

    /// Whether the caller has to read everything, because changes were too many to list or were never consumed before.
    /// The lists are empty then.
    public internal(set) var isEverything = false
    /// Evicted nodes in order, to be applied before ``nodes``.
    public internal(set) var evicted: [Eviction] = []
    /// Nodes that are there and changed, each once, in the order of their first change.
    public internal(set) var nodes: [Entry] = []
    /// Whether a batch was applied: event counts, names (sites, threads, executors) and totals may have changed.
    public internal(set) var includesBatch = false

    /// Makes an empty list of changes.
    public init() {}

    /// Whether there is nothing to draw anew.
    public var isEmpty: Bool { !isEverything && !includesBatch && evicted.isEmpty && nodes.isEmpty }
}
