// SPDX-License-Identifier: MIT

import Frames

/// An encoder of the differences between frames: bytes for a terminal, made of the sequences that the encoder is given.
package struct ScreenPainter {
    /// The bytes that put the cursor at a row and column.
    var move: (Int, Int) -> [UInt8]
    /// The bytes that set a look (colours and attributes), whatever was set before.
    var look: (Look) -> [UInt8]
    /// The bytes that clear the screen and reset the look.
    var clear: [UInt8]
    /// Whether writing the last cell of the screen scrolls it.
    var scrollsAtEnd: Bool
    var depth: ColorDepth

    private var theme: Theme?
    /// The bytes of each style that was used, by raw value.
    private var looks: [[UInt8]?] = []
    private var bytes: [UInt8] = []
    /// The cursor's position, if it is certain.
    private var cursor: (row: Int, column: Int)?
    /// The style that was set last; nil if that is uncertain.
    private var style: Style?

    package init(
        depth: ColorDepth, clear: [UInt8], scrollsAtEnd: Bool, move: @escaping (Int, Int) -> [UInt8],
        look: @escaping (Look) -> [UInt8]
    ) {
        self.depth = depth
        self.clear = clear
        self.scrollsAtEnd = scrollsAtEnd
        self.move = move
        self.look = look
    }

    /// Returns the bytes that make a terminal show `frame` in place of `shown`. If `shown` is nil, what the terminal
    /// shows is unknown.
    package mutating func paint(_ frame: Frame, over shown: Frame?, theme: Theme) -> [UInt8] {
        var before = shown
        if self.theme != theme {
            // Another theme changes every cell.
            if self.theme != nil { before = nil }
            self.theme = theme
            looks = Array(repeating: nil, count: Style.count)
        }
        bytes.removeAll(keepingCapacity: true)
        cursor = nil
        style = nil
        if before?.size != frame.size { before = nil }
        if before == nil { bytes += clear }
        let diff = before.map { FrameDiff(from: $0, to: frame) } ?? whole(frame, theme)
        guard !diff.isEmpty || before == nil else { return [] }
        for run in diff.runs { paint(run, in: frame.size) }
        return bytes
    }

    /// Returns what to write on a cleared screen, including blanks that look different from cleared cells.
    private func whole(_ frame: Frame, _ theme: Theme) -> FrameDiff {
        theme.look(.normal, depth: depth) == Look()
            ? FrameDiff(from: Frame(size: frame.size), to: frame) : FrameDiff(whole: frame)
    }

    private mutating func paint(_ run: FrameDiff.Run, in size: Size) {
        var column = run.column
        for cell in run.cells {
            defer { column += 1 }
            guard !cell.isContinuation else { continue }
            if scrollsAtEnd, run.row == size.rows - 1, column + cell.width >= size.columns { continue }
            goTo(run.row, column)
            if style != cell.style {
                bytes += lookBytes(cell.style)
                style = cell.style
            }
            if cell.isASCII {
                cell.forEachScalar { bytes.append(UInt8($0.value)) }
                // After the last column the cursor is on this line or the next, depending on the terminal.
                cursor = column + 1 < size.columns ? (run.row, column + 1) : nil
                continue
            }
            if cell.width == 2 {
                // Blank both cells first, because a terminal that takes the character for narrow draws only the first
                // cell.
                bytes += [0x20, 0x20]
                cursor = nil
                goTo(run.row, column)
            }
            cell.forEachScalar { bytes.append(contentsOf: UTF8.encode($0).unsafelyUnwrapped) }
            cursor = nil
        }
    }

    private mutating func goTo(_ row: Int, _ column: Int) {
        if let cursor, cursor == (row, column) { return }
        bytes += move(row, column)
        cursor = (row, column)
    }

    private mutating func lookBytes(_ style: Style) -> [UInt8] {
        if let known = looks[Int(style.rawValue)] { return known }
        let made = look((theme ?? .dark).look(style, depth: depth))
        looks[Int(style.rawValue)] = made
        return made
    }
}
