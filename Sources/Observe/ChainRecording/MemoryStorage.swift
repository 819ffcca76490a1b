// SPDX-License-Identifier: MIT

import ChainSystem

/// A recording in memory. One thread writes it; a snapshot can be taken and read on any thread.
///
/// A snapshot shares its pages with the storage (copy-on-write), so that both together take at most twice the
/// recording's size.
package final class MemoryStorage: RecordingStorage, Sendable {
    private let pages = Lock(MemoryPages())

    package init() {}

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
        pages.withLock { $0.write(bytes, at: Int(offset)) }
    }

    package func truncate(to count: UInt64) throws(SystemError) { pages.withLock { $0.truncate(to: Int(count)) } }

    /// Frees the bytes.
    package func removeAll() { pages.withLock { $0 = MemoryPages() } }

    /// Returns the bytes that were written so far; later writes do not change them. O(1); the next write is O(pages).
    package func snapshot() -> MemoryPages { pages.withLock { $0 } }
}

/// Bytes in pages.
package struct MemoryPages: StoredBytes, Sendable {
    private var pages: [[UInt8]] = []
    private var size = 0
    private static let pageSize = 64 << 10

    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let end = offset + bytes.count
        while pages.count * Self.pageSize < end { pages.append([UInt8](repeating: 0, count: Self.pageSize)) }
        var rest = bytes
        var position = offset
        while !rest.isEmpty {
            let (page, start) = position.quotientAndRemainder(dividingBy: Self.pageSize)
            let length = min(rest.count, Self.pageSize - start)
            pages[page].withUnsafeMutableBytes { target in
                UnsafeMutableRawBufferPointer(rebasing: target[start..<start + length])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<length]))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[length...])
            position += length
        }
        size = max(size, end)
    }

    mutating func truncate(to newCount: Int) {
        size = min(size, newCount)
        pages.removeSubrange(min(pages.count, (size + Self.pageSize - 1) / Self.pageSize)...)
    }

    package var count: UInt64 { UInt64(size) }

    func bytes(at offset: UInt64, count: Int) -> [UInt8] {
        let room = available(at: offset, count)
        var result: [UInt8] = []
        result.reserveCapacity(room)
        while result.count < room {
            let (page, start) = (Int(offset) + result.count).quotientAndRemainder(dividingBy: Self.pageSize)
            result += pages[page][start..<min(Self.pageSize, start + room - result.count)]
        }
        return result
    }
}

extension RecordingFile {
    /// Opens a recording in memory.
    package convenience init(_ pages: MemoryPages) throws(RecordingError) { try self.init(pages as any StoredBytes) }
}
