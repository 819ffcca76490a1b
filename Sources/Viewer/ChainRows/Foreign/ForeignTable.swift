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
    /// A node with foreign rows was evicted, or moved into another chain.
    case callerLeft(NodeID)
    /// All links are forgotten, because the outline began to keep news, or because the forest was read anew.
    case reset
}

/// Which chains of a program are drawn in other programs' trees, and which nodes have *foreign rows* (rows of other
/// programs' chains) under them.
struct ForeignTable {
    /// A node with chains of other programs under it.
    struct Caller {
        let id: NodeID
        /// The root of the caller's chain, as far as it is known.
        let root: NodeIndex
        /// The rows of the chains under the caller.
        let weight: ForeignWeight
    }

    /// A chain with callers.
    private struct CallerChain {
        var callers: Set<NodeIndex> = []
        /// The number of callers that have a live chain under them.
        var liveCount = 0
    }

    /// Whether ``news`` are kept; false with one program.
    private(set) var isTracked = false
    /// The changes since the last call of ``Outline/takeForeignNews()``.
    var news: [ForeignNews] = []
    /// Nodes from which chains of other programs were called, but which are not in the forest yet.
    var awaited: Set<NodeID> = []
    /// Roots with a caller in another program that are not drawn under their caller yet.
    var waiting: Set<NodeIndex> = []
    /// The weights of the chains that are drawn in other programs' trees, by root.
    var elsewhere: [NodeIndex: ForeignWeight] = [:]
    private(set) var callers: [NodeIndex: Caller] = [:]
    /// By root.
    private var chains: [NodeIndex: CallerChain] = [:]
    /// Dropped roots with callers in their chains.
    var droppedRoots: [NodeIndex] = []
    /// Whether any caller may have moved into another chain, apart from the callers in the chains of ``droppedRoots``.
    var mayHaveMoved = false

    /// Starts or stops keeping news.
    mutating func track(_ isTracked: Bool) { (self.isTracked, news) = (isTracked, isTracked ? [.reset] : []) }

    // Inlined, because a call would copy the table.

    /// Returns whether there are callers in a chain.
    @inline(__always)
    func hasCallers(_ root: NodeIndex) -> Bool { !chains.isEmpty && chains[root] != nil }

    /// Returns whether a chain of another program under a caller in this chain has not settled.
    @inline(__always)
    func isLive(_ root: NodeIndex) -> Bool { !chains.isEmpty && chains[root]?.liveCount ?? 0 > 0 }

    /// Adds a caller, replaces its entry, or removes it if it has no rows.
    mutating func set(_ caller: NodeIndex, _ new: Caller?) {
        if let old = callers[caller] {
            chains[old.root]!.callers.remove(caller)
            if old.weight.isLive { chains[old.root]!.liveCount -= 1 }
            if chains[old.root]!.callers.isEmpty { chains[old.root] = nil }
        }
        let new = new.flatMap { $0.weight.rows > 0 ? $0 : nil }
        callers[caller] = new
        guard let new else { return }
        chains[new.root, default: CallerChain()].callers.insert(caller)
        if new.weight.isLive { chains[new.root]!.liveCount += 1 }
    }

    /// Returns the callers that may have moved into another chain since the last call.
    mutating func takeMoved() -> [NodeIndex] {
        defer { (mayHaveMoved, droppedRoots) = (false, []) }
        return mayHaveMoved ? Array(callers.keys) : droppedRoots.flatMap { chains[$0]?.callers ?? [] }
    }
}
