// SPDX-License-Identifier: MIT

/// The last lines of a program's output, bounded.
struct OutputLines: Sendable {
    /// One line, not escaped.
    struct Line: Hashable, Sendable {
        var text: String
        /// Whether the line came through standard error.
        var isError: Bool
    }

    /// The number of last lines that are always kept; up to twice as many lines are kept at times.
    private static let keptLineCount = 1_000
    /// The maximum number of bytes of a line; further bytes are dropped.
    private static let lengthLimit = 2_000

    private var lines: [Line] = []
    /// The unfinished lines of standard output and of standard error.
    private var unfinished: [[UInt8]] = [[], []]
    /// The number of finished lines since the start.
    private(set) var count = 0
    /// The number of bytes since the start.
    private(set) var byteCount: UInt64 = 0

    mutating func append(_ bytes: ArraySlice<UInt8>, isError: Bool) {
        byteCount &+= UInt64(bytes.count)
        let stream = isError ? 1 : 0
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { endLine(of: stream) }
            var text = part.element
            // Text after a carriage return overwrites the line; carriage returns at the end may belong to a line feed.
            if let end = text.lastIndex(where: { $0 != 0x0D }) {
                if text.first != 0x0D, unfinished[stream].last == 0x0D { unfinished[stream] = [] }
                if let last = text[..<end].lastIndex(of: 0x0D) {
                    text = text[(last + 1)...]
                    unfinished[stream] = []
                }
            }
            unfinished[stream] += text.prefix(max(0, Self.lengthLimit - unfinished[stream].count))
        }
    }

    private mutating func endLine(of stream: Int) {
        lines.append(Line(text: Self.plainText(unfinished[stream]), isError: stream == 1))
        unfinished[stream] = []
        count += 1
        if lines.count > 2 * Self.keptLineCount { lines.removeFirst(lines.count - Self.keptLineCount) }
    }

    /// Returns the last lines, oldest first, including unfinished lines.
    func last(_ limit: Int) -> [Line] {
        var result = lines.suffix(max(0, limit))
        for stream in 0..<2 where !unfinished[stream].isEmpty {
            result.append(Line(text: Self.plainText(unfinished[stream]), isError: stream == 1))
        }
        return Array(result.suffix(max(0, limit)))
    }

    /// Returns bytes as plain text: without colours, with spaces for tabs, and only the text after the last carriage
    /// return. Other control characters stay, and the painter escapes them.
    private static func plainText(_ bytes: [UInt8]) -> String {
        var text = String(decoding: bytes, as: UTF8.self)
        text.replace(/\e\[[0-9;:]*m/, with: "")
        while text.hasSuffix("\r") { text.removeLast() }
        if let last = text.lastIndex(of: "\r") { text = String(text[text.index(after: last)...]) }
        guard text.contains("\t") else { return text }
        var result = ""
        for character in text {
            if character == "\t" {
                result += String(repeating: " ", count: 8 - result.count % 8)
            } else {
                result.append(character)
            }
        }
        return result
    }
}
