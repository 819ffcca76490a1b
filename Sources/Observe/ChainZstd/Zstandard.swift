// SPDX-License-Identifier: MIT

import CZstd
import ChainRecording
import ChainSystem

/// A codec that packs and unpacks the chunks of recordings. Packing puts the fields of a chunk's nodes and events in
/// columns. It compresses the columns with Zstandard at level 1, into a frame of RFC 8878.
///
/// Thread-safe; a lock lets one chunk at a time be compressed or decompressed.
package final class Zstandard: PayloadCodec, Sendable {
    private let packer: Lock<OpaquePointer>

    /// Makes a codec; nil where there is no memory.
    package init?() {
        guard let packer = chain_zstd_new() else { return nil }
        self.packer = Lock(packer)
    }

    deinit { packer.withLock { chain_zstd_free($0) } }

    package var codec: ChunkCodec { .zstd }

    package func packed(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
        guard !payload.isEmpty, let columns = PayloadColumns.columns(of: payload) else { return nil }
        // A payload that does not become shorter is stored as it is.
        let result = columns.withUnsafeBytes { columns in
            bytes(payload.count - 1) { packer, into in
                chain_zstd_pack(packer, columns.baseAddress, columns.count, into, payload.count - 1)
            }
        }
        return result.isEmpty ? nil : result
    }

    package func unpacked(_ stored: UnsafeRawBufferPointer, count: Int) -> [UInt8]? {
        let capacity = PayloadColumns.headerSize + count
        let columns = bytes(capacity) { packer, into in
            chain_zstd_unpack(packer, stored.baseAddress, stored.count, into, capacity)
        }
        return columns.withUnsafeBytes { PayloadColumns.payload(of: $0, count: count) }
    }

    /// Returns the bytes that `fill` writes, at most `capacity`; `fill` returns their count.
    private func bytes(_ capacity: Int, fill: (OpaquePointer, UnsafeMutableRawPointer?) -> Int) -> [UInt8] {
        guard capacity > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            filled = packer.withLock { fill($0, UnsafeMutableRawPointer(buffer.baseAddress)) }
        }
    }
}
