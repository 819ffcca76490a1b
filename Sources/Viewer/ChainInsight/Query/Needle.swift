// SPDX-License-Identifier: MIT

/// A text to search for in other texts, case-insensitively.
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

    /// Returns whether a text contains the needle, or equals it if only the whole of a text matches.
    package func matches(_ text: String) -> Bool { bytes.withUnsafeBufferPointer { Self.finds($0, isWhole, in: text) } }

    /// Returns the range of the first match, and the text that the range indexes. That is `text`, in lower case unless
    /// `text` is ASCII.
    package func firstMatch(in text: String) -> (text: String, range: Range<String.Index>)? {
        var text = text
        let start = bytes.withUnsafeBufferPointer { Self.offset(of: $0, isWhole, in: &text) }
        return start.map { start in
            let first = text.utf8.index(text.startIndex, offsetBy: start)
            return (text, first..<text.utf8.index(first, offsetBy: bytes.count))
        }
    }

    /// Returns whether a text contains the lower-case needle, or, if `isWhole`, equals it.
    static func finds(_ needle: UnsafeBufferPointer<UInt8>, _ isWhole: Bool, in text: String) -> Bool {
        var text = text
        return offset(of: needle, isWhole, in: &text) != nil
    }

    /// Returns the offset of the first match in UTF-8. Changes the text to lower case unless it is ASCII.
    @inline(__always)
    private static func offset(of needle: UnsafeBufferPointer<UInt8>, _ isWhole: Bool, in text: inout String) -> Int? {
        if !text.withUTF8(isASCII) { text = text.lowercased() }
        return text.withUTF8 { offset(of: needle, isWhole, in: $0) }
    }

    private static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var all: UInt8 = 0
        for byte in text { all |= byte }
        return all < 0x80
    }

    /// Returns the offset of the first match in a text that is ASCII or in lower case.
    @inline(__always)
    private static func offset(
        of needle: UnsafeBufferPointer<UInt8>, _ isWhole: Bool, in hay: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        guard isWhole ? hay.count == needle.count : hay.count >= needle.count else { return nil }
        guard let first = needle.first else { return 0 }
        for start in 0...(hay.count - needle.count) where lower(hay[start]) == first {
            var matched = 1
            while matched < needle.count, lower(hay[start + matched]) == needle[matched] { matched += 1 }
            if matched == needle.count { return start }
        }
        return nil
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }
}

/// Needles in one array, because an array for each needle would cost a retain per search.
struct Needles: Sendable {
    private struct Span { var bytes: Range<Int>, isWhole: Bool }

    private var bytes: [UInt8] = []
    private var spans: [Span] = []

    var count: Int { spans.count }

    mutating func append(_ needle: Needle) {
        spans.append(Span(bytes: bytes.count..<bytes.count + needle.bytes.count, isWhole: needle.isWhole))
        bytes += needle.bytes
    }

    /// Returns whether a text contains the needle at an index, or equals it if only the whole of a text matches.
    func matches(_ needle: Int, _ text: String) -> Bool {
        let span = spans[needle]
        return bytes.withUnsafeBufferPointer { Needle.finds(.init(rebasing: $0[span.bytes]), span.isWhole, in: text) }
    }
}
