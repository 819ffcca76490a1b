// SPDX-License-Identifier: MIT

import ChainModel

// Short functions that the dashboard calls.
extension Outline {
    // MARK: Time

    /// Advances the filter and the order, and counts the rows of changed chains; returns whether rows may have moved.
    ///
    /// `now` is the moment on the screen, in nanoseconds of the program's clock; `wall` is the time of day, in
    /// nanoseconds. `isClockStopped` is true while `now` does not advance by itself. In that case `wall` may stand
    /// still, too, so the order advances at each call.
    package mutating func tick(
        in forest: borrowing ChainForest, now: UInt64, wall: UInt64, isClockStopped: Bool
    ) -> Bool {
        filter.tick(now)
        self.wall = isClockStopped ? .max : wall
        let isChanged = weighNoted(in: forest)
        return tickOrder(in: forest, now: now, wall: wall, isClockStopped: isClockStopped) || isChanged
    }

    /// Returns whether no sorting, repositioning, scanning or reading is left. Unless `ignoresDeadlines`, also requires
    /// that no chain waits for its archiving and no finished node for its folding. The chain of the selection does not
    /// count.
    package func isIdle(ignoresDeadlines: Bool) -> Bool {
        if hasWork || outdatedCount > 0 || !toWeigh.isEmpty || walked.hasWork { return false }
        return ignoresDeadlines || foldDeadlines.isEmpty && archiveQueue.count == postponedCount
    }

    // MARK: Order

    /// Whether chains are grouped by call site.
    package var isGrouped: Bool { sorted.order.isGrouped }
    /// Whether a new order is being made; rows are in the old order until the new order is done.
    package var isSorting: Bool { pending.map { $0.chains.order != sorted.order } ?? false }

    // MARK: Queues

    /// How full each queue is, for `--debug-statistics`.
    package var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "settled chains to archive", count: archiveQueue.count, highWaterMark: archiveHighWater,
                limit: archiveLimit),
            QueueStatistics(
                name: "nodes to test against the filter", count: filter.retestCount,
                highWaterMark: filter.retestHighWater, limit: FilterScan.retestLimit),
        ]
    }
}
