import Frames

/// Collects lines of a width.
struct DetailWriter {
    private(set) var lines: [DetailLine] = []
    let width: Int
    let glyphs: Glyphs
    private static let nameWidth = 10

    init(width: Int, glyphs: Glyphs) {
        self.width = width
        self.glyphs = glyphs
    }

    mutating func add(_ line: DetailLine) { lines.append(line) }
    mutating func gap() { lines.append(DetailLine("")) }

    /// A name and what belongs to it, wrapped under itself.
    mutating func field(_ name: String, _ value: String) {
        let padded = name + String(repeating: " ", count: max(1, Self.nameWidth - name.count))
        let pieces = TextWrap.lines(value, columns: width - Self.nameWidth, charset: glyphs.charset)
        for (place, piece) in pieces.enumerated() {
            let head = place == 0 ? padded : String(repeating: " ", count: Self.nameWidth)
            lines.append(DetailLine([(head, .dim), (piece, .normal)]))
        }
    }

    /// A fact of any length, in its own lines, each wrapped: beside its name where that is short, else below it.
    mutating func entry(_ name: String, _ value: String) {
        let nameWidth = width < 60 ? 12 : 18
        let name = SafeText.cut(name, to: width, ellipsis: glyphs.ellipsis, charset: glyphs.charset)
        let isShort = TextWidth.of(name, charset: glyphs.charset) < nameWidth
        if !isShort { lines.append(DetailLine(name, .dim)) }
        let indent = String(repeating: " ", count: nameWidth)
        var head = isShort ? name + indent.dropFirst(TextWidth.of(name, charset: glyphs.charset)) : indent
        let values = value.split(
            maxSplits: Self.entryLimit, omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }
        )
        for line in values.prefix(Self.entryLimit) {
            // What the program indented stays so.
            let inset = line.prefix { $0 == " " }.prefix(Self.insetLimit)
            let columns = max(2, width - nameWidth - inset.count)
            for piece in TextWrap.lines(String(line), columns: columns, charset: glyphs.charset) {
                lines.append(DetailLine([(head, .dim), (inset + piece, .normal)]))
                head = indent
            }
        }
        if values.count > Self.entryLimit { lines.append(DetailLine(indent + glyphs.ellipsis, .dim)) }
    }

    /// Lines of one fact that are shown, and how far in they may stand.
    private static let entryLimit = 400
    private static let insetLimit = 12

    mutating func wrap(_ text: String, style: Style) {
        for piece in TextWrap.lines(text, columns: width, charset: glyphs.charset) {
            lines.append(DetailLine(piece, style))
        }
    }
}
