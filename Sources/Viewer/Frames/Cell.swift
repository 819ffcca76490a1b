// SPDX-License-Identifier: MIT

/// One cell of a ``Frame``: twelve bytes, compared as bytes.
///
///     0         4         8       10      12
///     ├ scalar ─┼ marks ──┼ style ┼ width ┤
///
/// `scalar` is what is drawn, never a control character; `marks` are up to two combining marks of the basic plane,
/// the first in the low half. A wide character has `width` 2 and is followed by a continuation (`scalar` and `width`
/// 0, the same style).
package struct Cell: Hashable, Sendable {
    var scalar: UInt32
    var marks: UInt32
    /// The meaning of the text; a ``Theme`` gives it a look.
    package internal(set) var style: Style
    var columns: UInt16

    init(scalar: UInt32, marks: UInt32 = 0, style: Style, columns: UInt16 = 1) {
        self.scalar = scalar
        self.marks = marks
        self.style = style
        self.columns = columns
    }

    /// A space.
    package static let blank = Cell.blank(.normal)

    /// Returns a space in a style.
    package static func blank(_ style: Style) -> Cell { Cell(scalar: 32, style: style) }

    static func continuation(_ style: Style) -> Cell { Cell(scalar: 0, style: style, columns: 0) }

    /// The columns that the cell's character takes: 1, or 2 if it is wide; 0 for the second half of a wide character.
    package var width: Int { Int(columns) }
    /// Whether the cell is the second half of a wide character.
    package var isContinuation: Bool { columns == 0 }
    /// Whether the cell holds a printable ASCII character without marks: one byte, one column in every terminal.
    package var isASCII: Bool { scalar < 0x7F && marks == 0 && columns == 1 }

    /// Calls `body` with each scalar to send to a terminal; a continuation has none.
    package func forEachScalar(_ body: (Unicode.Scalar) -> Void) {
        guard columns != 0 else { return }
        body(Unicode.Scalar(scalar) ?? "?")
        if marks & 0xFFFF != 0, let mark = Unicode.Scalar(marks & 0xFFFF) { body(mark) }
        if marks >> 16 != 0, let mark = Unicode.Scalar(marks >> 16) { body(mark) }
    }

    /// The text; empty for a continuation.
    package var text: String {
        var text = String.UnicodeScalarView()
        forEachScalar { text.append($0) }
        return String(text)
    }
}
