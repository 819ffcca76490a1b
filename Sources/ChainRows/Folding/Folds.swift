import ChainEvents
import ChainModel

/// What is folded, and by whom.
struct Folds {
    struct NodeBits: OptionSet {
        let rawValue: UInt8
        static let userFolded = NodeBits(rawValue: 1)
        static let userUnfolded = NodeBits(rawValue: 2)
        static let tagged = NodeBits(rawValue: 4)
    }

    /// Who has more children folds itself, so that they are one row.
    static let childLimit = 200

    var bits = PagedArray<UInt8>(filler: 0)
    /// Who has any of them: few, for the user gave them one by one.
    var marked: [NodeIndex: NodeID] = [:]
    /// Who folded itself because all went well in it; see ``RowModel/tidy(in:now:selected:)``.
    var finished: [NodeIndex: NodeID] = [:]
    /// Who folded itself because of its many children.
    var large: [NodeIndex: NodeID] = [:]
    /// How many levels of each chain are shown; nil where each chain decides.
    var level: Int?

    /// Everything is shown.
    static let everything = Int.max

    /// Whether a node has so many children inside that it folds itself.
    static func isLarge(_ node: NodeIndex, in forest: borrowing ChainForest) -> Bool {
        let count = forest.childCount(of: node)
        return count > childLimit && (count > childLimit + 1 || forest.continuation(of: node) == nil)
    }

    /// Whether anything may be folded inside a chain.
    var mayHoldAny: Bool { !marked.isEmpty || !finished.isEmpty || !large.isEmpty }

    func said(of node: NodeIndex) -> NodeBits { NodeBits(rawValue: bits[node.rawValue]) }

    /// Whether what is under a node is hidden; `depth` is how far in it stands, 0 for roots and what goes on from them.
    ///
    /// A level counts for all of a chain; none at all leaves each chain's inside as it is, for when it is unfolded.
    func isFolded(_ node: NodeIndex, depth: Int, isRoot: Bool, byItself: Bool) -> Bool {
        let own = said(of: node)
        if own.contains(.userFolded) { return true }
        if own.contains(.userUnfolded) || level == Self.everything { return false }
        if large[node] != nil { return true }
        switch level {
        case nil: return finished[node] != nil || (isRoot && byItself)
        case 0: return isRoot || finished[node] != nil
        case let level?: return depth >= level
        }
    }

    /// Whether the user folded it; what the outline would do by itself does not count.
    func isFoldedByUser(_ node: NodeIndex) -> Bool { said(of: node).contains(.userFolded) }

    /// Who of a list's nodes is folded, but for its root.
    func flags(of node: NodeIndex, depth: Int) -> LongChainIndex.Flags {
        var flags: LongChainIndex.Flags = []
        if isFolded(node, depth: depth, isRoot: false, byItself: false) { flags.insert(.folded) }
        if isFoldedByUser(node) { flags.insert(.userFolded) }
        return flags
    }

    /// A node is gone.
    mutating func forget(_ node: NodeIndex) {
        if !marked.isEmpty, marked.removeValue(forKey: node) != nil { bits[node.rawValue] = 0 }
        if !finished.isEmpty { finished[node] = nil }
        if !large.isEmpty { large[node] = nil }
    }

    /// Forgets those that are gone.
    mutating func forgetAbsent(in forest: borrowing ChainForest) {
        for (node, id) in marked where forest.index(of: id) != node {
            marked[node] = nil
            bits[node.rawValue] = 0
        }
        for (node, id) in finished where forest.index(of: id) != node { finished[node] = nil }
        for (node, id) in large where forest.index(of: id) != node { large[node] = nil }
    }

    /// Forgets what the user said of single nodes; tags stay.
    mutating func forgetFolds() {
        for node in marked.keys {
            let left = said(of: node).intersection(.tagged)
            bits[node.rawValue] = left.rawValue
            if left.isEmpty { marked[node] = nil }
        }
        finished = [:]
    }
}
