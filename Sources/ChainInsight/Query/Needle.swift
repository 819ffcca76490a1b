/// A text that is looked for in others, upper and lower case being the same.
package struct Needle: Hashable, Sendable {
    /// Tells it from the others of one query.
    let number: Int
    private let bytes: [UInt8]
    private let isWhole: Bool

    /// - Parameters:
    ///   - text: in lower case.
    ///   - number: what tells it from the others of one query.
    ///   - isWhole: whether only the whole of a text matches.
    package init(_ text: String, number: Int = 0, isWhole: Bool = false) {
        bytes = Array(text.utf8)
        self.number = number
        self.isWhole = isWhole
    }

    /// Whether a text holds it, or is it.
    package func matches(_ text: String) -> Bool {
        var text = text
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        if !isPlain { text = text.lowercased() }
        return text.withUTF8 { hay in
            guard isWhole ? hay.count == bytes.count : hay.count >= bytes.count else { return false }
            for start in 0...(hay.count - bytes.count) {
                var matched = 0
                while matched < bytes.count, Self.lower(hay[start + matched]) == bytes[matched] { matched += 1 }
                if matched == bytes.count { return true }
            }
            return false
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }
}
