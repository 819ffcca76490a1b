import ChainModel

/// The rows of a chain, or of several, that are drawn in another program's tree.
package struct ForeignWeight: Equatable, Sendable {
    package var rows: Int
    /// Whether any of these chains has not settled.
    package var isLive: Bool

    package init(rows: Int, isLive: Bool) { (self.rows, self.isLive) = (rows, isLive) }
}

/// What became of a chain or a caller, for the owner of several row models.
package enum ForeignNews: Equatable, Sendable {
    /// A node names a caller in another process.
    case calls(NodeID)
    /// An awaited caller is there.
    case arrived(NodeID)
    /// A root that is drawn elsewhere has another weight.
    case weighed(NodeID)
    /// A root that was drawn elsewhere, or that waited for its caller, is no root any more.
    case gone(NodeID)
    /// A node with foreign rows was evicted.
    case callerGone(NodeID)
    /// A node with foreign rows belongs to another chain.
    case callerMoved(NodeID)
    /// All links are forgotten, because the forest was read anew.
    case reset
}

/// Which chains of a program are drawn in other programs' trees, and which nodes have foreign rows under them. Their
/// numbers are in ``LongChainIndex/foreignRows``.
struct ForeignTable {
    /// A node with chains of other programs under it.
    struct Caller {
        var id: NodeID
        var root: NodeIndex
        var isLive: Bool
    }

    /// Whether ``news`` are kept; false with one program.
    var isTracked = false
    var news: [ForeignNews] = []
    /// Nodes that chains of other programs were called from, and that are not there yet.
    var awaited: Set<NodeID> = []
    /// Roots with a caller that is not there yet.
    var waiting: Set<NodeIndex> = []
    /// By root, the chains that are drawn elsewhere.
    var elsewhere: [NodeIndex: ForeignWeight] = [:]
    private(set) var callers: [NodeIndex: Caller] = [:]
    /// By root, the callers in a chain.
    private(set) var callersByRoot: [NodeIndex: [NodeIndex]] = [:]
    /// By root, the number of callers with live chains under them.
    private var liveCounts: [NodeIndex: Int] = [:]
    /// Dropped roots with callers in their chains, and the new roots of chains of which the first node was evicted.
    var droppedRoots: [NodeIndex] = []
    var newRoots: Set<NodeIndex> = []
    /// Whether any caller may belong to another chain than the noted one.
    private(set) var mayHaveMoved = false

    // Inlined, because a call would copy the table.
    @inline(__always)
    func hasCallers(_ root: NodeIndex) -> Bool { !callersByRoot.isEmpty && callersByRoot[root] != nil }
    @inline(__always)
    func isLive(_ root: NodeIndex) -> Bool { !liveCounts.isEmpty && liveCounts[root] != nil }

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

    /// Notes that a node moved that was or is no root. The callers under a root that moved under another node are found by
    /// the dropped root.
    mutating func noteMoved(_ node: NodeIndex) { if !newRoots.contains(node) { mayHaveMoved = true } }

    /// Returns the callers that may belong to another chain by now.
    mutating func takeMoved() -> [NodeIndex] {
        defer { (mayHaveMoved, droppedRoots, newRoots) = (false, [], []) }
        return mayHaveMoved ? Array(callers.keys) : droppedRoots.flatMap { callersByRoot[$0] ?? [] }
    }

    mutating func forgetAll() {
        (elsewhere, callers, callersByRoot, liveCounts) = ([:], [:], [:], [:])
        (awaited, waiting) = ([], [])
        (mayHaveMoved, droppedRoots, newRoots) = (false, [], [])
        news = isTracked ? [.reset] : []
    }
}
