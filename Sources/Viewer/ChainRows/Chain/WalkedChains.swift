// SPDX-License-Identifier: MIT

import ChainModel

/// The rows of the unfolded chains that were read, until the chains change.
///
/// Chains of up to ``wholeLimit`` nodes are walked again as soon as their rows are read after a change. Longer chains
/// are walked in slices, for a tenth of the time at most; meanwhile their old rows are shown, without evicted nodes.
struct WalkedChains {
    /// Chains of more nodes are walked in slices.
    static let wholeLimit = 20_000
    /// How many nodes a slice walks: 1 to 2 ms.
    static let slice = 20_000
    /// How long a chain rests after a walk in slices, for each of its nodes, in nanoseconds: ten times the cost.
    static let restPerNode: UInt64 = 600
    /// How many chains have rows here at most. Past the limit the rows of chains that are not walked in slices are dropped.
    private static let limit = 512

    /// The rows of one chain.
    struct Rows {
        /// The rows of the last complete walk.
        private var last: [TreeRow] = []
        /// The low bits of the ids of the rows' nodes, if the chain is walked in slices.
        private var ids: [UInt32] = []
        /// The walk under way.
        var walk: ChainWalk?
        /// While a filter hides nodes, the nodes that are not hidden.
        var shown: ShownNodes?
        /// The number of rows, including the rows of other programs' chains between them.
        var height = 0
        /// Whether the chain changed since the last walk began.
        var isStale = true
        /// When the next finished node folds; nil if none does.
        var deadline: UInt64?
        /// Whether a walk has been completed.
        private(set) var isComplete = false
        /// The row that ``index(of:)`` found last.
        private var lastFound = 0
        /// The number of the chain's nodes when the last walk began.
        private(set) var nodeCount = 0
        /// The earliest wall-clock time of the next walk, in nanoseconds.
        var due: UInt64 = 0

        /// The rows of the last complete walk or, before there was one, the rows so far.
        var rows: [TreeRow] { isComplete ? last : walk?.rows ?? [] }

        mutating func begin(_ root: NodeIndex, in forest: borrowing ChainForest) {
            (walk, isStale, nodeCount) = (ChainWalk(of: root, in: forest), false, forest.nodeCount(ofRoot: root))
            shown = nil
        }

        /// Stores the rows of a complete walk.
        mutating func finish(_ done: ChainWalk, isSliced: Bool, wall: UInt64) {
            (last, ids) = (done.rows, isSliced ? done.ids : [])
            (walk, shown, isComplete) = (nil, nil, true)
            due = wall &+ UInt64(nodeCount) * WalkedChains.restPerNode
        }

        /// Whether the chain is walked in slices, and some are left. Shorter chains are walked when they are read.
        var awaitsSlices: Bool { walk != nil || isStale && nodeCount > WalkedChains.wholeLimit }

        /// Returns the index of a node's row; nil if it has none. Rows around the one found last are tried first, because
        /// the selection moves by steps.
        mutating func index(of node: NodeIndex) -> Int? {
            let near = rows.indices.clamped(to: max(0, lastFound - 100)..<max(0, lastFound + 100))
            let found = rows[near].firstIndex { $0.node == node } ?? rows.firstIndex { $0.node == node }
            if let found { lastFound = found }
            return found
        }

        /// Returns whether the node of a row has not been evicted since the walk.
        func isCurrent(_ index: Int, in forest: borrowing ChainForest) -> Bool {
            let node = rows[index].node
            return forest.contains(node) && (index >= ids.count || ids[index] == forest.shortID(of: node))
        }
    }

    /// A chain, with or without a filter that hides nodes.
    struct Key: Hashable {
        var root: NodeIndex
        var isFiltered: Bool
    }

    var rows: [Key: Rows] = [:]

    /// Removes the rows of a chain, for a change in place.
    mutating func take(_ key: Key) -> Rows { rows.removeValue(forKey: key) ?? Rows() }

    mutating func put(_ new: Rows, _ key: Key) {
        if rows.count >= Self.limit { rows = rows.filter { $0.value.nodeCount > Self.wholeLimit } }
        rows[key] = new
    }

    /// Changes the rows of a chain with and without a filter.
    mutating func change(_ root: NodeIndex, _ body: (inout Rows?) -> Void) {
        body(&rows[Key(root: root, isFiltered: false)])
        body(&rows[Key(root: root, isFiltered: true)])
    }

    /// Whether a walk in slices is under way, or will begin.
    var hasWork: Bool { rows.values.contains { $0.awaitsSlices } }

    /// Returns a chain of which a walk in slices is due or under way; nil if there is none.
    func work(at wall: UInt64) -> Key? {
        rows.first { $0.value.awaitsSlices && ($0.value.walk != nil || $0.value.due <= wall) }?.key
    }
}

/// The nodes of a chain that a filter does not hide: the matches and the nodes above them, found in slices.
struct ShownNodes {
    /// By node, 1 if it is shown. Not a set, because a set copies all its elements when it grows.
    private var marks = PagedArray<UInt8>()
    /// The next node to test, and the low bits of its id.
    private var next: (node: NodeIndex, id: UInt32)?

    var isDone: Bool { next == nil }

    init(of root: NodeIndex, in forest: borrowing ChainForest) {
        marks[root.rawValue] = 1
        next = (root, forest.shortID(of: root))
    }

    func contains(_ node: NodeIndex) -> Bool { marks[node.rawValue] != 0 }

    /// Tests the next `count` nodes. Ends if the next node was evicted since the last step.
    mutating func step(
        _ count: Int, within root: NodeIndex, in forest: borrowing ChainForest, where isMatch: (NodeIndex) -> Bool
    ) {
        for _ in 0..<count {
            guard let (node, id) = next, forest.contains(node), forest.shortID(of: node) == id else { break }
            if isMatch(node) {
                var current: NodeIndex? = node
                while let above = current, !contains(above) {
                    marks[above.rawValue] = 1
                    current = forest.treeParent(of: above)
                }
            }
            guard let following = forest.next(after: node, within: root) else { return next = nil }
            next = (following, forest.shortID(of: following))
        }
        if let (node, id) = next, !forest.contains(node) || forest.shortID(of: node) != id { next = nil }
    }
}
