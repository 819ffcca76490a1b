// SPDX-License-Identifier: MIT

/// A reader of the fields of one payload, in order. Throws where the payload ends too early; never reads past its end.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    /// Reads `bytes`, which must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The number of bytes that were not read yet.
    var restCount: Int { bytes.count - position }

    mutating func next<Number: FixedWidthInteger>(_: Number.Type) throws(WireError) -> Number {
        let size = MemoryLayout<Number>.size
        guard restCount >= size else { throw .malformed("a message that ends too early") }
        defer { position += size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }

    /// Reads a field without consuming it.
    func peek<Number: FixedWidthInteger>(_ type: Number.Type) throws(WireError) -> Number {
        var reader = self
        return try reader.next(type)
    }

    /// Reads the count of a list of elements of at least `size` bytes each. Throws if the payload cannot hold so many
    /// elements, so that no memory is reserved for a wrong count.
    mutating func nextCount(ofSize size: Int) throws(WireError) -> Int {
        let count = Int(try next(UInt32.self))
        guard count <= restCount / size else { throw .malformed("a list that is longer than its message") }
        return count
    }

    /// Reads a text; replaces invalid UTF-8 in it.
    mutating func nextText() throws(WireError) -> String {
        String(decoding: try nextBytes(try nextCount(ofSize: 1)), as: UTF8.self)
    }

    /// Reads a count, and that many numbers of 8 bytes.
    mutating func nextNumbers() throws(WireError) -> [UInt64] {
        let bytes = try nextBytes(8 * (try nextCount(ofSize: 8)))
        return stride(from: 0, to: bytes.count, by: 8).map {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
        }
    }

    mutating func nextBytes(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard restCount >= count else { throw .malformed("a message that ends too early") }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }
}
