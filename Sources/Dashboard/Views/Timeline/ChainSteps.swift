import ChainModel

/// Steps through a chain in the order in which the tree draws it with nothing folded (see ``ChainWalk``), from any node
/// on, so that a window of a chain of any length costs its rows and not the chain.
///
/// A step is O(1) but where a long list ends: from there it goes back to where that began.
enum ChainSteps {
    /// The node drawn below, and how many levels further in or out it stands; nil at the end. For who knows that it is
    /// the end, `climbs` is false: nothing is looked for further out then.
    static func next(
        after node: NodeIndex, root: NodeIndex, climbs: Bool = true, in forest: borrowing ChainForest
    ) -> (node: NodeIndex, levels: Int)? {
        if let inner = firstInner(of: node, in: forest) { return (inner, 1) }
        if let tail = forest.continuation(of: node) { return (tail, 0) }
        guard climbs else { return nil }
        var current = node
        var levels = 0
        while current != root, let above = forest.treeParent(of: current) {
            if !forest.isContinuation(current) {
                if let sibling = innerSibling(of: current, forward: true, in: forest) { return (sibling, levels) }
                levels -= 1
                if let tail = forest.continuation(of: above) { return (tail, levels) }
            }
            current = above
        }
        return nil
    }

    /// The node drawn above; nil for the root.
    static func previous(
        before node: NodeIndex, root: NodeIndex, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        guard node != root, let above = forest.treeParent(of: node) else { return nil }
        if forest.isContinuation(node) {
            return lastInner(of: above, in: forest).map { last(under: $0, in: forest) } ?? above
        }
        return innerSibling(of: node, forward: false, in: forest).map { last(under: $0, in: forest) } ?? above
    }

    /// The last node drawn of those under one, or itself.
    static func last(under node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex {
        var current = node
        while let below = forest.continuation(of: current) ?? lastInner(of: current, in: forest) { current = below }
        return current
    }

    /// The node that is drawn so many rows further down (or up), and how many rows that was: fewer at an end.
    static func step(
        from node: NodeIndex, by rows: Int, root: NodeIndex, in forest: borrowing ChainForest
    ) -> (node: NodeIndex, rows: Int) {
        var current = node
        var done = 0
        while done < rows, let next = next(after: current, root: root, in: forest) {
            current = next.node
            done += 1
        }
        while done > rows, let previous = previous(before: current, root: root, in: forest) {
            current = previous
            done -= 1
        }
        return (current, done)
    }

    /// How many rows stand above a node; nil where that is more than `limit`.
    static func number(
        of node: NodeIndex, root: NodeIndex, limit: Int, in forest: borrowing ChainForest
    ) -> Int? {
        var current = node
        for number in 0...limit {
            guard let above = previous(before: current, root: root, in: forest) else { return number }
            current = above
        }
        return nil
    }

    /// How far in a node stands; 0 where that is too far from the root to be told.
    static func depth(of node: NodeIndex, root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        var current = node
        var depth = 0
        for _ in 0..<climbLimit {
            guard current != root, let above = forest.treeParent(of: current) else { return depth }
            if !forest.isContinuation(current) { depth += 1 }
            current = above
        }
        return 0
    }

    private static let climbLimit = 2_000

    // MARK: Inner nodes: those under a node but for the one with which it goes on

    private static func firstInner(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        guard let first = forest.firstChild(of: node) else { return nil }
        return forest.isContinuation(first) ? forest.nextSibling(of: first) : first
    }

    private static func lastInner(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        guard let last = forest.lastChild(of: node) else { return nil }
        return forest.isContinuation(last) ? forest.previousSibling(of: last) : last
    }

    private static func innerSibling(
        of node: NodeIndex, forward: Bool, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        func beside(_ node: NodeIndex) -> NodeIndex? {
            forward ? forest.nextSibling(of: node) : forest.previousSibling(of: node)
        }
        guard let sibling = beside(node) else { return nil }
        return forest.isContinuation(sibling) ? beside(sibling) : sibling
    }
}
