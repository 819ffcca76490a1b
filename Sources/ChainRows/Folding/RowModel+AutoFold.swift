import ChainModel

// Folding of finished nodes. If a node and all nodes inside it are fulfilled or skipped, the node is folded after a
// delay, so that a live chain shows where it stands. The user's folds take precedence, and a node with the selection
// inside stays open. A node that is live or went wrong unfolds the finished nodes around it: those that have it inside.
extension RowModel {
    /// How long a finished node stays open, in nanoseconds.
    static let foldDelay: UInt64 = 1_200_000_000

    /// The maximum number of nodes of a chain in which finished nodes fold. There is a limit, because a test walks over
    /// the nodes inside.
    static let autoFoldLimit = 512

    /// Updates folding after a node was made, moved or changed its state. Enqueues the node, and the node around it, if
    /// they may be finished. Unfolds the nodes around a node that is live or went wrong.
    mutating func noteState(_ entry: ForestChanges.Entry, in forest: borrowing ChainForest, now: UInt64) {
        let (node, isWell) = (entry.index, entry.state.isWell)
        // Nothing to open, because no finished node was folded.
        if !isWell, folds.finished.isEmpty { return }
        let (root, count) = forest.rootAndNodeCount(of: node)
        guard count > 1 else { return }
        // Nodes of longer chains are unfolded, too, because a chain may have grown since nodes in it folded. In such a
        // chain any new node unfolds the nodes around it, so nodes inside a folded node are only a few steps away from
        // it.
        let isNewInLongChain = count > Self.autoFoldLimit && !entry.changes.isDisjoint(with: [.created, .moved])
        // In a long sequence of new nodes, the parent was new, too, so all nodes around the node are open already.
        let isCovered = isNewInLongChain && openedAround != nil && forest.treeParent(of: node) == openedAround
        if !isCovered, !isWell || isNewInLongChain { unfoldFinished(around: node, in: forest) }
        if isNewInLongChain, entry.changes.contains(.created) { openedAround = node }
        guard isWell, count <= Self.autoFoldLimit else { return }
        if node != root, !entry.traits.contains(.isLeaf) { enqueueFinished(node, in: forest, now) }
        if let outer = self.outer(of: node, in: forest), outer != root { enqueueFinished(outer, in: forest, now) }
    }

    /// Enqueues the nodes of a live chain that may be finished; returns how many nodes were looked at.
    mutating func noteStates(under root: NodeIndex, in forest: borrowing ChainForest, now: UInt64) -> Int {
        let chain = forest.chain(of: root)
        guard chain.settled == nil, chain.nodeCount > 1, chain.nodeCount <= Self.autoFoldLimit else { return 1 }
        let rows = ChainWalk.rows(of: root, in: forest, isFolded: { _, _ in false })
        for row in rows where row.flags.contains(.foldable) && row.node != root {
            enqueueFinished(row.node, in: forest, now)
        }
        return rows.count
    }

    /// Enqueues a node to be folded, if it went well and has nodes inside.
    private mutating func enqueueFinished(_ node: NodeIndex, in forest: borrowing ChainForest, _ now: UInt64) {
        guard forest.state(of: node).isWell, hasInside(node, in: forest) else { return }
        let id = forest.id(of: node)
        let owner = UInt32(truncatingIfNeeded: id.rawValue)
        // An enqueued node is not enqueued again, because it is tested at its deadline.
        guard owner == 0 || queuedIDs[node.rawValue] != owner else { return }
        queuedIDs[node.rawValue] = owner
        finishedQueue.append(NodeQueue.Entry(deadline: now &+ Self.foldDelay, node: node, id: id), in: forest)
    }

    /// Returns whether a node has children besides its continuation.
    private func hasInside(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        switch forest.childCount(of: node) {
        case 0: false
        case 1: forest.continuation(of: node) == nil
        default: true
        }
    }

    /// Unfolds finished nodes around a node that is live, went wrong or is new in a long chain.
    ///
    /// Reads 64 levels at most, because nodes may be nested very deep. Outside the lists of long chains it takes
    /// ``autoFoldLimit`` steps at most. A sequence of continuations may have 100,000 nodes, but a finished node has
    /// fewer nodes inside than the limit.
    mutating func unfoldFinished(around node: NodeIndex, in forest: borrowing ChainForest) {
        guard !folds.finished.isEmpty else { return }
        var steps = Self.autoFoldLimit
        var current = node
        for _ in 0..<64 {
            let next =
                longChains.has(current)
                ? self.outer(of: current, in: forest) : forest.outer(of: current, steps: &steps)
            guard let outer = next else { return }
            if folds.bits(of: outer).contains(.finished) { setFinished(outer, false, in: forest) }
            current = outer
        }
    }

    /// Folds settled chains, finished nodes and nodes with many children, except those with `selected` inside. Returns
    /// whether rows may have changed.
    mutating func autoFold(in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?) -> Bool {
        let didSettle = foldSettled(in: forest, now: now, selected: selected)
        let isFolded = foldLarge(in: forest, selected: selected) || didSettle
        guard finishedQueue.hasDue(now: now) else { return isFolded }
        foldFinished(in: forest, now: now, selected: selected)
        return true
    }

    /// The budget of folding finished nodes in a tick, in nodes that are looked at: 1 to 3 ms.
    private static let autoFoldBudget = 20_000
    /// The cost of a node besides 1 for its entry and 1 for each node inside; the entry of an evicted node costs 1.
    private static let entryCost = 8

    /// Folds finished nodes past their deadline, except those with `selected` inside.
    mutating func foldFinished(in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?) {
        var steps = 0
        var budget = Self.autoFoldBudget
        while let entry = finishedQueue.first, entry.deadline <= now, budget > 0 {
            if steps.isMultiple(of: Self.prefetchCount) {
                for next in finishedQueue.prefix(Self.prefetchCount) { forest.prefetch(next.node) }
            }
            finishedQueue.removeFirst()
            steps += 1
            budget -= 1
            guard forest.contains(entry.id, at: entry.node) else { continue }
            budget -= Self.entryCost
            queuedIDs[entry.node.rawValue] = 0
            guard !folds.bits(of: entry.node).contains(.finished), isFinished(entry.node, in: forest, &budget) else {
                continue
            }
            if let selected, isInside(selected, of: entry.node, forest) {
                queuedIDs[entry.node.rawValue] = UInt32(truncatingIfNeeded: entry.id.rawValue)
                let deadline = now &+ Self.foldDelay
                finishedQueue.append(
                    .init(deadline: deadline, node: entry.node, id: entry.id, isPostponed: true), in: forest)
            } else {
                setFinished(entry.node, true, in: forest)
            }
        }
    }

    private mutating func setFinished(_ node: NodeIndex, _ isFinished: Bool, in forest: borrowing ChainForest) {
        folds.setFinished(node, isFinished ? forest.id(of: node) : nil)
        noteFold(of: node, in: forest)
    }

    /// Returns whether a node went well, has nodes inside, and all nodes inside went well. Subtracts the number of
    /// nodes looked at from `budget`.
    private func isFinished(_ node: NodeIndex, in forest: borrowing ChainForest, _ budget: inout Int) -> Bool {
        guard forest.state(of: node).isWell else { return false }
        let (root, count) = forest.rootAndNodeCount(of: node)
        guard count <= Self.autoFoldLimit, !foreign.isLive(root) else { return false }
        let tail = forest.continuation(of: node)
        var hasInner = false
        var child = forest.firstChild(of: node)
        while let current = child {
            if current != tail {
                hasInner = true
                guard isAllWell(under: current, in: forest, &budget) else { return false }
            }
            child = forest.nextSibling(of: current)
        }
        return hasInner
    }

    /// Returns whether a node and all nodes under it went well; subtracts the number of nodes looked at from `budget`.
    private func isAllWell(
        under top: NodeIndex, in forest: borrowing ChainForest, _ budget: inout Int
    ) -> Bool {
        var next: NodeIndex? = top
        while let node = next {
            budget -= 1
            guard forest.state(of: node).isWell else { return false }
            next = forest.next(after: node, within: top)
        }
        return true
    }
}

extension NodeState {
    /// Whether the node is settled and nothing went wrong.
    fileprivate var isWell: Bool { self == .fulfilled || self == .skipped }
}
