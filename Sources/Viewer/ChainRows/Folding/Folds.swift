// SPDX-License-Identifier: MIT

import ChainModel

/// Which nodes the user or an option has folded, unfolded or tagged, and the fold level.
struct Folds {
    struct Bits: OptionSet {
        let rawValue: UInt8
        static let folded = Bits(rawValue: 1)
        static let unfolded = Bits(rawValue: 2)
        static let tagged = Bits(rawValue: 4)
        /// The node was folded as soon as it appeared, and not by the user. Set only with ``folded``.
        static let initiallyFolded = Bits(rawValue: 8)
        /// The fold of a single node: set by the user, or initially.
        static let anyFold: Bits = [.folded, .unfolded, .initiallyFolded]
    }

    struct Mark {
        var id: NodeID
        var bits: Bits
    }

    /// A node with more children inside than this limit is folded automatically.
    static let childLimit = 200

    /// The nodes with a fold or a tag.
    private(set) var marks: [NodeIndex: Mark] = [:]
    /// The nodes that hide the selection if they are folded. They are not folded automatically.
    var around: Set<NodeIndex> = []
    /// How many levels of each chain are shown; nil until the user chooses a level. Until then a chain is folded
    /// automatically, after it has settled or while too many chains are unfolded.
    var level: Int?

    /// The ``level`` that shows everything.
    static let everything = Int.max

    /// Whether nodes inside which all is finished fold automatically.
    var foldsFinished: Bool { level == nil || level == 0 }

    /// Returns whether a node has enough children inside to be folded automatically.
    static func isLarge(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let count = forest.childCount(of: node)
        return count > childLimit && (count > childLimit + 1 || forest.continuation(of: node) == nil)
    }

    func bits(of node: NodeIndex) -> Bits { marks.isEmpty ? [] : marks[node]?.bits ?? [] }

    /// Replaces the fold and the tag of a node.
    mutating func set(_ bits: Bits, of node: NodeIndex, _ id: NodeID) {
        marks[node] = bits.isEmpty ? nil : Mark(id: id, bits: bits)
    }

    /// Returns whether a node was folded by the user or initially.
    func hasOwnFold(_ node: NodeIndex) -> Bool { bits(of: node).contains(.folded) }

    /// Forgets an evicted node.
    mutating func forget(_ node: NodeIndex) { if !marks.isEmpty { marks[node] = nil } }

    /// Forgets the nodes that are not in the forest.
    mutating func forgetAbsent(in forest: borrowing ChainForest) {
        for (node, mark) in marks where forest.index(of: mark.id) != node { marks[node] = nil }
    }

    /// Forgets the folds of single nodes; tags stay.
    mutating func forgetFolds() {
        for (node, mark) in marks { set(mark.bits.intersection(.tagged), of: node, mark.id) }
    }
}

/// The nodes of a chain that fold automatically because they are fulfilled or skipped, with all nodes inside, and have
/// been so for a while. So a live chain shows where it stands.
struct FinishedNodes {
    private(set) var nodes: Set<NodeIndex> = []
    /// The time at which the next node will be folded; nil if none will be.
    private(set) var deadline: UInt64?

    /// How long a finished node stays open after it settled, in nanoseconds; after the last node inside, if that settled
    /// later than this.
    static let delay: UInt64 = 1_200_000_000
    /// The maximum number of nodes of a chain in which finished nodes fold.
    static let chainLimit = 4_096

    /// No nodes.
    init() {}

    /// A node, with what is known of the nodes under it once they have been visited. A time is nil if one of the nodes
    /// is neither fulfilled nor skipped.
    private struct Visit {
        let node: NodeIndex
        /// The index of the visit of the node above.
        let above: Int
        /// When the node settled.
        let settled: UInt64?
        /// When the last of the node and all nodes under it settled, its continuation included.
        var last: UInt64?
        /// When the last of the nodes inside settled, with all nodes under them.
        var lastInside: UInt64? = 0
        var hasInside = false
    }

    /// Finds the finished nodes of a chain as of a time, in nanoseconds of the program's clock. O(nodes of the chain).
    init(of root: NodeIndex, at time: UInt64, in forest: borrowing ChainForest) {
        var visits: [Visit] = []
        var path: [Int] = []
        var next: NodeIndex? = root
        var depth = 0
        while let node = next {
            let view = forest.node(node)
            let settled = view.state == .fulfilled || view.state == .skipped ? view.settled ?? 0 : nil
            path.removeLast(path.count - depth)
            visits.append(Visit(node: node, above: path.last ?? 0, settled: settled, last: settled))
            path.append(visits.count - 1)
            next = forest.next(after: node, within: root, depth: &depth)
        }
        func last(_ one: UInt64?, _ other: UInt64?) -> UInt64? { one.flatMap { one in other.map { max(one, $0) } } }
        // From the last node up, so that all nodes under a node come before it. The root has folds of its own.
        for index in visits.indices.dropFirst().reversed() {
            let visit = visits[index]
            if visit.hasInside, let settled = visit.settled, let inside = visit.lastInside {
                let own = settled &+ Self.delay
                let due = inside <= own ? own : inside &+ Self.delay
                if due <= time { nodes.insert(visit.node) } else { deadline = min(deadline ?? .max, due) }
            }
            visits[visit.above].last = last(visits[visit.above].last, visit.last)
            guard !forest.isContinuation(visit.node) else { continue }
            visits[visit.above].hasInside = true
            visits[visit.above].lastInside = last(visits[visit.above].lastInside, visit.last)
        }
    }
}
