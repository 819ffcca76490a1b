// SPDX-License-Identifier: MIT

import ChainInsight
import Frames

// Marks that are drawn over the text of rows, in every view.
extension Painter {
    /// Marks the row that keys act on.
    mutating func markSelected(row: Int) {
        frame.write(glyphs.prompt, row: row, column: 0, style: .key)
        frame.restyle(row: row, column: 0, columns: layout.content.columns - 1) { Self.selected($0) }
    }

    /// Returns a style as it is on the selected row, where dim text has to stay readable.
    private static func selected(_ style: Style) -> Style {
        switch style.role {
        case .dim: Style(.normal, style.modifiers.union(.selected))
        case .guide: Style(.dim, style.modifiers.union(.selected))
        default: style.selected
        }
    }

    /// Highlights the first match in a text that was written from column `start` to column `end`.
    mutating func highlight(_ needle: Needle, in text: String, row: Int, from start: Int, to end: Int) {
        guard let found = needle.firstMatch(in: text), !found.range.isEmpty else { return }
        let before = glyphs.width(of: String(found.text[..<found.range.lowerBound]))
        let width = glyphs.width(of: String(found.text[found.range]))
        guard start + before < end else { return }
        frame.restyle(row: row, column: start + before, columns: min(width, end - start - before)) { _ in .match }
    }

    /// Draws one sentence in place of the rows.
    mutating func paintMessage(_ text: String) {
        let area = layout.content
        let shown = glyphs.cut(text, to: area.columns - 2)
        let column = max(1, (area.columns - glyphs.width(of: shown)) / 2)
        frame.write(shown, row: area.row + max(0, area.rows / 2 - 1), column: column, style: .dim)
    }
}
