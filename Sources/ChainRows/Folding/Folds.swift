import ChainModel

/// Which nodes are folded, and why: by the user, by level, after finishing, or because of their many children.
struct Folds {
    struct NodeBits: OptionSet {
        let rawValue: UInt8
        static let ownFolded = NodeBits(rawValue: 1)
        static let userUnfolded = NodeBits(rawValue: 2)
        static let tagged = NodeBits(rawValue: 4)
        /// The node is in ``Folds/finished``.
        static let finished = NodeBits(rawValue: 8)
        /// The node is in ``Folds/large``.
        static let large = NodeBits(rawValue: 16)
        /// The node was folded initially: as soon as it appeared, and not by the user. Set only with ``ownFolded``.
        static let initiallyFolded = NodeBits(rawValue: 32)
        /// The fold of a single node: set by the user, or initially.
        static let ownFold: NodeBits = [.ownFolded, .userUnfolded, .initiallyFolded]
        /// The bits that the user sets, also for nodes that do not exist yet.
        static let user: NodeBits = [.ownFold, .tagged]
    }

    /// A node with more children inside than this limit is folded automatically.
    static let childLimit = 200

    /// The ``NodeBits`` by node.
    private var bits = PagedArray<UInt8>()
    /// Nodes with any of the user's bits. Such nodes are few: the user sets the bits one by one, and the number of
    /// initially folded nodes is limited.
    private(set) var marked: [NodeIndex: NodeID] = [:]
    /// Nodes that were folded because all nodes inside went well; see ``RowModel/autoFold(in:now:selected:)``.
    private(set) var finished: [NodeIndex: NodeID] = [:]
    /// Nodes that were folded because of their many children.
    private(set) var large: [NodeIndex: NodeID] = [:]
    /// How many levels of each chain are shown; nil until the user chooses a level. Until then a chain is folded
    /// automatically, after it has settled or while too many chains are unfolded.
    var level: Int?

    /// The ``level`` that shows everything.
    static let everything = Int.max

    /// Returns whether a node has enough children inside to be folded automatically.
    static func isLarge(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let count = forest.childCount(of: node)
        return count > childLimit && (count > childLimit + 1 || forest.continuation(of: node) == nil)
    }

    /// Whether a node may be folded other than by ``level``.
    var mayHoldAny: Bool { !marked.isEmpty || !finished.isEmpty || !large.isEmpty }

    func bits(of node: NodeIndex) -> NodeBits { NodeBits(rawValue: bits[node.rawValue]) }

    func userBits(of node: NodeIndex) -> NodeBits { bits(of: node).intersection(.user) }

    private mutating func set(_ bit: NodeBits, _ isSet: Bool, _ node: NodeIndex) {
        bits[node.rawValue] = isSet ? bits[node.rawValue] | bit.rawValue : bits[node.rawValue] & ~bit.rawValue
    }

    /// Replaces the user's bits of a node.
    mutating func setUserBits(_ own: NodeBits, of node: NodeIndex, _ id: NodeID) {
        bits[node.rawValue] = bits(of: node).subtracting(.user).union(own).rawValue
        marked[node] = own.isEmpty ? nil : id
    }

    /// Folds a node because it is finished; without an id, ends that fold.
    mutating func setFinished(_ node: NodeIndex, _ id: NodeID?) {
        finished[node] = id
        set(.finished, id != nil, node)
    }

    /// Folds a node because of its many children.
    mutating func setLarge(_ node: NodeIndex, _ id: NodeID) {
        large[node] = id
        set(.large, true, node)
    }

    /// Returns whether a node is folded. `depth` is its level, 0 for roots and their continuations; `byItself` is
    /// whether the node is the root of a chain that was folded automatically.
    ///
    /// The user's choice for the node comes first. Level 0 folds roots only: the nodes inside keep their folds for the
    /// time when the chain is unfolded.
    func isFolded(_ node: NodeIndex, depth: Int, isRoot: Bool, byItself: Bool) -> Bool {
        let own = bits(of: node)
        if own.contains(.ownFolded) { return true }
        if own.contains(.userUnfolded) || level == Self.everything { return false }
        if own.contains(.large) { return true }
        switch level {
        case nil: return own.contains(.finished) || (isRoot && byItself)
        case 0: return isRoot || own.contains(.finished)
        case let level?: return depth >= level
        }
    }

    /// Returns whether a node was folded by the user or initially.
    func hasOwnFold(_ node: NodeIndex) -> Bool { userBits(of: node).contains(.ownFolded) }

    /// Returns the flags of a node in a ``LongChainIndex``; the node must be no root, because roots have no such flags.
    func flags(of node: NodeIndex, depth: Int) -> LongChainIndex.Flags {
        var flags: LongChainIndex.Flags = []
        if isFolded(node, depth: depth, isRoot: false, byItself: false) { flags.insert(.folded) }
        if hasOwnFold(node) { flags.insert(.ownFolded) }
        return flags
    }

    /// Forgets an evicted node.
    mutating func forget(_ node: NodeIndex) {
        let known = bits(of: node)
        guard !known.isEmpty else { return }
        if !known.isDisjoint(with: .user) { marked[node] = nil }
        if known.contains(.finished) { finished[node] = nil }
        if known.contains(.large) { large[node] = nil }
        bits[node.rawValue] = 0
    }

    /// Forgets the nodes that are not in the forest.
    mutating func forgetAbsent(in forest: borrowing ChainForest) {
        for (node, id) in marked where forest.index(of: id) != node {
            marked[node] = nil
            set(.user, false, node)
        }
        for (node, id) in finished where forest.index(of: id) != node { setFinished(node, nil) }
        for (node, id) in large where forest.index(of: id) != node {
            large[node] = nil
            set(.large, false, node)
        }
    }

    /// Forgets the folds of single nodes (the user's and the initial ones), and the folds of finished nodes; tags stay.
    mutating func forgetFoldsExceptLarge() {
        for node in marked.keys {
            set(.ownFold, false, node)
            if !userBits(of: node).contains(.tagged) { marked[node] = nil }
        }
        forgetFinished()
    }

    /// Forgets which nodes folded because they are finished.
    mutating func forgetFinished() {
        for node in finished.keys { set(.finished, false, node) }
        finished = [:]
    }
}
