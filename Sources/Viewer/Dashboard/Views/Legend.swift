// SPDX-License-Identifier: MIT

import Frames

/// A sign and the word for it.
struct LegendEntry {
    var sign: String
    var style: Style
    var word: String

    init(_ sign: String, _ style: Style, _ word: String) {
        self.sign = sign
        self.style = style
        self.word = word
    }
}

extension Painter {
    /// Draws signs and their words on a line, as many as fit whole.
    mutating func paintLegend(_ entries: [LegendEntry], row: Int, from start: Int = Columns.glyph) {
        let end = layout.content.columns - 1
        var column = start
        for entry in entries {
            let width = glyphs.width(of: entry.sign) + 1 + entry.word.count
            guard column + width <= end else { return }
            column += frame.write(entry.sign, row: row, column: column, style: entry.style) + 1
            column += frame.write(entry.word, row: row, column: column, style: .dim) + 3
        }
    }

    /// Draws the legend on the last line of the rows, if `rowCount` rows leave two lines free.
    mutating func paintLegend(_ entries: [LegendEntry], below rowCount: Int) {
        let area = layout.content
        guard rowCount + 2 <= area.rows else { return }
        paintLegend(entries, row: area.row + area.rows - 1)
    }
}
