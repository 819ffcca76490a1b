// SPDX-License-Identifier: MIT

/// A grid of cells: the desired content of the screen. A value; drawing into a frame that is not shared copies nothing.
///
/// Every drawing operation clips at the edges and keeps wide characters whole: a wide character that is cut, or is half
/// overwritten, leaves a blank. Only at the end of a written text, a wide character without room is left out.
package struct Frame: Hashable, Sendable {
    /// Columns and rows.
    package let size: Size
    /// The characters that the frame may hold; text is reduced to them.
    package let charset: Charset
    var cells: [Cell]

    /// Makes a frame of blanks in a style.
    package init(size: Size, charset: Charset = .unicode, style: Style = .normal) {
        self.size = size
        self.charset = charset
        cells = Array(repeating: .blank(style), count: size.columns * size.rows)
    }

    /// The cell at a row and column; a blank outside the frame.
    package subscript(row: Int, column: Int) -> Cell {
        guard contains(row, column) else { return .blank }
        return cells[row * size.columns + column]
    }

    func contains(_ row: Int, _ column: Int) -> Bool {
        row >= 0 && row < size.rows && column >= 0 && column < size.columns
    }

    /// Writes a text on one line, made safe by ``SafeText``, and returns the columns used.
    ///
    /// Columns outside the frame, or beyond `maxColumns`, are not drawn; columns left of the frame count as used. With
    /// an `ellipsis`, a text that does not fit ends in it. The cost grows with the columns drawn, not with the length
    /// of the text.
    @discardableResult
    package mutating func write(
        _ text: String, row: Int, column: Int, maxColumns: Int = .max, style: Style = .normal, ellipsis: String? = nil
    ) -> Int {
        guard row >= 0, row < size.rows, maxColumns > 0 else { return 0 }
        let room = min(maxColumns, size.columns - column)
        guard room > 0 else { return 0 }
        if let ellipsis {
            let used = drawText(text, row, column, room, style)
            guard used.isCut else { return used.columns }
            // Rare, so the text is drawn again, shorter.
            let tail = min(TextWidth.of(ellipsis, charset: charset), room)
            let head = drawText(text, row, column, room - tail, style).columns
            blank(row, column + head, column + room, style)
            return head + drawText(ellipsis, row, column + head, tail, style).columns
        }
        return drawText(text, row, column, room, style).columns
    }

    /// Draws a text in at most `room` columns; returns the columns used, and whether the text did not fit.
    private mutating func drawText(
        _ text: String, _ row: Int, _ column: Int, _ room: Int, _ style: Style
    ) -> (columns: Int, isCut: Bool) {
        let start = row * size.columns
        let edge = size.columns
        var next = column
        let end = column + room
        var isCut = false
        var text = text
        let charset = charset
        cells.withUnsafeMutableBufferPointer { cells in
            let isPlain = text.withUTF8 { bytes in
                // The fast path: nearly all text is printable ASCII that fits.
                for byte in bytes.prefix(room + 1) where byte < 0x20 || byte >= 0x7F { return false }
                let count = min(bytes.count, room)
                isCut = bytes.count > room
                guard column >= 0, count > 0 else { return count == 0 }
                Frame.blankCutHalves(cells, start, column, column + count)
                for index in 0..<count {
                    cells[start + column + index] = Cell(scalar: UInt32(bytes[index]), style: style)
                }
                next += count
                return true
            }
            guard !isPlain else { return }
            SafeText.forEachCell(of: text, charset: charset) { piece in
                guard next + piece.width <= end else {
                    isCut = true
                    return false
                }
                if next >= 0 {
                    Frame.blankCutHalves(cells, start, next, min(next + piece.width, edge))
                    cells[start + next] = Cell(
                        scalar: piece.scalar, marks: piece.marks, style: style, columns: UInt16(piece.width))
                    if piece.width == 2 { cells[start + next + 1] = .continuation(style) }
                } else if next + piece.width > 0 {
                    Frame.blankCutHalves(cells, start, 0, 1)
                    cells[start] = .blank(style)
                }
                next += piece.width
                return true
            }
        }
        return (next - column, isCut)
    }

    /// Blanks the halves of wide characters that would remain when columns `first..<end` of a row are overwritten.
    /// `start` is the index of the row's first cell.
    private static func blankCutHalves(
        _ cells: UnsafeMutableBufferPointer<Cell>, _ start: Int, _ first: Int, _ end: Int
    ) {
        if cells[start + first].isContinuation { cells[start + first - 1] = .blank(cells[start + first - 1].style) }
        if cells[start + end - 1].columns == 2 { cells[start + end] = .blank(cells[start + end].style) }
    }

    private mutating func blank(_ row: Int, _ first: Int, _ end: Int, _ style: Style) {
        fill(row: row, column: first, columns: end - first, style: style)
    }

    /// Fills a rectangle with one narrow character (a blank by default), clipped. A character that is not narrow, or
    /// not in the charset, becomes `?`.
    package mutating func fill(
        row: Int, column: Int, rows: Int = 1, columns: Int = .max, with scalar: Unicode.Scalar = " ",
        style: Style = .normal
    ) {
        let first = max(column, 0)
        let end = columns >= size.columns - min(column, 0) ? size.columns : min(column + columns, size.columns)
        let lastRow = rows >= size.rows - min(row, 0) ? size.rows : min(row + rows, size.rows)
        guard first < end, max(row, 0) < lastRow else { return }
        let isDrawable = TextWidth.classOf(scalar.value) == .narrow && (charset == .unicode || scalar.isASCII)
        let cell = Cell(scalar: isDrawable ? scalar.value : 0x3F, style: style)
        let width = size.columns
        cells.withUnsafeMutableBufferPointer { cells in
            for row in max(row, 0)..<lastRow {
                Frame.blankCutHalves(cells, row * width, first, end)
                for index in row * width + first..<row * width + end { cells[index] = cell }
            }
        }
    }

    /// Changes the styles in a part of a row, not its text: `{ $0.selected }` marks the selected row.
    package mutating func restyle(row: Int, column: Int = 0, columns: Int = .max, _ change: (Style) -> Style) {
        guard row >= 0, row < size.rows else { return }
        let first = max(column, 0)
        let end = columns >= size.columns - min(column, 0) ? size.columns : min(column + columns, size.columns)
        guard first < end else { return }
        for index in row * size.columns + first..<row * size.columns + end {
            cells[index].style = change(cells[index].style)
        }
    }

    /// Draws another frame into this one with its top left corner at a row and column, clipped.
    package mutating func draw(_ frame: Frame, row: Int, column: Int) {
        for line in max(0, -row)..<max(max(0, -row), min(frame.size.rows, size.rows - row)) {
            let first = max(0, -column)
            let end = min(frame.size.columns, size.columns - column)
            guard first < end else { return }
            let from = line * frame.size.columns
            let to = (row + line) * size.columns
            cells.withUnsafeMutableBufferPointer { cells in
                Frame.blankCutHalves(cells, to, column + first, column + end)
                for index in first..<end { cells[to + column + index] = frame.cells[from + index] }
                let head = frame.cells[from + first]
                if head.isContinuation { cells[to + column + first] = .blank(head.style) }
                let tail = frame.cells[from + end - 1]
                if tail.columns == 2 { cells[to + column + end - 1] = .blank(tail.style) }
            }
        }
    }
}
