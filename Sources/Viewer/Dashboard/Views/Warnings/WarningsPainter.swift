// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

/// The column spans of the view of warnings at one width.
struct WarningColumns {
    /// The column of the fold markers.
    static let marker = 2

    var severity = ColumnSpan(), new = ColumnSpan(), kind = ColumnSpan(), site = ColumnSpan()
    var node = ColumnSpan(), program = ColumnSpan()
    var count = ColumnSpan(), first = ColumnSpan(), last = ColumnSpan()

    var all: [ColumnSpan] { [severity, new, kind, site, node, program, count, first, last] }

    init(width: Int, hasPrograms: Bool) {
        let age = ColumnLayout.Width.fixed(DurationText.width)
        let kindWidth = width >= 110 ? 23 : 20
        // One column at the right is for the scroll bar.
        let spans = ColumnLayout.spans(
            from: Self.marker + 2, to: width - 1,
            [
                .fixed(width >= 110 ? 6 : 2),
                width >= 56 ? .fixed(3) : nil,
                width >= 56 ? .fixed(kindWidth) : .rest,
                width >= 96 ? .fixed(width >= 150 ? 28 : 22) : width >= 56 ? .rest : nil,
                width >= 96 ? .rest : nil,
                width >= 110 && hasPrograms ? .fixed(12) : nil,
                width >= 30 ? .fixed(5) : nil,
                width >= 76 ? age : nil,
                width >= 40 ? age : nil,
            ])
        (severity, new, kind, site) = (spans[0], spans[1], spans[2], spans[3])
        (node, program, count, first, last) = (spans[4], spans[5], spans[6], spans[7], spans[8])
    }
}

extension WarningSeverity {
    fileprivate var sign: String {
        switch self {
        case .high: "!!"
        case .medium: "!"
        case .low: "-"
        }
    }

    fileprivate var style: Style {
        switch self {
        case .high: Style.error.bold
        case .medium: .warning
        case .low: .label
        }
    }
}

extension WarningsView {
    func drawRows(_ context: ViewContext, into painter: inout Painter) {
        if showsFailures { painter.paintFailures(self, context) } else { painter.paintWarnings(self, context) }
    }
}

extension Painter {
    fileprivate mutating func paintWarnings(_ view: WarningsView, _ context: ViewContext) {
        let area = layout.content
        let columns = WarningColumns(width: area.columns, hasPrograms: context.showsPrograms)
        paintHeads(columns, row: area.row - 1)
        let holds = view.rows.contains { if case .group(let group, _) = $0 { !group.id.isEnded } else { false } }
        if !holds { paintMessage(view.emptyWords(context)) }
        // The program is copied only for a row of another program than the row before, because a copy costs as much as
        // drawing a row.
        var program: (index: Int, program: Program)?
        for index in view.cursor.window(height: area.rows) {
            let line = area.row + index - view.cursor.top
            if let index = view.rows[index].programIndex, program?.index != index {
                program = (index, context.programs[index])
            }
            switch view.rows[index] {
            case .group(let group, let isFolded):
                paint(group, view.rows[index].folds ? isFolded : nil, program!.program, view, context, columns, line)
            case .warning(let warning, _, let index):
                let isDimmed = warning.ended != nil || !view.isMatch(warning, in: index, context)
                paint(warning, isDimmed: isDimmed, program!.program, columns, line)
            case .more(let kind, let count):
                paintNote("\(CountText.grouped(count)) more of \(kind.rawValue), counted and not kept", columns, line)
            case .filtered(let count):
                paintNote("\(CountText.counted(count, "warning")) hidden by the filter; Esc clears it", columns, line)
            case .ended(let count, let isFolded):
                paintMarker(isFolded, line)
                paintNote("\(CountText.grouped(count)) ended", columns, line)
            case .muted(let kind): paintNote("\(kind.rawValue) is muted; X shows it again", columns, line)
            case .failure, .omittedFailures: break
            }
        }
        if let line = view.cursor.line(height: area.rows) { markSelected(row: area.row + line) }
    }

    private mutating func paintHeads(_ columns: WarningColumns, row: Int) {
        if columns.severity.width > 2 { write("level", row: row, in: columns.severity, style: .title) }
        write("warning", row: row, in: columns.kind, style: .title)
        write("call site", row: row, in: columns.site, style: .title)
        write("node", row: row, in: columns.node, style: .title)
        write("program", row: row, in: columns.program, style: .title)
        write("count", row: row, in: columns.count, style: .title, isRightAligned: true)
        write("first", row: row, in: columns.first, style: .title, isRightAligned: true)
        write("last", row: row, in: columns.last, style: .title, isRightAligned: true)
    }

    private mutating func paintMarker(_ isFolded: Bool, _ line: Int) {
        frame.write(
            isFolded ? glyphs.folded : glyphs.unfolded, row: line, column: WarningColumns.marker, style: .guide)
    }

    private mutating func paintNote(_ words: String, _ columns: WarningColumns, _ line: Int) {
        let start = columns.severity.start
        write(words, row: line, column: start, end: layout.content.columns - 1, style: .dim)
    }

    private mutating func paint(
        _ group: WarningGroup, _ isFolded: Bool?, _ program: Program, _ view: WarningsView, _ context: ViewContext,
        _ columns: WarningColumns, _ line: Int
    ) {
        let matches = group.warnings.contains { view.isMatch($0, in: group.programIndex, context) }
        let isDimmed = group.id.isEnded || !matches
        func style(_ style: Style) -> Style { isDimmed ? .dim : style }
        if let isFolded { paintMarker(isFolded, line) }
        let severity = group.id.kind.severity
        write(
            columns.severity.width > 2 ? severity.name : severity.sign, row: line, in: columns.severity,
            style: style(severity.style))
        if group.isNew { write("new", row: line, in: columns.new, style: Style.key.bold) }
        write(group.id.kind.rawValue, row: line, in: columns.kind, style: style(severity.style))
        let site = group.id.site.map(\.description)
        write(site ?? WarningText.name(group.warnings[0], program), row: line, in: columns.site, style: style(.dim))
        paintNode(group.warnings[0], isOne: isFolded == nil, program, columns.node, line, style)
        write(program.shownName, row: line, in: columns.program, style: style(.thread))
        write(
            CountText.short(group.warnings.count), row: line, in: columns.count, style: style(.number),
            isRightAligned: true)
        paintAges(from: group.first, to: group.last, program, columns, line, style)
    }

    /// Draws a warning of an unfolded group.
    private mutating func paint(
        _ warning: Warning, isDimmed: Bool, _ program: Program, _ columns: WarningColumns, _ line: Int
    ) {
        func style(_ style: Style) -> Style { isDimmed ? .dim : style }
        // Without a node column, the node takes the columns of kind and call site.
        var span = columns.node
        if !span.isShown {
            let last = columns.site.isShown ? columns.site : columns.kind
            span = ColumnSpan(start: columns.kind.start, width: last.start + last.width - columns.kind.start)
        }
        paintNode(warning, isOne: true, program, span, line, style)
        let last = warning.ended ?? (warning.kind.isFault ? warning.since : nil)
        paintAges(from: warning.since, to: last, program, columns, line, style)
    }

    private mutating func paintAges(
        from first: UInt64, to last: UInt64?, _ program: Program, _ columns: WarningColumns, _ line: Int,
        _ style: (Style) -> Style
    ) {
        let now = program.shownNow
        func age(_ time: UInt64) -> String { DurationText.coarse(now &- min(now, time)) }
        write(age(first), row: line, in: columns.first, style: style(.number), isRightAligned: true)
        write(last.map(age) ?? "now", row: line, in: columns.last, style: style(.number), isRightAligned: true)
    }

    /// Draws the node with the sign of its state, and the particulars of the warning. For a group of several warnings,
    /// draws the node of the first warning, and *and others*.
    private mutating func paintNode(
        _ warning: Warning, isOne: Bool, _ program: Program, _ span: ColumnSpan, _ line: Int,
        _ style: (Style) -> Style
    ) {
        guard span.isShown else { return }
        var column = span.start
        let end = span.start + span.width
        if let node = program.forest.index(of: warning.node) {
            let role = program.forest.state(of: node).role
            column += frame.write(glyphs.state(role), row: line, column: column, style: style(Style(role))) + 1
        }
        let words = isOne ? WarningText.what(warning, program) : "and others"
        let parts: [(String, Style)] = [(WarningText.name(warning, program), .label), ("  " + words, .dim)]
        for (text, baseStyle) in parts where column < end {
            column += write(text, row: line, column: column, end: end, style: style(baseStyle))
        }
    }
}
