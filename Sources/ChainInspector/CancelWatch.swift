import ChainEvents
import ChainModel

/// A cancellation from a viewer that goes on until its scope is empty (RUNTIME X5): the topmost pending nodes first,
/// then what is left and what is created under it.
///
/// The scope is what the viewer sees: the trees under its roots. One thing in it is left alone: a node that somebody
/// outside waits for too (it is followed by, or a member of, a live node that is not in the scope), unless it is one of
/// the scope's roots.
struct CancelWatch {
    /// How many watches there are at most; the oldest makes room.
    static let limit = 256

    let roots: [NodeID]
    let viewer: String
    private var asked: Set<NodeID> = []
    /// Something happened in the scope's trees since the last look.
    private var isDirty = true

    /// Nothing in the scope is pending or running any more.
    private(set) var isEmpty = false

    init(roots: [NodeID], viewer: String) {
        self.roots = roots
        self.viewer = viewer
    }

    /// Sees whether a batch concerns the scope.
    mutating func note(_ batch: EventBatch, in forest: ChainForest) {
        guard !isDirty else { return }
        let trees = Set(roots.compactMap { forest.index(of: $0).map { forest.root(of: $0) } })
        guard !trees.isEmpty else {
            isEmpty = true
            return
        }
        func concerns(_ id: NodeID) -> Bool {
            forest.index(of: id).map { trees.contains(forest.root(of: $0)) } ?? false
        }
        isDirty = batch.events.contains { concerns($0.node) } || batch.nodes.contains { concerns($0.id) }
    }

    /// The pending nodes to cancel now: those of the scope that were not asked before and are under no other such one.
    mutating func targets(in forest: ChainForest) -> [NodeID] {
        guard isDirty else { return [] }
        isDirty = false
        isEmpty = true
        var found: [NodeID] = []
        var scope = ScopeWalk(roots: roots.compactMap { forest.index(of: $0) })
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

/// A walk over the trees under some nodes, parents first, in constant memory: no tree is too deep for it.
private struct ScopeWalk {
    private let roots: [NodeIndex]
    private var rootPosition = 0
    private var current: NodeIndex?
    private var skips = false

    init(roots: [NodeIndex]) { self.roots = roots }

    /// Leaves out what stands under the node that was given last.
    mutating func skipChildren() { skips = true }

    mutating func next(in forest: ChainForest) -> NodeIndex? {
        current = following(in: forest)
        skips = false
        return current
    }

    private mutating func following(in forest: ChainForest) -> NodeIndex? {
        if let current {
            if !skips, let child = forest.firstChild(of: current) { return child }
            let root = roots[rootPosition - 1]
            var node = current
            while node != root {
                if let sibling = forest.nextSibling(of: node) { return sibling }
                guard let parent = forest.placedParent(of: node) else { break }
                node = parent
            }
        }
        guard rootPosition < roots.count else { return nil }
        rootPosition += 1
        return roots[rootPosition - 1]
    }

    /// Whether a live node outside of the scope waits for this one, which is not a root of it.
    func isShared(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        guard !roots.contains(node) else { return false }
        return forest.links(of: node).contains { link in
            (link.role == .followedBy || link.role == .memberOf) && forest.node(link.node).isLive
                && !isInScope(link.node, in: forest)
        }
    }

    private func isInScope(_ node: NodeIndex, in forest: ChainForest) -> Bool {
        var next: NodeIndex? = node
        while let node = next {
            if roots.contains(node) { return true }
            next = forest.placedParent(of: node)
        }
        return false
    }
}
