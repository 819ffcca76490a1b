// SPDX-License-Identifier: MIT

/// A set of bytes, with one bit for each byte.
struct ByteSet: Hashable, Sendable {
    private var words = SIMD4<UInt64>()

    init(_ ranges: ClosedRange<UInt8>...) { for range in ranges { insert(range) } }

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
    }

    mutating func formUnion(_ other: ByteSet) { words |= other.words }

    func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] & 1 << UInt64(byte & 63) != 0 }

    /// The ASCII bytes that are not in the set.
    var inverted: ByteSet {
        var other = ByteSet()
        for byte in 0...127 as ClosedRange<UInt8> where !contains(byte) { other.insert(byte...byte) }
        return other
    }
}
