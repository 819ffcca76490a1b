import Frames

/// Breaks a text, made safe, into lines: at spaces where it can. O(its length).
enum TextWrap {
    static func lines(_ text: String, columns: Int, charset: Charset) -> [String] {
        guard columns > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        var used = 0
        // Most texts are printable ASCII: they are safe, and take a column each.
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        let parts =
            isPlain
            ? text.utf8.split(separator: 0x20).map(Substring.init)
            : SafeText.line(text, charset: charset).split(separator: " ")
        func columnCount(_ word: Substring) -> Int {
            isPlain ? word.utf8.count : Self.width(of: word, upTo: columns, charset)
        }
        for part in parts {
            var word = part
            var width = columnCount(word)
            if used > 0, used + 1 + width > columns {
                lines.append(line)
                (line, used) = ("", 0)
            }
            while width > columns {
                let head = SafeText.line(String(word.prefix(columns)), maxColumns: columns, charset: charset)
                guard !head.isEmpty else { break }
                lines.append(head)
                word = word.dropFirst(head.count)
                width = columnCount(word)
            }
            if used > 0 {
                line += " "
                used += 1
            }
            line += word
            used += width
        }
        if !line.isEmpty || lines.isEmpty { lines.append(line) }
        return lines
    }

    /// The columns of a word; of a long one, only that they are more. No character of a safe text takes none.
    private static func width(of word: Substring, upTo columns: Int, _ charset: Charset) -> Int {
        TextWidth.of(String(word.prefix(columns + 1)), charset: charset)
    }
}
