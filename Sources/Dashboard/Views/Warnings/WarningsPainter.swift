import ChainInsight
import ChainModel
import ChainText
import Frames

/// Where the columns of the view of warnings are at one width.
struct WarningColumns {
    /// The column of a kind's marker; its name follows.
    static let head = 2
    static let kindWidth = 23
    static let countWidth = 5

    var name = ColumnSpan(start: 6, width: 0)
    var site = ColumnSpan()
    var program = ColumnSpan()
    var age = ColumnSpan()
    var what = ColumnSpan()

    init(width: Int, hasPrograms: Bool) {
        let isWide = width >= 60
        // One column at the right is for the scroll bar.
        let spans = ColumnLayout.spans(
            from: name.start, to: width - 1,
            [
                isWide ? .fixed(max(22, width * 3 / 10)) : .rest,
                width >= 76 ? .fixed(width >= 110 ? 24 : 18) : nil,
                width >= 96 && hasPrograms ? .fixed(12) : nil,
                .fixed(DurationText.width),
                isWide ? .rest : nil,
            ])
        (name, site, program, age, what) = (spans[0], spans[1], spans[2], spans[3], spans[4])
    }
}

extension WarningsView {
    static func drawRows(_ state: borrowing State, into painter: inout Painter) { painter.paintWarnings(state) }
}

extension Painter {
    fileprivate mutating func paintWarnings(_ state: borrowing State) {
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
                let isOver = warning.ended != nil || !WarningsView.isMatch(warning, in: programIndex, state)
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
        let number = ColumnSpan(start: start + WarningColumns.kindWidth + 1, width: WarningColumns.countWidth)
        guard number.start + number.width < width else { return }
        if count > 0 { write(CountText.short(count), row: line, in: number, style: style, isRight: true) }
        let text = ColumnSpan(
            start: number.start + number.width + 2, width: max(0, width - number.start - number.width - 4))
        write(words, row: line, in: text, style: .dim)
    }

    private mutating func paint(
        _ warning: Warning, of program: Program, isOver: Bool, _ columns: WarningColumns, _ line: Int
    ) {
        func style(_ style: Style) -> Style { isOver ? .dim : style }
        var site = warning.site
        let forest = program.forest
        if let node = forest.index(of: warning.node) {
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
