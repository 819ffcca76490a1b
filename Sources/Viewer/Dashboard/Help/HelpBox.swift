// SPDX-License-Identifier: MIT

import ChainText
import Frames

/// The box with the help: in two columns where there is room, scrolled where the help is longer than the screen.
struct HelpBox {
    struct Line: Equatable {
        var heading = ""
        var text = ""
        var isTitle = false
    }

    /// The least width of a screen at which the help has two columns.
    static let twoColumnWidth = 104
    /// The cells between two columns.
    private static let gap = 3
    /// Keys that are wider than this have a line of their own, above their text. On a narrow screen the limit is lower.
    private static let keyLimit = 19

    let area: Area
    /// The lines of each column, from the left.
    let columns: [[Line]]
    /// The width of the keys in a column.
    let keyWidth: Int
    let columnWidth: Int
    /// The area of the hint that Esc closes the help.
    let close: Area
    static let closeText = " Esc close "

    init(size: Size, glyphs: Glyphs, view: ViewID = .chains, time: [KeyMap.Context] = []) {
        let sections = HelpText(view: view, time: time, glyphs: glyphs).sections
        let width = { (text: String) in glyphs.width(of: text) }
        let entries = sections.flatMap(\.entries)
        let textWidth = entries.map { width($0.text) }.max() ?? 0
        let count = size.columns >= Self.twoColumnWidth ? 2 : 1
        let room = (size.columns - 6 - (count - 1) * Self.gap) / count
        // On a narrow screen more keys have a line of their own, so that texts have room.
        let limit = min(Self.keyLimit, max(6, room - 14))
        let keyWidth = entries.map { width($0.keys) }.filter { $0 <= limit }.max() ?? 0
        let columnWidth = max(8, min(room, keyWidth + 2 + textWidth))
        let wrapped = sections.map { section -> [Line] in
            var lines = [Line(heading: section.title, isTitle: true)]
            for entry in section.entries {
                let texts = TextWrap.lines(
                    entry.text, columns: max(8, columnWidth - keyWidth - 2), charset: glyphs.charset)
                var keys = entry.keys
                if width(keys) > keyWidth {
                    lines.append(Line(heading: keys))
                    keys = ""
                }
                for (index, text) in texts.enumerated() {
                    lines.append(Line(heading: index == 0 ? keys : "", text: text))
                }
            }
            return lines
        }
        columns = Self.flow(wrapped, into: count)
        self.keyWidth = keyWidth
        self.columnWidth = columnWidth
        let rows = min(max(0, size.rows - 1), (columns.map(\.count).max() ?? 0) + 2)
        let outer = min(size.columns, count * columnWidth + (count - 1) * Self.gap + 6)
        area = Area(row: (size.rows - 1 - rows) / 2, column: (size.columns - outer) / 2, rows: rows, columns: outer)
        close = Area(
            row: area.row, column: area.column + outer - Self.closeText.count - 2, rows: 1,
            columns: Self.closeText.count)
    }

    /// Divides the sections, in their order and each as a whole, into one or two columns, so that the longest column is
    /// as short as possible.
    private static func flow(_ sections: [[Line]], into count: Int) -> [[Line]] {
        func joined(_ sections: ArraySlice<[Line]>) -> [Line] { Array(sections.joined(separator: [Line()])) }
        guard count > 1, sections.count > 1 else { return [joined(sections[...])] }
        let split = (1..<sections.count).min {
            max(joined(sections[..<$0]).count, joined(sections[$0...]).count)
                < max(joined(sections[..<$1]).count, joined(sections[$1...]).count)
        }!
        return [joined(sections[..<split]), joined(sections[split...])]
    }

    var lineCount: Int { columns.map(\.count).max() ?? 0 }
    var visibleRows: Int { max(1, area.rows - 2) }
    var scrollLimit: Int { max(0, lineCount - visibleRows) }

    /// Returns the column of the screen at which a column of the help begins.
    func start(ofColumn column: Int) -> Int { area.column + 3 + column * (columnWidth + Self.gap) }

    /// Returns the indices of the lines that contain a text in any column of the help, from the top.
    func matches(of text: String) -> [Int] {
        guard !text.isEmpty else { return [] }
        return (0..<lineCount).filter { line in
            columns.contains { $0.indices.contains(line) && Self.contains($0[line], text) }
        }
    }

    /// Returns whether a line contains a text; upper and lower case do not matter.
    static func contains(_ line: Line, _ text: String) -> Bool {
        (line.heading + " " + line.text).lowercased().contains(text.lowercased())
    }
}

extension HelpBox {
    /// Lays out the help of what is shown.
    init(_ state: borrowing State) {
        self.init(size: state.size, glyphs: state.options.glyphs, view: state.view, time: state.timeKeys)
    }
}

extension Painter {
    mutating func paint(_ help: Help, _ state: borrowing State) {
        let box = HelpBox(state)
        paintBox(box.area, title: "Help")
        frame.write(HelpBox.closeText, row: box.close.row, column: box.close.column, style: .overlay.bold)
        let first = min(help.scroll, box.scrollLimit)
        for (column, lines) in box.columns.enumerated() {
            for (index, line) in lines.dropFirst(first).prefix(box.visibleRows).enumerated() {
                paint(line, row: box.area.row + 1 + index, column: box.start(ofColumn: column), box, help.search)
            }
        }
        let last = min(first + box.visibleRows, box.lineCount)
        if box.scrollLimit > 0 {
            let text = " \(first + 1)-\(last)/\(box.lineCount) "
            frame.write(
                text, row: box.area.row + box.area.rows - 1,
                column: box.area.column + box.area.columns - text.count - 2, style: .overlay.dimmed)
        }
        paintSearch(of: help, in: box)
    }

    private mutating func paint(_ line: HelpBox.Line, row: Int, column: Int, _ box: HelpBox, _ search: String) {
        let room = min(box.columnWidth, box.area.column + box.area.columns - 2 - column)
        guard room > 0 else { return }
        if line.isTitle {
            frame.write(line.heading, row: row, column: column, maxColumns: room, style: .overlay.bold.underlined)
        } else {
            frame.write(
                line.heading, row: row, column: column, maxColumns: room, style: .overlay.bold,
                ellipsis: glyphs.ellipsis)
            let gap = box.keyWidth + 2
            frame.write(
                line.text, row: row, column: column + gap, maxColumns: max(0, room - gap), style: .overlay,
                ellipsis: glyphs.ellipsis)
        }
        if !search.isEmpty, HelpBox.contains(line, search) {
            frame.restyle(row: row, column: column, columns: room) { _ in .match }
        }
    }

    private mutating func paintSearch(of help: Help, in box: HelpBox) {
        let search = help.search
        guard help.isTyping || !search.isEmpty else { return }
        let row = box.area.row + box.area.rows - 1
        let count = box.matches(of: search).count
        let words = search.isEmpty ? "" : count == 0 ? "  not found " : "  \(CountText.counted(count, "line")) "
        var column = box.area.column + 2
        column += frame.write(
            " /\(glyphs.safe(search))", row: row, column: column,
            maxColumns: max(4, box.area.columns - 30), style: .overlay.bold)
        if help.isTyping { column += frame.write(" ", row: row, column: column, style: .overlay.reversed) }
        frame.write(words, row: row, column: column, style: .overlay.dimmed)
    }
}
