import ChainEvents
import ChainModel

// The rows of chains: how many, which, and the row of a node.
extension RowModel {
    /// Drops the cached rows of a chain.
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

    /// What happens to a chain's number of rows while the rest is hidden.
    enum MatchCount {
        /// Counted now.
        case now
        /// Counted by the next ``refreshMatches(in:)``.
        case soon
        /// Unchanged, because no node came, went or moved.
        case asBefore
    }

    /// Counts the rows of a chain.
    mutating func updateWeight(_ root: NodeIndex, in forest: borrowing ChainForest, matches: MatchCount = .now) {
        let slot = Int(slotOf[root.rawValue] - 1)
        let count = forest.nodeCount(ofRoot: root)
        if count < longFrom / 2, let listIndex = lists.list(of: root) { lists.removeList(listIndex) }
        let weight = weight(of: root, slot, count, holdsFolds: holdsFolds(slot), in: forest)
        if slots.weight(slot) != weight {
            slots.setWeight(weight, slot)
            list.setWeight(weight, of: slots.key(slot))
            // Noted in the sort under way, because it copies weights.
            order.build?.noteChange(root, slot)
        }
        guard filter.isActive else { return }
        switch matches {
        case .now: updateMatchWeight(root, slot, in: forest)
        case .soon:
            if filter.matchCount(of: root) != 0 || slots.matchWeight(slot) != 0 { filter.noteStructure(of: root) }
        case .asBefore: break
        }
    }

    /// Returns whether something in a chain may be folded, so that its rows have to be counted.
    // Inlined, because it runs for each changed chain and a call would copy the row model.
    @inline(__always)
    private func holdsFolds(_ slot: Int) -> Bool {
        if slots.has(.mayHoldFolds, slot) { return true }
        guard let level = folds.level else { return false }
        return level != 0 && level != Folds.everything
    }

    private mutating func weight(
        of root: NodeIndex, _ slot: Int, _ count: Int, holdsFolds: Bool, in forest: borrowing ChainForest
    ) -> Int {
        if count == 1 || isFolded(root, depth: 0) {
            dropCachedRows(root, slot)
            return 1
        }
        if isLong(count) {
            // Begun before its rows are asked for.
            guard holdsFolds || count > Self.firstReadCount else { return count }
            let listIndex = list(ofLong: root, in: forest)
            return holdsFolds ? max(1, lists.rowCount(of: listIndex, isFiltered: false)) : count
        }
        guard holdsFolds else { return count }
        if let cached = cachedRows[root], cached.nodeCount == count { return cached.rows.count }
        return makeRows(root, in: forest).count
    }

    @discardableResult
    mutating func makeRows(_ root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        let rows = ChainWalk.rows(
            of: root, in: forest, isFolded: { isFolded($0, depth: $1) }, siblings: siblingOrder)
        if cachedRows.count >= Self.cacheLimit { cachedRows.removeAll(keepingCapacity: true) }
        cachedRows[root] = CachedRows(nodeCount: forest.chain(of: root).nodeCount, rows: rows)
        noteCachedRows(root)
        return rows
    }

    @discardableResult
    mutating func makeMatchRows(_ root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        filter.markShown(of: root, in: forest)
        let shown = filter.shownNodes
        let rows = ChainWalk.rows(
            of: root, in: forest,
            isFolded: { node, _ in isFoldedByUser(node) },
            isHidden: { node in !shown.contains(node) }, siblings: siblingOrder)
        if cachedMatchRows.count >= Self.cacheLimit { cachedMatchRows.removeAll(keepingCapacity: true) }
        cachedMatchRows[root] = CachedRows(nodeCount: forest.chain(of: root).nodeCount, rows: rows)
        noteCachedRows(root)
        return rows
    }

    /// Returns the number of rows of a chain while the rest is hidden; `matchCount` of its nodes match.
    mutating func matchWeight(of root: NodeIndex, matchCount: Int, in forest: borrowing ChainForest) -> Int {
        if isFoldedByUser(root) { return 1 }
        let count = forest.nodeCount(ofRoot: root)
        if isLong(count) {
            let listIndex = list(ofLong: root, in: forest)
            return max(1, lists.rowCount(of: listIndex, isFiltered: true))
        }
        // Nodes that folded themselves are open while the rest is hidden.
        if folds.marked.isEmpty || !slots.has(.mayHoldFolds, Int(slotOf[root.rawValue] - 1)) {
            return matchCount == count ? count : filter.shownCount(of: root, in: forest)
        }
        return makeMatchRows(root, in: forest).count
    }

    /// Returns rows of a chain as they are shown now.
    private mutating func rows(
        of root: NodeIndex, from first: Int, count: Int, in forest: borrowing ChainForest
    ) -> ArraySlice<TreeRow> {
        let nodeCount = forest.chain(of: root).nodeCount
        if isLong(nodeCount) {
            if isRootFolded(root) { return first == 0 ? [foldedRow(of: root, in: forest)] : [] }
            return rows(ofLong: root, from: first, count: count, in: forest)[...]
        }
        return rows(of: root, nodeCount, in: forest).dropFirst(first).prefix(count)
    }

    private mutating func rows(of root: NodeIndex, _ count: Int, in forest: borrowing ChainForest) -> [TreeRow] {
        if filter.hidesRest {
            if let cached = cachedMatchRows[root], cached.nodeCount == count { return cached.rows }
            return makeMatchRows(root, in: forest)
        }
        if let cached = cachedRows[root], cached.nodeCount == count { return cached.rows }
        return makeRows(root, in: forest)
    }

    private func isRootFolded(_ root: NodeIndex) -> Bool {
        filter.hidesRest ? isFoldedByUser(root) : isFolded(root, depth: 0)
    }

    private func foldedRow(of root: NodeIndex, in forest: borrowing ChainForest) -> TreeRow {
        let goesOn = forest.continuation(of: root) != nil
        return TreeRow(
            node: root, depth: 0, guides: 0,
            flags: goesOn ? [.root, .foldable, .folded] : [.root, .foldable, .folded, .last])
    }

    /// Returns at most `count` rows of a group's chains from a row on.
    mutating func rows(
        ofGroup group: UInt32 = 0, from first: Int, count: Int, in forest: borrowing ChainForest
    ) -> [TreeRow] {
        var result: [TreeRow] = []
        guard count > 0, var (key, offset) = shown[group].select(row: first) else { return result }
        result.reserveCapacity(count)
        while result.count < count {
            if isStale(key, in: forest) {
                guard let next = shown[group].select(row: first + result.count) else { break }
                (key, offset) = next
            }
            if let root = forest.index(of: NodeID(key.id)) {
                result += rows(of: root, from: offset, count: count - result.count, in: forest)
            }
            guard let next = shown[group].key(after: key) else { break }
            (key, offset) = (next, 0)
        }
        return result
    }

    /// Returns the number of rows of a chain; nil where the chain is not shown. O(log chains).
    package mutating func rowCount(ofChain root: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        guard let key = key(of: root) else { return nil }
        if isPending(root) { updateWeight(root, in: forest) }
        return shown.weight(of: key)
    }

    /// Returns the row of a node, or of the nearest node that hides it; nil where its chain is not shown.
    package mutating func row(of node: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        let root = forest.root(of: node)
        guard let key = key(of: root) else { return nil }
        if node == root { return firstRow(of: key)?.row }
        if isPending(root) { updateWeight(root, in: forest) }
        guard let (first, isHidden) = firstRow(of: key) else { return nil }
        if isHidden { return first }
        let count = forest.chain(of: root).nodeCount
        guard isLong(count) else {
            let rows = rows(of: root, count, in: forest)
            var current: NodeIndex? = node
            while let target = current {
                if let slot = rows.firstIndex(where: { $0.node == target }) { return first + slot }
                current = ChainWalk.outer(of: target, in: forest)
            }
            return first
        }
        let offset = isRootFolded(root) ? 0 : row(of: node, inLong: root, in: forest)
        // Updated, because reading the list may have shown more of it.
        updateWeight(root, in: forest)
        return firstRow(of: key).map { $0.row + offset }
    }

    /// Returns the first row of a chain.
    func firstRow(ofChain root: NodeIndex) -> Int? { key(of: root).flatMap { firstRow(of: $0)?.row } }

    func key(of root: NodeIndex) -> RootKey? {
        let number = slotOf[root.rawValue]
        return number == 0 ? nil : slots.key(Int(number - 1))
    }
}
