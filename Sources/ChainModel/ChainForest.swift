import ChainEvents

/// The promise chains of one process, made by applying its event batches.
///
/// Applying is a monotone join per node: the highest rank of settlement and the earliest time of each step win. Any
/// interleaving of the events that keeps each thread's order, in batches of any size, gives the same forest.
/// ``retain(now:budget:)`` is a separate step; an evicted id does not come back.
///
/// A value with copy-on-write behind one reference: copying costs one retain, and the first change of a shared copy
/// copies everything (100 MB for a million nodes). Sizes: 96 bytes a node, 4 for its id, 64 a chain of two or more
/// nodes, and what texts and links take.
///
/// Questions about one node are O(1) unless they say otherwise. Those that take an index stop the program where there
/// is no node at it (``contains(_:)``).
public struct ChainForest: Sendable {
    /// The content, shared by copies of the forest until one of them changes.
    private(set) var data: ForestData

    /// Makes an empty forest.
    public init(process: ProcessKey, limits: ForestLimits = ForestLimits()) {
        data = ForestData(process: process, limits: limits)
    }

    /// The observed process; batches of other processes are ignored.
    public var process: ProcessKey { data.process }
    /// What is kept.
    public var limits: ForestLimits {
        get { data.limits }
        set {
            makeUnique()
            data.limits = newValue
        }
    }
    /// Counts of everything.
    public var totals: ForestTotals { data.totals }
    /// The latest event counts, lost events among them.
    public var loss: EventCounts { data.loss }
    /// The time of the latest batch, in nanoseconds of the process's clock.
    public var now: UInt64 { data.now }
    /// Call sites by number.
    public var sites: [SiteID: CodeLocation] { data.sites }
    /// Names of threads, or of the queues that they were serving.
    public var threads: [ThreadID: String] { data.threads }
    /// How many times a thread number got a different name.
    public var renameCount: Int { data.renameCount }
    /// Names of executors.
    public var executors: [ExecutorID: String] { data.executors }
    /// The load of each executor by its number; executors beyond the end have none.
    public var loads: [ExecutorLoad] { data.loads }
    /// The roots in order of (creation, id).
    public var roots: ForestRoots { data.roots }

    /// Copies the content if another forest shares it. Every change begins with this.
    mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&data) { data = ForestData(copying: data) }
    }
}

// MARK: Nodes

extension ChainForest {
    /// Above every raw index in use: the length of arrays that run beside the forest.
    public var indexBound: Int { data.nodes.bound }

    /// The index of a node; nil where it is unknown or evicted.
    public func index(of id: NodeID) -> NodeIndex? { data.slot(of: id)?.asNode }

    /// Events that were lost, and nodes that there was no room for.
    public var lostCount: UInt64 { loss.lostCount.addingClamped(totals.refusedCount) }

    /// Whether a node was evicted, so that it will not come back.
    public func isEvicted(_ id: NodeID) -> Bool { data.ids.find(id) == evictedSlot && id != .none }

    /// Whether there is a node at `index`.
    public func contains(_ index: NodeIndex) -> Bool { data.isOccupied(index.rawValue) }

    /// Whether a node is still where it was: cheaper than looking for it.
    public func contains(_ id: NodeID, at index: NodeIndex) -> Bool {
        data.nodes.hasPage(of: index.rawValue) && data.nodes[index.rawValue].pointee.id == id.rawValue && id != .none
    }

    /// A node's facts.
    public func node(_ index: NodeIndex) -> NodeView {
        NodeView(index: index, record: data.nodes[checked(index)].pointee)
    }

    /// A node's name in the process.
    public func id(of index: NodeIndex) -> NodeID { NodeID(data.nodes[checked(index)].pointee.id) }

    /// The operation that made a node, without its other facts.
    public func kind(of index: NodeIndex) -> NodeKind { data.nodes[checked(index)].pointee.kind }

    /// The state of a node, without its other facts.
    public func state(of index: NodeIndex) -> NodeState { data.nodes[checked(index)].pointee.state }

    /// A node's label: hostile text until it is escaped.
    public func label(of index: NodeIndex) -> String? { data.texts[data.nodes[checked(index)].pointee.label] }

    /// A one-line summary of a node's error, cancellation or abandonment: hostile text until it is escaped.
    public func summary(of index: NodeIndex) -> String? {
        data.texts[summarySlot(of: data.nodes[checked(index)].pointee.extra)]
    }

    private func summarySlot(of extra: UInt32) -> UInt32 {
        extra == noSlot ? noSlot : data.extras[extra].pointee.summary
    }

    /// The label of a node, for a caller that has its facts.
    public func label(of view: NodeView) -> String? { data.texts[view.record.label] }

    /// The summary of a node, for a caller that has its facts.
    public func summary(of view: NodeView) -> String? { data.texts[summarySlot(of: view.record.extra)] }

    /// The fields that a text search reads, without the node's other facts.
    public func searchFields(of index: NodeIndex) -> SearchFields { searchFields(data.nodes[checked(index)]) }

    /// The same for the node at an index; nil where there is none.
    public func searchFields(at index: NodeIndex) -> SearchFields? {
        data.isOccupied(index.rawValue) ? searchFields(data.nodes[index.rawValue]) : nil
    }

    @inline(__always) private func searchFields(_ node: UnsafeMutablePointer<NodeRecord>) -> SearchFields {
        SearchFields(
            state: node.pointee.state, kind: node.pointee.kind, site: node.pointee.site, label: node.pointee.label,
            summary: summarySlot(of: node.pointee.extra))
    }

    /// The label of a node, for a caller that has its search fields.
    public func label(of words: SearchFields) -> String? { data.texts[words.label] }

    /// The summary of a node, for a caller that has its search fields.
    public func summary(of words: SearchFields) -> String? { data.texts[words.summary] }

    /// The name of the requester of a node's cancellation: hostile text until it is escaped.
    public func canceller(of index: NodeIndex) -> String? { extraFacts(of: index).flatMap { data.texts[$0.canceller] } }

    /// Where a node was made; nil where unknown.
    public func site(of index: NodeIndex) -> CodeLocation? { data.sites[data.nodes[checked(index)].pointee.site] }

    /// The counts by end state of nodes evicted from under a node; nil where there are none.
    public func evictedCounts(of index: NodeIndex) -> EvictedCounts? {
        guard let evicted = extraFacts(of: index)?.evicted, evicted != noSlot else { return nil }
        return data.evictedCounts[evicted].pointee
    }

    @inline(__always) func checked(_ index: NodeIndex) -> UInt32 {
        precondition(
            data.isOccupied(index.rawValue), "There is no node at this index: it was evicted, or is another forest's")
        return index.rawValue
    }

    /// The first node in a range of indices that was made by an operation at a wanted call site. 1 ns an index.
    public func firstIndex(
        in range: Range<UInt32>, madeBy kind: NodeKind, at isWanted: (SiteID) -> Bool
    ) -> NodeIndex? {
        var slot = range.lowerBound
        while slot < range.upperBound {
            guard let elements = data.nodes.elements(from: slot, upTo: range.upperBound) else {
                slot = data.nodes.nextPage(after: slot)
                continue
            }
            // Compare kind first, because it lies in memory that is read in sequence; evicted nodes keep theirs.
            for node in elements {
                if node.kind == kind, node.id != 0, isWanted(node.site) { return NodeIndex(rawValue: slot) }
                slot += 1
            }
        }
        return nil
    }

    func extraFacts(of index: NodeIndex) -> NodeExtra? {
        let extra = data.nodes[checked(index)].pointee.extra
        return extra == noSlot ? nil : data.extras[extra].pointee
    }
}
