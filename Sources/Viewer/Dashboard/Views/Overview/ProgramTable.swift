// SPDX-License-Identifier: MIT

import ChainText
import Frames

/// The columns of a list of programs, as they fit a width, and how they are drawn.
struct ProgramTable {
    /// The shown columns and their cells.
    let spans: [(column: ProgramColumn, span: ColumnSpan)]
    private let glyphs: Glyphs

    /// Finds the columns between the cells `start` and `end` for these rows. A column of which no row knows anything is
    /// left out, such as the warnings of programs that are not attached to.
    init<ID>(_ lines: [ProgramLine<ID>], from start: Int, to end: Int, _ glyphs: Glyphs) {
        self.glyphs = glyphs
        let known = ProgramColumn.allCases.filter { column in
            switch column {
            case .failed: lines.contains { $0.inFlight != nil && $0.countsFailures }
            case .oldest: lines.contains { $0.warnings != nil }
            case .warnings: lines.contains { $0.warnings != nil }
            case .note: lines.contains { !$0.note.isEmpty }
            default: true
            }
        }
        let widest = lines.map { glyphs.width(of: $0.name) }.max() ?? 0
        let nameWidth = min(max(ProgramColumn.name.width, widest), 32, max(ProgramColumn.name.width, end - start - 12))
        let width = { (column: ProgramColumn) in column == .name ? nameWidth : column.width }
        let shown = ColumnLayout.fitting(
            known, priority: ProgramColumn.priority.filter(known.contains), into: end - start, width)
        let widths = shown.map { column in
            column == .note ? ColumnLayout.Width.rest : .fixed(min(width(column), end - start))
        }
        spans = Array(zip(shown, ColumnLayout.spans(from: start, to: end, widths)))
    }

    /// Returns the column whose heading, or the gap after it, is at a cell.
    func column(at cell: Int) -> ProgramColumn? {
        guard let hit = spans.last(where: { cell >= $0.span.start }),
            cell < hit.span.start + hit.span.width + ColumnLayout.gap
        else { return nil }
        return hit.column
    }

    /// Draws the headings.
    func paintHead(_ sort: ProgramSort, row: Int, into frame: inout Frame) {
        for (column, span) in spans {
            let isSorted = sort.column == column
            write(column.title, row, column, span, isSorted ? .title.bold : .title, &frame)
            guard isSorted else { continue }
            let end = column.isText ? min(span.width, column.title.count) : span.width
            frame.write(
                sort.isAscending ? glyphs.ascending : glyphs.descending, row: row, column: span.start + end,
                style: .key)
        }
    }

    /// Draws a program. `wall` is nanoseconds since 1970.
    func paint<ID>(_ line: ProgramLine<ID>, wall: UInt64, row: Int, into frame: inout Frame) {
        for (column, span) in spans {
            switch column {
            case .name: write(line.name, row, column, span, .label.bold, &frame)
            case .pid: write(line.pid.map { "\($0)" } ?? "", row, column, span, .dim, &frame)
            case .inFlight: paintCount(line.inFlight, row, column, span, .pending, &frame)
            case .failed: paintCount(line.failed, row, column, span, .rejected, &frame)
            case .warnings: paintCount(line.warnings, row, column, span, .warning, &frame)
            case .chains: paintCount(line.chains, row, column, span, .number, &frame)
            case .oldest: write(line.oldestText ?? "", row, column, span, .number, &frame)
            case .age: write(line.age.map(DurationText.coarse) ?? "", row, column, span, .dim, &frame)
            case .trend:
                guard line.trend.contains(where: { $0 != nil }) else { continue }
                let text = Sparkline.text(line.trend, until: wall / 1_000_000_000, cells: span.width, glyphs)
                frame.write(text, row: row, column: span.start, style: .number)
            case .note: write(line.note, row, column, span, line.isProblem ? .warning : .dim, &frame)
            }
        }
    }

    /// Draws a count; zero as a dot, because there is nothing to look at.
    private func paintCount(
        _ count: Int?, _ row: Int, _ column: ProgramColumn, _ span: ColumnSpan, _ style: Style, _ frame: inout Frame
    ) {
        guard let count else { return }
        write(count == 0 ? glyphs.dot : CountText.short(count), row, column, span, count == 0 ? .guide : style, &frame)
    }

    private func write(
        _ text: String, _ row: Int, _ column: ProgramColumn, _ span: ColumnSpan, _ style: Style, _ frame: inout Frame
    ) {
        guard span.isShown else { return }
        let indent = column.isText ? 0 : max(0, span.width - glyphs.width(of: text))
        frame.write(
            text, row: row, column: span.start + indent, maxColumns: span.width - indent, style: style,
            ellipsis: glyphs.ellipsis)
    }
}
