import ChainModel

/// The order of a chain's rows, one node after the other, for walks that are taken up again.
enum RowOrder {
    /// The node after another and its level (see ``LongChainIndex/Entry/level``), all being unfolded; nil behind the last
    /// that stands under `top`. O(1), but for the steps up from the end of a subtree.
    static func next(
        after node: NodeIndex, level: UInt32, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> (node: NodeIndex, level: UInt32)? {
        var depth = level >> 1
        if let first = inner(forest.firstChild(of: node), in: forest) { return (first, 2 * (depth + 1)) }
        if let tail = forest.continuation(of: node) { return (tail, 2 * depth + 1) }
        var current = node
        while current != top, let above = forest.treeParent(of: current) {
            if !forest.isContinuation(current) {
                if let sibling = inner(forest.nextSibling(of: current), in: forest) { return (sibling, 2 * depth) }
                depth -= 1
                if let tail = forest.continuation(of: above) { return (tail, 2 * depth + 1) }
            }
            current = above
        }
        return nil
    }

    /// The last node that is drawn under a node, or itself where there is none. O(steps down).
    static func last(under node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex {
        var current = node
        while let next = forest.continuation(of: current) ?? forest.lastChild(of: current) { current = next }
        return current
    }

    /// The node before another, all being unfolded; nil before `top`. O(1), but for the steps down to the end of a
    /// subtree.
    static func previous(
        before node: NodeIndex, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> NodeIndex? {
        guard node != top, let above = forest.treeParent(of: node) else { return nil }
        let start = forest.isContinuation(node) ? forest.lastChild(of: above) : forest.previousSibling(of: node)
        guard let start else { return above }
        // A continuation stands behind all the others, wherever it is among them.
        let inner = forest.isContinuation(start) ? forest.previousSibling(of: start) : start
        return inner.map { last(under: $0, in: forest) } ?? above
    }

    /// The nearest node after another, or before it, for which a condition holds. Looks at one after the other, and at
    /// none further away.
    static func nearest(
        to node: NodeIndex, forward: Bool, within top: NodeIndex, in forest: borrowing ChainForest,
        where isWanted: (NodeIndex) -> Bool
    ) -> NodeIndex? {
        // Only the difference of levels counts.
        var at: (node: NodeIndex, level: UInt32) = (node, 1 << 31)
        while true {
            if forward {
                guard let next = next(after: at.node, level: at.level, within: top, in: forest) else { return nil }
                at = next
            } else {
                guard let previous = previous(before: at.node, within: top, in: forest) else { return nil }
                at.node = previous
            }
            if isWanted(at.node) { return at.node }
        }
    }

    /// The first of a node and those after it that is no continuation.
    static func inner(_ node: NodeIndex?, in forest: borrowing ChainForest) -> NodeIndex? {
        guard let node, forest.isContinuation(node) else { return node }
        return forest.nextSibling(of: node)
    }
}

/// Makes entries along a walk, each with the folds around it.
struct EntryMaker {
    /// By how far in a node stands, the folds around nodes there, as far as they are known.
    private var folds: [(all: UInt32, user: UInt16)?] = []
    private let origin: UInt32

    /// Begins where no node stands less far in than `level` says.
    init(level: UInt32) { origin = level >> 1 }

    func folds(at level: UInt32) -> (all: UInt32, user: UInt16)? {
        let place = Int(level >> 1 - origin)
        return place < folds.count ? folds[place] : nil
    }

    mutating func setFolds(_ new: (all: UInt32, user: UInt16), at level: UInt32) {
        let place = Int(level >> 1 - origin)
        while folds.count <= place { folds.append(nil) }
        folds[place] = new
    }

    /// The entry of the next node; the folds at its level must be known.
    mutating func make(_ node: NodeIndex, _ level: UInt32, flags: LongChainIndex.Flags) -> LongChainIndex.Entry {
        let own = folds(at: level) ?? (0, 0)
        setFolds(
            (own.all + (flags.contains(.folded) ? 1 : 0), own.user + (flags.contains(.userFolded) ? 1 : 0)),
            at: level + 2)
        return LongChainIndex.Entry(
            node: node.rawValue, level: level, folds: own.all, userFolds: own.user, flags: flags)
    }
}
