import SeededNumbers

@testable import Frames

extension SeededGenerator {
    /// Returns a number from 0 to below the limit.
    mutating func next(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// Draws something into a frame.
    mutating func draw(into frame: inout Frame) {
        let texts = ["order 17", "日本語", "e\u{301}\u{302}x", "✔ done", "🙂🙂", "한국어", "\u{1B}[2J", "", "a日b本c"]
        let style = Style(Role.allCases[next(Role.allCases.count)], Style.Modifiers(rawValue: UInt8(next(64))))
        let row = next(frame.size.rows + 2) - 1
        let column = next(frame.size.columns + 6) - 5
        switch next(6) {
        case 0: frame.fill(row: row, column: column, rows: next(3), columns: next(9), with: "─", style: style)
        case 1: frame.restyle(row: row, column: column, columns: next(9)) { $0.adding(.selected) }
        case 2:
            var other = Frame(size: Size(columns: next(8), rows: next(3)))
            other.write("画面x日本", row: 0, column: next(3), style: style)
            frame.draw(other, row: row, column: column)
        default:
            frame.write(
                texts[next(texts.count)], row: row, column: column, maxColumns: next(12), style: style,
                ellipsis: next(2) == 0 ? "…" : nil)
        }
    }
}

extension Frame {
    /// Whether every wide character is whole, and no half is alone.
    var isSound: Bool {
        for row in 0..<size.rows {
            for column in 0..<size.columns {
                let cell = self[row, column]
                if cell.width == 2, column + 1 == size.columns || !self[row, column + 1].isContinuation { return false }
                if cell.isContinuation, column == 0 || self[row, column - 1].width != 2 { return false }
            }
        }
        return true
    }
}

// SPDX-License-Identifier: MIT
