// SPDX-License-Identifier: MIT

/// Kinds of changes of one node since changes were last consumed.
public struct NodeChanges: OptionSet, Hashable, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    // Computed, because reading a stored constant of another module is a call.

    /// The node is new.
    @inlinable public static var created: NodeChanges { NodeChanges(rawValue: 1) }
    /// The node's position in the tree changed: it has another parent or another index among its siblings, or it became
    /// a root or stopped being a root.
    @inlinable public static var moved: NodeChanges { NodeChanges(rawValue: 2) }
    /// The node's state changed, or the time of its settlement.
    @inlinable public static var state: NodeChanges { NodeChanges(rawValue: 4) }
    /// Another fact of the node changed: times, marks, label, summary, kind, links, number of children.
    @inlinable public static var facts: NodeChanges { NodeChanges(rawValue: 8) }
    /// The node is or was a root, and the counts of its chain changed. A node that stopped being a root also has
    /// ``moved``.
    @inlinable public static var chainCounts: NodeChanges { NodeChanges(rawValue: 16) }
    /// The node's ``ChainForest/continuation(of:)`` may have changed.
    @inlinable public static var continuation: NodeChanges { NodeChanges(rawValue: 32) }
    /// The node's label, summary, canceller, kind, call site or parent in another process changed. ``facts`` is set,
    /// too.
    @inlinable public static var description: NodeChanges { NodeChanges(rawValue: 64) }
}

/// Facts of a changed node that most readers need, so that the readers need not look up the node's record.
public struct NodeTraits: OptionSet, Hashable, BitwiseCopyable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Wraps raw bits.
    @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The node was abandoned, is a settled `race` or `any`, or has one of the marks ``NodeMark/unhandled``,
    /// ``NodeMark/settledAgain`` and ``NodeMark/hasMisusedAwait``.
    @inlinable public static var needsAttention: NodeTraits { NodeTraits(rawValue: 1) }
    /// The node is not settled, or its handler has not returned.
    @inlinable public static var unfinished: NodeTraits { NodeTraits(rawValue: 2) }
    /// The node is a root.
    @inlinable public static var root: NodeTraits { NodeTraits(rawValue: 4) }
    /// The node has a record of rare facts, which may include links to or from other nodes.
    @inlinable package static var mayHaveLinks: NodeTraits { NodeTraits(rawValue: 8) }
    /// The node has no children.
    @inlinable package static var isLeaf: NodeTraits { NodeTraits(rawValue: 16) }
    /// The node has more than 128 children.
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
        /// The node's present traits.
        public var traits: NodeTraits
        /// The operation that made the node.
        public var kind: NodeKind
        /// The node's present state.
        public var state: NodeState
    }

    /// One evicted node.
    public struct Eviction: Sendable {
        /// The node's last facts.
        public let node: NodeView
        /// The new root of the chain, if the node was the root of a long chain from which only the root was evicted;
        /// nil otherwise. Nodes that moved out of the chain after that are in ``ForestChanges/nodes``.
        public let newRoot: NodeIndex?

        /// The node's last index. A new node may have the same index by now; the new node is in ``ForestChanges/nodes``
        /// as created.
        public var index: NodeIndex { node.index }
        /// The node's id.
        public var id: NodeID { node.id }
        /// Whether the node was a root.
        public var wasRoot: Bool { node.record.has(.isRoot) }
        /// Whether the node had ``NodeTraits/needsAttention``.
        public var needsAttention: Bool { node.record.needsAttention }
    }

    /// Whether the caller has to read everything, because changes were too many to list or were never consumed before.
    /// In this case the lists are empty.
    public internal(set) var isEverything = false
    /// Evicted nodes in order, to be applied before ``nodes``.
    public internal(set) var evicted: [Eviction] = []
    /// Nodes that changed and were not evicted, each once, in the order of their first change.
    public internal(set) var nodes: [Entry] = []
    /// Whether a batch was applied: event counts, names (sites, threads, executors) and totals may have changed.
    public internal(set) var includesBatch = false

    /// Makes an empty list of changes.
    public init() {}

    /// Whether there is nothing to draw anew.
    public var isEmpty: Bool { !isEverything && !includesBatch && evicted.isEmpty && nodes.isEmpty }
}

/// What is about to leave a forest. It can still be read, except for its own id and links.
package enum Departure: Sendable {
    /// A settled chain, all of whose nodes are kept. Reported again if only a part of it was evicted, and its root is
    /// kept until then. Not reported of a chain that is evicted node by node.
    case chain(NodeIndex)
    /// A node, after all that was under it. `isReplaced`: its child takes its place as the root of a long chain.
    case node(NodeIndex, isReplaced: Bool)
}
