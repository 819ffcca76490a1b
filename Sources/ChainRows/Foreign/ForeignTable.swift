// SPDX-License-Identifier: MIT

import ChainModel

/// The weight of one or several chains that are drawn in another program's tree.
package struct ForeignWeight: Equatable, Sendable {
    /// The number of rows.
    package var rows: Int
    /// Whether any of these chains has not settled.
    package var isLive: Bool

    package init(rows: Int, isLive: Bool) { (self.rows, self.isLive) = (rows, isLive) }
}

/// A change that concerns the rows of other programs, for the owner of several outlines.
package enum ForeignNews: Equatable, Sendable {
    /// A node with a caller (the node that called it) in another program was made, moved or described anew.
    case called(NodeID)
    /// An awaited caller was made.
    case arrived(NodeID)
    /// A root that is drawn in another program's tree has another weight.
    case weighed(NodeID, ForeignWeight)
    /// A root that was drawn in another program's tree, or that waited for its caller, is no root any more.
    case gone(NodeID)
    /// A node with foreign rows was evicted.
    case callerGone(NodeID)
    /// A node with foreign rows moved into another chain.
    case callerMoved(NodeID)
    /// All links are forgotten, because the outline began to keep news, or because the forest was read anew.
    case reset
}

/// Which chains of a program are drawn in other programs' trees, and which nodes have *foreign rows* (rows of other
/// programs' chains) under them.
///
/// ``WalkedChains/foreignRows`` has the number of foreign rows under each node.
struct ForeignTable {
    /// A node with chains of other programs under it.
    struct Caller {
        var id: NodeID
        /// The root of the caller's chain, as far as it is known.
        var root: NodeIndex
        /// Whether any chain under the caller has not settled.
        var isLive: Bool
    }

    /// Whether ``news`` are kept; false with one program.
    var isTracked = false
    /// The changes since the last call of ``Outline/takeForeignNews()``.
    var news: [ForeignNews] = []
    /// Nodes from which chains of other programs were called, but which are not in the forest yet.
    var awaited: Set<NodeID> = []
    /// Roots with a caller in another program that are not drawn under their caller yet.
    var waiting: Set<NodeIndex> = []
    /// The weights of the chains that are drawn in other programs' trees, by root.
    var elsewhere: [NodeIndex: ForeignWeight] = [:]
    private(set) var callers: [NodeIndex: Caller] = [:]
    /// The callers in each chain, by root.
    private(set) var callersByRoot: [NodeIndex: [NodeIndex]] = [:]
    /// By root, the number of callers in the chain that have a live chain under them.
    private var liveCounts: [NodeIndex: Int] = [:]
    /// Dropped roots with callers in their chains.
    var droppedRoots: [NodeIndex] = []
    /// Whether any caller may have moved into another chain, apart from the callers in the chains of ``droppedRoots``.
    var mayHaveMoved = false

    // Inlined, because a call would copy the table.

    /// Returns whether there are callers in a chain.
    @inline(__always)
    func hasCallers(_ root: NodeIndex) -> Bool { !callersByRoot.isEmpty && callersByRoot[root] != nil }

    /// Returns whether a chain of another program under a caller in this chain has not settled.
    @inline(__always)
    func isLive(_ root: NodeIndex) -> Bool { !liveCounts.isEmpty && liveCounts[root] != nil }

    /// Adds a caller, or replaces its entry.
    mutating func add(_ caller: NodeIndex, _ new: Caller) {
        remove(caller)
        callers[caller] = new
        callersByRoot[new.root, default: []].append(caller)
        if new.isLive { liveCounts[new.root, default: 0] += 1 }
    }

    mutating func remove(_ caller: NodeIndex) {
        guard let old = callers.removeValue(forKey: caller) else { return }
        callersByRoot[old.root]?.removeAll { $0 == caller }
        if callersByRoot[old.root]?.isEmpty == true { callersByRoot[old.root] = nil }
        guard old.isLive else { return }
        liveCounts[old.root, default: 0] -= 1
        if liveCounts[old.root] == 0 { liveCounts[old.root] = nil }
    }

    /// Returns the callers that may have moved into another chain since the last call.
    mutating func takeMoved() -> [NodeIndex] {
        defer { (mayHaveMoved, droppedRoots) = (false, []) }
        return mayHaveMoved ? Array(callers.keys) : droppedRoots.flatMap { callersByRoot[$0] ?? [] }
    }

    mutating func forgetAll() {
        (elsewhere, callers, callersByRoot, liveCounts) = ([:], [:], [:], [:])
        (awaited, waiting) = ([], [])
        (mayHaveMoved, droppedRoots) = (false, [])
        news = isTracked ? [.reset] : []
    }
}
