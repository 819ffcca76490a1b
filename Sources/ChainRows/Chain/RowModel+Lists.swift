import ChainEvents
import ChainModel

// Long chains: their rows come out of a list that is kept up, not out of a walk.
extension RowModel {
    /// Nodes of a chain that are read into its list at once; the rest goes on with each tick.
    static let firstRead = 16_384

    /// Where siblings are sorted, lists are for those only whose walk would hold up the frame: lists are in the order of
    /// the program.
    func isLong(_ count: Int) -> Bool { count > (sortsSiblings ? max(longFrom, Self.longestSorted) : longFrom) }

    /// Of chains with more nodes siblings stay in the order of the program.
    static let longestSorted = 4_096

    /// Lists begin anew: other chains are long now.
    mutating func forgetLists() {
        lists.removeAll()
        unread = []
    }

    /// The list of a long chain, begun if there is none yet.
    mutating func list(ofLong root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        if let known = lists.list(of: root) { return known }
        let new = lists.addList(of: root)
        lists.build(new, budget: max(1, readLeft), in: forest, folds, filter)
        readLeft = max(0, readLeft - lists.lists[new]!.count)
        if !lists.lists[new]!.isComplete { unread.append(new) }
        noteLarge(in: forest)
        return new
    }

    /// Takes note of those with many children that came into the lists.
    mutating func noteLarge(in forest: borrowing ChainForest) {
        guard !lists.large.isEmpty else { return }
        let found = lists.large
        lists.large.removeAll(keepingCapacity: true)
        for node in found where forest.contains(node) { noteLarge(node, in: forest) }
    }

    /// Reads on in a list until it has so many rows, or all of them.
    private mutating func read(_ l: Int, rows: Int, in forest: borrowing ChainForest) {
        while !lists.lists[l]!.isComplete, lists.rowCount(of: l, isFiltered: filter.hidesRest) < rows {
            lists.build(l, budget: 4_096, in: forest, folds, filter)
        }
        noteLarge(in: forest)
    }

    /// Some of the rows of a long chain whose root is unfolded.
    mutating func rows(ofLong root: NodeIndex, from first: Int, count: Int, in forest: borrowing ChainForest)
        -> [TreeRow]
    {
        let l = list(ofLong: root, in: forest)
        read(l, rows: first + count, in: forest)
        let rows = lists.rows(from: first, count: count, in: l, isFiltered: filter.hidesRest)
        if rows.isEmpty, first == 0 { return [TreeRow(node: root, depth: 0, guides: 0, flags: [.root, .last])] }
        return rows
    }

    /// The row of a node in a long chain whose root is unfolded, or of the nearest node that hides it.
    mutating func row(of node: NodeIndex, inLong root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        let l = list(ofLong: root, in: forest)
        if !lists.has(node) { read(l, rows: .max, in: forest) }
        var at = lists.find(node)?.at
        while let current = at {
            if let row = lists.row(at: current, in: l, isFiltered: filter.hidesRest) { return row }
            at = lists.outer(at: current, in: l)
        }
        return 0
    }

    // MARK: Around a node

    /// Returns the nearest node above a node whose folding hides it; nil for a root.
    package func outer(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? {
        guard let (l, at) = lists.find(node) else { return ChainWalk.outer(of: node, in: forest) }
        return lists.outer(at: at, in: l).map { NodeIndex(rawValue: lists.entry(at: $0, in: l).node) }
    }

    /// How far in a node stands; 0 for a root and what goes on from it.
    func depth(of node: NodeIndex, in forest: borrowing ChainForest) -> Int {
        if let (l, at) = lists.find(node) { return lists.depth(at: at, in: l) }
        var depth = 0
        var current = node
        while let above = forest.treeParent(of: current) {
            if !forest.isContinuation(current) { depth += 1 }
            current = above
        }
        return depth
    }

    /// Whether folding `outer` hides a node.
    func stands(_ node: NodeIndex, in outer: NodeIndex, _ forest: borrowing ChainForest) -> Bool {
        var current = self.outer(of: node, in: forest)
        while let next = current {
            if next == outer { return true }
            current = self.outer(of: next, in: forest)
        }
        return false
    }
}
