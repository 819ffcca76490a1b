// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

// How full the queues of a dashboard are, for `--debug-statistics`.

extension World {
    /// Returns the queues of the programs, each with its limit; that of events while the picture is frozen is
    /// `frozenLimit` in all. If there are several programs, the name of a program's queue begins with the program's name.
    func queueStatistics(frozenLimit: Int) -> [QueueStatistics] {
        var all: [QueueStatistics] = []
        for program in programs {
            for var queue in program.queueStatistics(frozenLimit: frozenLimit / programs.count) {
                if showsPrograms { queue.name = "\(program.shownName): \(queue.name)" }
                all.append(queue)
            }
        }
        return all
    }
}

extension Program {
    fileprivate func queueStatistics(frozenLimit: Int) -> [QueueStatistics] {
        var all = wasReached ? forest.queueStatistics : []
        all += outline.queueStatistics
        all += insight.warnings.queueStatistics + insight.sites.recount.base.queueStatistics
        all += insight.chains.recount.base.queueStatistics + insight.profile.recount.base.queueStatistics
        all += [
            insight.failures.queueStatistics, insight.threads.queueStatistics, insight.events.queueStatistics,
            QueueStatistics(
                name: "events and nodes while frozen", count: frozenBuffer?.keptCount ?? 0,
                highWaterMark: frozenHighWater, limit: frozenLimit),
            QueueStatistics(
                name: "cancellations on their way", count: cancelRequests.count, highWaterMark: cancelRequestHighWater,
                limit: Self.cancelRequestLimit),
        ]
        return all
    }
}
