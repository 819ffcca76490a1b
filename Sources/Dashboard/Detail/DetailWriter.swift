import ChainModel
import ChainText
import Frames

/// Builds the lines of the detail pane, wrapped to one width.
struct DetailWriter {
    private(set) var lines: [DetailLine] = []
    var width: Int
    let glyphs: Glyphs
    static let nameWidth = 12

    init(width: Int, glyphs: Glyphs) {
        self.width = width
        self.glyphs = glyphs
    }

    mutating func add(_ line: DetailLine) { lines.append(line) }
    mutating func add(_ parts: [(String, Style)]) { lines.append(DetailLine(parts)) }

    /// Adds two lists of lines side by side, the right one from `column` on.
    mutating func add(_ left: [DetailLine], beside right: [DetailLine], at column: Int) {
        for index in 0..<max(left.count, right.count) {
            var line = index < left.count ? left[index] : DetailLine("")
            if index < right.count {
                let used = line.parts.reduce(0) { $0 + glyphs.width(of: $1.text) }
                line.parts.append((String(repeating: " ", count: max(1, column - used)), .normal))
                line.parts += right[index].parts
            }
            lines.append(line)
        }
    }

    /// Pads a text with spaces to `width` characters: ``left(_:_:)`` behind it, ``right(_:_:)`` before it.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    mutating func gap() { lines.append(DetailLine("")) }

    /// Adds a name and its wrapped value, with an optional styled sign before it and a link to a node.
    mutating func field(
        _ name: String, _ value: String, sign: (text: String, style: Style)? = nil, link: RowID? = nil
    ) {
        let inset = sign.map { glyphs.width(of: $0.text) + 1 } ?? 0
        let columns = width - Self.nameWidth - inset
        for (index, piece) in TextWrap.lines(value, columns: columns, charset: glyphs.charset).enumerated() {
            let head = index == 0 ? name : ""
            var parts: [(String, Style)] = [
                (head + String(repeating: " ", count: max(1, Self.nameWidth - head.count)), .dim)
            ]
            if let sign {
                parts.append(
                    index == 0 ? (sign.text + " ", sign.style) : (String(repeating: " ", count: inset), .normal))
            }
            var line = DetailLine(parts + [(piece, link == nil ? .normal : .normal.underlined)])
            line.link = link
            lines.append(line)
        }
    }

    /// Adds a name and a node in words, with the sign of its state and a link to it.
    mutating func addNode(_ name: String, _ words: String, _ state: NodeState, link: RowID) {
        field(name, words, sign: (glyphs.state(state.role), Style(state.role)), link: link)
    }

    /// Adds a name and a value of several lines, each wrapped: beside the name if that is short, else below it.
    mutating func entry(_ name: String, _ value: String) {
        let nameWidth = width < 60 ? 12 : 18
        let name = glyphs.cut(name, to: width)
        let isShort = glyphs.width(of: name) < nameWidth
        if !isShort { lines.append(DetailLine(name, .dim)) }
        let indent = String(repeating: " ", count: nameWidth)
        var head = isShort ? name + indent.dropFirst(glyphs.width(of: name)) : indent
        let values = value.split(
            maxSplits: Self.entryLimit, omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }
        )
        for line in values.prefix(Self.entryLimit) {
            // Keeps the program's own indentation.
            let inset = line.prefix { $0 == " " }.prefix(Self.insetLimit)
            let columns = max(2, width - nameWidth - inset.count)
            for piece in TextWrap.lines(String(line), columns: columns, charset: glyphs.charset) {
                lines.append(DetailLine([(head, .dim), (inset + piece, .normal)]))
                head = indent
            }
        }
        if values.count > Self.entryLimit { lines.append(DetailLine(indent + glyphs.ellipsis, .dim)) }
    }

    /// The most lines of one value, and the most spaces of the program's indentation that are kept.
    private static let entryLimit = 400
    private static let insetLimit = 12

    mutating func wrap(_ text: String, style: Style, indent: Int = 0) {
        let margin = String(repeating: " ", count: indent)
        for piece in TextWrap.lines(text, columns: width - indent, charset: glyphs.charset) {
            lines.append(DetailLine(margin + piece, style))
        }
    }
}
