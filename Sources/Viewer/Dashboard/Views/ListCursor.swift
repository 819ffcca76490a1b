// SPDX-License-Identifier: MIT

/// The shown rows and the selected row of a list, by their numbers. When rows move, the view sets ``selected`` anew.
struct ListCursor: Equatable {
    /// The number of rows.
    var count = 0
    /// The number of the selected row; 0 where there are no rows.
    var selected = 0
    /// The number of the first row that is shown.
    var top = 0

    /// Returns the line of the selected row in a window of `height`; nil where it is out of sight.
    func line(height: Int) -> Int? { selected >= top && selected < min(count, top + height) ? selected - top : nil }

    /// Returns the rows that are shown.
    func window(height: Int) -> Range<Int> { min(top, count)..<min(count, top + max(0, height)) }

    /// Sets the number of rows; keeps the selection and the window within them.
    mutating func resize(_ count: Int, height: Int) {
        self.count = count
        selected = min(max(0, selected), max(0, count - 1))
        top = min(max(0, top), max(0, count - height))
    }

    /// Selects a row and brings it into sight; a number outside the rows stands for the first or last row.
    mutating func select(_ row: Int, height: Int) {
        selected = min(max(0, row), max(0, count - 1))
        if selected < top { top = selected }
        if height > 0, selected >= top + height { top = selected - height + 1 }
    }

    /// Keeps a row selected after the rows have changed, if it is still there. O(rows).
    mutating func follow<Row: Identifiable>(_ selected: Row.ID?, in rows: [Row]) {
        guard let selected, let row = rows.firstIndex(where: { $0.id == selected }) else { return }
        moveSelection(to: row)
    }

    /// Sets the new number of the selected row, and scrolls by as much as the row moved, so that the row stays on its
    /// line.
    mutating func moveSelection(to row: Int) {
        top += row - selected
        selected = row
    }

    /// Scrolls the window without moving the selection.
    mutating func scroll(by lines: Int, height: Int) { top = min(max(0, top + lines), max(0, count - height)) }
}
