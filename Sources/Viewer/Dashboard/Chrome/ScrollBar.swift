// SPDX-License-Identifier: MIT

/// A scroll bar: the position of its thumb, and the row to which a click on a cell of the bar scrolls.
struct ScrollBar: Equatable {
    /// The length of the bar, in cells.
    let rows: Int
    /// The length of the thumb, in cells.
    let thumb: Int
    /// The first cell of the thumb.
    let start: Int
    /// The index of the first row that is shown when the list is scrolled to its end.
    let limit: Int

    /// Makes the scroll bar of an area; nil if all rows are shown, or if the area has fewer than two rows.
    ///
    /// - Parameters:
    ///   - count: the number of rows of the list.
    ///   - top: the index of the first row that is shown.
    init?(area: Area, count: Int, top: Int) {
        guard count > area.rows, area.rows > 1 else { return nil }
        rows = area.rows
        thumb = max(1, rows * rows / count)
        limit = count - rows
        start = (rows - thumb) * min(top, limit) / max(1, limit)
    }

    func isThumb(_ line: Int) -> Bool { line >= start && line < start + thumb }

    /// Returns the index of the first row to show so that the thumb's middle is on a line.
    func top(at line: Int) -> Int {
        let room = max(1, rows - thumb)
        return min(max(0, (line - thumb / 2) * limit / room), limit)
    }
}
