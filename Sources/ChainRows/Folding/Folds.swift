import ChainModel

/// What is folded, and why: by the user, by level, after finishing, or for its many children.
struct Folds {
    struct NodeBits: OptionSet {
        let rawValue: UInt8
        static let userFolded = NodeBits(rawValue: 1)
        static let userUnfolded = NodeBits(rawValue: 2)
        static let tagged = NodeBits(rawValue: 4)
    }

    /// A node with more children folds itself to one row.
    static let childLimit = 200

    var bits = PagedArray<UInt8>()
    /// Nodes with any of these bits: few, because the user sets them one by one.
    var marked: [NodeIndex: NodeID] = [:]
    /// Nodes that folded because everything in them went well; see ``RowModel/autoFold(in:now:selected:)``.
    var finished: [NodeIndex: NodeID] = [:]
    /// Nodes that folded because of their many children.
    var large: [NodeIndex: NodeID] = [:]
    /// How many levels of each chain are shown; nil where each chain decides.
    var level: Int?

    /// The level that shows everything.
    static let everything = Int.max

    /// Returns whether a node has enough children inside to fold itself.
    static func isLarge(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let count = forest.childCount(of: node)
        return count > childLimit && (count > childLimit + 1 || forest.continuation(of: node) == nil)
    }

    /// Whether anything may be folded inside a chain.
    var mayHoldAny: Bool { !marked.isEmpty || !finished.isEmpty || !large.isEmpty }

    func userBits(of node: NodeIndex) -> NodeBits { NodeBits(rawValue: bits[node.rawValue]) }

    /// Returns whether what is under a node is hidden; `depth` is its level, 0 for roots and their continuations.
    ///
    /// A level counts for all of a chain. Level 0 leaves each chain's inside as it is, for when the chain is unfolded.
    func isFolded(_ node: NodeIndex, depth: Int, isRoot: Bool, byItself: Bool) -> Bool {
        let own = userBits(of: node)
        if own.contains(.userFolded) { return true }
        if own.contains(.userUnfolded) || level == Self.everything { return false }
        if large[node] != nil { return true }
        switch level {
        case nil: return finished[node] != nil || (isRoot && byItself)
        case 0: return isRoot || finished[node] != nil
        case let level?: return depth >= level
        }
    }

    /// Returns whether the user folded a node.
    func isFoldedByUser(_ node: NodeIndex) -> Bool { userBits(of: node).contains(.userFolded) }

    /// Returns the flags of a node in a list; a root's folding is not among them.
    func flags(of node: NodeIndex, depth: Int) -> LongChainIndex.Flags {
        var flags: LongChainIndex.Flags = []
        if isFolded(node, depth: depth, isRoot: false, byItself: false) { flags.insert(.folded) }
        if isFoldedByUser(node) { flags.insert(.userFolded) }
        return flags
    }

    /// Forgets an evicted node.
    mutating func forget(_ node: NodeIndex) {
        if !marked.isEmpty, marked.removeValue(forKey: node) != nil { bits[node.rawValue] = 0 }
        if !finished.isEmpty { finished[node] = nil }
        if !large.isEmpty { large[node] = nil }
    }

    /// Forgets the nodes that are not in the forest.
    mutating func forgetAbsent(in forest: borrowing ChainForest) {
        for (node, id) in marked where forest.index(of: id) != node {
            marked[node] = nil
            bits[node.rawValue] = 0
        }
        for (node, id) in finished where forest.index(of: id) != node { finished[node] = nil }
        for (node, id) in large where forest.index(of: id) != node { large[node] = nil }
    }

    /// Forgets the user's folds of single nodes; tags stay.
    mutating func forgetFolds() {
        for node in marked.keys {
            let left = userBits(of: node).intersection(.tagged)
            bits[node.rawValue] = left.rawValue
            if left.isEmpty { marked[node] = nil }
        }
        finished = [:]
    }
}
