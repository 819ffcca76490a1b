import ChainEvents

/// The observed runtime, as the collector uses it. Called without the collector's lock.
protocol ObservedRuntime: Sendable {
    /// The name of an executor, or nil where it has none.
    func executorName(_ id: ExecutorID) -> String?
    /// The number of the registry's shards.
    var shardCount: Int { get }
    /// Returns the nodes of one shard that are alive now.
    func liveNodes(shard: Int) -> [LiveNode]
    /// Cancels a node; false where it is gone.
    func cancel(_ id: NodeID, by viewer: String) -> Bool
    /// Returns the details of a live node; nil where it is gone. Runs the program's descriptions.
    func detail(of id: NodeID) -> LiveDetail?
    /// Whether values may be published.
    var capturesValues: Bool { get }
}

/// A node that is alive, as the runtime knows it: the call site by pointer, no times.
package struct LiveNode: Sendable {
    package var snapshot: NodeSnapshot
    package var callSite: CallSite

    package init(snapshot: NodeSnapshot, callSite: CallSite) {
        (self.snapshot, self.callSite) = (snapshot, callSite)
    }
}
