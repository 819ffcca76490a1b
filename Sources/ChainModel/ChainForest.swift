import ChainEvents

/// The chains of one process as its event batches tell them: a pure fold.
///
/// A monotone join per node (highest rank of settlement, earliest time of each step): any interleaving of the events
/// that keeps each thread's order, in batches of any size, gives the same forest. ``retain(now:budget:)`` is a separate
/// step; an evicted id does not come back.
///
/// A value that owns its storage: hold one and change it in place. Copying is free, but the first change of a copy
/// copies everything (100 MB for a million nodes). Sizes: 96 bytes a node, 4 for its id, some 60 a chain of two or
/// more, and what texts and links take. All questions about one node are O(1) unless they say otherwise.
public struct ChainForest: Sendable {
    /// Whose chains these are; batches of other processes are ignored.
    public let process: ProcessKey
    /// What is kept.
    public var limits: ForestLimits
    /// Counts of everything.
    public private(set) var totals = ForestTotals()
    /// The latest loss told.
    public private(set) var loss = Loss()
    /// The time of the latest batch, in nanoseconds of the process's clock.
    public private(set) var now: UInt64 = 0
    /// Call sites by number.
    public private(set) var sites: [SiteID: Site] = [:]
    /// Names of threads, or of the queues that they were serving.
    public private(set) var threads: [ThreadID: String] = [:]
    /// Names of executors.
    public private(set) var executors: [ExecutorID: String] = [:]

    /// Makes an empty forest.
    public init(process: ProcessKey, limits: ForestLimits = ForestLimits()) {
        self.process = process
        self.limits = limits
    }

    // MARK: Folding

    /// Folds a batch: tables, then snapshots, then events, then the resync mark. About 100 ns an event.
    public mutating func apply(_ batch: EventBatch) {}

    /// Marks nodes as *cancel requested* before the program says so (the viewer sent the command); unknown ids are
    /// ignored.
    public mutating func markCancelRequested(_ ids: some Sequence<NodeID>) {}

    /// Takes back ``markCancelRequested(_:)`` (the program refused).
    public mutating func unmarkCancelRequested(_ ids: some Sequence<NodeID>) {}

    /// Evicts settled nodes that are past the limits, first settled first, in at most `budget` small steps, so that a
    /// frame is never held up; call it once a frame. Returns how many nodes went.
    @discardableResult
    public mutating func retain(now: UInt64, budget: Int = 4096) -> Int { 0 }

    /// Moves what changed since the last take into `changes` (whose storage is used again).
    public mutating func takeChanges(into changes: inout ForestChanges) {}

    /// What changed since the last take.
    public mutating func takeChanges() -> ForestChanges {
        var changes = ForestChanges()
        takeChanges(into: &changes)
        return changes
    }

    // MARK: Nodes

    /// One more than the greatest raw index in use: the length of arrays that run beside the forest.
    public var indexBound: Int { 0 }

    /// Where a node stands; nil where it is not known or was evicted.
    public func index(of id: NodeID) -> NodeIndex? { nil }

    /// Whether a node was evicted, so that it will not come back.
    public func isEvicted(_ id: NodeID) -> Bool { false }

    /// Whether there is a node at `index`.
    public func contains(_ index: NodeIndex) -> Bool { false }

    /// A node's facts. There must be one.
    public func node(_ index: NodeIndex) -> NodeView { preconditionFailure("no such node") }

    /// The word for a node, without its other facts. There must be one.
    public func state(of index: NodeIndex) -> NodeState { preconditionFailure("no such node") }

    /// A node's label: hostile text until it is escaped.
    public func label(of index: NodeIndex) -> String? { nil }

    /// A one-line summary of a node's error, cancellation or abandonment: hostile text until it is escaped.
    public func summary(of index: NodeIndex) -> String? { nil }

    /// Who asked to cancel a node: hostile text until it is escaped.
    public func canceller(of index: NodeIndex) -> String? { nil }

    /// Where a node was made; nil where unknown.
    public func site(of index: NodeIndex) -> Site? { nil }

    // MARK: The tree

    /// The roots in order of (creation, id).
    public var roots: [NodeIndex] { [] }

    /// Whether a node is a root.
    public func isRoot(_ index: NodeIndex) -> Bool { false }

    /// Who a node stands under: its parent, else its first adopter or combinator, else its creator; nil for a root.
    public func placedParent(of index: NodeIndex) -> NodeIndex? { nil }

    /// The first of those that stand under a node, who are in order of (creation, id).
    public func firstChild(of index: NodeIndex) -> NodeIndex? { nil }

    /// The last of those that stand under a node.
    public func lastChild(of index: NodeIndex) -> NodeIndex? { nil }

    /// The next one under the same node; nil for roots.
    public func nextSibling(of index: NodeIndex) -> NodeIndex? { nil }

    /// The one before it under the same node; nil for roots.
    public func previousSibling(of index: NodeIndex) -> NodeIndex? { nil }

    /// How many stand directly under a node.
    public func childCount(of index: NodeIndex) -> Int { 0 }

    /// What became of those that were evicted from under a node; nil where none were.
    public func evictedCounts(of index: NodeIndex) -> EvictedCounts? { nil }

    /// The root of the tree that a node is in. O(1).
    public func root(of index: NodeIndex) -> NodeIndex { index }

    /// The chain that a node (any of it) belongs to, counted. O(1).
    public func chain(of index: NodeIndex) -> ChainSummary { preconditionFailure("no such node") }

    /// Whether those under a node are drawn further in than it: not so for an only child made by `then` and the like
    /// on it, so that a chain reads as a list.
    public func indentsChildren(of index: NodeIndex) -> Bool { false }

    /// How far in a node is drawn, 0 for a root. O(steps up to the root).
    public func depth(of index: NodeIndex) -> Int { 0 }

    // MARK: What a node tells

    /// The promise that a node's operation was called on, or for which it was made; nil for neither, or if that one is
    /// gone.
    public func parent(of index: NodeIndex) -> NodeIndex? { nil }

    /// The node whose handler made it; not known where there is a parent.
    public func creator(of index: NodeIndex) -> NodeIndex? { nil }

    /// A node's durations at `now` (ns of the process's clock), by the rules of DESIGN §5.
    public func timing(of index: NodeIndex, now: UInt64) -> Timing { Timing() }

    /// Adoption and membership, both ways, by time. O(links of it).
    public func links(of index: NodeIndex) -> [NodeLink] { [] }

    /// What a node waits for. O(its members).
    public func blocker(of index: NodeIndex) -> Blocker { Blocker(reason: .settled) }

    /// A node's steps by time, from its own facts; of many members the first 64.
    public func history(of index: NodeIndex) -> [HistoryStep] { [] }

    // MARK: Late comers

    /// Snapshots of up to `limit` nodes with ids from `first` on, by id, and where to go on (nil at the end).
    ///
    /// Applied in batches, in any order, they give the same forest, counts of evicted nodes aside.
    public func snapshot(from first: NodeID = .none, limit: Int) -> (nodes: [NodeSnapshot], next: NodeID?) { ([], nil) }

    /// The forest as text: a line a node, indented, with states; for tests and `ps`. O(nodes).
    public func dump() -> String { "" }
}
