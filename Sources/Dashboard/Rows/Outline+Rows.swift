import ChainEvents
import ChainModel

// The rows of chains: how many, which, and where a node is among them.
extension Outline {
    mutating func forgetShape(_ root: NodeIndex) {
        shapes[root] = nil
        matchShapes[root] = nil
    }

    mutating func reweigh(_ root: NodeIndex, in forest: borrowing ChainForest) {
        let place = Int(slotOf[root.rawValue] - 1)
        let slot = slots[place]
        let count = forest.chain(of: root).nodeCount
        let isWhole = !slot.mayHoldFolds
        let weight: Int
        if count == 1 || isFolded(root) {
            weight = 1
            if count > 1 || shapes[root] != nil { shapes[root] = nil }
        } else if isWhole {
            weight = count
        } else if let shape = shapes[root], shape.nodeCount == count {
            weight = shape.rows.count
        } else {
            weight = makeShape(root, in: forest).count
        }
        list.setWeight(weight, of: slot.key)
        guard filter.isActive else { return }
        if filter.matchCount(of: root) > 0 {
            if !matchList.contains(slot.key) { matchList.insert(slot.key, weight: 1) }
            matchShapes[root] = nil
            if filter.hidesRest { matchList.setWeight(matchWeight(of: root, in: forest), of: slot.key) }
        } else {
            matchList.remove(slot.key)
            matchShapes[root] = nil
        }
    }

    @discardableResult
    mutating func makeShape(_ root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        let rows = ChainWalk.rows(of: root, in: forest, isFolded: { node, _ in isFolded(node) })
        if shapes.count >= Self.shapeLimit { shapes.removeAll(keepingCapacity: true) }
        shapes[root] = Shape(nodeCount: forest.chain(of: root).nodeCount, rows: rows)
        return rows
    }

    @discardableResult
    mutating func makeMatchShape(_ root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        filter.markShown(of: root, in: forest)
        let found = filter
        let rows = ChainWalk.rows(
            of: root, in: forest,
            isFolded: { node, _ in isFoldedByUser(node) },
            isHidden: { node in !found.isShown(node) })
        if matchShapes.count >= Self.shapeLimit { matchShapes.removeAll(keepingCapacity: true) }
        matchShapes[root] = Shape(nodeCount: forest.chain(of: root).nodeCount, rows: rows)
        return rows
    }

    /// The rows that a chain takes while what does not match is hidden.
    mutating func matchWeight(of root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        let count = forest.chain(of: root).nodeCount
        let mayHoldFolds = slots[Int(slotOf[root.rawValue] - 1)].mayHoldFolds
        if !mayHoldFolds, count == 1 || filter.matchCount(of: root) == count { return count }
        return makeMatchShape(root, in: forest).count
    }

    /// The rows of a chain as they are shown now.
    mutating func rows(of root: NodeIndex, in forest: borrowing ChainForest) -> [TreeRow] {
        let count = forest.chain(of: root).nodeCount
        if filter.hidesRest {
            if let shape = matchShapes[root], shape.nodeCount == count { return shape.rows }
            return makeMatchShape(root, in: forest)
        }
        if let shape = shapes[root], shape.nodeCount == count { return shape.rows }
        return makeShape(root, in: forest)
    }

    /// The rows from a number on, at most so many.
    mutating func rows(from first: Int, count: Int, in forest: borrowing ChainForest) -> [TreeRow] {
        var result: [TreeRow] = []
        guard count > 0, var (key, offset) = shown.select(row: first) else { return result }
        result.reserveCapacity(count)
        while result.count < count {
            if let root = forest.index(of: NodeID(key.id)) {
                let rows = rows(of: root, in: forest)
                result.append(contentsOf: rows.dropFirst(offset).prefix(count - result.count))
            }
            guard let next = shown.key(after: key) else { break }
            (key, offset) = (next, 0)
        }
        return result
    }

    /// The row of a node, or of the nearest node that hides it; nil where its chain is not shown.
    mutating func row(of node: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        let root = forest.root(of: node)
        let number = slotOf[root.rawValue]
        guard number != 0, let first = shown.row(of: slots[Int(number - 1)].key) else { return nil }
        if node == root { return first }
        let rows = rows(of: root, in: forest)
        var current: NodeIndex? = node
        while let target = current {
            if let place = rows.firstIndex(where: { $0.node == target }) { return first + place }
            current = ChainWalk.outer(of: target, in: forest)
        }
        return first
    }

    /// The first row of the chain that a node is in.
    func firstRow(ofChain root: NodeIndex) -> Int? {
        let number = slotOf[root.rawValue]
        return number == 0 ? nil : shown.row(of: slots[Int(number - 1)].key)
    }

    func key(of root: NodeIndex) -> RootKey? {
        let number = slotOf[root.rawValue]
        return number == 0 ? nil : slots[Int(number - 1)].key
    }
}
