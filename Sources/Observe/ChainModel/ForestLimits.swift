// SPDX-License-Identifier: MIT

/// What a forest keeps at most. Whatever exceeds a limit is counted, so nothing disappears silently.
public struct ForestLimits: Hashable, Sendable {
    /// How many nodes of wholly settled chains are kept; past this limit the chains that settled first are evicted
    /// first, except for ``failedChainLimit``.
    public var settledNodeLimit: Int
    /// How many settled leaves of chains that are still live are kept; past this limit the leaves that settled first
    /// are evicted first, and their parents keep a count of the evicted leaves.
    public var settledLeafLimit: Int
    /// How long settled chains and leaves are kept at most, in nanoseconds. Does not apply to the latest
    /// ``failedChainLimit`` chains that failed or have a fault, and to as many such leaves.
    public var ageLimit: UInt64
    /// How many chains that failed or have a fault stay until ``settledNodeLimit`` evicts them, which evicts all other
    /// chains first, as long as these chains have at most half of the nodes. As many leaves stay in the same way until
    /// ``settledLeafLimit`` evicts them.
    public var failedChainLimit: Int
    /// The number of nodes above which a chain's settled beginning is evicted, so that `queue = queue.then { … }` does
    /// not grow without bound.
    public var chainNodeLimit: Int
    /// How many nodes are kept in all. Past this limit new nodes are refused and counted
    /// (``ForestTotals/refusedCount``).
    public var nodeLimit: Int
    /// How many changes are listed before ``ForestChanges/isEverything`` replaces the list. 0 if changes are never
    /// consumed.
    public var changeLimit: Int

    /// Sets limits. The defaults suit a dashboard and take some 500 MB where all limits are reached.
    public init(
        settledNodeLimit: Int = 100_000, settledLeafLimit: Int = 20_000, ageLimit: UInt64 = 600_000_000_000,
        failedChainLimit: Int = 1_000, chainNodeLimit: Int = 200_000, nodeLimit: Int = 4_000_000,
        changeLimit: Int = 65_536
    ) {
        self.settledNodeLimit = settledNodeLimit
        self.settledLeafLimit = settledLeafLimit
        self.ageLimit = ageLimit
        self.failedChainLimit = failedChainLimit
        self.chainNodeLimit = chainNodeLimit
        self.nodeLimit = nodeLimit
        self.changeLimit = changeLimit
    }
}
