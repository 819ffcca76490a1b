// SPDX-License-Identifier: MIT

import ChainEvents

/// The key of a group of nodes: the nodes made at one call site by one operation.
public struct SiteKey: Hashable, Sendable {
    /// The call site's number in the program's table; 0 where unknown.
    public var site: SiteID
    /// The operation.
    public var kind: NodeKind

    /// Combines a call site and an operation.
    public init(site: SiteID, kind: NodeKind) {
        self.site = site
        self.kind = kind
    }

    /// The group of all keys that came after ``SiteCount/keyLimit`` was reached.
    public static let others = SiteKey(site: .max, kind: .other)
}

/// Statistics of the nodes of one call site and kind.
public struct SiteStatistics: Hashable, Sendable {
    /// Nodes that have not settled.
    public var live = 0
    /// All nodes that were seen, including evicted nodes.
    public var total = 0
    /// Nodes that were rejected or abandoned.
    public var rejected: Int { flow.failed }
    /// Nodes that were cancelled.
    public var cancelled: Int { flow.cancelled }
    /// Nodes with a running handler, including settled nodes.
    public var running = 0
    /// When the handler that runs longest began, in nanoseconds of the process's clock; nil if no handler runs.
    public var oldestRun: UInt64?
    /// Rate, errors and total durations. A live node is in flight unless it waits for its parent.
    public var flow = FlowFigures()
    /// The wait times of settled nodes: from being queued to the handler's start, or to the settlement if no handler
    /// started.
    public var wait = DurationFigures()
    /// The run times of the handlers of settled nodes.
    public var run = DurationFigures()
}
