// SPDX-License-Identifier: MIT

import ChainText
import Frames

/// The box with the question before a cancellation.
struct ConfirmBox {
    let area: Area
    /// The button that confirms.
    let yes: Area
    /// The button that refuses.
    let no: Area
    let lines: [String]
    let yesText = " y  cancel "
    let noText = " n  keep "

    init(_ question: Confirmation, size: Size, glyphs: Glyphs) {
        let count = CountText.grouped(question.count) + (question.isAtLeast ? " or more" : "")
        var head = ["Cancel \(question.what)?", "", "\(count) pending \(question.count == 1 ? "node" : "nodes"):"]
        var notes: [String] = []
        if question.aroundCount > 0 {
            let more =
                question.aroundCount == 1
                ? "1 more node runs" : "\(CountText.grouped(question.aroundCount)) more nodes run"
            notes += ["", "Cancels the whole task: \(more) in it"]
        }
        if let age = question.frozenAge {
            notes += ["", "frozen \(DurationText.coarse(age)) ago: some may have settled since"]
        }
        // On few rows blank lines and labels give way, because the notes say what is cancelled.
        let limit = max(0, size.rows - 5)
        if head.count + notes.count > limit {
            (head, notes) = (head.filter { !$0.isEmpty }, notes.filter { !$0.isEmpty })
        }
        let room = limit - head.count - notes.count - 1
        var labels: [String] = []
        if room >= 0, !question.labels.isEmpty {
            labels = question.labels.prefix(room).map { "  " + $0 }
            let rest = question.count - labels.count
            if rest > 0 { labels.append("  and \(CountText.grouped(rest)) more") }
        }
        let lines = head + labels + notes
        let columns = min(size.columns - 2, max(44, min(72, (lines.map { TextWidth.of($0) }.max() ?? 0) + 6)))
        // Beside the border there are two blanks at the left, and one at the right.
        self.lines = lines.map { glyphs.cut($0, to: columns - 5) }
        let rows = min(max(0, size.rows - 1), lines.count + 4)
        area = Area(row: (size.rows - 1 - rows) / 2, column: (size.columns - columns) / 2, rows: rows, columns: columns)
        let row = area.row + rows - 2
        yes = Area(row: row, column: area.column + 3, rows: 1, columns: yesText.count)
        no = Area(row: row, column: yes.column + yes.columns + 3, rows: 1, columns: noText.count)
    }
}

extension Painter {
    /// Draws an empty box with a border and a title.
    mutating func paintBox(_ area: Area, title: String) {
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
