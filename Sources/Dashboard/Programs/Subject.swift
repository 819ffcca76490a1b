import ChainEvents

/// What a row stands for, by name: rows come and go and move, and a restarted program has none of the nodes of before.
struct Subject: Hashable {
    var source: SourceID
    /// The node; nil for the program itself.
    var node: NodeKey?

    /// The node's number in its process.
    var id: NodeID? { node?.id }
}
