// SPDX-License-Identifier: MIT

/// The header of a chunk, before its payload.
///
///     chunk   0       4      5       6       8        12        16       20    24       28      32      40     48     56
///             ├ magic ┼ kind ┼ codec ┼ flags ┼ number ┼ segment ┼ stored ┼ raw ┼ events ┼ nodes ┼ first ┼ last ┼ made ┤
///
///             56        64         72        76         80                 84                88
///             ├ settled ┼ rejected ┼ running ┼ warnings ┼ payload checksum ┼ header checksum ┤
///
/// The checksum of the header covers the file's id, then the 84 bytes before the checksum.
package struct ChunkHeader: Hashable, Sendable {
    /// Marks on a chunk. Part of the file format.
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The first chunk of a keyframe, and so of a segment.
        package static let beginsKeyframe = Flags(rawValue: 1)
        /// The last chunk of a keyframe.
        package static let endsKeyframe = Flags(rawValue: 2)
    }

    package var kind: ChunkKind
    package var codec = ChunkCodec.raw
    package var flags: Flags = []
    /// The chunk's number, from 0 in a recording; an excerpt keeps the numbers. A gap means that chunks are missing, or
    /// that batches were not recorded (``RecordingWriter/skip()``).
    package var number: UInt32 = 0
    /// The number of the chunk's segment, from 0 in a recording; an excerpt keeps this number, too.
    package var segment: UInt32 = 0
    /// The number of bytes of the payload in the file.
    package var storedCount: UInt32 = 0
    /// The number of bytes of the decoded payload.
    package var rawCount: UInt32 = 0
    /// The number of events in the payload.
    package var eventCount: UInt32 = 0
    /// The number of node snapshots in the payload.
    package var nodeCount: UInt32 = 0
    /// The times of the chunk's first and of its last batch, in nanoseconds of the program's clock. In the first chunk
    /// of a keyframe the hello counts as a batch.
    package var firstTime: UInt64 = 0, lastTime: UInt64 = 0
    /// The counts after the chunk's last batch.
    package var counts = RecordingCounts()
    /// The checksum of the payload as stored.
    package var payloadChecksum: UInt32 = 0

    package init(_ kind: ChunkKind) { self.kind = kind }

    /// The number of bytes of the whole chunk in the file.
    package var size: UInt64 { UInt64(RecordingFormat.chunkHeaderSize) + UInt64(storedCount) }

    /// Encodes the header, for the file with the id `file`.
    package func bytes(in file: UInt64) -> [UInt8] {
        var bytes = RecordingFormat.chunkMagic
        bytes.put(kind.rawValue)
        bytes.put(codec.rawValue)
        bytes.put(flags.rawValue)
        for count in [number, segment, storedCount, rawCount, eventCount, nodeCount] { bytes.put(count) }
        for count in [firstTime, lastTime, counts.made, counts.settled, counts.rejected] { bytes.put(count) }
        for count in [counts.running, counts.warnings, payloadChecksum] { bytes.put(count) }
        bytes.put(Checksum.of(bytes[...], in: file))
        return bytes
    }

    /// Decodes the header at an offset, for the file with the id `file`. Nil if it is cut off or damaged, if its kind
    /// or codec is unknown, or if the payload's sizes are over the limit or, in a raw chunk, differ.
    package init?(_ bytes: [UInt8], at offset: Int = 0, in file: UInt64) {
        let size = RecordingFormat.chunkHeaderSize
        guard bytes.withUnsafeBytes({ Self.isPlausible($0, at: offset) }),
            Checksum.of(bytes[offset..<offset + size - 4], in: file) == bytes.number(at: offset + size - 4),
            let kind = ChunkKind(rawValue: bytes[offset + 4]), let codec = ChunkCodec(rawValue: bytes[offset + 5])
        else { return nil }
        func field(_ position: Int) -> UInt32 { bytes.number(at: offset + position) }
        func wide(_ position: Int) -> UInt64 { bytes.number(at: offset + position) }
        self.kind = kind
        self.codec = codec
        flags = Flags(rawValue: bytes.number(at: offset + 6))
        (number, segment, storedCount, rawCount) = (field(8), field(12), field(16), field(20))
        (eventCount, nodeCount) = (field(24), field(28))
        (firstTime, lastTime) = (wide(32), wide(40))
        counts = RecordingCounts(
            made: wide(48), settled: wide(56), rejected: wide(64), running: field(72), warnings: field(76))
        payloadChecksum = field(80)
    }

    private static let magic = RecordingFormat.chunkMagic.number(at: 0, UInt32.self)

    /// Returns whether the bytes at an offset may be a header, as far as that shows without its checksum.
    static func isPlausible(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        func field(_ position: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + position, as: UInt32.self))
        }
        guard bytes.count - offset >= RecordingFormat.chunkHeaderSize, field(0) == magic,
            let kind = ChunkKind(rawValue: bytes[offset + 4]), let codec = ChunkCodec(rawValue: bytes[offset + 5])
        else { return false }
        let (stored, raw) = (field(16), field(20))
        return max(stored, raw) <= RecordingFormat.payloadLimit(kind) && (codec != .raw || stored == raw)
    }
}
