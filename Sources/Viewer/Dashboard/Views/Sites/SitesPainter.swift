// SPDX-License-Identifier: MIT

import ChainInsight
import ChainText
import Frames

extension SitesView {
    func drawRows(_ context: ViewContext, into painter: inout Painter) {
        if stacks.isShown { painter.paintStacks(self, context) } else { painter.paintSites(self, context) }
    }
}

extension Painter {
    fileprivate mutating func paintSites(_ view: SitesView, _ context: ViewContext) {
        let area = layout.content
        let spans = view.spans(context)
        for (column, span) in spans { paintHead(column, span, view, row: area.row - 1) }
        paintBaseline(view, context)
        guard !view.rows.isEmpty else { return paintNoSites(context) }
        let (top, height) = (area.row + view.topLineCount(context), view.height(in: context))
        for index in view.cursor.window(height: height) {
            let line = top + index - view.cursor.top
            let row = view.rows[index]
            paintChanges(of: row, spans, line: line)
            for (column, span) in spans where row.changes.isEmpty || column.unit == nil {
                paint(row, column, span, line: line)
            }
        }
        if let line = view.cursor.line(height: height) { markSelected(row: top + line) }
    }

    private mutating func paintHead(_ column: SiteColumn, _ span: ColumnSpan, _ view: SitesView, row: Int) {
        let (title, sort) = (view.title(of: column, glyphs), view.sort)
        let isSorted = sort.column == column
        write(
            title, row: row, in: span, style: isSorted ? .title.bold : .title, isRightAligned: !column.isText)
        guard isSorted else { return }
        // The arrow is in the gap after the title, because before the title it would seem to belong to the header at
        // the left.
        let end = column.isText ? min(span.width, title.count) : span.width
        frame.write(
            sort.isAscending ? glyphs.ascending : glyphs.descending, row: row, column: span.start + end, style: .key)
    }

    private mutating func paint(_ row: SiteRow, _ column: SiteColumn, _ span: ColumnSpan, line: Int) {
        switch column {
        case .site: write(row.siteText, row: line, in: span, style: row.site == nil ? .dim : .normal)
        case .label: write(row.labelText, row: line, in: span, style: .label)
        case .kind: write(row.kindText, row: line, in: span, style: .kind)
        case .program: write(row.program, row: line, in: span, style: .thread)
        case .inFlight: paintCount(row, column, span, .pending, line)
        case .running: paintCount(row, column, span, .running, line)
        case .rate, .count: paintCount(row, column, span, .number, line)
        case .rejected: paintCount(row, column, span, .rejected, line)
        case .cancelled: paintCount(row, column, span, .cancelled, line)
        case .errors:
            guard row.has(column) else { return }
            let text = FigureText.percent(row.statistics.flow.failedShare)
            write(
                text.isEmpty ? glyphs.dot : text, row: line, in: span, style: text.isEmpty ? .guide : .rejected,
                isRightAligned: true)
        case .trend:
            paintTrend(row.statistics.flow.history, at: row.now, span, line)
        case .bars: paintBars(row.statistics.run, span, line)
        default: paintDuration(row, column, span, line)
        }
    }

    private mutating func paintDuration(_ row: SiteRow, _ column: SiteColumn, _ span: ColumnSpan, _ line: Int) {
        guard row.has(column) else { return }
        let style: Style =
            switch column {
            case .oldest: row.isOverdue ? .warning.bold : .dim
            case .totalMax: row.isOverdue ? .warning : .dim
            case .runMax: row.runningAge > row.statistics.run.max ? .running : .number
            case .totalP99, .runP99: .number
            default: .dim
            }
        let text = FigureText.duration(row.number(column))
        let shown = DurationText.atLeast(text, glyphs, if: column == .oldest && row.isOldestLeast)
        write(shown, row: line, in: span, style: style, isRightAligned: true)
    }

    /// Draws a count; zero as a dot, because there is nothing to look at.
    private mutating func paintCount(
        _ row: SiteRow, _ column: SiteColumn, _ span: ColumnSpan, _ style: Style, _ line: Int
    ) {
        let number = row.number(column)
        write(
            number == 0 ? glyphs.dot : CountText.short(Int(clamping: number)), row: line, in: span,
            style: number == 0 ? .guide : style, isRightAligned: true)
    }

    private mutating func paintBars(_ figures: DurationFigures, _ span: ColumnSpan, _ line: Int) {
        for (column, bar) in glyphs.bars(figures.bars).enumerated() where column < span.width {
            frame.write(bar, row: line, column: span.start + column, style: .number)
        }
    }

    private mutating func paintNoSites(_ context: ViewContext) {
        let text: String
        if context.programs.contains(where: { $0.wasReached && $0.insight.sites.figures == nil }) {
            text = "counting\(glyphs.ellipsis)"
        } else if context.filter.isActive {
            text = context.nothingMatches
        } else {
            text = "no call sites yet: they appear here as the program makes promises"
        }
        paintMessage(text)
    }
}

extension Painter {
    /// Draws a bar for each minute, the present minute at the right.
    mutating func paintTrend(_ history: RateHistory, at now: UInt64, _ span: ColumnSpan, _ line: Int) {
        let minutes = history.minutes(at: now).map { UInt64($0.rounded()) }.suffix(span.width)
        for (offset, bar) in glyphs.bars(Array(minutes)).enumerated() where bar != " " {
            frame.write(bar, row: line, column: span.start + span.width - minutes.count + offset, style: .number)
        }
    }
}

/// Figures as text, for columns of statistics.
enum FigureText {
    /// Returns a final duration; empty under 0.1 ms, because there is nothing to look at.
    static func duration(_ nanoseconds: UInt64) -> String {
        nanoseconds < 100_000 ? "" : DurationText.settled(nanoseconds)
    }

    /// What a figure counts.
    enum Unit { case count, share, duration }

    /// Returns a change with its sign; empty if it is too small to look at.
    static func change(_ change: Double, _ unit: Unit) -> String {
        let size = min(change.magnitude, 1e18)
        let text =
            switch unit {
            case .count: size < 1 ? "" : CountText.short(Int(size))
            case .share: percent(size)
            case .duration: duration(UInt64(size))
            }
        return text.isEmpty ? "" : (change < 0 ? "-" : "+") + text
    }

    /// Returns a share from 0 to 1 in percent, for a sentence; `0%` for a share of zero.
    static func share(_ share: Double) -> String { share <= 0 ? "0%" : percent(share) }

    /// Returns a share from 0 to 1 in percent, with one decimal below 10%. Returns `<0.1%` for a share below 0.1%, and
    /// an empty text for a share of zero.
    static func percent(_ share: Double) -> String {
        switch share {
        case ...0: ""
        case ..<0.001: "<0.1%"
        case ..<0.0995:
            "\(Int((share * 1_000).rounded()) / 10).\(Int((share * 1_000).rounded()) % 10)%"
        default: "\(Int((share * 100).rounded()))%"
        }
    }
}

extension Glyphs {
    /// Returns a histogram in one line, a cell for each count: full for the greatest, blank for 0 only.
    func bars(_ counts: [UInt64]) -> [String] {
        let highest = counts.max() ?? 0
        return counts.map { count in
            guard count > 0 else { return " " }
            let level = Double(count) / Double(highest) * Double(bars.count - 1)
            return bars[Int(level.rounded())]
        }
    }
}
