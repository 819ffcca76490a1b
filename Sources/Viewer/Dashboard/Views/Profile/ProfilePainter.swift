// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight
import ChainText
import Frames

extension ProfileView {
    func drawRows(_ context: ViewContext, into painter: inout Painter) { painter.paintProfile(self, context) }
}

extension ProfileRow {
    /// Returns the indent of the row's marker in the column of paths. At least half of the column is left for names.
    func indent(in span: ColumnSpan) -> Int { min(2 * min(depth, 12), span.width / 2) }
}

extension Painter {
    fileprivate mutating func paintProfile(_ view: ProfileView, _ context: ViewContext) {
        let area = layout.content
        let spans = view.spans(context)
        for (column, span) in spans { paintHead(column, span, view, row: area.row - 1) }
        paintBaseline(view, context)
        guard !view.rows.isEmpty else { return paintNoProfile(context) }
        let (top, height) = (area.row + view.topLineCount(context), view.height(in: context))
        for index in view.cursor.window(height: height) {
            let line = top + index - view.cursor.top
            let row = view.rows[index]
            let isDim = context.filter.query.map { !ProfileView.isMatch(row, $0) } ?? false
            paintChanges(of: row, spans, line: line, isDim: isDim)
            for (column, span) in spans where column.unit == nil || view.baseline == nil {
                paint(row, column, span, context, line: line, isDim: isDim)
            }
        }
        if let line = view.cursor.line(height: height) { markSelected(row: top + line) }
    }

    private mutating func paintHead(_ column: ProfileColumn, _ span: ColumnSpan, _ view: ProfileView, row: Int) {
        let sort = view.sort
        let isLeft = column == .path || column == .bar
        write(
            view.title(of: column, glyphs), row: row, in: span, style: sort.isBy(column) ? .title.bold : .title,
            isRightAligned: !isLeft)
        guard sort.isBy(column) else { return }
        frame.write(
            sort.isInverted ? glyphs.ascending : glyphs.descending, row: row, column: span.start + span.width,
            style: .key)
    }

    private mutating func paint(
        _ row: ProfileRow, _ column: ProfileColumn, _ span: ColumnSpan, _ context: ViewContext, line: Int, isDim: Bool
    ) {
        func style(_ style: Style) -> Style { isDim ? .dim : style }
        switch column {
        case .path: paintPath(row, span, context, line, style)
        case .bar: paintBar(row, span, line, isDim: isDim)
        default:
            guard row.isFrame || ([.totalShare, .ownShare].contains(column) && row.rootTotal > 0) else { return }
            let (text, baseStyle) = Self.figure(row, column)
            write(text, row: line, in: span, style: style(baseStyle), isRightAligned: true)
        }
    }

    private static func figure(_ row: ProfileRow, _ column: ProfileColumn) -> (String, Style) {
        switch column {
        case .path, .bar: ("", .normal)
        case .totalShare: (FigureText.percent(row.share), .normal)
        case .ownShare: (FigureText.percent(row.ownShare), row.isHottest ? .warning.bold : .number)
        case .totalSum: (FigureText.duration(row.total), .dim)
        case .ownSum: (FigureText.duration(row.ownTime), .dim)
        case .count: (CountText.short(row.count), .dim)
        case .p50: (FigureText.duration(row.time.p50), .dim)
        case .p99: (FigureText.duration(row.time.p99), .number)
        case .max: (FigureText.duration(row.time.max), .dim)
        case .errors: (FigureText.percent(row.failedShare), .rejected)
        }
    }

    private mutating func paintPath(
        _ row: ProfileRow, _ span: ColumnSpan, _ context: ViewContext, _ line: Int, _ style: (Style) -> Style
    ) {
        var offset = row.indent(in: span)
        if row.hasChildren {
            frame.write(
                row.isFolded ? glyphs.folded : glyphs.unfolded, row: line, column: span.start + offset, style: .guide)
        }
        offset += 2
        var parts: [(String, Style)] = []
        switch row.id {
        case .frame:
            if row.depth == 0, context.showsPrograms {
                parts.append((context.programs[row.programIndex].shownName, .thread))
            }
            if !row.label.isEmpty { parts.append((row.label, row.isHottest ? .label.bold : .label)) }
            parts.append((row.key.kind.word, .kind))
            if row.site != nil { parts.append((row.siteText, .dim)) }
        case .more:
            parts.append(("\(glyphs.ellipsis) and \(CountText.grouped(row.count)) more under 1%", .dim))
        case .omitted:
            parts.append(("\(glyphs.ellipsis) and \(CountText.counted(row.count, "node")) of more paths", .dim))
        }
        for (text, baseStyle) in parts where offset < span.width {
            offset += frame.write(
                text, row: line, column: span.start + offset, maxColumns: span.width - offset, style: style(baseStyle),
                ellipsis: glyphs.ellipsis)
            offset += 1
        }
    }

    /// Draws the total time as a bar, within the bar of the row that this row is under. The last part, of full height,
    /// is the self time; the low part before it is the time of the steps under this row.
    private mutating func paintBar(_ row: ProfileRow, _ span: ColumnSpan, _ line: Int, isDim: Bool) {
        guard row.rootTotal > 0 else { return }
        let cells = Double(span.width) / Double(row.rootTotal)
        func cell(_ time: UInt64) -> Int { Int(min(Double(span.width), (Double(time) * cells).rounded())) }
        let begin = min(cell(row.offset), span.width - 1)
        let end = max(begin + 1, cell(row.offset.addingClamped(row.total)))
        let own = max(begin, end - max(cell(row.ownTime), row.ownTime > row.total / 2 ? 1 : 0))
        let ownStyle: Style = isDim ? .dim : row.isHottest ? .warning : .running
        for column in begin..<min(end, span.width) {
            frame.write(
                glyphs.bars[column < own ? 2 : 7], row: line, column: span.start + column,
                style: column < own ? .dim : ownStyle)
        }
    }

    private mutating func paintNoProfile(_ context: ViewContext) {
        let isCounting = context.programs.contains { $0.wasReached && $0.insight.profile.figures == nil }
        paintMessage(
            isCounting ? "counting\(glyphs.ellipsis)" : "no chain has settled yet: its time is counted when it settles")
    }
}
