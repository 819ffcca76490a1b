extension ChainForest {
    /// What waits in the forest to be forgotten, or to be taken by ``consumeChanges(into:)``.
    public var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "changes to take", count: max(log.slots.count, log.evicted.count),
                highWaterMark: log.highWaterMark, limit: limits.changeLimit),
            QueueStatistics(
                name: "settled chains to evict", count: settledChains.count,
                highWaterMark: settledChains.highWaterMark, limit: evictionLimit),
            QueueStatistics(
                name: "settled leaves to evict", count: settledLeaves.count,
                highWaterMark: settledLeaves.highWaterMark, limit: evictionLimit),
            QueueStatistics(
                name: "long chains to shorten", count: longChains.count, highWaterMark: longChainHighWater,
                limit: longChainLimit),
            QueueStatistics(
                name: "threads that wait", count: threadWaits.count, highWaterMark: threadWaitHighWater,
                limit: Self.waitingThreadLimit),
        ]
    }
}
