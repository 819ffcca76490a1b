// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows
import ChainText
import Frames

/// A forest as lines of text, for `chainview ps`: one line for each node, in columns of fixed width with the tree at
/// the end. Texts of the program are escaped.
package struct TreeText: Sendable {
    /// The nodes to list.
    package var listing: TreeListing
    /// The glyphs, and whether all text is reduced to ASCII.
    package var glyphs: Glyphs

    /// Lists everything by default.
    package init(listing: TreeListing = TreeListing(), glyphs: Glyphs = .unicode) {
        self.listing = listing
        self.glyphs = glyphs
    }

    private static let threadWidth = 14

    /// Calls `output` with each line, closed by a newline: a line of counts, the titles of the columns, then the nodes.
    /// If the limit left nodes out, a last line has their number.
    ///
    /// - Parameter now: the moment that running times count to, in nanoseconds of the process's clock.
    package func write(
        _ forest: ChainForest, of process: ProcessDescription, now: UInt64, to output: (String) throws -> Void
    ) rethrows {
        try output(head(of: forest, process))
        if forest.totals.chainCount > 0 {
            let times = ["WAIT", "RUN", "TOTAL"].map { Self.right($0) }.joined(separator: " ")
            try output(
                "\(padded("STATE", 10)) \(times)  \(padded("THREAD", Self.threadWidth))  NODE\n")
        }
        let leftOut = try listing.forEachRow(of: forest, now: now) { try output(line($0, forest, now)) }
        if leftOut > 0 {
            try output("\(glyphs.ellipsis) \(CountText.grouped(leftOut)) more (--limit \(listing.nodeLimit))\n")
        }
    }

    private func head(of forest: ChainForest, _ process: ProcessDescription) -> String {
        let counts = forest.totals.counts
        var parts: [(Int, String, String)] = [
            (forest.totals.chainCount, "chain", "chains"), (counts.nodeCount, "node", "nodes"),
            (counts.liveCount, "live", "live"), (counts[.running], "running", "running"),
        ]
        // How tasks ended is not known from outside.
        if !forest.isReadFromOutside {
            parts += [
                (forest.totals.outcomes.failedCount, "failed", "failed"),
                (forest.totals.outcomes[.recovered], "recovered", "recovered"),
            ]
        }
        parts.append((Int(clamping: forest.lostCount), "lost", "lost"))
        let words = parts.map { "\(CountText.grouped($0.0)) \($0.0 == 1 ? $0.1 : $0.2)" }
        return "\(safe(process.name)) \(process.pid)  \(words.joined(separator: " \(glyphs.dot) "))\n"
    }

    /// Returns a row as one line, closed by a newline.
    package func line(_ row: TreeRow, _ forest: ChainForest, _ now: UInt64) -> String {
        let view = forest.node(row.node)
        let timing = forest.timing(of: row.node, now: now)
        let bounds = forest.lowerBounds(of: row.node)
        let times = [
            duration(timing.wait, isRunning: view.state == .queued, isLowerBound: bounds.state && view.isWaitGrowing),
            duration(
                timing.run, isRunning: view.activity == .running,
                isLowerBound: bounds.state && view.activity == .running),
            duration(timing.total, isRunning: view.isLive, isLowerBound: bounds.total),
        ]
        var thread = ""
        if view.thread != 0 { thread = forest.threads[view.thread] ?? "\(view.thread)" }
        let state = NodeText.state(of: row.node, isRoot: row.flags.contains(.root), in: forest, now: now)
        return "\(padded(state.word, 10)) \(times.joined(separator: " "))  "
            + "\(padded(thread, Self.threadWidth))  \(guides(row))\(node(row, view, forest, now))\n"
    }

    /// Returns a node in one line without columns: `#12 rejected then charge (Order.swift:42) 1.2s: declined`.
    package func node(_ node: NodeIndex, _ forest: ChainForest, now: UInt64) -> String {
        safe(NodeText.line(node, in: forest, now: now))
    }

    private func duration(_ duration: UInt64?, isRunning: Bool, isLowerBound: Bool) -> String {
        guard let duration else { return Self.right("") }
        let text = isRunning ? DurationText.running(duration) : DurationText.settled(duration)
        return Self.right(DurationText.atLeast(text, glyphs, if: isLowerBound))
    }

    /// Returns the lines that lead to a row in the tree.
    private func guides(_ row: TreeRow) -> String {
        guard row.depth > 0 else { return "" }
        let depth = min(Int(row.depth), TreeRow.depthLimit)
        var text = ""
        for level in 0..<(depth - 1) {
            text += row.guides & (1 << UInt32(level)) != 0 ? glyphs.guideLine + "  " : "   "
        }
        let (isLast, isPassing) = (row.flags.contains(.last), row.flags.contains(.passing))
        if row.flags.contains(.continuation) {
            text += isPassing ? glyphs.guideLine + "  " : "   "
        } else {
            text += (isLast || !isPassing ? glyphs.guideLast : glyphs.guideBranch) + glyphs.guideDash + " "
        }
        return Int(row.depth) > depth ? text + "\(row.depth)" + glyphs.dot + " " : text
    }

    /// Returns the node of a row: `#12 then reserve stock  Checkout.swift:41  ! out of stock`.
    private func node(_ row: TreeRow, _ view: NodeView, _ forest: ChainForest, _ now: UInt64) -> String {
        var text = "\(view.id) \(view.kind.word)"
        if let label = forest.label(of: row.node), !label.isEmpty { text += " " + safe(label) }
        if let progress = NodeText.progress(of: row.node, in: forest) { text += "  " + progress }
        if row.flags.contains(.root) {
            let chain = forest.chain(of: row.node)
            if chain.nodeCount + chain.evictedCount > 1 {
                let isRecovered = chain.outcome == .recovered && chain.rejectedCount > 0
                let inside = "recovered, \(CountText.grouped(chain.rejectedCount)) rejected"
                text += "  (\(isRecovered ? inside : NodeText.summary(of: chain)))"
            }
        }
        if let stall = NodeText.stall(of: row.node, in: forest, now: now) { text += "  [\(stall)]" }
        // Most tasks of a program that is read from outside were seen late, which their times tell.
        for mark in view.marks.list where mark != .seenLate || !forest.isReadFromOutside {
            if let note = mark.note { text += "  [\(note)]" }
        }
        if let site = forest.site(of: row.node), !site.fileID.isEmpty { text += "  " + safe(site.description) }
        if let function = forest.innermostFrame(of: row.node) { text += "  in " + safe(function) }
        if let wait = NodeText.wait(of: row.node, in: forest) { text += "  " + safe(wait) }
        if let holder = forest.holder(of: row.node) {
            text += "  held by " + safe(NodeText.holder(holder, in: forest))
        }
        let shown = NodeText.shownNode(for: row.node, isRoot: row.flags.contains(.root), in: forest)
        if let summary = forest.summary(of: shown), !summary.isEmpty {
            text += (forest.state(of: shown) == .fulfilled ? "  = " : "  ! ") + safe(summary)
        }
        return text
    }

    private func safe(_ text: String) -> String { glyphs.safe(text) }

    private func padded(_ text: String, _ width: Int) -> String {
        let shown = glyphs.cut(text, to: width)
        let room = width - glyphs.width(of: shown)
        return shown + String(repeating: " ", count: max(0, room))
    }

    private static func right(_ text: String) -> String {
        String(repeating: " ", count: max(0, DurationText.width - text.count)) + text
    }
}
