// SPDX-License-Identifier: MIT

import ChainInsight
import ChainListing
import ChainModel
import ChainRecording

extension RecordingFile {
    /// Applies a span of the recording to a forest, and counts by call site the nodes that settled in the span.
    ///
    /// - Parameters:
    ///   - name: the recording as it was typed.
    ///   - start: the first moment, in nanoseconds of the program's clock; nil for all that was recorded.
    ///   - end: the last moment.
    func side(named name: String, from start: UInt64?, to end: UInt64) -> Difference.Side {
        var player = RecordingPlayer(self)
        var forest = ChainForest(of: process, limits: ForestLimits(changeLimit: 0))
        // What was evicted since the first moment; nil before it.
        var evicted: SiteCount?
        let first = max(start ?? range.lowerBound, range.lowerBound)
        let isWhole = first == range.lowerBound
        func fold(_ batches: [EventBatch], isState: Bool) {
            for batch in batches {
                // The events of a state are the waits in it, which may have begun long ago.
                if evicted == nil, !isState, batch.resync == nil, let event = batch.events.map(\.time).min() {
                    // The events that were recorded first may be a little older than the recording.
                    evicted = SiteCount(since: isWhole ? min(first, event - min(event, 1)) : first)
                }
                forest.apply(batch)
                // The budget exceeds the number of nodes that the batch can add, so that eviction keeps up with them.
                let budget = 4_096 + 2 * (batch.events.count + batch.nodes.count)
                forest.evictSettled(now: forest.now, budget: budget) { evicted?.add($0, in: $1) }
            }
        }
        // The batches that lead to the first moment are not counted, unless that moment is the recording's beginning.
        fold(player.seek(to: first), isState: !isWhole)
        while true {
            let batches = player.advance(to: end, limit: 16_384)
            guard !batches.isEmpty else { break }
            fold(batches, isState: false)
        }
        let report = SiteReport(
            evicted ?? SiteCount(since: first), and: forest, over: first...max(first, end))
        return Difference.Side(
            name: name, process: process, forest: forest, report: report, clockOffset: clockOffset)
    }
}
