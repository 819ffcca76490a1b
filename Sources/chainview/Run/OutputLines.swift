/// The last lines of a program's output, bounded, as they can be shown.
struct OutputLines: Sendable {
    /// One line: hostile text until it is escaped.
    struct Line: Hashable, Sendable {
        var text: String
        /// Whether it came through standard error.
        var isError: Bool
    }

    private static let lineLimit = 1_000
    private static let lengthLimit = 2_000

    private var lines: [Line] = []
    /// What was begun and not ended, a stream each.
    private var begun: [[UInt8]] = [[], []]
    /// Lines that were ended since the beginning.
    private(set) var count = 0
    /// Bytes since the beginning.
    private(set) var byteCount: UInt64 = 0

    mutating func append(_ bytes: ArraySlice<UInt8>, isError: Bool) {
        byteCount &+= UInt64(bytes.count)
        let place = isError ? 1 : 0
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if part.offset > 0 { end(place) }
            begun[place] += part.element.prefix(max(0, Self.lengthLimit - begun[place].count))
        }
    }

    private mutating func end(_ place: Int) {
        lines.append(Line(text: Self.plain(begun[place]), isError: place == 1))
        begun[place] = []
        count += 1
        if lines.count > 2 * Self.lineLimit { lines.removeFirst(lines.count - Self.lineLimit) }
    }

    /// The last lines, oldest first; what was begun and not ended counts as one.
    func last(_ limit: Int) -> [Line] {
        var result = lines.suffix(max(0, limit))
        for place in 0..<2 where !begun[place].isEmpty {
            result.append(Line(text: Self.plain(begun[place]), isError: place == 1))
        }
        return Array(result.suffix(max(0, limit)))
    }

    /// Text as a terminal would have shown it, as far as that is plain: without colours, what stands behind the last
    /// return, tabs as blanks. All other controls are left for who draws it to escape.
    private static func plain(_ bytes: [UInt8]) -> String {
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
