// SPDX-License-Identifier: MIT

// Exported, because declarations of the model use its types.
@_exported import ChainEvents

/// The promise chains of one process, built by applying its event batches.
///
/// Applying is a monotone join per node: the highest rank of settlement and the earliest time of each step win. Any
/// interleaving of the events that keeps each thread's order, in batches of any size, gives the same forest.
/// ``evictSettled(now:budget:)`` is a separate step; an evicted id does not come back.
///
/// A value with copy-on-write behind one reference: copying costs one retain, and the first change of a shared copy
/// copies everything (100 MB for a million nodes). Sizes: 96 bytes for each node, 4 for its id, 64 for each chain of
/// two or more nodes, and what texts and links take.
///
/// Queries about one node are O(1) unless stated otherwise. Queries that take an index trap if no node is at the index;
/// see ``contains(_:)``.
public struct ChainForest: Sendable {
    /// The content, shared by copies of the forest until one of them changes.
    private(set) var data: ForestData

    /// Makes an empty forest.
    public init(process: ProcessKey, limits: ForestLimits = ForestLimits()) {
        data = ForestData(process: process, limits: limits)
    }

    /// Makes an empty forest of a process.
    public init(of process: ProcessDescription, limits: ForestLimits = ForestLimits()) {
        data = ForestData(process: process.key, limits: limits, isReadFromOutside: process.isReadFromOutside)
    }

    /// The observed process; batches of other processes are ignored.
    public var process: ProcessKey { data.process }
    /// How many nodes are kept, and for how long.
    public var limits: ForestLimits {
        get { data.limits }
        set {
            makeUnique()
            data.limits = newValue
        }
    }
    /// Counts of the whole forest.
    public var totals: ForestTotals { data.totals }
    /// The latest counts of the process's events, including lost ones.
    public var loss: EventCounts { data.loss }
    /// The time of the latest batch, in nanoseconds of the process's clock.
    public var now: UInt64 { data.now }
    /// Call sites by number.
    public var sites: [SiteID: CodeLocation] { data.sites }
    /// Names of threads, or of the queues that the threads were serving.
    public var threads: [ThreadID: String] { data.threads }
    /// How often the number of a thread got a different name.
    public var threadRenameCount: Int { data.threadRenameCount }
    /// Names of executors.
    public var executors: [ExecutorID: String] { data.executors }
    /// The load of each executor by its number; executors beyond the end have none.
    public var loads: [ExecutorLoad] { data.loads }
    /// The roots in order of (creation, id).
    public var roots: ForestRoots { data.roots }

    /// Copies the content if another forest shares it. Every change begins with this call.
    mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&data) { data = ForestData(copying: data) }
    }
}

// MARK: Nodes

extension ChainForest {
    /// One more than the greatest raw index there may be: the length for arrays indexed by node.
    public var indexBound: Int { data.nodes.bound }

    /// Returns the index of a node; nil if it is unknown or evicted.
    public func index(of id: NodeID) -> NodeIndex? { data.slot(of: id)?.asNode }

    /// How many events were lost, plus how many times a node was refused for lack of room.
    public var lostCount: UInt64 { loss.lostCount.addingClamped(totals.refusedCount) }

    /// Returns whether a node was evicted, so that it will not come back. Of very old ids the forest no longer knows
    /// which were evicted. All ids without a node count as evicted there, although such a node may still be made.
    public func isEvicted(_ id: NodeID) -> Bool { data.ids.find(id) == evictedSlot && id != .none }

    /// Returns whether there is a node at `index`.
    public func contains(_ index: NodeIndex) -> Bool { data.isOccupied(index.rawValue) }

    /// Returns whether the node with an id is at `index`. Cheaper than ``index(of:)``.
    public func contains(_ id: NodeID, at index: NodeIndex) -> Bool {
        data.nodes.hasPage(of: index.rawValue) && data.nodes[index.rawValue].pointee.id == id.rawValue && id != .none
    }

    /// Returns a node's facts.
    public func node(_ index: NodeIndex) -> NodeView {
        NodeView(index: index, record: data.nodes[checked(index)].pointee)
    }

    /// Returns a node's id in the process.
    public func id(of index: NodeIndex) -> NodeID { NodeID(data.nodes[checked(index)].pointee.id) }

    /// Returns the operation that made a node, without its other facts.
    public func kind(of index: NodeIndex) -> NodeKind { data.nodes[checked(index)].pointee.kind }

    /// Returns the state of a node, without its other facts.
    public func state(of index: NodeIndex) -> NodeState { data.nodes[checked(index)].pointee.state }

    /// Returns a node's label: hostile text until it is escaped.
    public func label(of index: NodeIndex) -> String? { data.texts[data.nodes[checked(index)].pointee.label] }

    /// Returns a node's value, error, cancellation or abandonment in one line: hostile text until it is escaped.
    public func summary(of index: NodeIndex) -> String? {
        data.texts[summarySlot(of: data.nodes[checked(index)].pointee.extra)]
    }

    private func summarySlot(of extra: UInt32) -> UInt32 {
        extra == noSlot ? noSlot : data.extras[extra].pointee.summary
    }

    /// Returns the label of a node, for a caller that has its facts.
    public func label(of view: NodeView) -> String? { data.texts[view.record.label] }

    /// Returns the summary of a node, for a caller that has its facts.
    public func summary(of view: NodeView) -> String? { data.texts[summarySlot(of: view.record.extra)] }

    /// Returns the fields of a node that a text search reads.
    public func searchFields(of index: NodeIndex) -> SearchFields { searchFields(data.nodes[checked(index)]) }

    /// Returns the fields that a text search reads of the node at an index; nil if there is no node.
    public func searchFields(at index: NodeIndex) -> SearchFields? {
        data.isOccupied(index.rawValue) ? searchFields(data.nodes[index.rawValue]) : nil
    }

    @inline(__always) private func searchFields(_ node: UnsafeMutablePointer<NodeRecord>) -> SearchFields {
        SearchFields(
            state: node.pointee.state, kind: node.pointee.kind, site: node.pointee.site, label: node.pointee.label,
            summary: summarySlot(of: node.pointee.extra))
    }

    /// Returns the label of a node, for a caller that has its search fields.
    public func label(of fields: SearchFields) -> String? { data.texts[fields.label] }

    /// Returns the summary of a node, for a caller that has its search fields.
    public func summary(of fields: SearchFields) -> String? { data.texts[fields.summary] }

    /// Returns the source of a node's cancellation, and the reason if there is one: hostile text until it is escaped.
    public func canceller(of index: NodeIndex) -> String? { extraFacts(of: index).flatMap { data.texts[$0.canceller] } }

    /// Returns the call site that made a node; nil if it is unknown.
    public func site(of index: NodeIndex) -> CodeLocation? { data.sites[data.nodes[checked(index)].pointee.site] }

    /// Returns how many nodes were evicted from a node's subtree.
    public func evictedCount(of index: NodeIndex) -> Int { Int(extraFacts(of: index)?.evictedCount ?? 0) }

    /// Returns how many of a node's members were evicted. Each child in the tree that has no parent promise counts as a
    /// member.
    public func evictedMemberCount(of index: NodeIndex) -> Int {
        Int(extraFacts(of: index)?.evictedMemberCount ?? 0)
    }

    /// Returns the slot of a node; traps if there is none.
    @inline(__always) func checked(_ index: NodeIndex) -> UInt32 {
        precondition(
            data.isOccupied(index.rawValue), "There is no node at this index: it was evicted, or is another forest's")
        return index.rawValue
    }

    /// Returns the first node, in a range of indices, that an operation of `kind` made at a wanted call site; nil if
    /// there is none. Takes 1 ns for each index.
    public func firstIndex(
        in range: Range<UInt32>, madeBy kind: NodeKind, at isWanted: (SiteID) -> Bool
    ) -> NodeIndex? {
        var slot = range.lowerBound
        while slot < range.upperBound {
            guard let elements = data.nodes.elements(from: slot, upTo: range.upperBound) else {
                slot = data.nodes.nextPage(after: slot)
                continue
            }
            // Compare the kind first, because it rules out most nodes. An evicted node keeps its kind, but has no id.
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
