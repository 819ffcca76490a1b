/// The lines of a file, each split into its code and its comment.
///
/// In Swift and C, string literals are replaced by `""` in the code. In scripts a comment begins at `#`. In Markdown
/// everything outside of fenced code is a comment. Code spans in backticks are left out of comments.
struct CommentText {
    private(set) var lines: [(code: String, comment: String)] = []

    private enum Language { case swift, clang, script, markdown }

    // State carried from line to line: the delimiter that closes an open multi-line string, an open block comment, and
    // an open fence.
    private var openStringEnd: [UInt8]?
    private var isBlockComment = false
    private var isFenced = false

    init(path: String, text: String) {
        let language: Language =
            switch path.split(separator: ".").last {
            case "swift": .swift
            case "c", "h": .clang
            case "md": .markdown
            default: .script
            }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let (code, comment) =
                switch language {
                case .swift, .clang: splitSource(Array(line.utf8), isSwift: language == .swift)
                case .script: splitScript(Array(line.utf8))
                case .markdown: splitMarkdown(Array(line.utf8))
                }
            lines.append(
                (String(decoding: code, as: UTF8.self), String(decoding: withoutSpans(comment), as: UTF8.self)))
        }
    }

    private mutating func splitMarkdown(_ line: [UInt8]) -> (code: [UInt8], comment: [UInt8]) {
        if line.starts(with: "```".utf8) {
            isFenced.toggle()
            return (line, [])
        }
        return isFenced ? (line, []) : ([], line)
    }

    private func splitScript(_ line: [UInt8]) -> (code: [UInt8], comment: [UInt8]) {
        for index in line.indices where line[index] == hash && (index == 0 || line[index - 1] == space) {
            return (Array(line[..<index]), Array(line[index...]))
        }
        return (line, [])
    }

    private mutating func splitSource(_ line: [UInt8], isSwift: Bool) -> (code: [UInt8], comment: [UInt8]) {
        // Fast path, because walking each line byte by byte takes 10 s in a debug build.
        if openStringEnd == nil, !isBlockComment, !line.contains(quote), !line.contains(apostrophe) {
            guard let slash = line.firstIndex(of: slash) else { return (line, []) }
            if line[slash...].starts(with: "//".utf8) { return (Array(line[..<slash]), Array(line[slash...])) }
        }
        var code: [UInt8] = []
        var comment: [UInt8] = []
        var index = 0
        while index < line.count {
            if let end = openStringEnd {
                guard line[index...].starts(with: end) else {
                    // In raw strings, which have longer delimiters, a backslash escapes nothing.
                    index += line[index] == backslash && end.count == 3 ? 2 : 1
                    continue
                }
                openStringEnd = nil
                index += end.count
            } else if isBlockComment {
                isBlockComment = !line[index...].starts(with: "*/".utf8)
                comment.append(line[index])
                index += isBlockComment ? 1 : 2
            } else if line[index...].starts(with: "//".utf8) {
                comment += line[index...]
                index = line.count
            } else if line[index...].starts(with: "/*".utf8) {
                isBlockComment = true
                index += 2
            } else if let quote = openingQuote(at: index, of: line, isSwift: isSwift) {
                code += "\"\"".utf8
                index += quote.opening
                if quote.closing.count >= 3, quote.isMultiline {
                    openStringEnd = quote.closing
                } else {
                    index = endOfString(from: index, closing: quote.closing, in: line)
                }
            } else {
                code.append(line[index])
                index += 1
            }
        }
        return (code, comment)
    }

    /// Returns the length of the string delimiter at the index, and the closing delimiter; nil if there is none.
    private func openingQuote(
        at index: Int, of line: [UInt8], isSwift: Bool
    ) -> (opening: Int, closing: [UInt8], isMultiline: Bool)? {
        let hashes = isSwift ? line[index...].prefix { $0 == hash }.count : 0
        let rest = line[(index + hashes)...]
        let end = [UInt8](repeating: hash, count: hashes)
        if isSwift, rest.starts(with: "\"\"\"".utf8) { return (hashes + 3, "\"\"\"".utf8 + end, true) }
        if rest.first == quote || !isSwift && rest.first == apostrophe {
            return (hashes + 1, [rest.first!] + end, false)
        }
        return nil
    }

    /// Returns the index after a one-line string; interpolations may hold further strings.
    private func endOfString(from start: Int, closing: [UInt8], in line: [UInt8]) -> Int {
        var index = start
        while index < line.count {
            if line[index...].starts(with: closing) { return index + closing.count }
            if line[index] == backslash, closing.count == 1 {
                let isInterpolation = index + 1 < line.count && line[index + 1] == openParenthesis
                index = isInterpolation ? endOfInterpolation(from: index + 2, in: line) : index + 2
            } else {
                index += 1
            }
        }
        return index
    }

    /// Returns the index after the parenthesis that closes an interpolation.
    private func endOfInterpolation(from start: Int, in line: [UInt8]) -> Int {
        var index = start
        var depth = 1
        while index < line.count, depth > 0 {
            if line[index] == quote {
                index = endOfString(from: index + 1, closing: [quote], in: line)
                continue
            }
            if line[index] == openParenthesis { depth += 1 }
            if line[index] == closeParenthesis { depth -= 1 }
            index += 1
        }
        return index
    }
}

private let hash = UInt8(ascii: "#")
private let space = UInt8(ascii: " ")
private let quote = UInt8(ascii: "\"")
private let apostrophe = UInt8(ascii: "'")
private let backslash = UInt8(ascii: "\\")
private let slash = UInt8(ascii: "/")
private let backtick = UInt8(ascii: "`")
private let openParenthesis = UInt8(ascii: "(")
private let closeParenthesis = UInt8(ascii: ")")

/// Returns the text with each code span replaced by one backtick. A span that does not end on the line stays.
private func withoutSpans(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(backtick) else { return text }
    var kept: [UInt8] = []
    var index = 0
    while index < text.count {
        if text[index] == backtick, let end = text[(index + 1)...].firstIndex(of: backtick) { index = end }
        kept.append(text[index])
        index += 1
    }
    return kept
}

// SPDX-License-Identifier: MIT
