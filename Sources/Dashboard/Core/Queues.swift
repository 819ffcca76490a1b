import ChainInsight
import ChainModel

// How full the queues of a dashboard are, for `--debug-statistics`.

extension State {
    /// Every queue of the dashboard, with its limit; those of several programs have the program's name in front.
    public var queueStatistics: [QueueStatistics] {
        var all: [QueueStatistics] = []
        for program in programs {
            for var queue in program.queueStatistics(frozenLimit: options.frozenLimit / programs.count) {
                if showsPrograms { queue.name = "\(program.shownName): \(queue.name)" }
                all.append(queue)
            }
        }
        all.append(descriptions.queueStatistics)
        return all
    }
}

extension Program {
    fileprivate func queueStatistics(frozenLimit: Int) -> [QueueStatistics] {
        var all = forest?.queueStatistics ?? []
        all += outline.queueStatistics
        all += insight.warnings.queueStatistics + insight.sites.queueStatistics
        all += [
            insight.threads.queueStatistics, insight.events.queueStatistics,
            QueueStatistics(
                name: "events and nodes while frozen", count: held?.waitingCount ?? 0, highWaterMark: heldHighWater,
                limit: frozenLimit),
            QueueStatistics(
                name: "cancellations on their way", count: requests.count, highWaterMark: requests.count,
                limit: Self.requestLimit),
        ]
        return all
    }
}

extension RowModel {
    /// What waits to be folded, retired, sorted or looked through.
    var queueStatistics: [QueueStatistics] {
        let names = ["one-row chains to retire", "settled chains to retire", "rejected chains to retire"]
        var all = [tidies.statistics("finished nodes to fold")]
        all += zip(dues, names).map { $0.statistics($1) }
        all += [
            QueueStatistics(
                name: "chains to place anew", count: order.staleCount, highWaterMark: order.staleHighWater,
                limit: order.staleLimit),
            QueueStatistics(
                name: "changes during a sort", count: order.build?.openCount ?? 0,
                highWaterMark: order.mendHighWater, limit: IncrementalSort.openLimit),
            QueueStatistics(
                name: "parts of old orders to free", count: order.spent.count, highWaterMark: order.spent.count,
                limit: Order.spentLimit),
            QueueStatistics(
                name: "nodes to test against the filter", count: filter.dueCount, highWaterMark: filter.dueHighWater,
                limit: FilterScan.dueLimit),
            QueueStatistics(
                name: "nodes that match later", count: filter.clock.count, highWaterMark: filter.clock.highWaterMark,
                limit: filter.clock.limit),
        ]
        return all
    }
}
