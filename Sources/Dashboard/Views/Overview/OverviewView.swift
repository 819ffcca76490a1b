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
    static let intent = Intent.overview
    static let keyText = "overview: a row for each program, busy programs first"
    static let bindings = [
        KeyMap.Binding(.visit, [KeyPress(.enter)], "its chains in the tree; Esc comes back", footer: "open"),
        KeyMap.Binding(
            .sort, [KeyMap.key("s")], "sort by the next column; so does a click on its heading", footer: "sort"),
        KeyMap.Binding(.detail, [KeyMap.key("d")], "show or hide its details", footer: "detail"),
    ]
    static func cursor(of state: borrowing State) -> ListCursor { state.overview.cursor }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) { state.overview.cursor = cursor }

    static func forgetRows(_ state: inout State) { state.overview.source = nil }

    static func tick(_ state: inout State) -> Bool { state.overview.source != source(of: state) }

    private static func source(of state: borrowing State) -> Source {
        Source(
            programs: state.processKeys, filter: state.filterRevision, matchCount: state.matchCount,
            sort: state.overview.sort, second: state.wall / 1_000_000_000)
    }

    static func updateRows(_ state: inout State) {
        let source = source(of: state)
        if source != state.overview.source {
            state.overview.source = source
            updateLines(&state)
            state.overview.cursor.follow(state.overview.selected, in: state.overview.rows)
        }
        state.overview.cursor.resize(state.overview.rows.count, height: height(in: state))
        // When the selected row is gone, the row that took its place is selected.
        if state.overview.selected != nil { state.overview.selected = state.overview.selectedRow?.id }
        selectProgram(&state)
    }

    private static func updateLines(_ state: inout State) {
        let filter = state.filter
        var (all, rows): ([ProgramLine<SourceID>], [ProgramLine<SourceID>]) = ([], [])
        for program in state.programs {
            let line = program.line(wall: state.wall, state.options.glyphs)
            all.append(line)
            let isShown = !filter.isActive || filter.dims || line.matches(filter.text) || program.hasMatches
            if isShown { rows.append(line) }
        }
        let sort = state.overview.sort
        state.overview.all = all
        state.overview.rows = rows.sorted { $0.precedes($1, by: sort) }
    }

    static func matchCount(of state: borrowing State) -> (count: Int, unit: String)? {
        (state.overview.rows.count, "program")
    }

    static func didMoveCursor(_ state: inout State) {
        state.overview.selected = state.overview.selectedRow?.id
        selectProgram(&state)
    }

    /// Selects the program under the cursor, so that keys and details are about it.
    private static func selectProgram(_ state: inout State) {
        guard state.view == .overview, let row = state.overview.selectedRow else { return }
        let rowID = RowID(source: row.id)
        if state.selection != rowID { state.select(rowID) }
    }

    // MARK: Keys

    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .visit: visit(&state)
        case .sort: sortByNext(&state)
        case .invertSort: invertSort(&state)
        case .nextMatch, .previousMatch: state.notify("all rows match; Enter shows the chains of one")
        default: return nil
        }
        return []
    }

    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        if click.isDouble { visit(&state) }
    }

    private static func visit(_ state: inout State) {
        guard let row = state.overview.selectedRow else { return state.notify(state.emptyReason) }
        state.open(program: row.id)
    }

    // MARK: Sorting

    static func sort(of state: borrowing State) -> ProgramSort { state.overview.sort }
    static func setSort(_ sort: ProgramSort, _ state: inout State) { state.overview.sort = sort }
    static func sortColumns(_ state: borrowing State) -> [ProgramColumn?] {
        [nil] + table(state).spans.map(\.column).filter(\.isSortable)
    }

    static func handleHeaderClick(column: Int, _ state: inout State) {
        guard let hit = table(state).column(at: column), hit.isSortable else { return }
        sort(by: hit, &state)
    }

    // MARK: Drawing

    private static func table(_ state: borrowing State) -> ProgramTable {
        ProgramTable(state.overview.all, from: 2, to: Layout(state).content.columns - 1, state.options.glyphs)
    }

    static func drawRows(_ state: borrowing State, into painter: inout Painter) {
        let (view, area, table) = (state.overview, painter.layout.content, table(state))
        table.paintHead(view.sort, row: area.row - 1, into: &painter.frame)
        guard !view.rows.isEmpty else {
            return painter.paintMessage(state.filter.isActive ? state.nothingMatches : "no program yet")
        }
        for index in view.cursor.window(height: area.rows) {
            // The order is that of the last second, but the figures are those of the header.
            guard let programIndex = state.programIndex(of: view.rows[index].id) else { continue }
            let line = state.programs[programIndex].line(wall: state.wall, painter.glyphs)
            table.paint(line, wall: state.wall, row: area.row + index - view.cursor.top, into: &painter.frame)
        }
        let rest = state.programs.count - view.rows.count
        let end = area.row + view.rows.count - view.cursor.top
        if rest > 0, end < area.row + area.rows {
            let words = "\(view.rows.count) of \(CountText.counted(state.programs.count, "program"))"
            painter.frame.write(words, row: end, column: 2, style: .dim)
        }
        if let line = view.cursor.line(height: area.rows) { painter.markSelected(row: area.row + line) }
    }

    static func redrawKey(of state: borrowing State) -> UInt64 { state.wall / 1_000_000_000 }
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
