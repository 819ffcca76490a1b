import CChainRuntime

extension [UInt8] {
    /// Appends an integer, little-endian.
    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// The integer at an offset, which must be inside.
    func number<Number: FixedWidthInteger>(at offset: Int, _: Number.Type = Number.self) -> Number {
        withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }
}

/// CRC-32C of bytes, continued from those before them.
package enum Checksum {
    package static func of(_ bytes: UnsafeRawBufferPointer, after checksum: UInt32 = 0) -> UInt32 {
        guard let start = bytes.baseAddress else { return checksum }
        return chain_crc32c(checksum, start, bytes.count)
    }

    /// Of the file's id, then of the bytes: so that nothing of another file, and no text of a program, passes for a
    /// header of this one.
    package static func of(_ bytes: some Sequence<UInt8>, in file: UInt64) -> UInt32 {
        var all: [UInt8] = []
        all.put(file)
        all += bytes
        return all.withUnsafeBytes { of($0) }
    }
}
