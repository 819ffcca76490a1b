import ChainModel

// The rows of long chains, from lists instead of walks.
extension RowModel {
    /// How many nodes are read into new lists immediately; further nodes are read in slices.
    static let firstReadCount = 16_384
    /// The most nodes that one step reads into a list.
    static let readCount = 4_096

    /// Returns whether a chain of `count` nodes has a list instead of being walked.
    ///
    /// Lists are in program order, so while siblings are sorted, chains of up to ``longestSorted`` nodes are walked.
    /// Such a walk delays no frame.
    @inline(__always)
    func isLong(_ count: Int) -> Bool { count > (sortsSiblings ? max(walkLimit, Self.longestSorted) : walkLimit) }

    /// The most nodes of a chain with sorted siblings; the siblings of longer chains stay in program order.
    static let longestSorted = 4_096

    /// Removes all lists: for a rebuild, or because the length from which chains have lists has changed.
    mutating func forgetLists() {
        longChains.removeAll()
        unfinishedLists = []
    }

    /// Returns the index of a long chain's list; begins a list if there is none.
    mutating func list(ofLong root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        if let known = longChains.list(of: root) { return known }
        let new = longChains.addList(of: root)
        longChains.build(new, budget: max(1, readBudget), in: forest, folds, filter)
        readBudget = max(0, readBudget - longChains.lists[new]!.count)
        if !longChains.lists[new]!.isComplete { unfinishedLists.append(new) }
        noteListedLarge(in: forest)
        return new
    }

    /// Notes the nodes with many children that were added to lists.
    mutating func noteListedLarge(in forest: borrowing ChainForest) {
        guard !longChains.large.isEmpty else { return }
        let added = longChains.large
        longChains.large.removeAll(keepingCapacity: true)
        for node in added where forest.contains(node) { noteLarge(node, in: forest) }
    }

    /// Reads nodes into a list until it has `rows` rows or is complete.
    private mutating func read(_ listIndex: Int, rows: Int, in forest: borrowing ChainForest) {
        while !longChains.lists[listIndex]!.isComplete,
            longChains.rowCount(of: listIndex, isFiltered: filter.hidesUnmatched) < rows
        {
            longChains.build(listIndex, budget: Self.readCount, in: forest, folds, filter)
        }
        noteListedLarge(in: forest)
    }

    /// Returns rows of a long chain with an unfolded root, see ``LongChainIndex/rows(from:count:in:isFiltered:)``.
    mutating func rows(ofLong root: NodeIndex, from first: Int, count: Int, in forest: borrowing ChainForest)
        -> (rows: [TreeRow], skipped: Int)
    {
        let listIndex = list(ofLong: root, in: forest)
        read(listIndex, rows: first + count, in: forest)
        let rows = longChains.rows(from: first, count: count, in: listIndex, isFiltered: filter.hidesUnmatched)
        if rows.rows.isEmpty, first == 0 {
            return ([TreeRow(node: root, depth: 0, guides: 0, flags: [.root, .last])], 0)
        }
        return rows
    }

    /// Returns the row of a node in a long chain with an unfolded root, or the row of the nearest node that hides it.
    mutating func row(of node: NodeIndex, inLong root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        let listIndex = list(ofLong: root, in: forest)
        if !longChains.has(node) { read(listIndex, rows: .max, in: forest) }
        var position = longChains.find(node)?.position
        while let current = position {
            if let row = longChains.row(at: current, in: listIndex, isFiltered: filter.hidesUnmatched) { return row }
            position = longChains.outer(at: current, in: listIndex)
        }
        return 0
    }

    // MARK: Around a node

    /// Returns the nearest node that, when folded, hides a node; nil for a root.
    // Inlined, because a call would copy the row model.
    @inline(__always)
    package func outer(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        longChains.has(node) ? outer(ofListed: node) : ChainWalk.outer(of: node, in: forest)
    }

    private func outer(ofListed node: NodeIndex) -> NodeIndex? {
        guard let (listIndex, position) = longChains.find(node) else { return nil }
        return longChains.outer(at: position, in: listIndex)
            .map { NodeIndex(rawValue: longChains.entry(at: $0, in: listIndex).node) }
    }

    /// Returns the level of a node; 0 for a root and its continuations.
    func depth(of node: NodeIndex, in forest: borrowing ChainForest) -> Int {
        if let (listIndex, position) = longChains.find(node) { return longChains.depth(at: position, in: listIndex) }
        var depth = 0
        var current = node
        while let above = forest.treeParent(of: current) {
            if !forest.isContinuation(current) { depth += 1 }
            current = above
        }
        return depth
    }

    /// Returns whether folding `outer` hides a node.
    func isInside(_ node: NodeIndex, of outer: NodeIndex, _ forest: borrowing ChainForest) -> Bool {
        var current = self.outer(of: node, in: forest)
        while let next = current {
            if next == outer { return true }
            current = self.outer(of: next, in: forest)
        }
        return false
    }
}
