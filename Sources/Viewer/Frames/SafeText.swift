// SPDX-License-Identifier: MIT

/// The characters that may be drawn.
package enum Charset: Sendable {
    /// All characters that ``SafeText`` allows.
    case unicode
    /// Printable ASCII. Control characters become their escapes, some characters become similar ASCII characters, and
    /// other visible characters become `?`. Combining marks are removed.
    case ascii
}

/// Reduces any text, however hostile, to one line of characters of known width.
///
/// Control characters below 0x80 and line separators become pictures (`␛`, `␊`, `␤`; in ASCII `\e`, `\n`, `\x07`).
/// Other controls and deceptive characters (bidirectional and other format controls, private use) become `�` or `?`.
/// Joiners, variation selectors, tags and skin tones are removed, flags become their letters, so that every terminal
/// uses the same columns. A base character keeps its first two combining marks. Text beyond the wanted columns is not
/// read.
package enum SafeText {
    /// A character that a frame may hold.
    struct Piece {
        var scalar: UInt32
        /// As in ``Cell``.
        var marks: UInt32
        /// The columns that it takes, 1 or 2.
        var width: Int
    }

    /// Returns the safe form of a text, at most its first `maxColumns` columns. A wide character that would be cut is
    /// left out.
    package static func line(_ text: String, maxColumns: Int = .max, charset: Charset = .unicode) -> String {
        var result = ""
        var used = 0
        forEachCell(of: text, charset: charset) { piece in
            guard used + piece.width <= maxColumns else { return false }
            used += piece.width
            let cell = Cell(scalar: piece.scalar, marks: piece.marks, style: .normal)
            cell.forEachScalar { result.unicodeScalars.append($0) }
            return true
        }
        return result
    }

    /// Returns the safe form of a text in at most `maxColumns` columns; it ends in `ellipsis` if the text does not fit.
    package static func cut(_ text: String, to maxColumns: Int, ellipsis: String, charset: Charset = .unicode) -> String
    {
        guard maxColumns > 0 else { return "" }
        guard TextWidth.of(text, charset: charset, limit: maxColumns + 1) > maxColumns else {
            return line(text, charset: charset)
        }
        let room = maxColumns - TextWidth.of(ellipsis, charset: charset)
        guard room >= 0 else { return line(ellipsis, maxColumns: maxColumns, charset: charset) }
        return line(text, maxColumns: room, charset: charset) + ellipsis
    }

    /// Returns the safe form of a text, at most its last `maxColumns` columns; the result begins with `ellipsis` if the
    /// text does not fit. Only the first 1,000 columns of a text are read.
    package static func cutStart(
        _ text: String, to maxColumns: Int, ellipsis: String, charset: Charset = .unicode
    ) -> String {
        guard maxColumns > 0 else { return "" }
        let whole = line(text, maxColumns: tailLimit, charset: charset)
        var width = TextWidth.of(whole, charset: charset)
        guard width > maxColumns else { return whole }
        let room = maxColumns - TextWidth.of(ellipsis, charset: charset)
        guard room >= 0 else { return line(ellipsis, maxColumns: maxColumns, charset: charset) }
        var rest = whole[...]
        while width > room, let first = rest.popFirst() { width -= TextWidth.of(String(first), charset: charset) }
        return ellipsis + rest
    }

    private static let tailLimit = 1_000

    /// Calls `body` with each character of the safe form in order, until it returns false.
    static func forEachCell(of text: String, charset: Charset, _ body: (Piece) -> Bool) {
        // The latest base, held back until its marks are read; no base is held back if the width is 0.
        var held = Piece(scalar: 0, marks: 0, width: 0)
        var ignored = 0
        for scalar in text.unicodeScalars {
            let value = scalar.value
            let kind = TextWidth.classOf(value)
            switch kind {
            case .narrow, .wide:
                if held.width > 0, !body(held) { return }
                let scalar = shown(value, charset)
                held = Piece(scalar: scalar, marks: 0, width: kind == .wide && scalar == value ? 2 : 1)
            case .mark:
                if charset == .ascii { ignored += 1; break }
                if held.width == 0 { held = Piece(scalar: 0x20, marks: 0, width: 1) }
                if value > 0xFFFF || held.marks >> 16 != 0 {
                    ignored += 1
                } else {
                    held.marks |= held.marks == 0 ? value : value << 16
                }
            case .dropped: ignored += 1
            case .replaced:
                if held.width > 0, !body(held) { return }
                held.width = 0
                if charset == .ascii {
                    for byte in escape(value).utf8 where !body(Piece(scalar: UInt32(byte), marks: 0, width: 1)) {
                        return
                    }
                } else {
                    held = Piece(scalar: picture(value), marks: 0, width: 1)
                }
            }
            if ignored > ignoredLimit { break }
        }
        if held.width > 0 { _ = body(held) }
    }

    /// The maximum number of scalars that are removed from a text. Beyond this number, the rest of the text is not
    /// read, so that hostile runs of invisible scalars cost little.
    static let ignoredLimit = 4096

    private static func shown(_ value: UInt32, _ charset: Charset) -> UInt32 {
        if value < 0x7F { return value }
        // A flag becomes its letters, because terminals differ in whether the pair takes two columns or four.
        if value >= 0x1F1E6, value <= 0x1F1FF { return value - 0x1F1E6 + 0x41 }
        if charset == .ascii { return asciiForm(value) }
        return value == 0xA0 ? 0x20 : value
    }

    private static func asciiForm(_ value: UInt32) -> UInt32 {
        switch value {
        case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: 0x20
        case 0x2010...0x2015, 0x2212: 0x2D
        case 0x2018, 0x2019: 0x27
        case 0x201C, 0x201D: 0x22
        case 0xB7, 0x2022: 0x2A
        case 0xD7: 0x78
        case 0x2190: 0x3C
        case 0x2191: 0x5E
        case 0x2192: 0x3E
        case 0x2193: 0x76
        case 0x2026: 0x7E
        case 0xFF01...0xFF5E: value - 0xFF01 + 0x21
        default: 0x3F
        }
    }

    private static func picture(_ value: UInt32) -> UInt32 {
        if value < 0x20 { return 0x2400 + value }
        if value == 0x7F { return 0x2421 }
        if value == 0x85 || value == 0x2028 || value == 0x2029 { return 0x2424 }
        return 0xFFFD
    }

    private static func escape(_ value: UInt32) -> String {
        switch value {
        case 0x00: "\\0"
        case 0x09: "\\t"
        case 0x0A, 0x85, 0x2028, 0x2029: "\\n"
        case 0x0D: "\\r"
        case 0x1B: "\\e"
        case 0x01...0x1F, 0x7F: "\\x" + (value < 16 ? "0" : "") + String(value, radix: 16)
        default: "?"
        }
    }
}
