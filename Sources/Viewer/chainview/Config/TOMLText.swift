// SPDX-License-Identifier: MIT

import ChainEvents

/// Values as the text of TOML.
enum TOMLText {
    /// Returns a text as a basic string, escaped.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                result += "\\u" + String(hexadecimal: scalar.value, digits: 4, uppercase: true)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns texts as an array of basic strings.
    static func array(_ texts: some Sequence<String>) -> String {
        "[" + texts.map(quoted).joined(separator: ", ") + "]"
    }
}

/// The lines of the keys of a TOML text, which has to be valid. The parser does not report these lines.
struct TOMLKeyLines {
    /// The lines by path, such as `["warnings", "deep-chain"]`; the first line is 1.
    private(set) var lines: [[String]: Int] = [:]
    private var rest: Substring.UnicodeScalarView
    private var line = 1

    init(_ text: String) {
        rest = Substring(text).unicodeScalars
        // A byte order mark is skipped, as the parser does.
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
        var table: [String] = []
        while let next = rest.first {
            switch next {
            case "#": skipComment()
            case "[":
                take()
                if rest.first == "[" { take() }
                let start = line
                table = takePath(until: "]")
                setLine(table, start)
                while let end = rest.first, end != "\n", end != "#" { take() }
            case " ", "\t", "\r", "\n": take()
            default: takePair(in: table)
            }
        }
    }

    /// Returns the line of a key, or of the innermost known table around it.
    func line(of path: [String]) -> Int? {
        for count in stride(from: path.count, to: 0, by: -1) {
            if let line = lines[Array(path[..<count])] { return line }
        }
        return nil
    }

    /// Records the line of a path. The tables around it that have no line yet get the same line.
    private mutating func setLine(_ path: [String], _ line: Int) {
        for count in 1..<max(2, path.count + 1) {
            let part = Array(path.prefix(count))
            if lines[part] == nil { lines[part] = line }
        }
    }

    private mutating func take() {
        guard let scalar = rest.popFirst() else { return }
        if scalar == "\n" { line += 1 }
    }

    private mutating func skipComment() { while let next = rest.first, next != "\n" { take() } }

    private mutating func skipBlanks(lines: Bool = false) {
        while let next = rest.first {
            if next == "#", lines {
                skipComment()
            } else if next == " " || next == "\t" || (lines && (next == "\n" || next == "\r" || next == ",")) {
                take()
            } else {
                return
            }
        }
    }

    private mutating func takePair(in table: [String]) {
        let start = line
        let path = table + takePath(until: "=")
        setLine(path, start)
        skipBlanks()
        skipValue(path)
    }

    /// Reads a path such as `a."b c".'d'`, and the character that ends it.
    private mutating func takePath(until end: Unicode.Scalar) -> [String] {
        var path: [String] = []
        while let next = rest.first {
            switch next {
            case end:
                take()
                return path
            case " ", "\t", ".", "\r", "\n": take()
            case "\"", "'": path.append(takeString())
            default:
                var word = ""
                while let letter = rest.first, !" \t.=]\r\n".unicodeScalars.contains(letter) {
                    word.unicodeScalars.append(letter)
                    take()
                }
                // Always advances, so that no input loops for ever.
                if word.isEmpty { take() } else { path.append(word) }
            }
        }
        return path
    }

    /// Reads a string of any of the four kinds. Returns the text of the string, with only the letter after the
    /// backslash of each escape.
    private mutating func takeString() -> String {
        guard let quote = rest.first else { return "" }
        let isLong = rest.starts(with: [quote, quote, quote])
        for _ in 0..<(isLong ? 3 : 1) { take() }
        var text = ""
        while let next = rest.first {
            if next == quote, !isLong || rest.starts(with: [quote, quote, quote]) {
                for _ in 0..<(isLong ? 3 : 1) { take() }
                // The text of a long string may end in up to two quotation marks, before the three that end the string.
                if isLong { while rest.first == quote { take() } }
                return text
            }
            if next == "\\", quote == "\"" { take() }
            if let letter = rest.first { text.unicodeScalars.append(letter) }
            take()
        }
        return text
    }

    private mutating func skipValue(_ path: [String]) {
        switch rest.first {
        case "\"", "'": _ = takeString()
        case "[":
            take()
            skipBlanks(lines: true)
            while let next = rest.first, next != "]" {
                skipValue(path)
                skipBlanks(lines: true)
            }
            take()
        case "{":
            take()
            skipBlanks(lines: true)
            while let next = rest.first, next != "}" {
                takePair(in: path)
                skipBlanks(lines: true)
            }
            take()
        default:
            // Always advances, so that no input loops for ever.
            repeat { take() } while rest.first.map { !",]}#\n".unicodeScalars.contains($0) } ?? false
        }
    }
}
