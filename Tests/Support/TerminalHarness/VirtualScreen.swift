import CVirtualTerminal

/// The content of one cell of a ``VirtualScreen``.
public struct VirtualCell: Hashable, Sendable, CustomStringConvertible {
    /// The character with its marks; a space where nothing was written; empty for the second half of a wide one.
    public var text: String
    /// 2 for a wide character, else 1.
    public var width: Int
    /// A palette index from 0 to 255; nil for the terminal's own colour; more than 255 for RGB.
    public var foreground: Int?
    /// A colour as in ``foreground``.
    public var background: Int?
    /// Whether it is in bold.
    public var isBold: Bool
    /// Whether it is underlined.
    public var isUnderlined: Bool
    /// Whether it is in italics.
    public var isItalic: Bool
    /// Whether foreground and background are exchanged.
    public var isReversed: Bool

    /// The cell as text, such as `x fg=81 bg=- b`.
    public var description: String {
        let marks = (isBold ? "b" : "") + (isUnderlined ? "u" : "") + (isItalic ? "i" : "") + (isReversed ? "r" : "")
        return "\(text) fg=\(foreground.map(String.init) ?? "-") bg=\(background.map(String.init) ?? "-") \(marks)"
    }
}

/// The picture of a terminal, computed by libvterm: bytes go in, cells come out. (libvterm 0.1.4 has no faint text.)
public final class VirtualScreen {
    private let screen: OpaquePointer
    /// The width in cells.
    public private(set) var columns: Int
    /// The height in cells.
    public private(set) var rows: Int

    /// Makes an empty screen.
    public init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        screen = cvt_new(Int32(rows), Int32(columns))
    }

    deinit { cvt_free(screen) }

    /// Applies bytes that a program writes.
    public func feed(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { cvt_feed(screen, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
    }

    /// Changes the size, as a window does.
    public func resize(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cvt_resize(screen, Int32(rows), Int32(columns))
    }

    /// Returns the terminal's answers to queries since the last call.
    public func takeAnswer() -> [UInt8] {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = cvt_take_answer(screen, &bytes, bytes.count)
        return bytes.prefix(count).map { UInt8(bitPattern: $0) }
    }

    /// Returns one cell. Rows and columns count from 0.
    public func cell(_ row: Int, _ column: Int) -> VirtualCell {
        var cell = cvt_cell()
        cvt_get_cell(screen, Int32(row), Int32(column), &cell)
        let scalars = withUnsafeBytes(of: cell.scalars) { Array($0.bindMemory(to: UInt32.self)).prefix { $0 != 0 } }
        var text = String(String.UnicodeScalarView(scalars.compactMap { Unicode.Scalar($0) }))
        if text.isEmpty, !cell.isSecondHalf { text = " " }
        return VirtualCell(
            text: text, width: Int(cell.width), foreground: cell.foreground < 0 ? nil : Int(cell.foreground),
            background: cell.background < 0 ? nil : Int(cell.background), isBold: cell.isBold,
            isUnderlined: cell.isUnderlined, isItalic: cell.isItalic, isReversed: cell.isReversed)
    }

    /// Returns one row's text without the blanks at its end.
    public func text(row: Int) -> String {
        var text = (0..<columns).map { cell(row, $0).text }.joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The text of all rows, without the empty ones at the end.
    public var text: String {
        var lines = (0..<rows).map { text(row: $0) }
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    /// Returns whether a row contains a text.
    public func contains(_ text: String) -> Bool { row(containing: text) != nil }

    /// Returns the first row that contains a text.
    public func row(containing text: String) -> Int? { (0..<rows).first { self.text(row: $0).contains(text) } }

    /// The position of the cursor.
    public var cursor: (row: Int, column: Int) {
        let state = cvt_get_state(screen)
        return (Int(state.row), Int(state.column))
    }

    /// Whether the cursor is shown.
    public var isCursorVisible: Bool { cvt_get_state(screen).isVisible }
    /// Whether the alternate screen is shown.
    public var isAlternate: Bool { cvt_get_state(screen).isAlternate }
    /// Whether mouse actions are asked for.
    public var wantsMouse: Bool { cvt_get_state(screen).mouse != 0 }
}

// SPDX-License-Identifier: MIT
