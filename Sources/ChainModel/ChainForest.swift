import ChainEvents

/// The chains of one process as its event batches tell them: a pure fold.
///
/// A monotone join per node (highest rank of settlement, earliest time of each step): any interleaving of the events
/// that keeps each thread's order, in batches of any size, gives the same forest. ``retain(now:budget:)`` is a separate
/// step; an evicted id does not come back.
///
/// A value that owns its storage: hold one and change it in place. Copying is free, but the first change of a copy
/// copies everything (100 MB for a million nodes). Sizes: 96 bytes a node, 4 for its id, 64 a chain of two or more,
/// and what texts and links take. All questions about one node are O(1) unless they say otherwise; those that take an
/// index need one of a node that is there (``contains(_:)``) and stop the program otherwise.
public struct ChainForest: Sendable {
    /// Whose chains these are; batches of other processes are ignored.
    public let process: ProcessKey
    /// What is kept.
    public var limits: ForestLimits
    /// Counts of everything.
    public internal(set) var totals = ForestTotals()
    /// The latest loss told.
    public internal(set) var loss = EventCounts()
    /// The time of the latest batch, in nanoseconds of the process's clock.
    public internal(set) var now: UInt64 = 0
    /// Call sites by number.
    public internal(set) var sites: [SiteID: CodeLocation] = [:]
    /// Names of threads, or of the queues that they were serving.
    public internal(set) var threads: [ThreadID: String] = [:]
    /// How often a thread's number got another name.
    public internal(set) var renameCount = 0
    /// Names of executors.
    public internal(set) var executors: [ExecutorID: String] = [:]
    /// What each executor has to do at the moment, by its number; those beyond the end have nothing.
    public internal(set) var loads: [ExecutorLoad] = []
    /// The roots in order of (creation, id).
    public internal(set) var roots = ForestRoots()

    var nodes = Slab<NodeRecord>(shift: 12)
    var chains = Slab<ChainRecord>(shift: 10)
    var extras = Slab<NodeExtra>(shift: 9)
    var links = Slab<LinkRecord>(shift: 9)
    var evictedCounts = Slab<EvictedCounts>(shift: 6)
    var childCounts = Slab<StateCounts>(shift: 6)
    /// By slot, what ``NodeRecord/thenCount`` has no room for.
    var moreThens: [UInt32: UInt32] = [:]
    var ids = IDTable()
    var texts = TextPool()
    var log = ChangeLog()
    /// Where a child was last put in between, for parents by the last bits of their slot.
    var fingers = [UInt32](repeating: noSlot, count: 16)
    /// Who became known in this batch by being named.
    var mentioned: [NodeID] = []
    var resyncGeneration: UInt8 = 0
    var resyncEpoch: UInt64?
    /// By thread, what it waits for, from the outside in.
    var threadWaits: [ThreadID: [ThreadWait]] = [:]
    var threadWaitHighWater = 0
    /// How many threads were waiting when ended waits were dropped last.
    var usedWaitCount = 0
    /// How many waits are refused, for want of room, before those that have ended are looked for again.
    var refusedWaitCount = 0
    /// How many names were left when the unused ones were dropped.
    var usedThreadCount = 0, usedSiteCount = 0
    /// Nodes of chains in which nothing is live.
    var settledChainNodeCount = 0
    var settledChains = EvictionQueue()
    var settledLeaves = EvictionQueue()
    /// Roots of chains over the limit.
    var longChains: [UInt32] = []
    var longChainHighWater = 0
    /// What reading ahead gave; nobody needs it.
    var warmed: UInt64 = 0

    /// Makes an empty forest.
    public init(process: ProcessKey, limits: ForestLimits = ForestLimits()) {
        self.process = process
        self.limits = limits
    }
}

// MARK: Nodes

extension ChainForest {
    /// Above every raw index in use: the length of arrays that run beside the forest.
    public var indexBound: Int { nodes.bound }

    /// Where a node stands; nil where it is not known or was evicted.
    public func index(of id: NodeID) -> NodeIndex? { slot(of: id)?.asNode }

    /// Events that were lost, and nodes that there was no room for.
    public var lostCount: UInt64 { loss.lostCount.addingClamped(totals.refusedCount) }

    /// Whether a node was evicted, so that it will not come back.
    public func isEvicted(_ id: NodeID) -> Bool { ids.find(id) == goneSlot && id != .none }

    /// Whether there is a node at `index`.
    public func contains(_ index: NodeIndex) -> Bool { isTaken(index.rawValue) }

    /// Whether a node is still where it was: cheaper than looking for it.
    public func contains(_ id: NodeID, at index: NodeIndex) -> Bool {
        nodes.hasSegment(of: index.rawValue) && nodes[index.rawValue].pointee.id == id.rawValue && id != .none
    }

    /// A node's facts.
    public func node(_ index: NodeIndex) -> NodeView { NodeView(index: index, record: nodes[checked(index)].pointee) }

    /// A node's name in the process.
    public func id(of index: NodeIndex) -> NodeID { NodeID(nodes[checked(index)].pointee.id) }

    /// By which operation a node was made, without its other facts.
    public func kind(of index: NodeIndex) -> NodeKind { nodes[checked(index)].pointee.kind }

    /// The word for a node, without its other facts.
    public func state(of index: NodeIndex) -> NodeState { nodes[checked(index)].pointee.state }

    /// A node's label: hostile text until it is escaped.
    public func label(of index: NodeIndex) -> String? { texts[nodes[checked(index)].pointee.label] }

    /// A one-line summary of a node's error, cancellation or abandonment: hostile text until it is escaped.
    public func summary(of index: NodeIndex) -> String? {
        texts[summarySlot(of: nodes[checked(index)].pointee.extra)]
    }

    private func summarySlot(of extra: UInt32) -> UInt32 {
        extra == noSlot ? noSlot : extras[extra].pointee.summary
    }

    /// The label of a node whose facts are at hand.
    public func label(of view: NodeView) -> String? { texts[view.record.label] }

    /// The summary of a node whose facts are at hand.
    public func summary(of view: NodeView) -> String? { texts[summarySlot(of: view.record.extra)] }

    /// What a text is looked for in, without a node's other facts.
    public func searchFields(of index: NodeIndex) -> SearchFields { searchFields(nodes[checked(index)]) }

    /// The same for whoever is at an index; nil where nobody is.
    public func searchFields(at index: NodeIndex) -> SearchFields? {
        isTaken(index.rawValue) ? searchFields(nodes[index.rawValue]) : nil
    }

    @inline(__always) private func searchFields(_ node: UnsafeMutablePointer<NodeRecord>) -> SearchFields {
        SearchFields(
            state: node.pointee.state, kind: node.pointee.kind, site: node.pointee.site, label: node.pointee.label,
            summary: summarySlot(of: node.pointee.extra))
    }

    /// The label of a node whose words are at hand.
    public func label(of words: SearchFields) -> String? { texts[words.label] }

    /// The summary of a node whose words are at hand.
    public func summary(of words: SearchFields) -> String? { texts[words.summary] }

    /// Who asked to cancel a node: hostile text until it is escaped.
    public func canceller(of index: NodeIndex) -> String? { extraFacts(of: index).flatMap { texts[$0.canceller] } }

    /// Where a node was made; nil where unknown.
    public func site(of index: NodeIndex) -> CodeLocation? { sites[nodes[checked(index)].pointee.site] }

    /// What became of those that were evicted from under a node; nil where none were.
    public func evictedCounts(of index: NodeIndex) -> EvictedCounts? {
        guard let evicted = extraFacts(of: index)?.evicted, evicted != noSlot else { return nil }
        return evictedCounts[evicted].pointee
    }

    @inline(__always)
    func checked(_ index: NodeIndex) -> UInt32 {
        precondition(isTaken(index.rawValue), "There is no node at this index: it was evicted, or is another forest's")
        return index.rawValue
    }

    /// The first in a range of indices who was made by an operation, at a call site that will do. 1 ns an index.
    public func firstIndex(
        in range: Range<UInt32>, madeBy kind: NodeKind, at isWanted: (SiteID) -> Bool
    ) -> NodeIndex? {
        var slot = range.lowerBound
        while slot < range.upperBound {
            guard let segment = nodes.segment(of: slot, upTo: range.upperBound) else {
                slot = nodes.nextSegment(after: slot)
                continue
            }
            // Most are told apart by what lies side by side; who is gone keeps it.
            for node in segment {
                if node.kind == kind, node.id != 0, isWanted(node.site) { return NodeIndex(rawValue: slot) }
                slot += 1
            }
        }
        return nil
    }

    func extraFacts(of index: NodeIndex) -> NodeExtra? {
        let extra = nodes[checked(index)].pointee.extra
        return extra == noSlot ? nil : extras[extra].pointee
    }
}

// MARK: The tree

extension ChainForest {
    /// Whether a node is a root.
    public func isRoot(_ index: NodeIndex) -> Bool { nodes[checked(index)].pointee.has(.isRoot) }

    /// The number of the root of the tree that a node is in, among ``roots``, from 0. O(roots / 512).
    public func rootNumber(of index: NodeIndex) -> Int {
        roots.number(of: roots.index(of: rootSlot(of: checked(index)), nodes))
    }

    /// Who a node stands under: its parent, else its first adopter or combinator, else its creator; nil for a root.
    public func treeParent(of index: NodeIndex) -> NodeIndex? { nodes[checked(index)].pointee.treeParent.asNode }

    /// The first of those that stand under a node, who are in order of (creation, id).
    public func firstChild(of index: NodeIndex) -> NodeIndex? { nodes[checked(index)].pointee.firstChild.asNode }

    /// The last of those that stand under a node.
    public func lastChild(of index: NodeIndex) -> NodeIndex? { nodes[checked(index)].pointee.lastChild.asNode }

    /// The next one under the same node; nil for roots.
    public func nextSibling(of index: NodeIndex) -> NodeIndex? { nodes[checked(index)].pointee.next.asNode }

    /// The one before it under the same node; nil for roots.
    public func previousSibling(of index: NodeIndex) -> NodeIndex? { nodes[checked(index)].pointee.previous.asNode }

    /// Who comes after a node, which is `top` or under it, each before those under it; nil for the last one.
    ///
    /// - Parameter skips: whether those under the node are left out.
    public func next(after node: NodeIndex, within top: NodeIndex, skippingBelow skips: Bool = false) -> NodeIndex? {
        var depth = 0
        let slot = checked(node)
        guard skips else { return following(slot, within: top.rawValue).asNode }
        return followingSubtree(slot, within: top.rawValue, depth: &depth).asNode
    }

    /// The same; `depth`, that of the node, becomes that of the next one.
    public func next(after node: NodeIndex, within top: NodeIndex, depth: inout Int) -> NodeIndex? {
        following(checked(node), within: top.rawValue, depth: &depth).asNode
    }

    /// How many stand directly under a node.
    public func childCount(of index: NodeIndex) -> Int { Int(nodes[checked(index)].pointee.childCount) }

    /// The root of the tree that a node is in. O(1).
    public func root(of index: NodeIndex) -> NodeIndex { NodeIndex(rawValue: rootSlot(of: checked(index))) }

    /// How many nodes there are in the chain of a root; 0 for who is none.
    public func nodeCount(ofRoot index: NodeIndex) -> Int {
        let node = nodes[checked(index)]
        guard node.pointee.has(.isRoot) else { return 0 }
        return node.pointee.chain == noSlot ? 1 : Int(chains[node.pointee.chain].pointee.nodeCount)
    }

    /// The chain that a node (any of it) belongs to, counted. O(1).
    public func chain(of index: NodeIndex) -> ChainSummary {
        let node = nodes[checked(index)]
        guard node.pointee.chain != noSlot else {
            return ChainSummary(
                root: index, counts: StateCounts(one: node.pointee.state), evictedCount: 0,
                firstRejected: isRejected(index.rawValue) ? index : nil, settled: node.pointee.settled)
        }
        let record = chains[node.pointee.chain].pointee
        return ChainSummary(
            root: NodeIndex(rawValue: record.root), counts: record.counts, evictedCount: Int(record.evictedCount),
            firstRejected: record.firstRejected.asNode, settled: !record.isLive ? record.settled : nil)
    }

    /// Whether those under a node are drawn further in than it: not so for an only child made by `then` and the like
    /// on it, so that a chain reads as a list.
    public func indentsChildren(of index: NodeIndex) -> Bool { indents(checked(index)) }

    /// How far in a node is drawn, 0 for a root. O(steps up to the root).
    public func depth(of index: NodeIndex) -> Int {
        var depth = 0
        var cursor = nodes[checked(index)].pointee.treeParent
        while cursor != noSlot {
            if indents(cursor) { depth += 1 }
            cursor = nodes[cursor].pointee.treeParent
        }
        return depth
    }

    func indents(_ slot: UInt32) -> Bool {
        let node = nodes[slot]
        guard node.pointee.childCount == 1 else { return node.pointee.childCount > 1 }
        if node.pointee.extra != noSlot, extras[node.pointee.extra].pointee.evicted != noSlot { return true }
        let child = nodes[node.pointee.firstChild]
        return !(child.pointee.has(.underOrigin) && child.pointee.has(.hasParent) && child.pointee.kind.role == .link)
    }
}
