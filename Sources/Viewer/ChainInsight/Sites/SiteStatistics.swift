// SPDX-License-Identifier: MIT

import ChainEvents

/// The key of a group of nodes: the nodes made at one call site by one operation.
package struct SiteKey: Hashable, Sendable {
    /// The call site's number in the program's table; 0 where unknown.
    package var site: SiteID
    /// The operation.
    package var kind: NodeKind

    /// Combines a call site and an operation.
    package init(site: SiteID, kind: NodeKind) {
        self.site = site
        self.kind = kind
    }

    /// The group of all keys that came after ``SiteCount/keyLimit`` was reached.
    package static let others = SiteKey(site: .max, kind: .other)
}

/// Statistics of the nodes of one call site and kind.
package struct SiteStatistics: Hashable, Sendable {
    /// Nodes that have not settled.
    package var live = 0
    /// All nodes that were seen, including evicted nodes.
    package var total = 0
    /// Nodes that were rejected or abandoned.
    package var rejected: Int { flow.failed }
    /// Nodes that were cancelled.
    package var cancelled: Int { flow.cancelled }
    /// Nodes with a running handler, including settled nodes.
    package var running = 0
    /// When the handler that runs longest began, in nanoseconds of the process's clock; nil if no handler runs.
    package var oldestRun: UInt64?
    /// Rate, errors and total durations. A live node is in flight unless it waits for its parent.
    package var flow = FlowFigures()
    /// The wait times of settled nodes: from being queued to the handler's start, or to the settlement if no handler
    /// started.
    package var wait = DurationFigures()
    /// The run times of the handlers of settled nodes.
    package var run = DurationFigures()
}
