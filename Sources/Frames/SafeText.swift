/// The characters that may be drawn.
public enum Charset: Sendable {
    /// All characters that ``SafeText`` allows.
    case unicode
    /// Printable ASCII; every other character becomes `?`, and control characters their escapes.
    case ascii
}

/// Reduces any text, however hostile, to one line of characters of known width.
///
/// Control characters become their pictures (`␛`, `␊`; in ASCII `\e`, `\n`, `\x07`). Deceptive characters
/// (bidirectional and other format controls, private use, separators) become `�` or `?`. Joiners, variation selectors,
/// tags and skin tones are removed, flags become their letters, so that every terminal uses the same columns. A base
/// character keeps its first two combining marks. Text beyond the wanted columns is not read.
public enum SafeText {
    /// A character that may be put into a frame.
    struct Piece {
        var scalar: UInt32
        var marks: UInt32
        var width: Int
    }

    /// The safe form of at most `maxColumns` columns of a text; a wide character that would be cut is left out.
    public static func line(_ text: String, maxColumns: Int = .max, charset: Charset = .unicode) -> String {
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

    /// The safe form cut to `maxColumns` columns, the last of them `ellipsis` if the text was cut.
    public static func cut(_ text: String, to maxColumns: Int, ellipsis: String, charset: Charset = .unicode) -> String
    {
        guard maxColumns > 0 else { return "" }
        let whole = line(text, maxColumns: maxColumns + 1, charset: charset)
        guard TextWidth.of(whole, charset: charset) > maxColumns || isCut(text, at: maxColumns, charset) else {
            return whole
        }
        let room = maxColumns - TextWidth.of(ellipsis, charset: charset)
        guard room >= 0 else { return line(ellipsis, maxColumns: maxColumns, charset: charset) }
        return line(text, maxColumns: room, charset: charset) + ellipsis
    }

    /// The safe form cut to its last `maxColumns` columns, the first of them `ellipsis` if the text was cut; an
    /// ellipsis that the text begins with is not repeated. Costs by the length of the text, up to 1,000 columns.
    public static func cutStart(
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

    private static func isCut(_ text: String, at maxColumns: Int, _ charset: Charset) -> Bool {
        var used = 0
        forEachCell(of: text, charset: charset) { piece in
            used += piece.width
            return used <= maxColumns
        }
        return used > maxColumns
    }

    /// Calls `body` with each piece in order, until it answers false.
    static func forEachCell(of text: String, charset: Charset, _ body: (Piece) -> Bool) {
        var held = Piece(scalar: 0, marks: 0, width: 0)
        // A base is held back until no mark follows. Hostile runs of marks and joiners are cut short.
        var ignored = 0
        for scalar in text.unicodeScalars {
            let value = scalar.value
            var kind = TextWidth.classOf(value)
            if charset == .ascii, value >= 0x7F, kind == .narrow || kind == .wide { kind = .narrow }
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

    /// After so many invisible scalars, the rest of a text is not read.
    static let ignoredLimit = 4096

    private static func shown(_ value: UInt32, _ charset: Charset) -> UInt32 {
        if value < 0x7F { return value }
        // The letters of a flag, because terminals differ in whether a pair takes two columns or four.
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
