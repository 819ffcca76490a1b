// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

extension ProfileView {
    func detail(in context: ViewContext, width: Int) -> ViewDetail? {
        guard let row = selectedRow else {
            return ViewDetail(title: "details", lines: [DetailLine("nothing is selected", .dim)])
        }
        return ViewDetail(title: NodeText.safe(row.name), lines: ProfileDetail.lines(of: row, context, width: width))
    }
}

/// The details of the selected row of the profile.
enum ProfileDetail {
    static func lines(of row: ProfileRow, _ context: ViewContext, width: Int) -> [DetailLine] {
        var text = DetailWriter(width: width, glyphs: context.options.glyphs)
        guard row.isFrame else {
            text.wrap(
                "These steps take under 1 % of the chains' time each, or are beyond the limit of call paths.",
                style: .dim)
            return text.lines
        }
        text.field(row.site)
        text.field("kind", row.depth == 0 ? "whole chains, made by \(row.key.kind.word)" : row.key.kind.word)
        text.field(
            "count", CountText.grouped(row.count) + (row.failed > 0 ? ", \(CountText.grouped(row.failed)) failed" : ""))
        text.field("total", "\(FigureText.share(row.share)), \(DurationText.settled(row.total)) in all")
        text.field("self", "\(FigureText.share(row.ownShare)), \(DurationText.settled(row.ownTime)) in all")
        let forest = context.programs[row.programIndex].forest
        if let slowest = forest.index(of: row.slowest) {
            text.field(
                "slowest", "\(NodeText.name(of: slowest, in: forest)), \(DurationText.settled(row.time.max))")
        }
        text.gap()
        SiteDetail.addHeads(to: &text)
        SiteDetail.add("total", row.time, to: &text)
        SiteDetail.addHistogram("total: from ready to settled", row.time, to: &text)
        text.gap()
        text.wrap(
            row.depth == 0
                ? "Shares are of the duration of the chains from here. Self is the time in which no step under this row "
                    + "was under way. Chains are counted when they settle."
                : "Total is the time from when the node was ready to run, its parent being settled, to when it settled. "
                    + "Self is the part in which nothing under it was under way: its own handler, its time in a queue, "
                    + "and waits for what is not a node.",
            style: .dim)
        return text.lines
    }

    /// Returns a row as one line of text, for the clipboard.
    static func line(_ row: ProfileRow) -> String {
        let site = row.site.map { " \($0.place)" } ?? ""
        let times = [("p50", row.time.p50), ("p99", row.time.p99), ("max", row.time.max)]
        return NodeText.safe(row.name) + site
            + ": \(row.count), \(FigureText.share(row.share)) total, \(FigureText.share(row.ownShare)) self, "
            + times.map { "\($0.0) \(DurationText.settled($0.1))" }.joined(separator: ", ") + ", \(row.failed) failed"
    }
}
