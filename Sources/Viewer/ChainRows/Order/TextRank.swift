// SPDX-License-Identifier: MIT

/// The beginning of a text as a number of at most 62 bits, in the order of texts. ASCII letters are compared without
/// case, and numbers by value up to 15 digits. Of other ASCII characters only the class is compared: characters up to
/// the space, signs before the digits in ASCII, and signs after the digits.
///
/// An ASCII letter or sign takes five bits, so that a rank holds twelve of them. A byte beyond ASCII takes twelve bits,
/// and a number takes nine bits besides those of its digits. Texts that differ only in later characters have equal
/// ranks; see ``TextPrefix``.
struct TextRank {
    private(set) var value: UInt64 = 0
    /// The number of bits of ``value`` that are still free.
    private var room: Int
    // The number that the last digits make, without leading zeros; at most 15 digits.
    private var digits: UInt64 = 0
    private var digitCount = 0
    private var isNumber = false

    private enum Sign {
        static let number: UInt64 = 3, firstLetter: UInt64 = 4, other: UInt64 = 31
    }

    /// Makes a rank of `bits` bits.
    init(bits: Int = Int(Rank.payloadBits)) { room = bits }

    init(_ text: String) {
        self.init()
        add(text)
    }

    /// Appends a text. Reads about a dozen of its characters at most, where a number counts as one character.
    mutating func add(_ text: String) { add(text.utf8) }

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            guard room > 0 else { return }
            if byte >= 0x30, byte <= 0x39 {
                isNumber = true
                if digitCount < 15, digitCount > 0 || byte > 0x30 {
                    digits = digits * 10 + UInt64(byte - 0x30)
                    digitCount += 1
                }
                continue
            }
            endNumber()
            switch byte {
            case 0x61...0x7a: append(Sign.firstLetter + UInt64(byte - 0x61), bits: 5)
            case 0x41...0x5a: append(Sign.firstLetter + UInt64(byte - 0x41), bits: 5)
            case 0x80...:
                append(Sign.other, bits: 5)
                append(UInt64(byte & 0x7f), bits: 7)
            case 0x00...0x20: append(1, bits: 5)
            default: append(byte < 0x30 ? 2 : 30, bits: 5)
            }
        }
        endNumber()
    }

    /// Appends the number that ends here, if any: behind its count of digits, so that longer numbers are greater.
    private mutating func endNumber() {
        guard isNumber else { return }
        append(Sign.number, bits: 5)
        append(UInt64(digitCount), bits: 4)
        append(digits, bits: (digitCount * 10 + 2) / 3)
        (digits, digitCount, isNumber) = (0, 0, false)
    }

    /// Appends the highest bits for which there is room.
    private mutating func append(_ number: UInt64, bits: Int) {
        let taken = min(bits, room)
        room -= taken
        value |= (number >> UInt64(bits - taken)) << UInt64(room)
    }
}

/// The common prefix of a column's texts: the longest prefix that more than half of them have. Ranks leave it out,
/// because twelve letters are few for texts that begin with `GET /api/v1/`. A text without the prefix ranks before or
/// after all texts with it.
struct TextPrefix: Equatable {
    /// The UTF-8 bytes in ASCII lower case, without a number or part of a character at the end.
    private(set) var bytes: [UInt8] = []
    /// The rank of the prefix as a text.
    private var rank: UInt64 = 0
    /// The number of bits of a rank for the text after the prefix. The two bits above hold 1 for a text with the
    /// prefix. For a text without it, they hold 0 if it ranks before the texts with the prefix, and 2 if after these
    /// texts.
    private static let restBits = Int(Rank.payloadBits) - 2

    /// Finds the longest prefix that more than half of the texts have. O(n log n).
    init(of texts: some Sequence<String>) {
        let sorted = texts.map { $0.utf8.map(Self.lower) }.sorted { $0.lexicographicallyPrecedes($1) }
        let half = sorted.count / 2
        for first in 0..<(sorted.count - half) {
            let (lowest, highest) = (sorted[first], sorted[first + half])
            let count = zip(lowest, highest).prefix { $0 == $1 }.count
            if count > bytes.count { bytes = Array(lowest[..<count]) }
        }
        while let last = bytes.last, last >= 0x30 && last <= 0x39 || last >= 0x80 { bytes.removeLast() }
        var own = TextRank()
        own.add(bytes)
        rank = own.value
    }

    /// Returns the rank of a text in its section.
    func rank(of text: String) -> UInt64 {
        guard !bytes.isEmpty else { return TextRank(text).value }
        if text.utf8.lazy.map(Self.lower).starts(with: bytes) {
            var rest = TextRank(bits: Self.restBits)
            rest.add(text.utf8.dropFirst(bytes.count))
            return (1 << UInt64(Self.restBits)) | rest.value
        }
        let own = TextRank(text).value
        let isBefore =
            own != rank ? own < rank : text.utf8.lazy.map(Self.lower).lexicographicallyPrecedes(bytes)
        return (isBefore ? 0 : 2 << UInt64(Self.restBits)) | (own >> 2)
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte >= 65 && byte <= 90 ? byte | 32 : byte }
}
