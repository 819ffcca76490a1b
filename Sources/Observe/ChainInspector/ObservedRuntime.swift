// SPDX-License-Identifier: MIT

import ChainEvents

/// The observed runtime, for the collector. Except for ``executorName(_:)``, its methods are called without the
/// collector's lock.
protocol ObservedRuntime: Sendable {
    /// Returns the name of an executor; nil where the executor has no name. Must not run code of the program.
    func executorName(_ id: ExecutorID) -> String?
    /// The number of shards of the registry.
    var shardCount: Int { get }
    /// Returns the nodes of one shard that are alive now.
    func liveNodes(shard: Int) -> [LiveNode]
    /// Cancels a node; returns false where the node is gone.
    func cancel(_ id: NodeID, by viewer: String) -> Bool
    /// Returns the details of a live node; nil where the node is gone. Runs the program's descriptions of values and
    /// errors.
    func detail(of id: NodeID) -> LiveDetail?
    /// Whether values may be published.
    var capturesValues: Bool { get }
}

/// The runtime's snapshot of a live node, without times, and its call site by pointer.
package struct LiveNode: Sendable {
    package var snapshot: NodeSnapshot
    package var callSite: CallSite

    package init(snapshot: NodeSnapshot, callSite: CallSite) {
        (self.snapshot, self.callSite) = (snapshot, callSite)
    }
}
