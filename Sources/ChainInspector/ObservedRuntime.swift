import ChainEvents

/// What the collector asks of the runtime that it observes. Asked with no lock of the collector's held.
protocol ObservedRuntime: Sendable {
    /// The name of an executor, or nil where it has none.
    func executorName(_ id: ExecutorID) -> String?
    /// In how many parts the live nodes are told.
    var shardCount: Int { get }
    /// The nodes of one part that are alive now.
    func liveNodes(shard: Int) -> [LiveNode]
    /// Cancels a node; false where it is gone.
    func cancel(_ id: NodeID, by viewer: String) -> Bool
    /// What a live node says of itself; nil where it is gone. Runs the program's descriptions.
    func detail(of id: NodeID) -> LiveDetail?
    /// Whether values may be told.
    var capturesValues: Bool { get }
}

/// A node that is alive, as the runtime knows it: the call site by pointer, no times.
struct LiveNode: Sendable {
    var snapshot: NodeSnapshot
    var callSite: CallSite
}
