// SPDX-License-Identifier: MIT

/// The beginning of a recording.
///
///     file   0       8         10       12     16   24         28       32      40         44     48
///            ├ magic ┼ version ┼ oldest ┼ zero ┼ id ┼ checksum ┼ ending ┼ index ┼ checksum ┼ zero ┤
///
/// The first checksum covers the 24 bytes before it. The second checksum covers the id, then the 12 bytes before that
/// checksum, which are written anew when the recording ends.
package struct FileHeader: Hashable, Sendable {
    /// The id of this file, random.
    package var id: UInt64
    /// Whether and why the recording ended.
    package var ending = RecordingEnding.open
    /// The offset of the index in the file; 0 where there is none.
    package var index: UInt64 = 0

    package init(id: UInt64) { self.id = id }

    package var bytes: [UInt8] {
        var bytes = RecordingFormat.magic
        bytes.put(RecordingFormat.version)
        bytes.put(RecordingFormat.oldestReaderVersion)
        bytes.put(UInt32(0))
        bytes.put(id)
        bytes.put(bytes.withUnsafeBytes { Checksum.of($0) })
        bytes.put(ending.rawValue)
        bytes.put(index)
        bytes.put(Checksum.of(bytes[28..<40], in: id))
        bytes.put(UInt32(0))
        return bytes
    }

    /// Decodes the first bytes of a file. If only the bytes under the second checksum are damaged, the ending is
    /// ``RecordingEnding/open``, and there is no index.
    package init(_ bytes: [UInt8]) throws(RecordingError) {
        guard bytes.starts(with: RecordingFormat.magic) else { throw .notRecording }
        guard bytes.count >= RecordingFormat.fileHeaderSize else { throw .empty }
        let version = bytes.number(at: 8, UInt16.self)
        guard version >= 1, bytes.number(at: 10) <= RecordingFormat.version else { throw .version(version) }
        let isWhole = bytes[..<24].withUnsafeBytes { Checksum.of($0) } == bytes.number(at: 24)
        guard isWhole else { throw .damagedHeader }
        id = bytes.number(at: 16)
        guard Checksum.of(bytes[28..<40], in: id) == bytes.number(at: 40) else { return }
        ending = RecordingEnding(rawValue: bytes.number(at: 28)) ?? .failed
        index = bytes.number(at: 32)
    }
}
