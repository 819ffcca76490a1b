import ChainInsight
import ChainModel

// Short functions that the dashboard calls.
extension RowModel {
    // MARK: Time

    /// Advances the filter and the order; returns whether rows may have moved.
    ///
    /// `now` is the moment on the screen, in nanoseconds of the program's clock; `wall` is the time of day, in
    /// nanoseconds. `isClockStopped` is true while `now` does not advance by itself. In that case `wall` may stand
    /// still, too, so the order advances at each call.
    package mutating func tick(now: UInt64, wall: UInt64, isClockStopped: Bool) -> Bool {
        filter.tick(now)
        return tickOrder(now: now, wall: wall, isClockStopped: isClockStopped)
    }

    /// Returns whether no sorting, repositioning, scanning or reading is left. Unless `ignoresDeadlines`, also requires
    /// that no chain waits for its archiving and no finished node for its folding. The chain of the selection, and
    /// nodes with the selection inside, do not count.
    package func isIdle(ignoresDeadlines: Bool) -> Bool {
        if isScanning || isReading || order.isBusy { return false }
        return ignoresDeadlines
            || finishedQueue.count == finishedQueue.postponedCount && archiveQueue.count == archiveQueue.postponedCount
    }

    // MARK: The filter

    /// Whether nodes that do not match are dimmed, not hidden. The lists for dimming and for hiding are both kept, so
    /// that changing this value rebuilds no list.
    package var dimsUnmatched: Bool {
        get { filter.dims }
        set { filter.dims = newValue }
    }

    /// The state of the filter.
    package var filterState: FilterState {
        FilterState(
            isActive: filter.isActive, isScanning: isScanning, matchCount: filter.count, revision: filter.revision,
            markedTexts: filter.markedTexts, readsWarnings: filter.dependsOnWarnings)
    }

    /// Whether nodes are still to be tested, or chains with matches are still to be listed.
    var isScanning: Bool { filter.hasWork || collection != nil }

    /// Returns whether a node matches. O(1).
    package func isMatch(_ node: NodeIndex) -> Bool { filter.isMatch(node) }

    /// Returns how many nodes of a chain match. O(1).
    package func matchCount(of root: NodeIndex) -> Int { filter.matchCount(of: root) }

    // MARK: Order

    /// Whether chains are grouped by call site.
    package var isGrouped: Bool { order.isGrouped }
    /// Whether a new order is being made; rows are in the old order until the new order is done.
    package var isSorting: Bool { order.isSorting }

    // MARK: Queues

    /// How full each queue is, for `--debug-statistics`.
    package var queueStatistics: [QueueStatistics] {
        var all = [
            finishedQueue.statistics("finished nodes to fold"), archiveQueue.statistics("settled chains to archive"),
        ]
        all += [
            QueueStatistics(
                name: "chains to reposition", count: order.outdated.count, highWaterMark: order.outdatedHighWater,
                limit: order.outdatedLimit),
            QueueStatistics(
                name: "changes during a sort", count: order.pendingSort?.pendingCount ?? 0,
                highWaterMark: order.catchUpHighWater, limit: IncrementalSort.pendingLimit),
            QueueStatistics(
                name: "parts of old orders to free", count: order.retiredStorage.count,
                highWaterMark: order.retiredHighWater,
                limit: Order.retiredStorageLimit),
            QueueStatistics(
                name: "nodes to test against the filter", count: filter.retestCount,
                highWaterMark: filter.retestHighWater,
                limit: FilterScan.retestLimit),
            QueueStatistics(
                name: "nodes that match later", count: filter.expiry.count, highWaterMark: filter.expiry.highWaterMark,
                limit: filter.expiry.limit),
        ]
        return all
    }
}
