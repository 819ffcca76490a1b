import ChainEvents
import ChainModel

/// A cancellation from a viewer that goes on until its scope is empty (TheRules, X5): the topmost pending nodes first,
/// then what is left and what is created under it.
///
/// The scope is what the viewer sees: the trees under its roots. One thing in it is left alone: a node that somebody
/// outside waits for too (it is followed by, or a member of, a live node that is not in the scope), unless it is one of
/// the scope's roots.
struct CancelWatch {
    let roots: [NodeID]
    let viewer: String
    private var asked: Set<NodeID> = []
    /// Something may have happened in the scope's trees since the last look.
    var isDirty = true
    /// Nothing in the scope is pending or running any more.
    private(set) var isEmpty = false

    init(roots: [NodeID], viewer: String) {
        self.roots = roots
        self.viewer = viewer
    }

    /// The pending nodes to cancel now: those of the scope that were not asked before and are under no other such one.
    mutating func targets(in forest: ChainForest) -> [NodeID] {
        guard isDirty else { return [] }
        isDirty = false
        isEmpty = true
        var found: [NodeID] = []
        var scope = ScopeWalk(roots, in: forest)
        while let node = scope.next(in: forest) {
            let view = forest.node(node)
            guard view.isLive || view.activity == .running else { continue }
            if view.isLive, scope.isShared(node, in: forest) {
                scope.skipChildren()
                continue
            }
            isEmpty = false
            if view.isLive, asked.insert(view.id).inserted {
                found.append(view.id)
                scope.skipChildren()
            }
        }
        // Whatever stands under those that are asked now is looked at in the next round.
        if !found.isEmpty { isDirty = true }
        return found
    }
}

/// The cancellations that are not at their end.
struct CancelWatches {
    /// How many there are at most; the oldest makes room.
    static let limit = 256

    private var watches: [CancelWatch] = []

    var count: Int { watches.count }

    mutating func add(_ watch: CancelWatch) {
        if watches.count == Self.limit { watches.removeFirst() }
        watches.append(watch)
    }

    /// Sees whom a batch concerns. One look-up an event, however many watches there are.
    mutating func note(_ batch: EventBatch, in forest: ChainForest) {
        guard !watches.isEmpty else { return }
        var concerned: [NodeIndex: [Int]] = [:]
        for (position, watch) in watches.enumerated() where !watch.isDirty {
            for tree in Set(watch.roots.compactMap { forest.index(of: $0).map { forest.root(of: $0) } }) {
                concerned[tree, default: []].append(position)
            }
        }
        func note(_ id: NodeID) {
            guard !concerned.isEmpty, let index = forest.index(of: id) else { return }
            for position in concerned.removeValue(forKey: forest.root(of: index)) ?? [] {
                watches[position].isDirty = true
            }
        }
        for event in batch.events { note(event.node) }
        for node in batch.nodes { note(node.id) }
        // Trees that are gone are looked at once more, and then never again.
        for position in watches.indices where watches[position].roots.allSatisfy({ forest.index(of: $0) == nil }) {
            watches[position].isDirty = true
        }
    }

    /// What is to be cancelled now, by whom; watches that are at their end go.
    mutating func targets(in forest: ChainForest) -> [(ids: [NodeID], viewer: String)] {
        var targets: [(ids: [NodeID], viewer: String)] = []
        for position in watches.indices {
            let ids = watches[position].targets(in: forest)
            if !ids.isEmpty { targets.append((ids, watches[position].viewer)) }
        }
        watches.removeAll { $0.isEmpty }
        return targets
    }

    mutating func removeAll() { watches = [] }
}

/// A walk over the trees under some nodes, parents first, without a stack: no tree is too deep for it.
private struct ScopeWalk {
    private let named: Set<NodeIndex>
    /// Those of them that are under no other.
    private let roots: [NodeIndex]
    private var rootPosition = 0
    private var current: NodeIndex?
    private var skips = false

    init(_ ids: [NodeID], in forest: ChainForest) {
        let found = ids.compactMap { forest.index(of: $0) }
        let named = Set(found)
        self.named = named
        var told: Set<NodeIndex> = []
        roots = found.filter { root in
            guard told.insert(root).inserted else { return false }
            var next = named.count == 1 ? nil : forest.treeParent(of: root)
            while let above = next {
                if named.contains(above) { return false }
                next = forest.treeParent(of: above)
            }
            return true
        }
    }

    /// Leaves out what stands under the node that was given last.
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

    /// Whether a live node outside of the scope waits for this one, which nobody named.
    func isShared(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        guard !named.contains(node) else { return false }
        let placed = forest.treeParent(of: node)
        return forest.holders(of: node).contains { link in
            link.node != placed && forest.state(of: link.node).isLive && !isInScope(link.node, in: forest)
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
