/// A text that is looked for in others, upper and lower case being the same.
package struct Needle: Hashable, Sendable {
    fileprivate let bytes: [UInt8]
    fileprivate let isWhole: Bool

    /// - Parameters:
    ///   - text: in lower case.
    ///   - isWhole: whether only the whole of a text matches.
    package init(_ text: String, isWhole: Bool = false) {
        bytes = Array(text.utf8)
        self.isWhole = isWhole
    }

    /// Whether a text holds it, or is it.
    package func matches(_ text: String) -> Bool { bytes.withUnsafeBufferPointer { Self.finds($0, isWhole, in: text) } }

    /// Whether a text holds what was put into lower case, or is it.
    static func finds(_ needle: UnsafeBufferPointer<UInt8>, _ isWhole: Bool, in text: String) -> Bool {
        var text = text
        if let answer = text.withUTF8({ finds(needle, isWhole, in: $0, isFolded: false) }) { return answer }
        text = text.lowercased()
        return text.withUTF8 { finds(needle, isWhole, in: $0, isFolded: true) ?? false }
    }

    /// Nil where the text has to be put into lower case first, because it is more than ASCII.
    private static func finds(
        _ needle: UnsafeBufferPointer<UInt8>, _ isWhole: Bool, in hay: UnsafeBufferPointer<UInt8>, isFolded: Bool
    ) -> Bool? {
        if !isFolded {
            var all: UInt8 = 0
            for byte in hay { all |= byte }
            guard all < 0x80 else { return nil }
        }
        guard isWhole ? hay.count == needle.count : hay.count >= needle.count else { return false }
        guard let first = needle.first else { return true }
        for start in 0...(hay.count - needle.count) where lower(hay[start]) == first {
            var matched = 1
            while matched < needle.count, lower(hay[start + matched]) == needle[matched] { matched += 1 }
            if matched == needle.count { return true }
        }
        return false
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }
}

/// Texts that are looked for, side by side: looking for one costs no reference, as an array of each one's own would.
struct Needles: Sendable {
    private struct Span { var bytes: Range<Int>, isWhole: Bool }

    private var bytes: [UInt8] = []
    private var spans: [Span] = []

    var count: Int { spans.count }

    mutating func append(_ needle: Needle) {
        spans.append(Span(bytes: bytes.count..<bytes.count + needle.bytes.count, isWhole: needle.isWhole))
        bytes += needle.bytes
    }

    /// Whether a text holds one of them, or is it.
    func matches(_ needle: Int, _ text: String) -> Bool {
        let span = spans[needle]
        return bytes.withUnsafeBufferPointer { Needle.finds(.init(rebasing: $0[span.bytes]), span.isWhole, in: text) }
    }
}
