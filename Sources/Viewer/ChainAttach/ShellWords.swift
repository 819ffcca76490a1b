// SPDX-License-Identifier: MIT

/// Words of a command line, quoted as for a POSIX shell. Nothing else of a shell is known: no variable, pattern or
/// operator means anything.
enum ShellWords {
    /// Splits a command line at blanks. A word may have parts in single quotes, where each character stands for itself;
    /// in double quotes, where a backslash quotes `"`, `\\`, `$` and `` ` ``; and outside of both, where a backslash quotes
    /// any character.
    static func split(_ line: String) throws(TargetError) -> [String] {
        var words: [String] = []
        // Nil between words, because `''` is a word, too.
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch (scalar, quote) {
            case (_, scalar): quote = nil
            case ("'", nil), ("\"", nil):
                quote = scalar
                word = word ?? .init()
            case ("\\", nil), ("\\", "\""):
                guard let next = rest.popFirst() else { throw TargetError("exec: needs a character after the last \\") }
                if quote != nil, !["\"", "\\", "$", "`", "\n"].contains(next) { word?.append(scalar) }
                // A line that ends with a backslash goes on.
                if next != "\n" { word = (word ?? .init()) + [next] }
            case (" ", nil), ("\t", nil), ("\n", nil):
                if let word { words.append(String(word)) }
                word = nil
            default: word = (word ?? .init()) + [scalar]
            }
        }
        if let quote { throw TargetError("exec: needs a second \(quote) after \(line)") }
        if let word { words.append(String(word)) }
        return words
    }

    /// Returns a word such that a shell reads it as it is.
    static func quoted(_ word: String) -> String {
        // `=` at the beginning looks up a command in zsh.
        let isPlain =
            !word.isEmpty && !word.hasPrefix("=")
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-/:=@%+,".utf8.contains(byte)
                }
            }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return isPlain ? word : "'\(parts.joined(separator: "'\\''"))'"
    }
}
