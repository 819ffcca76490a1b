// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// The view of programs: a row for each, busy programs first. The first page of a dashboard on several programs.
struct OverviewView {
    var cursor = ListCursor()
    var sort = ProgramSort()
    /// The rows in order, as of the last second.
    var rows: [ProgramLine<SourceID>] = []
    /// The rows of all programs, also of those that the filter hides: the columns do not change with the filter.
    fileprivate var all: [ProgramLine<SourceID>] = []
    /// The selected program; nil until the user moves the cursor, which stays on the first row until then.
    var selected: SourceID?
    /// What the rows depend on; they are made anew when it changes.
    fileprivate var source: Source?

    fileprivate struct Source: Equatable {
        var programs: [ProcessKey?]
        var filter: UInt64
        var matchCount: Int
        var sort: ProgramSort
        /// Seconds since 1970.
        var second: UInt64
    }

    var selectedRow: ProgramLine<SourceID>? { rows.indices.contains(cursor.selected) ? rows[cursor.selected] : nil }
}

extension OverviewView: SortedView {
    static let name = "overview"
    static let listsPrograms = true
    static let acting: Set<Intent> = [.sort, .invertSort]
    static let keyText = "overview: a row for each program, busy programs first"
    static let bindings = [
        KeyMap.Binding(.visit, [KeyPress(.enter)], "its chains in the tree; Esc comes back", footer: "open"),
        KeyMap.Binding(
            .sort, [KeyMap.key("s")], "sort by the next column; so does a click on its heading", footer: "sort"),
        KeyMap.Binding(.detail, [KeyMap.key("d")], "show or hide its details", footer: "detail"),
    ]

    mutating func forgetRows() { source = nil }

    mutating func tick(_ context: ViewContext) -> Bool { source != source(in: context) }

    private func source(in context: ViewContext) -> Source {
        Source(
            programs: context.processKeys, filter: context.filterRevision, matchCount: context.matchCount,
            sort: sort, second: context.wall / 1_000_000_000)
    }

    mutating func updateRows(_ context: inout ViewContext) {
        let source = source(in: context)
        if source != self.source {
            self.source = source
            updateLines(context)
            cursor.follow(selected, in: rows)
        }
        cursor.resize(rows.count, height: height(in: context))
        // When the selected row is gone, the row that took its place is selected.
        if selected != nil { selected = selectedRow?.id }
        selectProgram(&context)
    }

    private mutating func updateLines(_ context: ViewContext) {
        let filter = context.filter
        var (all, rows): ([ProgramLine<SourceID>], [ProgramLine<SourceID>]) = ([], [])
        for program in context.programs {
            let line = program.line(wall: context.wall, context.options.glyphs)
            all.append(line)
            let isShown = !filter.isActive || filter.dims || line.matches(filter.text) || program.hasMatches
            if isShown { rows.append(line) }
        }
        self.all = all
        self.rows = rows.sorted { $0.precedes($1, by: sort) }
    }

    var matchingRows: (count: Int, unit: String)? {
        (rows.count, "program")
    }

    mutating func didMoveCursor(_ context: inout ViewContext) {
        selected = selectedRow?.id
        selectProgram(&context)
    }

    /// Selects the program under the cursor, so that keys and details are about it.
    private mutating func selectProgram(_ context: inout ViewContext) {
        guard context.view == .overview, let row = selectedRow else { return }
        let rowID = RowID(source: row.id)
        if context.selection != rowID { context.select(rowID) }
    }

    // MARK: Keys

    mutating func handleShared(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        switch intent {
        case .visit: visit(&context)
        case .sort: sortByNext(&context)
        case .invertSort: invertSort(&context)
        case .nextMatch, .previousMatch: context.notify("all rows match; Enter shows the chains of one")
        default: return false
        }
        return true
    }

    mutating func handleClickOnCursor(_ click: RowClick, _ context: inout ViewContext) {
        if click.isDouble { visit(&context) }
    }

    private mutating func visit(_ context: inout ViewContext) {
        guard let row = selectedRow else { return context.notify(context.emptyReason) }
        context.request(.openProgram(row.id))
    }

    // MARK: Sorting

    func sortColumns(_ context: ViewContext) -> [ProgramColumn?] {
        [nil] + table(context).spans.map(\.column).filter(\.isSortable)
    }

    mutating func handleHeaderClick(column: Int, _ context: inout ViewContext) {
        guard let hit = table(context).column(at: column), hit.isSortable else { return }
        sort(by: hit, &context)
    }

    // MARK: Drawing

    private func table(_ context: ViewContext) -> ProgramTable {
        ProgramTable(all, from: 2, to: context.layout.content.columns - 1, context.options.glyphs)
    }

    func drawRows(_ context: ViewContext, into painter: inout Painter) {
        let (area, table) = (painter.layout.content, table(context))
        table.paintHead(sort, row: area.row - 1, into: &painter.frame)
        guard !rows.isEmpty else {
            return painter.paintMessage(context.filter.isActive ? context.nothingMatches : "no program yet")
        }
        for index in cursor.window(height: area.rows) {
            // The order is that of the last second, but the figures are those of the header.
            guard let programIndex = context.programIndex(of: rows[index].id) else { continue }
            let line = context.programs[programIndex].line(wall: context.wall, painter.glyphs)
            table.paint(line, wall: context.wall, row: area.row + index - cursor.top, into: &painter.frame)
        }
        let rest = context.programs.count - rows.count
        let end = area.row + rows.count - cursor.top
        if rest > 0, end < area.row + area.rows {
            let words = "\(rows.count) of \(CountText.counted(context.programs.count, "program"))"
            painter.frame.write(words, row: end, column: 2, style: .dim)
        }
        if let line = cursor.line(height: area.rows) { painter.markSelected(row: area.row + line) }
    }

    func redrawKey(in context: ViewContext) -> UInt64 { context.wall / 1_000_000_000 }
}

extension Program {
    /// Whether the filter finds a node of the program.
    fileprivate var hasMatches: Bool { outline.filterState.matchCount > 0 }

    /// Returns the program's row of the overview. `wall` is nanoseconds since 1970.
    fileprivate func line(wall: UInt64, _ glyphs: Glyphs) -> ProgramLine<SourceID> {
        var line = ProgramLine(id: source, name: shownName, pid: info?.pid)
        if hasCounts {
            let load = shownLoad(wall: wall)
            (line.inFlight, line.failed, line.oldest) = (load.inFlight, failedLastMinute, load.oldest)
            (line.oldestText, line.countsFailures) = (load.oldestText(glyphs), !load.hasUnknownFailures)
            (line.warnings, line.chains) = (insight.warnings.count, load.keptCount)
            line.trend = loadHistory.samples(until: wall / 1_000_000_000).map { $0?.inFlight }
            if connection.isLive, let start = info?.startTime, start > 0, wall >= start { line.age = wall - start }
        }
        switch connection {
        case .live:
            var notes = ProgramText.restart(of: self, wall: wall).map { [$0] } ?? []
            if let reading { notes.append(ProgramText.words(reading)) }
            if lostCount > 0 { notes.append("\(CountText.grouped(lostCount)) lost") }
            line.isProblem = lostCount > 0 || reading == nil && !notes.isEmpty
            if let limits = info.flatMap({ ProgramText.limits(of: $0) }) { notes.append(limits) }
            line.note = notes.joined(separator: " \(glyphs.dot) ")
        case .lost(let disconnection):
            line.note =
                ProgramText.word(self, wall: wall) + ": "
                + ProgramText.retry(disconnection, wall: wall, glyphs)
            line.isProblem = true
        case .absent(let attempt, let failure): line.note = ProgramText.connecting(to: nil, attempt, failure)
        case .ended(let reason): line.note = reason
        case .replay: line.note = ProgramText.word(self, wall: wall)
        }
        return line
    }
}
