import ChainEvents

/// What a row stands for, by name: rows come and go and move, and a restarted program has none of the nodes of before.
struct RowID: Hashable {
    var source: SourceID
    /// The node; nil for the program itself, and for a group.
    var node: NodeKey?
    /// The call site of a group of chains.
    var site: CodeLocation?

    var isProgram: Bool { node == nil && site == nil }

    /// The node's number in its process.
    var id: NodeID? { node?.id }
}
