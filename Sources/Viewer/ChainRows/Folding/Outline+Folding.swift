// SPDX-License-Identifier: MIT

import ChainModel

// Folds and tags of single nodes, and folds of all chains.
extension Outline {
    /// Returns whether a node is folded. A folded node hides the nodes inside it; a folded root hides all nodes under
    /// it. O(nodes of the chain) at worst.
    package func isFolded(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let root = forest.root(of: node)
        var depth = 0
        if node != root, let level = folds.level, level != 0, level != Folds.everything {
            depth = PreorderSteps.depth(of: node, within: root, limit: .max, in: forest)
        }
        guard let slot = chains.slot(of: root) else { return false }
        let finished =
            node != root && forest.childCount(of: node) > 0 ? finishedNodes(of: root, in: forest) : FinishedNodes()
        return isFolded(node, depth: depth, slot, isRoot: node == root, finished, in: forest)
    }

    /// Returns whether a node is folded. `depth` is its level, 0 for roots and their continuations.
    ///
    /// The user's choice for the node comes first. Level 0 folds roots only: the nodes inside keep their folds for the
    /// time when the chain is unfolded.
    @inline(__always)
    func isFolded(
        _ node: NodeIndex, depth: Int, _ slot: UInt32, isRoot: Bool, _ finished: FinishedNodes,
        in forest: borrowing ChainForest
    ) -> Bool {
        let own = folds.bits(of: node)
        if own.contains(.folded) { return true }
        if own.contains(.unfolded) || folds.level == Folds.everything { return false }
        if Folds.isLarge(node, in: forest), !folds.around.contains(node) { return true }
        switch folds.level {
        case nil where isRoot: return chains.has(.folded, slot)
        case 0 where isRoot: return true
        case nil, 0: return finished.nodes.contains(node) && !folds.around.contains(node)
        case let level?: return depth >= level
        }
    }

    /// Returns the nodes of a chain that are folded because all is finished inside.
    func finishedNodes(of root: NodeIndex, in forest: borrowing ChainForest) -> FinishedNodes {
        guard folds.foldsFinished, !foreign.isLive(root) else { return FinishedNodes() }
        let chain = forest.chain(of: root)
        // Also without a walk if all nodes are live.
        guard chain.nodeCount > 1, chain.nodeCount <= FinishedNodes.chainLimit, chain.liveCount < chain.nodeCount else {
            return FinishedNodes()
        }
        return FinishedNodes(of: root, at: foldTime, in: forest)
    }

    /// Once this many nodes have a fold or a tag, no more nodes are folded initially, because each fold takes some
    /// memory. Chains past ``unfoldedLimit`` are folded without such a fold.
    private static let initialFoldLimit = 50_000

    /// Returns whether a node may be folded initially: it has no fold or unfold of its own yet, and fewer than
    /// ``initialFoldLimit`` nodes have a fold or a tag.
    package func mayFoldInitially(_ node: NodeIndex) -> Bool {
        folds.marks.count < Self.initialFoldLimit && folds.bits(of: node).isDisjoint(with: .anyFold)
    }

    /// Unfolds the nodes and the group that hide a node.
    package mutating func unfold(around node: NodeIndex, in forest: borrowing ChainForest) {
        var current = forest.outer(of: node)
        while let outer = current {
            if isFolded(outer, in: forest) { fold(outer, false, in: forest) }
            current = forest.outer(of: outer)
        }
        if let site = site(ofChain: forest.root(of: node)) { setUnfolded(site, true) }
    }

    /// Folds or unfolds a node for the user. The user's choice takes precedence over all other folding.
    package mutating func fold(_ node: NodeIndex, _ isFolded: Bool, in forest: borrowing ChainForest) {
        let kept = folds.bits(of: node).subtracting(.anyFold)
        folds.set(kept.union(isFolded ? .folded : .unfolded), of: node, forest.id(of: node))
        noteFold(of: node, in: forest)
    }

    /// Folds a new node, see ``mayFoldInitially(_:)``. The fold stays until the user unfolds the node or sets a fold
    /// level, but does not count as the user's choice for this node.
    package mutating func foldInitially(_ node: NodeIndex, in forest: borrowing ChainForest) {
        folds.set(folds.bits(of: node).union([.folded, .initiallyFolded]), of: node, forest.id(of: node))
        noteFold(of: node, in: forest)
    }

    /// The number of levels that are shown of each chain; nil if the user chose all levels, or has not chosen yet.
    package var foldLevel: Int? { folds.level == Folds.everything ? nil : folds.level }

    /// Updates a node's chain after the node may have been folded or unfolded.
    mutating func noteFold(of node: NodeIndex, in forest: borrowing ChainForest) {
        guard let slot = chains.slot(of: forest.root(of: node)) else { return }
        chains.set(.isWalked, true, slot)
        // Walked at once, even if the chain is walked in slices.
        if chains.has(.mayHaveRows, slot) {
            walked.change(chains.root(slot)) {
                $0?.isStale = true
                $0?.due = 0
            }
        }
        weigh(slot, in: forest)
    }

    /// Shows `level` levels of each chain, or all levels if it is nil. At level 0 a chain is one row. Forgets the folds
    /// of single nodes.
    package mutating func fold(toLevel level: Int?, in forest: borrowing ChainForest) {
        let level = level ?? Folds.everything
        folds.forgetFolds()
        folds.level = level
        walked.rows = [:]
        setAllGroupsUnfolded(level > 0)
        beginPass(isRebuild: false, in: forest)
    }

    // MARK: Around the selection

    /// Keeps the nodes around the selection open, and lets those fold that no longer are.
    mutating func follow(_ selected: NodeIndex?, in forest: borrowing ChainForest) {
        guard selected != lastSelected || mayHaveMoved else { return }
        (lastSelected, mayHaveMoved) = (selected, false)
        var around: Set<NodeIndex> = []
        var current = selected.flatMap { forest.outer(of: $0) }
        while let node = current {
            around.insert(node)
            current = forest.outer(of: node)
        }
        guard around != folds.around else { return }
        let changed = around.symmetricDifference(folds.around)
        folds.around = around
        for node in changed where forest.contains(node) {
            guard let slot = chains.slot(of: forest.root(of: node)), mayFoldInside(slot, in: forest) else { continue }
            noteShape(slot)
            weighLater(slot)
        }
    }

    // MARK: Tags

    package func isTagged(_ node: NodeIndex) -> Bool { folds.bits(of: node).contains(.tagged) }

    package mutating func tag(_ node: NodeIndex, _ isTagged: Bool, in forest: borrowing ChainForest) {
        var bits = folds.bits(of: node)
        if isTagged { bits.insert(.tagged) } else { bits.remove(.tagged) }
        folds.set(bits, of: node, forest.id(of: node))
    }
}
