// SPDX-License-Identifier: MIT

import ChainEvents
import ChainListing
import ChainText
import Frames

/// The list from which the user chooses a program to attach to. A value without I/O or a clock: keys and clicks change
/// it, and it draws itself into a frame.
package struct Picker: Sendable {
    /// The user's decision.
    package enum Outcome: Hashable, Sendable {
        /// Attach to this program.
        case chosen(ListedProcess)
        /// Quit without a program.
        case quit
    }

    /// The programs that are shown, in the order of the rows.
    package private(set) var processes: [ListedProcess] = []
    /// Whether a first list of programs was received.
    package private(set) var hasLooked = false
    private let glyphs: Glyphs
    private var size: Size
    /// All programs, by their targets.
    private var found: [String: ListedProcess] = [:]
    /// The load of each program since it was first found, by target.
    private var loads: [String: LoadHistory] = [:]
    private var rows: [ProgramLine<String>] = []
    private var sort = ProgramSort()
    /// Only programs whose name or pid holds this text are shown.
    private var filter = ""
    /// Whether the filter is being typed.
    private var isTyping = false
    /// The target of the selected program. The selection is not a row, because rows move when the list changes by
    /// itself.
    private var selection: String?
    /// Whether the list has selected another program because the selected program is gone. True until the user selects
    /// a row or presses Enter.
    private var isSelectionReplaced = false
    /// The index of the first row that is shown.
    private var top = 0
    /// The message on the last line.
    private var message: String?

    /// Makes a list without programs.
    package init(size: Size, glyphs: Glyphs = .unicode) {
        self.size = size
        self.glyphs = glyphs
    }

    private var row: Int? { selection.flatMap { target in rows.firstIndex { $0.id == target } } }
    private var visibleRows: Int { max(0, size.rows - 3) }

    // MARK: The programs

    /// Updates the programs. `wall` is the time at which they were found, in nanoseconds since 1970.
    package mutating func take(_ list: [ListedProcess], at wall: UInt64 = 0) {
        hasLooked = true
        found = Dictionary(list.map { ($0.target, $0) }) { first, _ in first }
        loads = loads.filter { found[$0.key] != nil }
        for process in list where process.hasTotals {
            let load = ProgramLoad(process.totals)
            loads[process.target, default: LoadHistory()].observe(load, at: wall)
            // A program keeps the chains that failed longest. If it keeps none, none has failed in the last minute.
            if load.failedCount == 0 { loads[process.target]!.setFailures([]) }
        }
        updateRows(at: wall)
    }

    /// Filters and sorts the rows. If the selected program is no longer among them, another one is selected.
    private mutating func updateRows(at wall: UInt64? = nil) {
        let oldRow = row
        if let wall { second = wall / 1_000_000_000 }
        rows = found.values.map { line($0) }.filter { $0.matches(filter) }.sorted { $0.precedes($1, by: sort) }
        processes = rows.compactMap { found[$0.id] }
        if row == nil {
            // The next Enter may be meant for the program that is gone, so it does not attach.
            if let selection, found[selection] == nil, !rows.isEmpty {
                message = "the selected program is gone"
                isSelectionReplaced = true
            }
            selection = rows.isEmpty ? nil : rows[min(oldRow ?? 0, rows.count - 1)].id
        }
        scroll()
    }

    /// The second of the last list, since 1970.
    private var second: UInt64 = 0

    private func line(_ process: ListedProcess) -> ProgramLine<String> {
        var line = ProgramLine(id: process.target, name: process.name, pid: process.pid)
        if process.hasTotals, let load = loads[process.target] {
            line.inFlight = Int(clamping: process.totals.liveCount)
            line.failed = load.failedLastMinute
            line.trend = load.samples(until: second).map { $0?.inFlight }
            line.chains = Int(clamping: process.totals.chainCount)
        }
        (line.note, line.isProblem) = (process.note, process.problem != nil)
        return line
    }

    // MARK: Input

    /// Sets the size of the screen.
    package mutating func resize(_ size: Size) {
        self.size = size
        scroll()
    }

    /// Shows a message on the last line until the next key, or until a row is clicked.
    package mutating func report(_ text: String) { message = text }

    /// Handles a key; returns the user's decision, if the key makes one.
    package mutating func press(_ key: KeyPress) -> Outcome? {
        message = nil
        if isTyping { return type(key) }
        switch (key.key, key.modifiers) {
        case (.escape, _) where !filter.isEmpty: setFilter("")
        case (.character("q"), []), (.escape, _), (.character("c"), .control): return .quit
        case (.up, _), (.character("k"), []): move(to: (row ?? 0) - 1)
        case (.down, _), (.character("j"), []): move(to: (row ?? -1) + 1)
        case (.pageUp, _): move(to: (row ?? 0) - max(1, visibleRows))
        case (.pageDown, _): move(to: (row ?? 0) + max(1, visibleRows))
        case (.home, _), (.character("g"), []): move(to: 0)
        case (.end, _), (.character("G"), _): move(to: rows.count - 1)
        case (.enter, _): return choose()
        // Esc and a key that follow each other fast.
        case (.character, .alt): return .quit
        case (.character("/"), []): isTyping = true
        case (.character("s"), []): sortByNext()
        case (.character("I"), _), (.character("S"), _): sort(by: sort.column)
        case (.character(let digit), []) where digit.isASCII && digit.wholeNumberValue ?? 0 > 0:
            let number = digit.wholeNumberValue!
            if number <= rows.count { move(to: number - 1) } else { message = "there is no row \(number)" }
        default:
            message = "\(KeyMap.name(of: key, glyphs)) is not bound; / filters, s sorts, Enter attaches, q quits"
        }
        return nil
    }

    /// Handles a key while the filter is being typed.
    private mutating func type(_ key: KeyPress) -> Outcome? {
        switch (key.key, key.modifiers) {
        case (.character("c"), .control): return .quit
        case (.enter, _): isTyping = false
        case (.escape, _):
            isTyping = false
            setFilter("")
        case (.backspace, _): if filter.isEmpty { isTyping = false } else { setFilter(String(filter.dropLast())) }
        case (.up, _): move(to: (row ?? 0) - 1)
        case (.down, _): move(to: (row ?? -1) + 1)
        case (.character(let character), []): setFilter(filter + String(character))
        default: break
        }
        return nil
    }

    private mutating func setFilter(_ text: String) {
        filter = text
        updateRows()
    }

    private mutating func sortByNext() {
        let columns = [nil] + table.spans.map(\.column).filter(\.isSortable)
        let next = columns.firstIndex(of: sort.column).map { ($0 + 1) % columns.count } ?? 0
        sort(by: columns[next])
    }

    /// Sorts by a column; inverts the order if the rows are sorted by that column already.
    private mutating func sort(by column: ProgramColumn?) {
        sort = ProgramSort(column: column, isInverted: sort.column == column && !sort.isInverted)
        message = sort.words
        updateRows()
    }

    /// Handles the mouse: a click selects a row, a click on the selected row chooses it, a click on a heading sorts, the
    /// wheel moves the selection.
    package mutating func click(_ mouse: Mouse) -> Outcome? {
        switch mouse.action {
        case .wheelUp: move(to: (row ?? 0) - 1)
        case .wheelDown: move(to: (row ?? -1) + 1)
        case .press where mouse.button == .left && mouse.row == 1:
            if let column = table.column(at: mouse.column), column.isSortable { sort(by: column) }
        case .press where mouse.button == .left:
            let clicked = mouse.row - 2 + top
            guard mouse.row >= 2, mouse.row < 2 + visibleRows, rows.indices.contains(clicked) else { return nil }
            message = nil
            if clicked == row { return choose() }
            move(to: clicked)
        default: break
        }
        return nil
    }

    private mutating func choose() -> Outcome? {
        guard let row else {
            message = found.isEmpty ? "there is nothing to attach to yet" : "no program holds \(filter); Esc shows all"
            return nil
        }
        guard !isSelectionReplaced else {
            isSelectionReplaced = false
            return nil
        }
        if let problem = processes[row].problem {
            message = problem
            return nil
        }
        return .chosen(processes[row])
    }

    private mutating func move(to row: Int) {
        isSelectionReplaced = false
        guard !rows.isEmpty else { return }
        selection = rows[min(max(0, row), rows.count - 1)].id
        scroll()
    }

    private mutating func scroll() {
        guard let row else { return top = 0 }
        top = min(max(0, top), max(0, rows.count - visibleRows))
        if row < top { top = row }
        if row >= top + visibleRows { top = row - max(1, visibleRows) + 1 }
    }

    // MARK: Drawing

    /// Draws the whole screen; `wall` is nanoseconds since 1970.
    package func render(wall: UInt64) -> Frame {
        var frame = Frame(size: size, charset: glyphs.charset)
        frame.fill(row: 0, column: 0, style: .header)
        let used = frame.write("chainview", row: 0, column: 1, style: .headerAccent)
        frame.write(head, row: 0, column: 1 + used + 3, style: .header)
        if !rows.isEmpty {
            paintRows(into: &frame, wall)
        } else if hasLooked, found.isEmpty {
            paintAdvice(into: &frame)
        }
        paintFooter(into: &frame)
        return frame
    }

    private var head: String {
        if found.isEmpty { return hasLooked ? "nothing to attach to yet" : "looking for programs" }
        let all = CountText.counted(found.count, "program")
        return filter.isEmpty ? all + " to attach to" : "\(rows.count) of \(all)"
    }

    private var table: ProgramTable { ProgramTable(rows, from: 5, to: size.columns - 1, glyphs) }

    private func paintRows(into frame: inout Frame, _ wall: UInt64) {
        let table = table
        table.paintHead(sort, row: 1, into: &frame)
        for (line, program) in rows[top...].prefix(visibleRows).enumerated() {
            let (row, number) = (2 + line, top + line + 1)
            var program = program
            program.age = found[program.id]?.age(at: wall)
            let isSelected = program.id == selection
            if isSelected { frame.write(glyphs.prompt, row: row, column: 0, style: .key) }
            if number < 10 { frame.write("\(number)", row: row, column: 2, style: .key) }
            table.paint(program, wall: second * 1_000_000_000, row: row, into: &frame)
            if isSelected { frame.restyle(row: row) { $0.selected } }
        }
    }

    private static let advice: [(text: String, isCode: Bool)] = [
        ("Programs show up here by themselves once they can be attached to. To try it at once:", false), ("", false),
        ("    chainview demo", true), ("", false), ("In a program of your own:", false), ("", false),
        ("    import ChainInspector", true), ("    Inspector.startIfRequested()", true), ("", false),
        ("and start it with CHAINVIEW=1 set, or by:", false), ("", false), ("    chainview run PROGRAM", true),
        ("", false), ("`try Inspector.start()` lets itself be attached to always.", false),
    ]

    /// The advice that is shown when there is no program to attach to, as text.
    package static var adviceText: String { advice.map { $0.text + "\n" }.joined() }

    private func paintAdvice(into frame: inout Frame) {
        for (line, advice) in Self.advice.enumerated() where line + 2 < size.rows - 1 {
            frame.write(
                advice.text, row: 2 + line, column: 2, style: advice.isCode ? .label.bold : .dim,
                ellipsis: glyphs.ellipsis)
        }
    }

    private func paintFooter(into frame: inout Frame) {
        let row = size.rows - 1
        guard row > 0 else { return }
        if let message {
            frame.write(
                message, row: row, column: 1, maxColumns: size.columns - 2, style: .warning, ellipsis: glyphs.ellipsis)
            return
        }
        var column = 1
        var hints = [
            (glyphs.up + glyphs.down, "move"), (glyphs.enter, "attach"), ("/", "filter"), ("s", "sort"),
            ("1-9", "select"), ("q", "quit"),
        ]
        if found.isEmpty { hints.removeFirst(5) }
        if isTyping || !filter.isEmpty {
            column += frame.write("/\(filter)", row: row, column: column, maxColumns: 24, style: .match) + 3
            hints = isTyping ? [(glyphs.enter, "keep"), ("Esc", "clear")] : [("Esc", "clear")] + hints
        }
        // On a narrow screen the last hints are left out, but not how to quit.
        let shown = fitting(Array(hints.enumerated()), into: size.columns - 1 - column, gap: 2) {
            $0.element.1 == "quit" ? nil : $0.offset
        } columns: {
            glyphs.width(of: $0.element.0) + 1 + $0.element.1.count
        }
        for (_, (key, word)) in shown {
            guard column + glyphs.width(of: key) + 1 + word.count < size.columns else { break }
            column += frame.write(key, row: row, column: column, style: .key) + 1
            column += frame.write(word, row: row, column: column, style: .keyText) + 2
        }
    }
}

extension ProgramLoad {
    /// Makes the load of a program that is not attached to.
    init(_ totals: ProcessTotals) {
        self.init()
        inFlight = Int(clamping: totals.liveCount)
        running = Int(clamping: totals.runningCount)
        failedCount = Int(clamping: totals.rejectedCount)
    }
}
