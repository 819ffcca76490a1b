// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

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
    /// Whether there may be other failures: of a program that is read from outside none is known.
    var hasUnknownFailures = false
    /// Chains that the forest has had, including evicted chains.
    var madeCount = 0
    /// Chains that are in the forest; the other chains that were made were evicted.
    var keptCount = 0
    /// The age of the oldest live chain, in nanoseconds; nil where none is live.
    var oldest: UInt64?
    /// Whether ``oldest`` may be greater, because a chain was seen first when it was live already.
    var isOldestLeast = false

    init() {}

    /// Reads the counts of a forest at `now`, in nanoseconds of the program's clock. O(1).
    init(_ forest: borrowing ChainForest, now: UInt64) {
        let totals = forest.totals
        inFlight = totals.counts.liveCount
        running = totals.counts[.running]
        queued = totals.counts[.queued]
        (failedCount, madeCount) = (forest.history.failedCount, forest.history.madeCount)
        keptCount = totals.chainCount
        hasUnknownFailures = forest.isReadFromOutside
        if let root = forest.oldestLiveRoot {
            oldest = now &- min(now, forest.node(root).created)
            isOldestLeast = forest.lowerBounds(of: root).total
        }
    }

    /// Returns the text of ``oldest``: `12s`, or `≥ 12s` if it may be older. Nil where none is live.
    func oldestText(_ glyphs: Glyphs) -> String? {
        oldest.map { DurationText.atLeast(DurationText.coarse($0), glyphs, if: isOldestLeast) }
    }

    /// Returns the text of a count of failures: `≥ 3` if there may be others; nil if no failure is known, but there may be
    /// some.
    func text(ofFailures count: Int, _ glyphs: Glyphs) -> String? {
        guard hasUnknownFailures else { return CountText.grouped(count) }
        return count == 0 ? nil : "\(glyphs.atLeast) \(CountText.grouped(count))"
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
        left.hasUnknownFailures = left.hasUnknownFailures || right.hasUnknownFailures
        left.madeCount += right.madeCount
        left.keptCount += right.keptCount
        if let other = right.oldest { left.oldest = max(left.oldest ?? 0, other) }
        left.isOldestLeast = left.isOldestLeast || right.isOldestLeast
    }
}
