import ChainEvents
import ChainModel

// The rows of chains: how many, which, and where a node is among them.
extension RowModel {
    /// Forgets the rows of a chain, who has its place there or is about to give it back.
    mutating func forgetShape(_ root: NodeIndex, _ place: Int) {
        guard slots.has(.mayHaveShape, place) else { return }
        slots.set(.mayHaveShape, false, place)
        shapes[root] = nil
        matchShapes[root] = nil
    }

    private mutating func noteShape(_ root: NodeIndex) {
        let number = slotOf[root.rawValue]
        if number != 0 { slots.set(.mayHaveShape, true, Int(number - 1)) }
    }

    /// What becomes of the rows that a chain takes while what does not match is hidden.
    enum MatchCount {
        /// They are counted anew.
        case now
        /// They are with the next ``refreshMatches(in:)``.
        case soon
        /// Nothing came, went or moved: they are as many as before.
        case asBefore
    }

    /// Finds anew how many rows a chain takes.
    mutating func reweigh(_ root: NodeIndex, in forest: borrowing ChainForest, matches: MatchCount = .now) {
        let place = Int(slotOf[root.rawValue] - 1)
        let count = forest.nodeCount(ofRoot: root)
        if count < longFrom / 2, let l = lists.list(of: root) { lists.removeList(l) }
        let weight = weight(of: root, place, count, holdsFolds: holdsFolds(place), in: forest)
        if slots.weight(place) != weight {
            slots.setWeight(weight, place)
            list.setWeight(weight, of: slots.key(place))
            // A new order in the making has to hear of it.
            order.build?.noteChange(root, place)
        }
        guard filter.isActive else { return }
        switch matches {
        case .now: reweighMatches(root, place, in: forest)
        case .soon: if filter.matchCount(of: root) != 0 || slots.matchWeight(place) != 0 { filter.noteShape(of: root) }
        case .asBefore: break
        }
    }

    /// Whether something in a chain may be folded, so that its rows have to be counted.
    // Inline, as what is asked for each chain that changes: a call would get a copy of all of the outline.
    @inline(__always)
    private func holdsFolds(_ place: Int) -> Bool {
        if slots.has(.mayHoldFolds, place) { return true }
        guard let level = folds.level else { return false }
        return level != 0 && level != Folds.everything
    }

    private mutating func weight(
        of root: NodeIndex, _ place: Int, _ count: Int, holdsFolds: Bool, in forest: borrowing ChainForest
    ) -> Int {
        if count == 1 || isFolded(root, depth: 0) {
            forgetShape(root, place)
            return 1
        }
        if isLong(count) {
            // It is on its way already when its rows are asked for.
            guard holdsFolds || count > Self.firstRead else { return count }
            let l = list(ofLong: root, in: forest)
            return holdsFolds ? max(1, lists.rowCount(of: l, isFiltered: false)) : count
        }
        guard holdsFolds else { return count }
        if let shape = shapes[root], shape.nodeCount == count { return shape.rows.count }
        return makeShape(root, in: forest).count
    }

    @discardableResult
    mutating func makeShape(_ root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        let rows = ChainWalk.rows(
            of: root, in: forest, isFolded: { isFolded($0, depth: $1) }, siblings: siblingOrder)
        if shapes.count >= Self.shapeLimit { shapes.removeAll(keepingCapacity: true) }
        shapes[root] = Shape(nodeCount: forest.chain(of: root).nodeCount, rows: rows)
        noteShape(root)
        return rows
    }

    @discardableResult
    mutating func makeMatchShape(_ root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        filter.markShown(of: root, in: forest)
        let shown = filter.shownNodes
        let rows = ChainWalk.rows(
            of: root, in: forest,
            isFolded: { node, _ in isFoldedByUser(node) },
            isHidden: { node in !shown.contains(node) }, siblings: siblingOrder)
        if matchShapes.count >= Self.shapeLimit { matchShapes.removeAll(keepingCapacity: true) }
        matchShapes[root] = Shape(nodeCount: forest.chain(of: root).nodeCount, rows: rows)
        noteShape(root)
        return rows
    }

    /// The rows that a chain takes while what does not match is hidden, of which `matchCount` match.
    mutating func matchWeight(of root: NodeIndex, matchCount: Int, in forest: borrowing ChainForest) -> Int {
        if isFoldedByUser(root) { return 1 }
        let count = forest.nodeCount(ofRoot: root)
        if isLong(count) {
            let l = list(ofLong: root, in: forest)
            return max(1, lists.rowCount(of: l, isFiltered: true))
        }
        // What folded itself is open while the rest is hidden.
        if folds.marked.isEmpty || !slots.has(.mayHoldFolds, Int(slotOf[root.rawValue] - 1)) {
            return matchCount == count ? count : filter.shownCount(of: root, in: forest)
        }
        return makeMatchShape(root, in: forest).count
    }

    /// Some of the rows of a chain as they are shown now.
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
            if let shape = matchShapes[root], shape.nodeCount == count { return shape.rows }
            return makeMatchShape(root, in: forest)
        }
        if let shape = shapes[root], shape.nodeCount == count { return shape.rows }
        return makeShape(root, in: forest)
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

    /// The rows of a group's chains from a number on, at most so many.
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

    /// Returns the row of a node, or of the nearest node that hides it; nil where its chain is not shown.
    package mutating func row(of node: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        let root = forest.root(of: node)
        guard let key = key(of: root) else { return nil }
        if node == root { return firstRow(of: key)?.row }
        if isPending(root) { reweigh(root, in: forest) }
        guard let (first, isHidden) = firstRow(of: key) else { return nil }
        if isHidden { return first }
        let count = forest.chain(of: root).nodeCount
        guard isLong(count) else {
            let rows = rows(of: root, count, in: forest)
            var current: NodeIndex? = node
            while let target = current {
                if let place = rows.firstIndex(where: { $0.node == target }) { return first + place }
                current = ChainWalk.outer(of: target, in: forest)
            }
            return first
        }
        let offset = isRootFolded(root) ? 0 : row(of: node, inLong: root, in: forest)
        // Reading on may have shown more of it.
        reweigh(root, in: forest)
        return firstRow(of: key).map { $0.row + offset }
    }

    /// The first row of the chain that a node is in.
    func firstRow(ofChain root: NodeIndex) -> Int? { key(of: root).flatMap { firstRow(of: $0)?.row } }

    func key(of root: NodeIndex) -> RootKey? {
        let number = slotOf[root.rawValue]
        return number == 0 ? nil : slots.key(Int(number - 1))
    }
}
