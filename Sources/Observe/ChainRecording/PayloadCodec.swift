// SPDX-License-Identifier: MIT

/// A codec for the payloads of chunks: ``PayloadColumns`` in programs that embed chainview, Zstandard in the command.
package protocol PayloadCodec: Sendable {
    /// The value that stands for this codec in the headers of chunks.
    var codec: ChunkCodec { get }

    /// Returns the payload packed; nil where packing does not make it shorter.
    func packed(_ payload: UnsafeRawBufferPointer) -> [UInt8]?

    /// Returns the payload of `count` bytes; nil if the stored bytes are damaged, or unpack to another count.
    func unpacked(_ stored: UnsafeRawBufferPointer, count: Int) -> [UInt8]?
}
