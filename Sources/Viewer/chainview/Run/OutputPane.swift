// SPDX-License-Identifier: MIT

import Frames

/// The pane under the dashboard that shows a program's output.
struct OutputPane {
    /// The program's name in the title.
    var program: String
    /// How the program ended, in words; nil while it runs.
    var ending: String?
    /// The number of lines that the program has written.
    var lineCount = 0
    /// The last lines, oldest first.
    var lines: [OutputLines.Line] = []

    /// Returns the number of rows that the pane takes of a screen, with its title; 0 on a small screen.
    static func rows(on size: Size) -> Int { size.rows < 16 ? 0 : min(10, size.rows / 3) }

    /// Draws the pane at the bottom of a frame.
    func paint(into frame: inout Frame, rows: Int, glyphs: Glyphs) {
        guard rows > 0 else { return }
        let (first, columns) = (frame.size.rows - rows, frame.size.columns)
        frame.fill(row: first, column: 0, rows: rows)
        frame.write(String(repeating: glyphs.horizontal, count: columns), row: first, column: 0, style: .border)
        var title = " output of \(program)"
        if let ending { title += ", which " + ending }
        let lines = "\(glyphs.dot) \(lineCount) \(lineCount == 1 ? "line" : "lines") "
        // The line count gives way to the ending, because the ending matters more.
        let count = " \(ending == nil ? lines : "")\(glyphs.dot) "
        let room = columns - 4 - count.count - "o hides ".count
        var column = 2
        column += frame.write(
            title, row: first, column: column, maxColumns: room, style: ending == nil ? .title : .warning,
            ellipsis: glyphs.ellipsis)
        column += frame.write(count, row: first, column: column, style: .dim)
        column += frame.write("o", row: first, column: column, style: .key)
        frame.write(" hides ", row: first, column: column, style: .keyText)
        for (offset, line) in self.lines.suffix(rows - 1).enumerated() {
            frame.write(
                line.text, row: first + 1 + offset, column: 1, maxColumns: columns - 2,
                style: line.isError ? .error : .normal, ellipsis: glyphs.ellipsis)
        }
        if self.lines.isEmpty, rows > 1 { frame.write("nothing yet", row: first + 1, column: 1, style: .dim) }
    }
}
