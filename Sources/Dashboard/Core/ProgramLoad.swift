import ChainModel
import ChainText

/// What the header and a program's row show of one program: its load and the counts of its chains.
struct ProgramLoad: Equatable {
    /// Nodes that are not settled.
    var inFlight = 0
    /// Nodes with a running handler.
    var running = 0
    /// Nodes with a queued handler.
    var queued = 0
    /// Chains that were rejected or abandoned since the program was reached; never falls.
    var failedCount = 0
    /// Chains that were made since the program was reached; never falls.
    var madeCount = 0
    var keptCount = 0
    /// The age of the oldest live chain, in nanoseconds; nil where none is live.
    var oldest: UInt64?

    init() {}

    /// Reads the counts of a forest at a moment of its clock. O(1).
    init(_ forest: borrowing ChainForest, now: UInt64) {
        let totals = forest.totals
        inFlight = totals.counts.liveCount
        running = totals.counts[.running]
        queued = totals.counts[.queued]
        (failedCount, madeCount) = (forest.history.failedCount, forest.history.madeCount)
        keptCount = totals.chainCount
        oldest = forest.oldestLiveRoot.map { now &- min(now, forest.node($0).created) }
    }

    /// How many chains were made, and how many of them are kept.
    var chainWords: String {
        guard keptCount < madeCount else { return CountText.counted(madeCount, "chain") }
        return "kept \(CountText.grouped(keptCount)) of \(CountText.grouped(madeCount)) chains"
    }

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
