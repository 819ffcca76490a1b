import ChainListing
import ChainText
import Frames

/// The list from which the user chooses a program to attach to. A value without I/O or a clock: keys and clicks change
/// it, and it draws itself into a frame.
public struct Picker: Sendable {
    /// The user's decision.
    public enum Outcome: Hashable, Sendable {
        /// Attach to this program.
        case chosen(ListedProcess)
        /// Quit without a program.
        case quit
    }

    /// The programs, in the order of the rows.
    public private(set) var processes: [ListedProcess] = []
    /// Whether a first list of programs was received.
    public private(set) var hasLooked = false
    private let glyphs: Glyphs
    private var size: Size
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
    public init(size: Size, glyphs: Glyphs = .unicode) {
        self.size = size
        self.glyphs = glyphs
    }

    private var row: Int? { selection.flatMap { target in processes.firstIndex { $0.target == target } } }
    private var visibleRows: Int { max(0, size.rows - 3) }

    // MARK: Input

    /// Updates the programs. Programs that are listed already keep their order; new programs follow.
    public mutating func take(_ found: [ListedProcess]) {
        hasLooked = true
        let oldRow = row
        let known = processes.compactMap { old in found.first { $0.target == old.target } }
        let new = found.filter { process in !processes.contains { $0.target == process.target } }
        processes = known + new
        if row == nil {
            // The next Enter may be meant for the program that is gone, so it does not attach.
            if selection != nil, !processes.isEmpty {
                message = "the selected program is gone"
                isSelectionReplaced = true
            }
            selection = processes.isEmpty ? nil : processes[min(oldRow ?? 0, processes.count - 1)].target
        }
        scroll()
    }

    /// Sets the size of the screen.
    public mutating func resize(_ size: Size) {
        self.size = size
        scroll()
    }

    /// Shows a message on the last line until the next key, or until a row is clicked.
    public mutating func report(_ text: String) { message = text }

    /// Handles a key; returns the user's decision, if the key makes one.
    public mutating func press(_ key: KeyPress) -> Outcome? {
        message = nil
        switch (key.key, key.modifiers) {
        case (.character("q"), []), (.escape, _), (.character("c"), .control): return .quit
        case (.up, _), (.character("k"), []): move(to: (row ?? 0) - 1)
        case (.down, _), (.character("j"), []): move(to: (row ?? -1) + 1)
        case (.pageUp, _): move(to: (row ?? 0) - max(1, visibleRows))
        case (.pageDown, _): move(to: (row ?? 0) + max(1, visibleRows))
        case (.home, _), (.character("g"), []): move(to: 0)
        case (.end, _), (.character("G"), _): move(to: processes.count - 1)
        case (.enter, _): return choose()
        // Esc and a key that follow each other fast.
        case (.character, .alt): return .quit
        case (.character(let digit), []) where digit.isASCII && digit.wholeNumberValue ?? 0 > 0:
            let number = digit.wholeNumberValue ?? 0
            if number <= processes.count { move(to: number - 1) } else { message = "there is no row \(number)" }
        default:
            message =
                "\(KeyMap.name(of: key, glyphs)) is not bound; \(glyphs.up)\(glyphs.down) or 1-9 select, "
                + "\(glyphs.enter) attaches, q quits"
        }
        return nil
    }

    /// Handles the mouse: a click selects a row, a click on the selected row chooses it, the wheel moves the selection.
    public mutating func click(_ mouse: Mouse) -> Outcome? {
        switch mouse.action {
        case .wheelUp: move(to: (row ?? 0) - 1)
        case .wheelDown: move(to: (row ?? -1) + 1)
        case .press where mouse.button == .left:
            let clicked = mouse.row - 2 + top
            guard mouse.row >= 2, mouse.row < 2 + visibleRows, processes.indices.contains(clicked) else { return nil }
            message = nil
            if clicked == row { return choose() }
            move(to: clicked)
        default: break
        }
        return nil
    }

    private mutating func choose() -> Outcome? {
        guard let row else {
            message = "there is nothing to attach to yet"
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
        guard !processes.isEmpty else { return }
        selection = processes[min(max(0, row), processes.count - 1)].target
        scroll()
    }

    private mutating func scroll() {
        guard let row else { return top = 0 }
        top = min(max(0, top), max(0, processes.count - visibleRows))
        if row < top { top = row }
        if row >= top + visibleRows { top = row - max(1, visibleRows) + 1 }
    }

    // MARK: Drawing

    /// Draws the whole screen; `wall` is nanoseconds since 1970.
    public func render(wall: UInt64) -> Frame {
        var frame = Frame(size: size, charset: glyphs.charset)
        frame.fill(row: 0, column: 0, style: .header)
        let used = frame.write("chainview", row: 0, column: 1, style: .headerAccent)
        let count = processes.count
        let head =
            count == 0
            ? hasLooked ? "nothing to attach to yet" : "looking for programs"
            : CountText.counted(count, "program") + " to attach to"
        frame.write(head, row: 0, column: 1 + used + 3, style: .header)
        if count > 0 { paintRows(into: &frame, wall) } else if hasLooked { paintAdvice(into: &frame) }
        paintFooter(into: &frame)
        return frame
    }

    private var nameWidth: Int {
        let widest = processes.map { glyphs.width(of: $0.name) }.max() ?? 0
        return min(max(8, widest), max(8, min(32, size.columns - 5 - ProcessTable.columns[0].width)))
    }

    private func paintRows(into frame: inout Frame, _ wall: UInt64) {
        let nameStart = 5
        let columnsStart = nameStart + nameWidth
        // Columns that do not fit are left out, from the right.
        var end = columnsStart
        let columns = ProcessTable.columns.prefix { column in
            end += column.width
            return end < size.columns
        }
        frame.write("name", row: 1, column: nameStart, style: .title)
        var column = columnsStart
        for head in columns {
            column += head.width
            frame.write(head.title, row: 1, column: column - head.title.count, style: .title)
        }
        for (line, process) in processes[top...].prefix(visibleRows).enumerated() {
            let (row, number) = (2 + line, top + line + 1)
            let isSelected = process.target == selection
            if isSelected { frame.write(glyphs.prompt, row: row, column: 0, style: .key) }
            if number < 10 { frame.write("\(number)", row: row, column: 2, style: .key) }
            frame.write(
                process.name, row: row, column: nameStart, maxColumns: nameWidth, style: .label.bold,
                ellipsis: glyphs.ellipsis)
            var column = columnsStart
            for head in columns {
                column += head.width
                let text = head.text(process, wall)
                frame.write(text, row: row, column: column - text.count, style: .number)
            }
            frame.write(
                process.note, row: row, column: column + 2, style: process.problem == nil ? .dim : .warning,
                ellipsis: glyphs.ellipsis)
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
    public static var adviceText: String { advice.map { $0.text + "\n" }.joined() }

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
        var hints = [(glyphs.up + glyphs.down, "move"), (glyphs.enter, "attach"), ("1-9", "select"), ("q", "quit")]
        if processes.isEmpty { hints.removeFirst(3) }
        for (key, word) in hints {
            guard column + glyphs.width(of: key) + 1 + word.count < size.columns else { break }
            column += frame.write(key, row: row, column: column, style: .key) + 1
            column += frame.write(word, row: row, column: column, style: .keyText) + 2
        }
    }
}
