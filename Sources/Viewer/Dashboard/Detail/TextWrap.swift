// SPDX-License-Identifier: MIT

import Frames

/// Wrapping of text into lines.
enum TextWrap {
    /// Returns the lines of a text, made safe and broken at spaces, and within words that are wider than `columns`.
    /// Several spaces become one. O(length of the text).
    static func lines(_ text: String, columns: Int, charset: Charset) -> [String] {
        guard columns > 0 else { return [] }
        var lines: [String] = []
        var line = ""
        var used = 0
        // This is a shortcut: most texts are printable ASCII, which is safe and has one column for each character.
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
                let head = SafeText.line(beginning(of: word, columns), maxColumns: columns, charset: charset)
                guard !head.isEmpty else { break }
                lines.append(head)
                // The word is cut by scalars: a character may take several columns, and the line may end within it.
                word = Substring(word.unicodeScalars.dropFirst(head.unicodeScalars.count))
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

    /// Returns how many columns a word takes, or some number above `columns` if the word is wider. Reads only the
    /// beginning of the word.
    private static func width(of word: Substring, upTo columns: Int, _ charset: Charset) -> Int {
        TextWidth.of(beginning(of: word, columns + 1), charset: charset)
    }

    /// Returns a beginning of a word that takes at least `columns` columns, or the whole word if it takes fewer. The
    /// beginning is cut by scalars, because a character may have thousands of them. In a safe text, three scalars take
    /// at least one column.
    private static func beginning(of word: Substring, _ columns: Int) -> String {
        String(word.unicodeScalars.prefix(3 * columns))
    }
}
