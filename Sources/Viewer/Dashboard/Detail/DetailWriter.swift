// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// A builder of the detail pane's lines, wrapped to one width.
struct DetailWriter {
    private(set) var lines: [DetailLine] = []
    var width: Int
    let glyphs: Glyphs
    /// The width of the names of fields.
    static let nameWidth = 12

    init(width: Int, glyphs: Glyphs) {
        self.width = width
        self.glyphs = glyphs
    }

    mutating func add(_ line: DetailLine) { lines.append(line) }
    mutating func add(_ parts: [(String, Style)]) { lines.append(DetailLine(parts)) }

    /// Adds two lists of lines side by side, the right list from `column` on. Links of the right list are dropped.
    mutating func add(_ left: [DetailLine], beside right: [DetailLine], at column: Int) {
        for index in 0..<max(left.count, right.count) {
            var line = index < left.count ? left[index] : DetailLine("")
            if index < right.count {
                let used = line.parts.reduce(0) { $0 + glyphs.width(of: $1.text) }
                line.parts.append((String(repeating: " ", count: max(1, column - used)), .normal))
                line.parts += right[index].parts
                line.linkWidth = column
            }
            lines.append(line)
        }
    }

    /// Aligns a text left, with spaces up to `width` characters.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Aligns a text right, with spaces up to `width` characters.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Adds an empty line.
    mutating func gap() { lines.append(DetailLine("")) }

    /// Adds a call site, or the function of a Swift task; nothing if the location is unknown.
    mutating func field(_ site: CodeLocation?) {
        guard let site, !site.fileID.isEmpty else { return }
        field(site.function == nil ? "made at" : "function", site.place)
    }

    /// Adds a name and its wrapped value, with an optional sign before the value and an optional link to a node.
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

    /// Adds a name and the words for a node, with the sign of the node's state and a link to the node.
    mutating func addNode(_ name: String, _ words: String, _ state: NodeState, link: RowID) {
        field(name, words, sign: (glyphs.state(state.role), Style(state.role)), link: link)
    }

    /// Adds a name and the lines of its value, each wrapped. The lines begin beside a short name, but below a long
    /// name.
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
            // The program's own indentation is kept, up to a limit.
            let inset = line.prefix { $0 == " " }.prefix(Self.insetLimit)
            let columns = max(2, width - nameWidth - inset.count)
            for piece in TextWrap.lines(String(line), columns: columns, charset: glyphs.charset) {
                lines.append(DetailLine([(head, .dim), (inset + piece, .normal)]))
                head = indent
            }
        }
        if values.count > Self.entryLimit { lines.append(DetailLine(indent + glyphs.ellipsis, .dim)) }
    }

    /// The maximum number of lines of one value, before they are wrapped.
    private static let entryLimit = 400
    /// The maximum number of spaces of the program's own indentation that are kept.
    private static let insetLimit = 12

    /// Adds a wrapped text.
    mutating func wrap(_ text: String, style: Style, indent: Int = 0) {
        let margin = String(repeating: " ", count: indent)
        for piece in TextWrap.lines(text, columns: width - indent, charset: glyphs.charset) {
            lines.append(DetailLine(margin + piece, style))
        }
    }
}
