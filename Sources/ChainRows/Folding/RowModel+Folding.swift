import ChainModel

// Folds and tags of single nodes, and folds of all chains.
extension RowModel {
    /// Returns whether a node is folded. A folded node hides the nodes inside it; a folded root hides all nodes under
    /// it.
    package func isFolded(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let number = slotOf[node.rawValue]
        var depth = 0
        if number == 0, let level = folds.level, level != 0, level != Folds.everything {
            depth = self.depth(of: node, in: forest)
        }
        return isFolded(node, depth: depth)
    }

    // Inlined for the reason given at `holdsFolds(_:)`.
    @inline(__always)
    func isFolded(_ node: NodeIndex, depth: Int) -> Bool {
        let number = slotOf[node.rawValue]
        let isRoot = number != 0
        return folds.isFolded(
            node, depth: depth, isRoot: isRoot, byItself: isRoot && slots.has(.folded, Int(number - 1)))
    }

    /// Returns whether a node was folded by the user or initially.
    func hasOwnFold(_ node: NodeIndex) -> Bool { folds.hasOwnFold(node) }

    /// Once this many nodes have a fold or a tag, no more nodes are folded initially, because each fold takes some
    /// memory. Chains past ``unfoldedLimit`` are folded without such a fold.
    private static let initialFoldLimit = 50_000

    /// Returns whether a node may be folded initially: it has no fold or unfold of its own yet, and fewer than
    /// ``initialFoldLimit`` nodes have a fold or a tag.
    package func mayFoldInitially(_ node: NodeIndex) -> Bool {
        folds.marked.count < Self.initialFoldLimit
            && folds.userBits(of: node).isDisjoint(with: .ownFold)
    }

    /// Unfolds the nodes and the group that hide a node.
    package mutating func unfold(around node: NodeIndex, in forest: borrowing ChainForest) {
        var current = outer(of: node, in: forest)
        while let outer = current {
            if isFolded(outer, in: forest) { fold(outer, false, in: forest) }
            current = self.outer(of: outer, in: forest)
        }
        if let site = site(ofChain: forest.root(of: node)) { setUnfolded(site, true) }
    }

    /// Folds or unfolds a node for the user. The user's choice takes precedence over all other folding.
    package mutating func fold(_ node: NodeIndex, _ isFolded: Bool, in forest: borrowing ChainForest) {
        var own = folds.userBits(of: node).subtracting(.ownFold)
        own.insert(isFolded ? .ownFolded : .userUnfolded)
        folds.setUserBits(own, of: node, forest.id(of: node))
        noteFold(of: node, in: forest)
    }

    /// Folds a new node, see ``mayFoldInitially(_:)``. The fold stays until the user unfolds the node or sets a fold
    /// level, but does not count as the user's choice for this node.
    package mutating func foldInitially(_ node: NodeIndex, in forest: borrowing ChainForest) {
        folds.setUserBits(
            folds.userBits(of: node).union([.ownFolded, .initiallyFolded]), of: node, forest.id(of: node))
        noteFold(of: node, in: forest)
    }

    /// The number of levels that are shown of each chain; nil if the user chose all levels, or has not chosen yet.
    package var foldLevel: Int? { folds.level == Folds.everything ? nil : folds.level }

    /// Updates a node's chain after the node may have been folded or unfolded.
    mutating func noteFold(of node: NodeIndex, in forest: borrowing ChainForest) {
        let root = forest.root(of: node)
        guard slotOf[root.rawValue] != 0 else { return }
        slots.set(.mayHoldFolds, true, Int(slotOf[root.rawValue] - 1))
        if node != root { longChains.setFolded(node, isFolded(node, in: forest), hasOwnFold: hasOwnFold(node)) }
        dropCachedRows(root, Int(slotOf[root.rawValue] - 1))
        updateWeight(root, in: forest)
    }

    /// Shows `level` levels of each chain, or all levels if it is nil. At level 0 a chain is one row. Forgets the folds
    /// of single nodes, but not the folds of nodes with many children.
    package mutating func fold(toLevel level: Int?, in forest: borrowing ChainForest) {
        let level = level ?? Folds.everything
        folds.forgetFoldsExceptLarge()
        folds.level = level
        cachedRows = [:]
        cachedMatchRows = [:]
        longChains.removeAll()
        unfinishedLists = []
        slots.clear(.mayHoldFolds)
        setAllGroupsUnfolded(level > 0)
        for node in folds.large.keys where forest.contains(node) {
            let number = slotOf[forest.root(of: node).rawValue]
            if number != 0 { slots.set(.mayHoldFolds, true, Int(number - 1)) }
        }
        for root in foreign.callersByRoot.keys where slotOf[root.rawValue] != 0 {
            slots.set(.mayHoldFolds, true, Int(slotOf[root.rawValue] - 1))
        }
        beginPass(isRebuild: false, in: forest)
    }

    // MARK: Many children

    /// Notes a node with many children, to be folded when the selection is not in it.
    mutating func noteLarge(_ node: NodeIndex, in forest: borrowing ChainForest) {
        guard folds.bits(of: node).isDisjoint(with: [.large, .userUnfolded]) else { return }
        let id = forest.id(of: node)
        if pendingLarge.updateValue(id, forKey: node) == nil { hasNewLarge = true }
    }

    /// Folds the noted nodes with many children, except those with `selected` inside. Returns whether any node was
    /// folded.
    mutating func foldLarge(in forest: borrowing ChainForest, selected: NodeIndex?) -> Bool {
        guard !pendingLarge.isEmpty, hasNewLarge || selected != lastSelected else { return false }
        (hasNewLarge, lastSelected) = (false, selected)
        var isChanged = false
        for (node, id) in pendingLarge {
            guard forest.index(of: id) == node, !folds.userBits(of: node).contains(.userUnfolded) else {
                pendingLarge[node] = nil
                continue
            }
            if let selected, isInside(selected, of: node, forest) { continue }
            pendingLarge[node] = nil
            folds.setLarge(node, id)
            isChanged = true
            noteFold(of: node, in: forest)
        }
        return isChanged
    }

    // MARK: Tags

    package func isTagged(_ node: NodeIndex) -> Bool { folds.userBits(of: node).contains(.tagged) }

    package mutating func tag(_ node: NodeIndex, _ isTagged: Bool, in forest: borrowing ChainForest) {
        var own = folds.userBits(of: node)
        if isTagged { own.insert(.tagged) } else { own.remove(.tagged) }
        folds.setUserBits(own, of: node, forest.id(of: node))
    }
}
