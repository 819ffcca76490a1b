// SPDX-License-Identifier: MIT

import ChainModel

/// A viewer's cancellation, repeated until no node of its scope is pending or running (TheRules, X5). First the topmost
/// pending nodes are cancelled, then pending nodes below them, and nodes that are created in the scope.
///
/// The scope consists of the trees under its roots, as the viewer shows these trees, and of the separate chains in groups
/// of their nodes. A node is shared if a live node
/// outside of the scope follows it, or has it as a member. The scope excludes shared nodes, unless they are its roots.
struct OngoingCancellation {
    /// The roots that are not evicted, as of the last ``trees(in:)``.
    private(set) var roots: [NodeID]
    let viewer: String
    /// The separate chains in groups of the scope, as of the last ``targets(in:)``.
    private var members: [NodeID] = []
    /// The nodes for which cancellation was requested.
    private(set) var requested: Set<NodeID> = []
    /// How many ids ``requested`` may have before the ids of settled nodes are dropped.
    private var requestedLimit = 1_024
    /// Whether the scope's trees may have changed since the last search.
    var isDirty = true
    /// Whether no node of the scope is pending or running any more.
    private(set) var isEmpty = false

    init(roots: [NodeID], viewer: String) {
        self.roots = roots
        self.viewer = viewer
    }

    /// Returns the roots of the whole trees in which the roots of the scope and of its groups are; drops evicted nodes
    /// from ``roots``.
    mutating func trees(in forest: ChainForest) -> Set<NodeIndex> {
        roots.removeAll { forest.index(of: $0) == nil }
        return Set((roots + members).compactMap { forest.index(of: $0).map { forest.root(of: $0) } })
    }

    /// Returns the topmost pending nodes of the scope for which cancellation was not requested before.
    mutating func targets(in forest: ChainForest) -> [NodeID] {
        guard isDirty else { return [] }
        isDirty = false
        isEmpty = true
        dropSettled(in: forest)
        var found: [NodeID] = []
        members = forest.separateChains(inGroupsUnder: roots.compactMap { forest.index(of: $0) }).map {
            forest.id(of: $0)
        }
        // The members first: once their group is cancelled, the runtime cancels them too, and they would not be counted.
        var scope = ScopeWalk(members + roots, in: forest)
        while let node = scope.next(in: forest) {
            let view = forest.node(node)
            guard view.isLive || view.activity == .running else { continue }
            if view.isLive, scope.isShared(node, in: forest) {
                scope.skipChildren()
                continue
            }
            isEmpty = false
            // A span cannot be cancelled, but nodes under it can.
            if view.kind == .span { continue }
            if view.isLive, requested.insert(view.id).inserted {
                found.append(view.id)
                scope.skipChildren()
            }
        }
        // The next round searches below the nodes that were found in this one.
        if !found.isEmpty { isDirty = true }
        return found
    }

    /// Drops settled nodes from ``requested`` once it has many, because a node that never ends may go on making other
    /// nodes.
    private mutating func dropSettled(in forest: ChainForest) {
        guard requested.count > requestedLimit else { return }
        requested = requested.filter { id in forest.index(of: id).map { forest.state(of: $0).isLive } ?? false }
        requestedLimit = max(1_024, 2 * requested.count)
    }
}

/// All unfinished cancellations by viewers.
struct OngoingCancellations {
    /// The most cancellations that are kept; adding one more drops the oldest.
    static let limit = 256
    /// For how many nanoseconds cancellations are active after one of them was added or found a node.
    static let activeSpan: UInt64 = 5_000_000_000

    private var cancellations: [OngoingCancellation] = []
    /// When a cancellation was last added, or last found a node, in nanoseconds of the program's clock.
    private var activeTime: UInt64 = 0

    var count: Int { cancellations.count }

    mutating func add(_ cancellation: OngoingCancellation, at time: UInt64) {
        if cancellations.count == Self.limit { cancellations.removeFirst() }
        cancellations.append(cancellation)
        activeTime = time
    }

    /// Returns whether a cancellation was added or found a node lately, so that it may soon find another node. A
    /// handler that never returns keeps a cancellation unfinished, but not active.
    func areActive(at time: UInt64) -> Bool {
        !cancellations.isEmpty && time < activeTime.addingClamped(Self.activeSpan)
    }

    /// Sets ``OngoingCancellation/isDirty`` of the cancellations with a tree that the batch changes. Costs one look-up
    /// for each event, however many cancellations there are, and some look-ups for each root of a cancellation.
    mutating func note(_ batch: EventBatch, in forest: ChainForest) {
        guard !cancellations.isEmpty else { return }
        var affected: [NodeIndex: [Int]] = [:]
        for position in cancellations.indices where !cancellations[position].isDirty {
            for tree in cancellations[position].trees(in: forest) { affected[tree, default: []].append(position) }
        }
        func note(_ id: NodeID) {
            guard !affected.isEmpty, let index = forest.index(of: id) else { return }
            for position in affected.removeValue(forKey: forest.root(of: index)) ?? [] {
                cancellations[position].isDirty = true
            }
        }
        for event in batch.events {
            note(event.node)
            // A new separate chain is in no tree of the cancellation, but may belong to a group of one.
            if event.kind == .created, event.flags.contains(.separateChain) { note(event.other) }
        }
        for node in batch.nodes {
            note(node.id)
            if node.isSeparate { note(node.creator) }
        }
        // A cancellation without trees, because all its roots were evicted, is searched once more, and then removed.
        for position in cancellations.indices
        where cancellations[position].roots.allSatisfy({ forest.index(of: $0) == nil }) {
            cancellations[position].isDirty = true
        }
    }

    /// Returns the nodes to cancel now, for each cancellation, and removes the finished cancellations.
    mutating func targets(in forest: ChainForest, at time: UInt64) -> [(ids: [NodeID], viewer: String)] {
        var targets: [(ids: [NodeID], viewer: String)] = []
        for position in cancellations.indices {
            let ids = cancellations[position].targets(in: forest)
            if !ids.isEmpty { targets.append((ids, cancellations[position].viewer)) }
        }
        if !targets.isEmpty { activeTime = time }
        cancellations.removeAll { $0.isEmpty }
        return targets
    }

    mutating func removeAll() { cancellations = [] }
}

/// A pre-order walk over the trees under some nodes, without a stack, for trees of any depth.
private struct ScopeWalk {
    /// The given nodes.
    private let named: Set<NodeIndex>
    /// The given nodes that are under no other given node.
    private let roots: [NodeIndex]
    /// How many of ``roots`` the walk has begun.
    private var rootPosition = 0
    private var current: NodeIndex?
    /// Whether the subtree of the current node is skipped.
    private var skips = false

    init(_ ids: [NodeID], in forest: ChainForest) {
        let found = ids.compactMap { forest.index(of: $0) }
        let named = Set(found)
        self.named = named
        var seen: Set<NodeIndex> = []
        roots = found.filter { root in
            guard seen.insert(root).inserted else { return false }
            var next = named.count == 1 ? nil : forest.treeParent(of: root)
            while let above = next {
                if named.contains(above) { return false }
                next = forest.treeParent(of: above)
            }
            return true
        }
    }

    /// Skips the subtree of the node that ``next(in:)`` returned last.
    mutating func skipChildren() { skips = true }

    mutating func next(in forest: ChainForest) -> NodeIndex? {
        current = following(in: forest)
        skips = false
        return current
    }

    private mutating func following(in forest: ChainForest) -> NodeIndex? {
        if let current,
            let next = forest.next(after: current, within: roots[rootPosition - 1], skippingBelow: skips)
        {
            return next
        }
        guard rootPosition < roots.count else { return nil }
        rootPosition += 1
        return roots[rootPosition - 1]
    }

    /// Returns whether a live node outside of the scope, other than the parent, follows this node or has it as a
    /// member. False for a node of ``named``.
    func isShared(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        guard !named.contains(node) else { return false }
        let parent = forest.treeParent(of: node)
        return forest.holders(of: node).contains { link in
            link.node != parent && forest.state(of: link.node).isLive && !isInScope(link.node, in: forest)
        }
    }

    private func isInScope(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        var next: NodeIndex? = node
        while let node = next {
            if named.contains(node) { return true }
            next = forest.treeParent(of: node)
        }
        return false
    }
}
