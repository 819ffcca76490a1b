import ChainModel

/// The order of a chain's rows, one node after the other, for walks that are taken up again.
enum RowOrder {
    /// The node after another and its level (see ``ChainLists/Entry/level``), all being unfolded; nil behind the last
    /// that stands under `top`. O(1), but for the steps up from the end of a subtree.
    static func next(
        after node: NodeIndex, level: UInt32, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> (node: NodeIndex, level: UInt32)? {
        var depth = level >> 1
        if let first = inner(forest.firstChild(of: node), in: forest) { return (first, 2 * (depth + 1)) }
        if let tail = forest.continuation(of: node) { return (tail, 2 * depth + 1) }
        var current = node
        while current != top, let above = forest.placedParent(of: current) {
            if !forest.isContinuation(current) {
                if let sibling = inner(forest.nextSibling(of: current), in: forest) { return (sibling, 2 * depth) }
                depth -= 1
                if let tail = forest.continuation(of: above) { return (tail, 2 * depth + 1) }
            }
            current = above
        }
        return nil
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
    mutating func make(_ node: NodeIndex, _ level: UInt32, flags: ChainLists.Flags) -> ChainLists.Entry {
        let own = folds(at: level) ?? (0, 0)
        setFolds(
            (own.all + (flags.contains(.folded) ? 1 : 0), own.user + (flags.contains(.userFolded) ? 1 : 0)),
            at: level + 2)
        return ChainLists.Entry(
            node: node.rawValue, level: level, folds: own.all, userFolds: own.user, flags: flags)
    }
}
