/// Which rows of a list are shown and which is selected. A view keeps the selection on what it stands for by setting
/// ``selected`` anew whenever its rows may have moved.
struct ListCursor: Equatable {
    /// All rows.
    var count = 0
    /// The selected one; 0 where there are none.
    var selected = 0
    /// The first that is shown.
    var top = 0

    /// The line of the selected row in a window of `height`; nil where it is out of sight.
    func line(height: Int) -> Int? { selected >= top && selected < min(count, top + height) ? selected - top : nil }

    /// The rows that are shown.
    func window(height: Int) -> Range<Int> { min(top, count)..<min(count, top + max(0, height)) }

    /// Takes another number of rows; the window stays within them.
    mutating func resize(_ count: Int, height: Int) {
        self.count = count
        selected = min(max(0, selected), max(0, count - 1))
        top = min(max(0, top), max(0, count - height))
    }

    /// Selects a row, as far as there is one, and brings it into sight.
    mutating func select(_ row: Int, height: Int) {
        selected = min(max(0, row), max(0, count - 1))
        if selected < top { top = selected }
        if height > 0, selected >= top + height { top = selected - height + 1 }
    }

    /// Keeps a row selected after the rows have changed, where it is still there. O(rows).
    mutating func follow<Row: Identifiable>(_ selected: Row.ID?, in rows: [Row]) {
        guard let selected, let row = rows.firstIndex(where: { $0.id == selected }) else { return }
        moveSelection(to: row)
    }

    /// Moves the rows below the window by as much as the selected one moved, so that it stays on its line.
    mutating func moveSelection(to row: Int) {
        top += row - selected
        selected = row
    }

    /// Moves the window, not the selection.
    mutating func scroll(by lines: Int, height: Int) { top = min(max(0, top + lines), max(0, count - height)) }
}
