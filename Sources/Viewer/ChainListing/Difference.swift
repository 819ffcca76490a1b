// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// Two spans of time of a program, or of two programs, side by side, for `chainview diff`.
package struct Difference: Sendable {
    /// One of the two spans.
    package struct Side: Sendable {
        /// The recording and the moment as typed.
        package var name: String
        /// The run of the program.
        package var process: ProcessDescription
        /// The state at the end of the span.
        package var forest: ChainForest
        /// What happened at the call sites.
        package var report: SiteReport
        /// Seconds to add to UTC for times of day.
        package var clockOffset: Int

        /// Describes a side, by default with times of day in UTC.
        package init(
            name: String, process: ProcessDescription, forest: ChainForest, report: SiteReport, clockOffset: Int = 0
        ) {
            (self.name, self.process, self.forest, self.report) = (name, process, forest, report)
            self.clockOffset = clockOffset
        }
    }

    /// The sides.
    package var before: Side, after: Side
    /// The call sites that changed, the weightiest change first.
    package let sites: [SiteChange]
    /// The nodes that are live in the first side only, and the nodes that are live in the second side only, each in the
    /// order of creation. Nil for sides of different runs, because the same id is another node in another run.
    package let live: (onlyBefore: [NodeID], onlyAfter: [NodeID])?

    /// Compares two sides.
    ///
    /// - Parameter threshold: the least relative change of a figure that counts, from 0 to 1.
    package init(_ before: Side, _ after: Side, threshold: Double) {
        (self.before, self.after) = (before, after)
        sites = after.report.changes(since: before.report, threshold: threshold)
        guard before.process.key == after.process.key else {
            live = nil
            return
        }
        let (old, new) = (Self.liveNodes(of: before.forest), Self.liveNodes(of: after.forest))
        let (oldSet, newSet) = (Set(old), Set(new))
        live = (old.filter { !newSet.contains($0) }, new.filter { !oldSet.contains($0) })
    }

    private static func liveNodes(of forest: ChainForest) -> [NodeID] {
        var live: [NodeView] = []
        for slot in 0..<UInt32(forest.indexBound) {
            let index = NodeIndex(rawValue: slot)
            if forest.contains(index), forest.state(of: index).isLive { live.append(forest.node(index)) }
        }
        return live.sorted { ($0.created, $0.id.rawValue) < ($1.created, $1.id.rawValue) }.map(\.id)
    }

    /// Returns the state of a node in the forest of the other side; nil if that forest does not have the node.
    func otherState(of id: NodeID, in forest: ChainForest) -> NodeState? {
        forest.index(of: id).map { forest.state(of: $0) }
    }
}
