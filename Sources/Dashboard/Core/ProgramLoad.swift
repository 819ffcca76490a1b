import ChainModel
import ChainText

/// The load of a program and the counts of its chains, for the header and the program's row.
struct ProgramLoad: Equatable {
    /// Nodes that are not settled.
    var inFlight = 0
    /// Nodes with a running handler.
    var running = 0
    /// Nodes with a queued handler.
    var queued = 0
    /// How often chains of the forest were rejected or abandoned; never decreases while the program keeps its forest.
    var failedCount = 0
    /// Chains that the forest has had, including evicted chains.
    var madeCount = 0
    /// Chains that are in the forest; the other chains that were made were evicted.
    var keptCount = 0
    /// The age of the oldest live chain, in nanoseconds; nil where none is live.
    var oldest: UInt64?

    init() {}

    /// Reads the counts of a forest at `now`, in nanoseconds of the program's clock. O(1).
    init(_ forest: borrowing ChainForest, now: UInt64) {
        let totals = forest.totals
        inFlight = totals.counts.liveCount
        running = totals.counts[.running]
        queued = totals.counts[.queued]
        (failedCount, madeCount) = (forest.history.failedCount, forest.history.madeCount)
        keptCount = totals.chainCount
        oldest = forest.oldestLiveRoot.map { now &- min(now, forest.node($0).created) }
    }

    /// `12 chains`, or `kept 861 of 3,512 chains` if some were evicted.
    var chainWords: String {
        guard keptCount < madeCount else { return CountText.counted(madeCount, "chain") }
        return "kept \(CountText.grouped(keptCount)) of \(CountText.grouped(madeCount)) chains"
    }

    /// `12 chains`, or `kept 861/3,512 chains` if some were evicted.
    var shortChainWords: String {
        guard keptCount < madeCount else { return chainWords }
        return "kept \(CountText.grouped(keptCount))/\(CountText.grouped(madeCount)) chains"
    }

    /// Adds the counts of another program; keeps the greater of the two ages.
    static func += (left: inout ProgramLoad, right: ProgramLoad) {
        left.inFlight += right.inFlight
        left.running += right.running
        left.queued += right.queued
        left.failedCount += right.failedCount
        left.madeCount += right.madeCount
        left.keptCount += right.keptCount
        if let other = right.oldest { left.oldest = max(left.oldest ?? 0, other) }
    }
}
