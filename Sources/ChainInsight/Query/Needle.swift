/// A text that is looked for in others, upper and lower case being the same.
package struct Needle: Hashable, Sendable {
    private let bytes: [UInt8]
    private let isWhole: Bool

    /// - Parameters:
    ///   - text: in lower case.
    ///   - isWhole: whether only the whole of a text matches.
    package init(_ text: String, isWhole: Bool = false) {
        bytes = Array(text.utf8)
        self.isWhole = isWhole
    }

    /// Whether a text holds it, or is it.
    package func matches(_ text: String) -> Bool {
        var text = text
        if let answer = text.withUTF8({ finds(in: $0, isFolded: false) }) { return answer }
        text = text.lowercased()
        return text.withUTF8 { finds(in: $0, isFolded: true) ?? false }
    }

    /// Nil where the text has to be put into lower case first, because it is more than ASCII.
    private func finds(in hay: UnsafeBufferPointer<UInt8>, isFolded: Bool) -> Bool? {
        if !isFolded {
            var all: UInt8 = 0
            for byte in hay { all |= byte }
            guard all < 0x80 else { return nil }
        }
        guard isWhole ? hay.count == bytes.count : hay.count >= bytes.count else { return false }
        guard let first = bytes.first else { return true }
        for start in 0...(hay.count - bytes.count) where Self.lower(hay[start]) == first {
            var matched = 1
            while matched < bytes.count, Self.lower(hay[start + matched]) == bytes[matched] { matched += 1 }
            if matched == bytes.count { return true }
        }
        return false
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }
}
