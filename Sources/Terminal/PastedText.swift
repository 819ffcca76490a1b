/// A text on its way from the clipboard, as terminals bracket it where that is asked for (mode 2004): no byte of it is a
/// key.
struct PastedText {
    static let begin = Array("\u{1B}[200~".utf8)
    private static let end = Array("\u{1B}[201~".utf8)

    /// Bytes that are kept of it. What is beyond is dropped: as keys it could do anything.
    static let limit = 65_536

    /// Nanoseconds that may pass within it; after that it is taken for over, so that a lost end does not swallow keys for
    /// ever.
    static let patience: Int64 = 2_000_000_000

    private var kept: [UInt8] = []
    private var isCut = false

    /// Takes what is there of it, and gives the text once its end has come, or if there is to be no more.
    mutating func take(from bytes: inout [UInt8], isLast: Bool) -> String? {
        if let end = bytes.firstRange(of: Self.end) {
            keep(bytes[..<end.lowerBound])
            bytes.removeFirst(end.upperBound)
            return text
        }
        // The end may have begun.
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
        // Half a character is none.
        if isCut, let last = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[last] >= 0xC0 {
            bytes = bytes[..<last]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
