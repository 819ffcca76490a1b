// SPDX-License-Identifier: MIT

extension ChainForest {
    /// The queues of the forest: changes to be consumed, nodes to be evicted, long chains to be shortened, and waiting
    /// threads.
    public var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "changes to take", count: max(data.log.slots.count, data.log.evicted.count),
                highWaterMark: data.log.highWaterMark, limit: data.limits.changeLimit),
            QueueStatistics(
                name: "settled chains to evict", count: data.settledChains.count,
                highWaterMark: data.settledChains.highWaterMark, limit: data.evictionLimit),
            QueueStatistics(
                name: "settled leaves to evict", count: data.settledLeaves.count,
                highWaterMark: data.settledLeaves.highWaterMark, limit: data.evictionLimit),
            QueueStatistics(
                name: "failed chains to evict last", count: data.failedChains.count,
                highWaterMark: data.failedChains.highWaterMark, limit: data.failedLimit),
            QueueStatistics(
                name: "failed leaves to evict last", count: data.failedLeaves.count,
                highWaterMark: data.failedLeaves.highWaterMark, limit: data.failedLimit),
            QueueStatistics(
                name: "long chains to shorten", count: data.longChains.count, highWaterMark: data.longChainHighWater,
                limit: data.longChainLimit),
            QueueStatistics(
                name: "blocked threads", count: data.stalls.count, highWaterMark: data.stalls.count,
                limit: ForestData.stallLimit),
            QueueStatistics(
                name: "threads that wait", count: data.threadWaits.count, highWaterMark: data.threadWaitHighWater,
                limit: ForestData.waitingThreadLimit),
            QueueStatistics(
                name: "tasks with known frames", count: data.frames.count, highWaterMark: data.frames.count,
                limit: data.limits.nodeLimit),
            QueueStatistics(
                name: "tasks with known waits", count: taskWaitCount, highWaterMark: taskWaitCount,
                limit: data.limits.nodeLimit),
            QueueStatistics(
                name: "actors and locks with known holders", count: data.taskWaits.holders.count,
                highWaterMark: data.taskWaits.holders.count, limit: data.limits.nodeLimit),
        ]
    }
}
