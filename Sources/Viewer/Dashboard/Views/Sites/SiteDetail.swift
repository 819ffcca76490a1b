// SPDX-License-Identifier: MIT

import ChainInsight
import ChainText
import Frames

extension SitesView {
    func detail(in context: ViewContext, width: Int) -> ViewDetail? {
        guard !stacks.isShown else { return stackDetail(in: context, width: width) }
        guard let row = selectedRow else {
            return ViewDetail(title: "details", lines: [DetailLine("nothing is selected", .dim)])
        }
        return ViewDetail(title: row.name, lines: SiteDetail.lines(of: row, context, width: width))
    }
}

/// The details of the selected call site.
enum SiteDetail {
    static func lines(of row: SiteRow, _ context: ViewContext, width: Int) -> [DetailLine] {
        var text = DetailWriter(width: width, glyphs: context.options.glyphs)
        let statistics = row.statistics
        text.field(row.site)
        if !row.kindText.isEmpty { text.field("kind", row.kindText) }
        if context.showsPrograms { text.field("program", row.program) }
        if !row.labelText.isEmpty { text.field("label", NodeText.safe(row.labelText)) }
        text.field("nodes", CountText.grouped(statistics.total) + " so far, \(CountText.grouped(statistics.live)) live")
        addFlow(row, to: &text)
        if statistics.rejected > 0 { text.add(share("rejected", statistics.rejected, of: statistics.total, .rejected)) }
        if statistics.cancelled > 0 {
            text.add(share("cancelled", statistics.cancelled, of: statistics.total, .cancelled))
        }
        text.gap()
        if statistics.flow.time.count == 0, statistics.run.count == 0 {
            text.wrap("None of its nodes has settled: there is nothing to measure.", style: .dim)
            return text.lines
        }
        addHeads(to: &text)
        add("total", statistics.flow.time, to: &text)
        add("wait", statistics.wait, to: &text)
        add("run", statistics.run, to: &text)
        addHistogram("total: from ready to settled", statistics.flow.time, to: &text)
        addHistogram("run: the handler's time", statistics.run, to: &text)
        addHistogram("wait: from being queued to the handler's start", statistics.wait, to: &text)
        return text.lines
    }

    private static func addFlow(_ row: SiteRow, to text: inout DetailWriter) {
        let flow = row.statistics.flow
        if let age = flow.oldestAge(at: row.now) {
            let oldest = DurationText.atLeast(DurationText.coarse(age), text.glyphs, if: row.isOldestLeast)
            text.field("in flight", "\(CountText.grouped(flow.inFlight)), the oldest for \(oldest)")
        }
        if row.statistics.running > 0 {
            let age = DurationText.running(row.runningAge)
            text.field("running", "\(CountText.grouped(row.statistics.running)), the longest for \(age)")
        }
        guard flow.ended > 0 else { return }
        text.field("rate", "\(CountText.grouped(Int(row.number(.rate)))) settled in the last minute")
    }

    /// Returns a line with a count and its share of a total.
    private static func share(_ name: String, _ count: Int, of total: Int, _ style: Style) -> DetailLine {
        DetailLine([
            (DetailWriter.left(name, DetailWriter.nameWidth), .dim), (CountText.grouped(count), style),
            (", \(FigureText.share(Double(count) / Double(max(total, 1))))", .dim),
        ])
    }

    private static let heads = ["p50", "p90", "p99", "max"].map { DetailWriter.right($0, 8) }.joined()

    static func addHeads(to text: inout DetailWriter) {
        text.add(DetailLine([(DetailWriter.left("", DetailWriter.nameWidth), .dim), (heads, .title)]))
    }

    static func add(_ name: String, _ figures: DurationFigures, to text: inout DetailWriter) {
        guard figures.count > 0 else { return }
        let numbers = [figures.p50, figures.p90, figures.p99, figures.max].map {
            DetailWriter.right(DurationText.settled($0), 8)
        }
        text.add(DetailLine([(DetailWriter.left(name, DetailWriter.nameWidth), .dim), (numbers.joined(), .number)]))
    }

    /// Adds a histogram with a line for each half decade, from the first to the last that has a duration in it.
    static func addHistogram(_ title: String, _ figures: DurationFigures, to text: inout DetailWriter) {
        guard let first = figures.bars.firstIndex(where: { $0 > 0 }),
            let last = figures.bars.lastIndex(where: { $0 > 0 }), let highest = figures.bars.max()
        else { return }
        text.gap()
        text.add(DetailLine(title, .title))
        let room = text.width - 18 - 9
        for bar in first...last {
            let count = figures.bars[bar]
            let cells = room < 1 ? 0 : Int((Double(count) / Double(highest) * Double(room)).rounded(.up))
            let cellText = String(repeating: text.glyphs.bars[count == 0 ? 0 : 5], count: cells)
            text.add(
                DetailLine([
                    (DetailWriter.left(bounds(bar), 18), .dim), (cellText, .number),
                    (String(repeating: " ", count: max(0, room - cells)), .dim),
                    (DetailWriter.right(count == 0 ? "" : CountText.grouped(Int(clamping: count)), 9), .dim),
                ]))
        }
    }

    /// Returns the bounds of a bar, such as `1.0ms to 3.1ms`.
    private static func bounds(_ bar: Int) -> String {
        let bounds = DurationFigures.barBounds
        if bar == 0 { return "below " + DurationText.settled(bounds[0]) }
        if bar == bounds.count { return "over " + DurationText.settled(bounds[bar - 1]) }
        return DetailWriter.right(DurationText.settled(bounds[bar - 1]), 6) + " to "
            + DurationText.settled(bounds[bar])
    }

    /// Returns a row as one line of text, for the clipboard.
    static func line(_ row: SiteRow) -> String {
        let statistics = row.statistics
        var text = NodeText.safe(row.site.map(\.place) ?? row.siteText) + " " + row.kindText
        if !row.labelText.isEmpty { text += " (\(NodeText.safe(row.labelText)))" }
        text += ": \(statistics.live) live of \(statistics.total)"
        text += ", \(statistics.rejected) rejected, \(statistics.cancelled) cancelled"
        let all = [("total", statistics.flow.time), ("wait", statistics.wait), ("run", statistics.run)]
        for (name, figures) in all where figures.count > 0 {
            let numbers = [("p50", figures.p50), ("p90", figures.p90), ("p99", figures.p99), ("max", figures.max)]
            text += "; \(name) " + numbers.map { "\($0.0) \(DurationText.settled($0.1))" }.joined(separator: " ")
        }
        return text
    }
}
