import ChainInsight
import ChainModel
import ChainText
import Frames

extension SitesView {
    static func drawRows(_ state: borrowing State, into painter: inout Painter) { painter.paintSites(state) }
}

extension Painter {
    fileprivate mutating func paintSites(_ state: borrowing State) {
        let area = layout.tree
        let spans = SiteColumn.spans(width: area.columns, hasPrograms: state.showsPrograms)
        for (column, span) in spans { paintHead(column, span, state.sites.sort, row: area.row - 1) }
        guard !state.sites.rows.isEmpty else { return paintNoSites(state) }
        for index in state.sites.cursor.window(height: area.rows) {
            let line = area.row + index - state.sites.cursor.top
            let row = state.sites.rows[index]
            for (column, span) in spans { paint(row, column, span, line: line) }
        }
        if let line = state.sites.cursor.line(height: area.rows) { markSelected(row: area.row + line) }
    }

    private mutating func paintHead(_ column: SiteColumn, _ span: ColumnSpan, _ sort: SiteSort, row: Int) {
        write(column.title, row: row, in: span, style: .title, isRight: !column.isText)
        guard sort.column == column else { return }
        let mark = sort.isAscending ? glyphs.ascending : glyphs.descending
        let start = column.isText ? span.start : span.start + max(0, span.width - column.title.count)
        frame.write(mark, row: row, column: max(0, start - 1), style: .key)
    }

    private mutating func paint(_ row: SiteRow, _ column: SiteColumn, _ span: ColumnSpan, line: Int) {
        switch column {
        case .site: write(row.siteText, row: line, in: span, style: row.site == nil ? .dim : .label)
        case .kind: write(row.kindText, row: line, in: span, style: .kind)
        case .program: write(row.program, row: line, in: span, style: .thread)
        case .live: paintCount(row, column, span, .running, line)
        case .total: paintCount(row, column, span, .number, line)
        case .rejected: paintCount(row, column, span, .rejected, line)
        case .cancelled: paintCount(row, column, span, .cancelled, line)
        case .bars: paintBars(row.statistics.run, span, line)
        default:
            guard row.has(column) else { return }
            let style = column == .runP99 || column == .runMax ? Style.number : .dim
            write(DurationText.settled(row.number(column)), row: line, in: span, style: style, isRight: true)
        }
    }

    /// None is nothing to look at.
    private mutating func paintCount(
        _ row: SiteRow, _ column: SiteColumn, _ span: ColumnSpan, _ style: Style, _ line: Int
    ) {
        let number = row.number(column)
        write(
            number == 0 ? glyphs.dot : CountText.short(Int(clamping: number)), row: line, in: span,
            style: number == 0 ? .guide : style, isRight: true)
    }

    private mutating func paintBars(_ figures: DurationFigures, _ span: ColumnSpan, _ line: Int) {
        for (column, bar) in glyphs.bars(figures.bars).enumerated() where column < span.width {
            frame.write(bar, row: line, column: span.start + column, style: .number)
        }
    }

    private mutating func paintNoSites(_ state: borrowing State) {
        let text: String
        if state.programs.contains(where: { $0.isReached && !$0.insight.sites.isReady }) {
            text = "counting\(glyphs.ellipsis)"
        } else if state.filter.isActive {
            text = "no call site or kind holds \(state.filter.text)"
        } else {
            text = "no call sites yet: they appear here as the program makes promises"
        }
        paintMessage(text)
    }
}

extension Glyphs {
    /// A histogram in one line: a cell each, the highest full, none empty where there is anything.
    func bars(_ counts: [UInt64]) -> [String] {
        let highest = counts.max() ?? 0
        return counts.map { count in
            guard count > 0 else { return " " }
            let level = Double(count) / Double(highest) * Double(bars.count - 1)
            return bars[Int(level.rounded())]
        }
    }
}
