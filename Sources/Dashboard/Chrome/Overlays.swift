import ChainText
import Frames

/// The help: all tables of keys in a box, scrolled where it is larger than the screen.
struct HelpBox {
    struct Line {
        var keys = ""
        var text = ""
        var isTitle = false
    }

    let area: Area
    let lines: [Line]
    let keyWidth: Int

    init(size: Size, glyphs: Glyphs) {
        var lines: [Line] = []
        for context in KeyMap.Context.allCases where !KeyMap.bindings(in: context).isEmpty {
            if !lines.isEmpty { lines.append(Line()) }
            lines.append(Line(keys: context.title, isTitle: true))
            for binding in KeyMap.bindings(in: context) {
                lines.append(Line(keys: binding.keyNames(glyphs), text: binding.text))
            }
        }
        lines.append(Line())
        lines.append(Line(keys: "Commands", isTitle: true))
        for entry in CommandTable.entries { lines.append(Line(keys: entry.usage, text: entry.text)) }
        lines.append(Line())
        lines.append(Line(keys: "Queries", isTitle: true))
        for (form, text) in CommandTable.queries { lines.append(Line(keys: form, text: text)) }
        lines.append(Line())
        lines.append(Line(keys: "Programs", isTitle: true))
        for (glyph, word, text) in HelpBox.programs(glyphs) { lines.append(Line(keys: "\(glyph) \(word)", text: text)) }
        lines.append(Line())
        lines.append(Line(keys: "States", isTitle: true))
        for (role, text) in HelpBox.states {
            lines.append(Line(keys: "\(glyphs.state(role)) \(role)", text: text))
        }
        self.lines = lines
        let keyWidth = lines.filter { !$0.isTitle }.map { TextWidth.of($0.keys, charset: glyphs.charset) }.max() ?? 0
        self.keyWidth = keyWidth
        let widest = lines.map { $0.isTitle ? $0.keys.count : keyWidth + 2 + $0.text.count }.max() ?? 0
        let columns = min(size.columns, widest + 6)
        // The footer below shows how to leave.
        let rows = min(max(0, size.rows - 1), lines.count + 2)
        area = Area(
            row: (size.rows - 1 - rows) / 2, column: (size.columns - columns) / 2, rows: rows, columns: columns)
    }

    var visibleRows: Int { max(1, area.rows - 2) }
    var scrollLimit: Int { max(0, lines.count - visibleRows) }

    private static func programs(_ glyphs: Glyphs) -> [(glyph: String, word: String, text: String)] {
        [
            (glyphs.live, "live", "what it says comes as it happens"),
            (glyphs.lost, "lost", "it cannot be reached: what was last known of it stands still"),
            (glyphs.waiting, "absent", "it was not found yet"),
            (glyphs.pending, "ended", "nothing more comes from it"),
        ]
    }

    private static let states: [(Role, String)] = [
        (.waiting, "its parent has to settle first"),
        (.queued, "handed to an executor, not begun"),
        (.running, "its handler runs"),
        (.pending, "a callback, members or another promise will settle it"),
        (.fulfilled, "settled with a value"),
        (.rejected, "settled with an error"),
        (.cancelled, "somebody cancelled it"),
        (.skipped, "passed its parent's outcome on"),
        (.abandoned, "its resolver was dropped: nobody can settle it"),
        (.unknown, "it ended while events were lost"),
    ]
}

/// The question before a cancellation.
struct ConfirmBox {
    let area: Area
    let yes: Area
    let no: Area
    let lines: [String]
    let yesText = " y  cancel "
    let noText = " n  keep "

    init(_ question: Confirmation, size: Size, glyphs: Glyphs) {
        let count = CountText.grouped(question.count) + (question.isAtLeast ? " or more" : "")
        var lines = ["Cancel \(question.what)?", "", "\(count) pending \(question.count == 1 ? "node" : "nodes"):"]
        let room = max(0, size.rows - 8)
        lines += question.labels.prefix(room).map { "  " + $0 }
        let rest = question.count - min(room, question.labels.count)
        if rest > 0, !question.labels.isEmpty { lines.append("  and \(CountText.grouped(rest)) more") }
        if let age = question.frozenAge {
            lines += ["", "frozen \(DurationText.coarse(age)) ago: some may have settled since"]
        }
        let columns = min(size.columns - 2, max(44, min(72, (lines.map { TextWidth.of($0) }.max() ?? 0) + 6)))
        self.lines = lines.map {
            SafeText.cut($0, to: columns - 4, ellipsis: glyphs.ellipsis, charset: glyphs.charset)
        }
        let rows = min(max(0, size.rows - 1), lines.count + 4)
        area = Area(row: (size.rows - 1 - rows) / 2, column: (size.columns - columns) / 2, rows: rows, columns: columns)
        let row = area.row + rows - 2
        yes = Area(row: row, column: area.column + 3, rows: 1, columns: yesText.count)
        no = Area(row: row, column: yes.column + yes.columns + 3, rows: 1, columns: noText.count)
    }
}

extension Painter {
    private mutating func paintBox(_ area: Area, title: String) {
        frame.fill(row: area.row, column: area.column, rows: area.rows, columns: area.columns, style: .overlay)
        let last = area.row + area.rows - 1
        let right = area.column + area.columns - 1
        let line = String(repeating: glyphs.horizontal, count: max(0, area.columns - 2))
        frame.write(glyphs.topLeft + line + glyphs.topRight, row: area.row, column: area.column, style: .overlay.dimmed)
        frame.write(
            glyphs.bottomLeft + line + glyphs.bottomRight, row: last, column: area.column, style: .overlay.dimmed)
        for row in (area.row + 1)..<max(area.row + 1, last) {
            frame.write(glyphs.vertical, row: row, column: area.column, style: .overlay.dimmed)
            frame.write(glyphs.vertical, row: row, column: right, style: .overlay.dimmed)
        }
        frame.write(
            " \(title) ", row: area.row, column: area.column + 2, maxColumns: area.columns - 4, style: .overlay.bold)
    }

    mutating func paintHelp(_ scroll: Int) {
        let box = HelpBox(size: frame.size, glyphs: glyphs)
        paintBox(box.area, title: "Help")
        let left = box.area.column + 3
        let room = box.area.columns - 5
        let shown = box.lines.dropFirst(min(scroll, box.scrollLimit)).prefix(box.visibleRows)
        for (index, line) in shown.enumerated() {
            let row = box.area.row + 1 + index
            if line.isTitle {
                frame.write(line.keys, row: row, column: left, maxColumns: room, style: .overlay.bold.underlined)
                continue
            }
            frame.write(line.keys, row: row, column: left, maxColumns: room, style: .overlay.bold)
            let gap = box.keyWidth + 2
            frame.write(
                line.text, row: row, column: left + gap, maxColumns: room - gap, style: .overlay,
                ellipsis: glyphs.ellipsis)
        }
        if box.scrollLimit > 0 {
            let text =
                " \(min(scroll, box.scrollLimit) + 1)-\(min(scroll, box.scrollLimit) + shown.count)/\(box.lines.count) "
            frame.write(
                text, row: box.area.row + box.area.rows - 1,
                column: box.area.column + box.area.columns - text.count - 2,
                style: .overlay.dimmed)
        }
    }

    mutating func paintConfirm(_ question: Confirmation) {
        let box = ConfirmBox(question, size: frame.size, glyphs: glyphs)
        paintBox(box.area, title: "Confirm")
        for (index, line) in box.lines.enumerated() where index < box.area.rows - 3 {
            frame.write(
                line, row: box.area.row + 1 + index, column: box.area.column + 3, maxColumns: box.area.columns - 5,
                style: index == 0 ? .overlay.bold : .overlay)
        }
        frame.write(box.yesText, row: box.yes.row, column: box.yes.column, style: .overlay.reversed)
        frame.write(box.noText, row: box.no.row, column: box.no.column, style: .overlay.reversed)
    }
}
