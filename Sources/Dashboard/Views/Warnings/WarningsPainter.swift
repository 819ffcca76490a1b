import ChainInsight
import ChainModel
import ChainText
import Frames

/// Where things stand in a row of warnings.
struct WarningColumns {
    /// Where a kind's marker stands, and its name after it.
    static let head = 2
    static let kindWidth = 23
    static let countWidth = 5

    var name = Columns.Span(start: 6, width: 0)
    var site = Columns.Span()
    var program = Columns.Span()
    var age = Columns.Span()
    var what = Columns.Span()

    init(width: Int, hasPrograms: Bool) {
        // The scroll bar's column, and two cells between columns.
        var rest = max(0, width - 1 - name.start)
        name.width = min(rest, width >= 60 ? max(22, width * 3 / 10) : rest - 9)
        rest -= name.width
        var start = name.start + name.width
        func span(_ width: Int) -> Columns.Span {
            guard rest >= width + 2 else { return Columns.Span() }
            defer {
                start += width + 2
                rest -= width + 2
            }
            return Columns.Span(start: start + 2, width: width)
        }
        if width >= 76 { site = span(width >= 110 ? 24 : 18) }
        if hasPrograms, width >= 96 { program = span(12) }
        age = span(DurationText.width)
        if rest >= 12 { what = span(rest - 2) }
    }
}

extension Painter {
    /// The heads of the columns and the rows.
    mutating func paintWarnings(_ state: borrowing State) {
        let area = layout.tree
        let columns = WarningColumns(width: area.columns, hasPrograms: state.showsPrograms)
        write("node", row: area.row - 1, in: columns.name, style: .title)
        write("call site", row: area.row - 1, in: columns.site, style: .title)
        write("program", row: area.row - 1, in: columns.program, style: .title)
        write("for", row: area.row - 1, in: columns.age, style: .title, isRight: true)
        write("what", row: area.row - 1, in: columns.what, style: .title)
        let view = state.warnings
        guard !view.rows.isEmpty else { return paintNoWarnings(state) }
        // Once for all rows of it: a copy of all parts of a program costs as much as a row.
        var program: (index: Int, program: Program)?
        for index in view.cursor.window(height: area.rows) {
            let line = area.row + index - view.cursor.top
            switch view.rows[index] {
            case .head(let kind, let count, let isFolded):
                paintHead(kind, isFolded ? glyphs.folded : glyphs.unfolded, count, kind.headline, .warning, line)
            case .hidden(let kind):
                paintHead(kind, glyphs.folded, 0, "hidden; X shows it again", .dim, line)
            case .more(_, let count):
                let words = "\(glyphs.ellipsis) \(CountText.grouped(count)) more"
                frame.write(words, row: line, column: columns.name.start, style: .dim)
            case .warning(let warning, let programIndex):
                if program?.index != programIndex { program = (programIndex, state.programs[programIndex]) }
                let isOver = warning.ended != nil || !state.filterLetsThrough(warning, in: programIndex)
                paint(warning, of: program!.program, isOver: isOver, columns, line)
            }
        }
        if let line = view.cursor.line(height: area.rows) { markSelected(row: area.row + line) }
    }

    private mutating func paintHead(
        _ kind: WarningKind, _ marker: String, _ count: Int, _ words: String, _ style: Style, _ line: Int
    ) {
        let width = layout.tree.columns
        frame.write(marker, row: line, column: WarningColumns.head, style: .guide)
        let start = WarningColumns.head + 2
        frame.write(kind.rawValue, row: line, column: start, maxColumns: width - 1 - start, style: style.bold)
        let number = Columns.Span(start: start + WarningColumns.kindWidth + 1, width: WarningColumns.countWidth)
        guard number.start + number.width < width else { return }
        if count > 0 { write(CountText.short(count), row: line, in: number, style: style, isRight: true) }
        let text = Columns.Span(
            start: number.start + number.width + 2, width: max(0, width - number.start - number.width - 4))
        write(words, row: line, in: text, style: .dim)
    }

    private mutating func paint(
        _ warning: Warning, of program: Program, isOver: Bool, _ columns: WarningColumns, _ line: Int
    ) {
        func style(_ style: Style) -> Style { isOver ? .dim : style }
        var site = warning.site
        if let forest = program.forest, let node = forest.index(of: warning.node) {
            let role = forest.state(of: node).role
            frame.write(glyphs.state(role), row: line, column: columns.name.start - 2, style: style(Style(role)))
            site = site ?? forest.site(of: node)
        }
        write(WarningText.name(warning, program), row: line, in: columns.name, style: style(.label))
        write(site.map(\.description) ?? "", row: line, in: columns.site, style: .dim)
        write(program.shownName, row: line, in: columns.program, style: style(.thread))
        let end = warning.ended ?? program.shownNow
        let age = DurationText.coarse(end &- min(end, warning.since))
        write(age, row: line, in: columns.age, style: style(.number), isRight: true)
        let what = WarningText.what(warning, program)
        write(warning.ended == nil ? what : "over", row: line, in: columns.what, style: style(.normal))
    }

    private mutating func paintNoWarnings(_ state: borrowing State) {
        if state.filter.isActive, state.programs.contains(where: { $0.insight.warnings.count > 0 }) {
            return paintMessage("no warning is of a node that matches \(state.filter.text)")
        }
        paintMessage(state.programs.isEmpty ? "waiting for a program" : "nothing looks wrong")
    }
}
