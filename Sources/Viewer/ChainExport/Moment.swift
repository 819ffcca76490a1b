// SPDX-License-Identifier: MIT

import ChainListing
import ChainModel
import ChainRows
import ChainText
import Frames

/// A program at one moment: the content of pictures and pages.
package struct Moment {
    package let process: ProcessDescription
    package let forest: ChainForest
    /// The moment, in nanoseconds of the program's clock.
    package let time: UInt64
    /// The chains that are shown, in the order in which they were made; each with its nodes in the order of the tree.
    package private(set) var chains: [[TreeRow]]
    /// How many nodes of the listing are not shown, because of the limit.
    package private(set) var leftOutCount: Int
    /// Seconds to add to UTC for times of day.
    package let clockOffset: Int

    /// Selects chains up to the limit of a listing: live chains before settled chains, and the newest first. The first
    /// chain is cut if it alone exceeds the limit.
    package init(
        _ forest: ChainForest, of process: ProcessDescription, at time: UInt64, listing: TreeListing, clockOffset: Int
    ) {
        (self.forest, self.process, self.time, self.clockOffset) = (forest, process, time, clockOffset)
        var all = listing
        all.nodeLimit = .max
        var chains: [[TreeRow]] = []
        _ = all.forEachRow(of: forest.roots, in: forest, now: time) { row in
            if row.flags.contains(.root) { chains.append([]) }
            chains[chains.count - 1].append(row)
        }
        self.chains = chains
        leftOutCount = 0
        let limited = limited(to: listing.nodeLimit)
        (self.chains, leftOutCount) = (limited.chains, limited.leftOutCount)
    }

    /// Returns the same moment with at most `nodeLimit` nodes; the limit is 1 or more. Adds the number of nodes that
    /// this leaves out to ``leftOutCount``.
    func limited(to nodeLimit: Int) -> Moment {
        let order = chains.indices.sorted { left, right in
            let isLive = [left, right].map { forest.chain(of: chains[$0][0].node).liveCount > 0 }
            return isLive[0] != isLive[1] ? isLive[0] : left > right
        }
        var (room, kept): (Int, [Int: [TreeRow]]) = (nodeLimit, [:])
        for index in order where room > 0 {
            // Only the first chain may be cut.
            if chains[index].count > room, !kept.isEmpty { continue }
            kept[index] = Array(chains[index].prefix(room))
            room -= kept[index]?.count ?? 0
        }
        var moment = self
        moment.chains = chains.indices.compactMap { kept[$0] }
        moment.leftOutCount += nodeCount - moment.nodeCount
        return moment
    }

    /// The nodes that are shown, in order.
    package var rows: some Sequence<TreeRow> { chains.lazy.joined() }
    /// How many nodes are shown.
    package var nodeCount: Int { chains.reduce(0) { $0 + $1.count } }

    /// Program, moment and counts in one line, without control characters.
    package var title: String {
        let clock = ClockText.milliseconds(time &+ process.wallOffset, offset: clockOffset)
        let counts = forest.totals.counts
        var text =
            "\(SafeText.line(process.name)) \(process.pid) at \(clock): "
            + "\(CountText.counted(forest.totals.chainCount, "chain")), \(CountText.counted(counts.nodeCount, "node")), "
            + "\(CountText.grouped(counts.liveCount)) live"
        if leftOutCount > 0 { text += ", \(CountText.grouped(leftOutCount)) not shown" }
        return text
    }

    /// Returns a node's operation and label on one line of at most `columns` columns.
    package func name(_ node: NodeIndex, columns: Int) -> String {
        let (text, isLabel) = NodeText.label(of: node, in: forest)
        let kind = forest.kind(of: node).word
        return SafeText.cut(isLabel ? "\(kind) \(text)" : "\(kind) at \(text)", to: columns, ellipsis: "…")
    }

    /// Returns a node's state, its total time, and its error, on one line of at most `columns` columns.
    package func status(_ node: NodeIndex, columns: Int) -> String {
        let view = forest.node(node)
        var text = NodeText.state(of: node, isRoot: false, in: forest, now: time).word
        if let total = NodeText.total(of: node, in: forest, now: time, .unicode) { text += " " + total }
        if view.state == .rejected || view.state == .abandoned, let error = forest.summary(of: node) {
            text += ": " + error
        }
        if let stall = NodeText.stall(of: node, in: forest, now: time) { text += ": " + stall }
        return SafeText.cut(text, to: columns, ellipsis: "…")
    }

    /// The links between shown nodes that the tree does not show.
    package var links: [(from: NodeID, to: NodeID, isFollowing: Bool)] {
        var shown: Set<NodeIndex> = []
        for row in rows { shown.insert(row.node) }
        var links: [(NodeID, NodeID, Bool)] = []
        for row in rows {
            for link in forest.targets(of: row.node, limit: Self.linkLimit)
            where shown.contains(link.node) && forest.treeParent(of: link.node) != row.node {
                links.append((forest.id(of: row.node), forest.id(of: link.node), link.role == .follows))
            }
        }
        return links
    }

    /// The maximum number of links of one node that are read.
    private static let linkLimit = 64
}

/// Colours of states on white.
enum StateColor {
    /// Returns the colours of a state's areas and of their borders.
    static func of(_ state: NodeState) -> (fill: String, stroke: String) {
        switch state {
        case .waiting: ("#f1f3f5", "#868e96")
        case .queued: ("#fff3bf", "#b58100")
        case .running: ("#d0ebff", "#1971c2")
        case .pending: ("#e5dbff", "#6741d9")
        case .fulfilled: ("#d3f9d8", "#2b8a3e")
        case .rejected: ("#ffe3e3", "#c92a2a")
        case .cancelled: ("#f3d9fa", "#9c36b5")
        case .skipped: ("#f8f9fa", "#adb5bd")
        case .abandoned: ("#ffe8cc", "#d9480f")
        case .unknown: ("#e9ecef", "#495057")
        }
    }
}
