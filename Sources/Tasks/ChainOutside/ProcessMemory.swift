// SPDX-License-Identifier: MIT

import CChainOutside
import ChainSystem

/// The memory of another process. It is read while the process runs, so that two reads may show two different states of
/// it. Nothing is written, and no thread is stopped.
struct ProcessMemory: Sendable {
    let pid: Int32
    /// Whether the process is stopped, so that it cannot wait for its memory map, and nothing in it changes.
    var isStopped = false

    /// Between two reads of up to 64 KB, in microseconds.
    private static let pauseTime: UInt32 = 50

    /// How many pieces are read before their pages are forgotten.
    static let pieceLimit = 1_024

    /// Lets the process go on for a moment: each read takes the lock for changes of its memory map, which it would otherwise
    /// wait for all the time.
    func pause() { if !isStopped { usleep(Self.pauseTime) } }

    /// Copies memory to a buffer, and returns how many bytes were there; 0 where none can be read.
    func read(_ address: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        return max(0, outside_read(pid, address, base, buffer.count))
    }

    /// Returns why memory cannot be read; nil if it can be.
    func problem(at address: UInt64) -> SystemError? {
        var word: UInt64 = 0
        let count = outside_read(pid, address, &word, 8)
        return count < 0 ? SystemError(code: Int32(-count)) : nil
    }

    func word(_ address: UInt64) -> UInt64? {
        var word: UInt64 = 0
        return outside_read(pid, address, &word, 8) == 8 ? word : nil
    }

    /// Returns so many words; nil where not all can be read.
    func words(_ address: UInt64, _ count: Int) -> [UInt64]? {
        let words = [UInt64](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = read(address, into: UnsafeMutableRawBufferPointer(buffer)) / 8
        }
        return words.count == count ? words : nil
    }

    /// Returns the text that ends at a NUL, at most `limit` bytes of it; nil where it cannot be read.
    func text(_ address: UInt64, limit: Int = 256) -> String? {
        var pages = MemoryPages(self)
        return pages.text(at: address, limit: limit)
    }

    /// Returns `words` words from each address, one after the other. A piece that cannot be read is 0.
    func pieces(at addresses: [UInt64], words: Int) -> [UInt64] {
        if addresses.count <= Self.pieceLimit {
            var pages = MemoryPages(self)
            return pages.pieces(at: addresses, words: words)
        }
        var result = [UInt64](repeating: 0, count: addresses.count * words)
        // Pieces of the same page are read together.
        let order = addresses.indices.sorted { addresses[$0] < addresses[$1] }
        for start in stride(from: 0, to: order.count, by: Self.pieceLimit) {
            let part = order[start..<min(order.count, start + Self.pieceLimit)]
            let read = pieces(at: part.map { addresses[$0] }, words: words)
            for (offset, index) in part.enumerated() {
                for word in 0..<words { result[index * words + word] = read[offset * words + word] }
            }
        }
        return result
    }
}
