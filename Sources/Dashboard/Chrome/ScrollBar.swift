/// Where the thumb of a scroll bar is, and which rows a point of the bar stands for.
struct ScrollBar: Equatable {
    let rows: Int
    let thumb: Int
    let start: Int
    /// The greatest number of the first row.
    let limit: Int

    /// Nil where all rows are shown.
    init?(area: Area, count: Int, top: Int) {
        guard count > area.rows, area.rows > 1 else { return nil }
        rows = area.rows
        thumb = max(1, rows * rows / count)
        limit = count - rows
        start = (rows - thumb) * min(top, limit) / max(1, limit)
    }

    func isThumb(_ line: Int) -> Bool { line >= start && line < start + thumb }

    /// The first row with the thumb's middle on a line.
    func top(at line: Int) -> Int {
        let room = max(1, rows - thumb)
        return min(max(0, (line - thumb / 2) * limit / room), limit)
    }
}
