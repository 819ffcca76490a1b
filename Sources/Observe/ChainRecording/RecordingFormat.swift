// SPDX-License-Identifier: MIT

import ChainWire

/// The constants of the file format; the article *The recording* has the layout.
package enum RecordingFormat {
    /// The first eight bytes of every recording: `chainre` and a byte that is not text.
    package static let magic: [UInt8] = [0x63, 0x68, 0x61, 0x69, 0x6E, 0x72, 0x65, 0x9E]
    /// The version that this package writes.
    package static let version: UInt16 = 1
    /// The oldest version of a reader that can read what this package writes; stored in the file's header.
    package static let oldestReaderVersion: UInt16 = 1
    /// Bytes of the file's header.
    package static let fileHeaderSize = 48
    /// Bytes of a chunk's header.
    package static let chunkHeaderSize = 88
    /// The first four bytes of every chunk: `chk` and a byte that is not text.
    package static let chunkMagic: [UInt8] = [0x63, 0x68, 0x6B, 0x9E]
    /// The most bytes of a chunk's payload. A payload with a single name, node or event may be longer, and so may an
    /// index.
    package static let chunkLimit = 256 << 10
    /// The most bytes of a keyframe's unpacked payloads that a reader accepts: some ten million nodes.
    static let keyframeLimit = 1 << 30
    /// Returns the most bytes of a payload that a reader accepts. Only an index exceeds ``chunkLimit`` by more than one
    /// message.
    static func payloadLimit(_ kind: ChunkKind) -> Int {
        kind == .index ? 1 << 30 : chunkLimit + Wire.headerSize + Wire.programMessageLimit
    }
    /// The age at which a chunk is written, in nanoseconds. A killed writer loses the events of 250 ms at most,
    /// including the time that batches take to reach the writer.
    package static let chunkDelay: UInt64 = 150_000_000
    /// The interval between two counts of an index, in nanoseconds.
    package static let countInterval: UInt64 = 100_000_000
    /// Returns the most nodes of settled chains in a keyframe, and the most settled leaves, for a size limit of a file:
    /// both kinds, some 100 bytes for each node, take at most an eighth of a small file. Where older failed nodes come on
    /// top, as in a flight recording, they take at most three sixteenths.
    package static func settledLimit(ofSize limit: UInt64) -> Int { Int(clamping: limit / 1_600) }
    /// Bytes of a chunk in an index: its offset and its header.
    static let indexEntrySize = 8 + chunkHeaderSize
    /// Bytes of an interval in an index: its five counts.
    static let countSize = 20
    /// The value of the count of open warnings where warnings are not counted.
    package static let uncounted: UInt32 = .max
}

/// The kinds of chunks. Part of the file format: never renumbered, only added to.
package enum ChunkKind: UInt8, CaseIterable, Sendable {
    /// A part of a segment's beginning: the program's hello and its state.
    case keyframe = 1
    /// Batches as they came.
    case batches = 2
    /// The headers of all chunks, and counts over time.
    case index = 3
}

/// How the payload of a chunk is stored. Part of the file format: never renumbered, only added to.
package enum ChunkCodec: UInt8, CaseIterable, Sendable {
    /// As it is.
    case raw = 0
    /// In columns, as a frame of Zstandard (RFC 8878).
    case zstd = 1
    /// In columns.
    case columns = 2
}

/// Whether and why a recording is complete. Part of the file format: never renumbered, only added to.
package enum RecordingEnding: UInt32, CaseIterable, Sendable {
    /// It is being written, or its writer was killed.
    case open = 0
    /// It was ended in good order.
    case finished = 1
    /// The disk was full, and too little could be dropped to make room.
    case diskFull = 2
    /// The file could not be written, or the program's state does not fit into the size limit.
    case failed = 3
}
