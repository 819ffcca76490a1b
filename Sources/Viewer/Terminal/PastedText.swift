// SPDX-License-Identifier: MIT

/// A text that is being pasted while the terminal is in bracketed-paste mode (2004): no byte of it is a key.
struct PastedText {
    static let begin = Array("\u{1B}[200~".utf8)
    private static let end = Array("\u{1B}[201~".utf8)

    /// The maximum number of bytes of the text that are kept. Further bytes are dropped, because they could do anything
    /// if they were decoded as keys.
    static let limit = 65_536

    /// How many nanoseconds may pass between two reads before the text counts as ended, so that a lost end marker does
    /// not swallow keys.
    static let patience: Int64 = 2_000_000_000

    private var kept: [UInt8] = []
    private var isCut = false

    /// Removes the bytes of the text from `bytes`, which were read. Returns the whole text if its end marker was among
    /// these bytes or `isLast` is true, and nil otherwise.
    mutating func take(from bytes: inout [UInt8], isLast: Bool) -> String? {
        if let end = bytes.firstRange(of: Self.end) {
            keep(bytes[..<end.lowerBound])
            bytes.removeFirst(end.upperBound)
            return text
        }
        // Keep a partial end marker.
        let held = isLast ? 0 : (1..<Self.end.count).last { bytes.suffix($0).elementsEqual(Self.end.prefix($0)) } ?? 0
        keep(bytes.dropLast(held))
        bytes.removeFirst(bytes.count - held)
        return isLast ? text : nil
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        let room = Self.limit - kept.count
        if bytes.count > room { isCut = true }
        kept.append(contentsOf: bytes.prefix(room))
    }

    private var text: String {
        var bytes = kept[...]
        // Drop a character that the limit may have cut.
        if isCut, let last = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[last] >= 0xC0 {
            bytes = bytes[..<last]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
