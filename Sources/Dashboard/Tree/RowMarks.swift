import ChainInsight
import Frames

// What rows have on top of their text, in every view.
extension Painter {
    /// The row that keys act on.
    mutating func markSelected(row: Int) {
        frame.write(glyphs.prompt, row: row, column: 0, style: .key)
        frame.restyle(row: row, column: 0, columns: layout.tree.columns - 1) { Self.selected($0) }
    }

    /// On the selected row what is dim is to be read, too.
    private static func selected(_ style: Style) -> Style {
        switch style.role {
        case .dim: Style(.normal, style.modifiers.union(.selected))
        case .guide: Style(.dim, style.modifiers.union(.selected))
        default: style.selected
        }
    }

    /// The first place of a text, written from one column to another, that a filter found there.
    mutating func highlight(_ needle: Needle, in text: String, row: Int, from start: Int, to end: Int) {
        guard let found = needle.firstMatch(in: text), !found.range.isEmpty else { return }
        let before = glyphs.width(of: String(found.text[..<found.range.lowerBound]))
        let width = glyphs.width(of: String(found.text[found.range]))
        guard start + before < end else { return }
        frame.restyle(row: row, column: start + before, columns: min(width, end - start - before)) { _ in .match }
    }

    /// One sentence in the place of rows.
    mutating func paintMessage(_ text: String) {
        let area = layout.tree
        let shown = glyphs.cut(text, to: area.columns - 2)
        let column = max(1, (area.columns - glyphs.width(of: shown)) / 2)
        frame.write(shown, row: area.row + max(0, area.rows / 2 - 1), column: column, style: .dim)
    }
}
