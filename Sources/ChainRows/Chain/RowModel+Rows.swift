import ChainModel

// The rows of chains: their number, the rows themselves, and the row of a node.
extension RowModel {
    mutating func dropCachedRows(_ root: NodeIndex, _ slot: Int) {
        guard slots.has(.mayHaveCachedRows, slot) else { return }
        slots.set(.mayHaveCachedRows, false, slot)
        cachedRows[root] = nil
        cachedMatchRows[root] = nil
    }

    private mutating func noteCachedRows(_ root: NodeIndex) {
        let number = slotOf[root.rawValue]
        if number != 0 { slots.set(.mayHaveCachedRows, true, Int(number - 1)) }
    }

    /// The time at which a chain's match weight (its number of rows while a filter hides nodes) is updated.
    enum MatchWeightUpdate {
        /// Counted now.
        case now
        /// Counted by the next ``refreshMatches(in:)``.
        case soon
        /// Unchanged, because no node was added, removed or moved.
        case unchanged
    }

    /// Counts the rows of a chain, and updates its weights in the lists.
    mutating func updateWeight(
        _ root: NodeIndex, in forest: borrowing ChainForest, matches: MatchWeightUpdate = .now
    ) {
        let slot = Int(slotOf[root.rawValue] - 1)
        let count = forest.nodeCount(ofRoot: root)
        if count < walkLimit / 2, let listIndex = longChains.list(of: root) { longChains.removeList(listIndex) }
        var weight = weight(of: root, slot, count, holdsFolds: holdsFolds(slot), in: forest)
        if slots.has(.elsewhere, slot) {
            noteForeignWeight(root, slot, rows: weight, in: forest)
            weight = 0
        }
        if slots.weight(slot) != weight {
            slots.setWeight(weight, slot)
            list.setWeight(weight, of: slots.key(slot))
            // The pending sort notes the change, too, because it copies weights.
            order.pendingSort?.noteChange(root, slot)
        }
        guard filter.isActive else { return }
        switch matches {
        case .now: updateMatchWeight(root, slot, in: forest)
        case .soon:
            if filter.matchCount(of: root) != 0 || slots.matchWeight(slot) != 0 { filter.noteStructure(of: root) }
        case .unchanged: break
        }
    }

    /// Returns whether a chain may have folded nodes or rows of other programs' chains. Its rows must then be counted
    /// one by one, because their number may not be the number of its nodes.
    // Inlined, because it runs for each changed chain and a call would copy the row model.
    @inline(__always)
    private func holdsFolds(_ slot: Int) -> Bool {
        if slots.has(.mayHoldFolds, slot) { return true }
        guard let level = folds.level else { return false }
        return level != 0 && level != Folds.everything
    }

    /// Returns the number of rows that a chain of `count` nodes has while no filter hides nodes.
    private mutating func weight(
        of root: NodeIndex, _ slot: Int, _ count: Int, holdsFolds: Bool, in forest: borrowing ChainForest
    ) -> Int {
        if count == 1 && !foreign.hasCallers(root) || isFolded(root, depth: 0) {
            dropCachedRows(root, slot)
            return 1
        }
        if isLong(count) {
            // A chain of over `firstReadCount` nodes is read in slices, so its list is begun before its rows are
            // requested.
            guard holdsFolds || count > Self.firstReadCount else { return count }
            let listIndex = list(ofLong: root, in: forest)
            return holdsFolds ? max(1, longChains.rowCount(of: listIndex, isFiltered: false)) : count
        }
        guard holdsFolds else { return count }
        if let cached = cachedRows[root], cached.nodeCount == count { return cached.height }
        return makeRows(root, in: forest).height
    }

    /// Walks a chain and caches the rows that it has while no filter hides nodes.
    private mutating func makeRows(_ root: NodeIndex, in forest: borrowing ChainForest) -> CachedRows {
        let hasCallers = foreign.hasCallers(root)
        let rows = ChainWalk.rows(
            of: root, in: forest, isFolded: { isFolded($0, depth: $1) },
            foreignRows: hasCallers ? longChains.foreignRows : [:], siblings: siblingOrder)
        if cachedRows.count >= Self.cacheLimit { cachedRows.removeAll(keepingCapacity: true) }
        let rowCount = hasCallers ? rows.reduce(0) { $0 + unfilteredHeight(of: $1) } : rows.count
        let made = CachedRows(nodeCount: forest.chain(of: root).nodeCount, rows: rows, height: rowCount)
        cachedRows[root] = made
        noteCachedRows(root)
        return made
    }

    /// Walks a chain and caches the rows that it has while a filter hides nodes.
    private mutating func makeMatchRows(_ root: NodeIndex, in forest: borrowing ChainForest) -> CachedRows {
        filter.markShown(of: root, in: forest)
        let shown = filter.shownNodes
        let rows = ChainWalk.rows(
            of: root, in: forest,
            isFolded: { node, _ in hasOwnFold(node) },
            isHidden: { node in !shown.contains(node) }, siblings: siblingOrder)
        if cachedMatchRows.count >= Self.cacheLimit { cachedMatchRows.removeAll(keepingCapacity: true) }
        let made = CachedRows(nodeCount: forest.chain(of: root).nodeCount, rows: rows, height: rows.count)
        cachedMatchRows[root] = made
        noteCachedRows(root)
        return made
    }

    /// Returns the number of rows that a chain has while a filter hides nodes; `matchCount` is its number of matches.
    mutating func matchWeight(of root: NodeIndex, matchCount: Int, in forest: borrowing ChainForest) -> Int {
        if hasOwnFold(root) { return 1 }
        let count = forest.nodeCount(ofRoot: root)
        if isLong(count) {
            let listIndex = list(ofLong: root, in: forest)
            return max(1, longChains.rowCount(of: listIndex, isFiltered: true))
        }
        // Automatically folded nodes are shown open while a filter hides nodes.
        if folds.marked.isEmpty || !slots.has(.mayHoldFolds, Int(slotOf[root.rawValue] - 1)) {
            return matchCount == count ? count : filter.shownCount(of: root, in: forest)
        }
        return makeMatchRows(root, in: forest).height
    }

    /// Appends at most `count` rows of a chain, from its row `first` on. Returns how many rows were appended.
    @discardableResult
    mutating func append(
        rowsOf root: NodeIndex, from first: Int, count: Int, in forest: borrowing ChainForest,
        to outlineRows: inout [OutlineRow]
    ) -> Int {
        let nodeCount = forest.chain(of: root).nodeCount
        if isLong(nodeCount) {
            guard isRootFolded(root) else {
                let (rows, skipped) = rows(ofLong: root, from: first, count: count, in: forest)
                return append(rows, skipping: skipped, count: count, to: &outlineRows)
            }
            guard first == 0 else { return 0 }
            outlineRows.append(.tree(foldedRow(of: root, in: forest)))
            return 1
        }
        let shown = rows(of: root, nodeCount, in: forest)
        guard shown.height == shown.rows.count else {
            return append(shown.rows, skipping: first, count: count, to: &outlineRows)
        }
        let rows = shown.rows.dropFirst(first).prefix(count)
        for row in rows { outlineRows.append(.tree(row)) }
        return rows.count
    }

    /// Returns the rows of a chain that is not long, from the cache or from a walk.
    private mutating func rows(of root: NodeIndex, _ nodeCount: Int, in forest: borrowing ChainForest) -> CachedRows {
        if filter.hidesUnmatched {
            if let cached = cachedMatchRows[root], cached.nodeCount == nodeCount { return cached }
            return makeMatchRows(root, in: forest)
        }
        if let cached = cachedRows[root], cached.nodeCount == nodeCount { return cached }
        return makeRows(root, in: forest)
    }

    // Inlined, because a call would copy the row model.
    @inline(__always)
    private func isRootFolded(_ root: NodeIndex) -> Bool {
        filter.hidesUnmatched ? hasOwnFold(root) : isFolded(root, depth: 0)
    }

    private func foldedRow(of root: NodeIndex, in forest: borrowing ChainForest) -> TreeRow {
        let hasContinuation = forest.continuation(of: root) != nil
        return TreeRow(
            node: root, depth: 0, guides: 0,
            flags: hasContinuation ? [.root, .foldable, .folded] : [.root, .foldable, .folded, .last])
    }

    /// Returns at most `count` rows of a group's chains, from row `first` of the chains on.
    mutating func rows(
        ofGroup group: UInt32 = 0, from first: Int, count: Int, in forest: borrowing ChainForest
    ) -> [OutlineRow] {
        var result: [OutlineRow] = []
        guard count > 0, var (key, offset) = shown[group].select(row: first) else { return result }
        result.reserveCapacity(count)
        var left = count
        while left > 0 {
            if updateIfPending(key, in: forest) {
                guard let next = shown[group].select(row: first + count - left) else { break }
                (key, offset) = next
            }
            if let root = forest.index(of: NodeID(key.id)) {
                if isElsewhere(root) {
                    // The next key is found by its row, because many chains without rows may follow.
                    guard let next = shown[group].select(row: first + count - left) else { break }
                    (key, offset) = next
                    continue
                }
                left -= append(rowsOf: root, from: offset, count: left, in: forest, to: &result)
            }
            guard let next = shown[group].key(after: key) else { break }
            (key, offset) = (next, 0)
        }
        return result
    }

    /// Returns the number of rows of a chain; nil if the chain is not shown. O(log chains).
    package mutating func rowCount(ofChain root: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        guard let key = key(of: root) else { return nil }
        if isPending(root) { updateWeight(root, in: forest) }
        return isElsewhere(root) ? foreign.elsewhere[root]?.rows : shown.weight(of: key)
    }

    /// Returns the row of a node, or the row of the nearest node that hides it; nil if the node's chain is not shown.
    package mutating func row(of node: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        let root = forest.root(of: node)
        guard let key = key(of: root) else { return nil }
        if node == root { return firstRow(of: key)?.row }
        if isPending(root) { updateWeight(root, in: forest) }
        guard let (first, isHidden) = firstRow(of: key) else { return nil }
        if isHidden { return first }
        let row = row(of: node, inChain: root, in: forest)
        // The first row is found again, because reading a long chain may have changed its rows.
        return isLong(forest.chain(of: root).nodeCount) ? firstRow(of: key).map { $0.row + row } : first + row
    }

    /// Returns the row of a node, or the row of the nearest node that hides it, counted from the first row of its
    /// chain.
    package mutating func row(of node: NodeIndex, inChain root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        let count = forest.chain(of: root).nodeCount
        guard isLong(count) else {
            let shown = rows(of: root, count, in: forest)
            var current: NodeIndex? = node
            while let target = current {
                if let index = shown.rows.firstIndex(where: { $0.node == target }) {
                    if shown.height == shown.rows.count { return index }
                    return shown.rows[..<index].reduce(0) { $0 + height(of: $1) }
                }
                current = ChainWalk.outer(of: target, in: forest)
            }
            return 0
        }
        let offset = isRootFolded(root) ? 0 : row(of: node, inLong: root, in: forest)
        // Updated, because reading the list may have changed its number of rows.
        updateWeight(root, in: forest)
        return offset
    }

    /// Returns the key of a root; nil for a node that is no root, or of which the chain was not added yet.
    func key(of root: NodeIndex) -> RootKey? {
        let number = slotOf[root.rawValue]
        return number == 0 ? nil : slots.key(Int(number - 1))
    }
}
