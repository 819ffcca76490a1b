// SPDX-License-Identifier: MIT

import CChainRuntime

extension [UInt8] {
    /// Appends an integer, little-endian.
    mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Returns the little-endian integer at an offset. All its bytes must be in the array.
    func number<Number: FixedWidthInteger>(at offset: Int, _: Number.Type = Number.self) -> Number {
        withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }
}

/// The CRC-32C of bytes.
package enum Checksum {
    /// Returns the checksum of bytes; `checksum` is the checksum of the bytes before them.
    package static func of(_ bytes: UnsafeRawBufferPointer, after checksum: UInt32 = 0) -> UInt32 {
        guard let start = bytes.baseAddress else { return checksum }
        return chain_crc32c(checksum, start, bytes.count)
    }

    /// Returns the checksum of a file's id and then of the bytes, so that no part of another file, and no text of a
    /// program, passes for a header of this file.
    package static func of(_ bytes: ArraySlice<UInt8>, in file: UInt64) -> UInt32 {
        let checksum = withUnsafeBytes(of: file.littleEndian) { of($0) }
        return bytes.withUnsafeBytes { of($0, after: checksum) }
    }
}
