import CChainOutside
import ChainSystem

/// The memory of another process. It is read while the process runs, so that two reads may show two different states of
/// it. Nothing is written, and no thread is stopped.
struct ProcessMemory: Sendable {
    let pid: Int32

    /// The greatest number of pieces of one ``pieces(at:words:)`` call of the system.
    private static let pieceLimit = 512

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
        var bytes: [UInt8] = []
        var next = address
        while bytes.count < limit {
            // Up to the end of a page, because the next page may be missing.
            let count = min(limit - bytes.count, 4096 - Int(next & 4095))
            let part = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = read(next, into: UnsafeMutableRawBufferPointer(buffer))
            }
            guard !part.isEmpty else { return nil }
            if let end = part.firstIndex(of: 0) {
                bytes += part[..<end]
                break
            }
            bytes += part
            next += UInt64(part.count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns `words` words from each address, one after the other. A piece that cannot be read is 0.
    func pieces(at addresses: [UInt64], words: Int) -> [UInt64] {
        let size = words * 8
        return [UInt64](unsafeUninitializedCapacity: addresses.count * words) { buffer, filled in
            buffer.initialize(repeating: 0)
            filled = addresses.count * words
            addresses.withUnsafeBufferPointer { addresses in
                var index = 0
                while index < addresses.count {
                    let count = min(Self.pieceLimit, addresses.count - index)
                    let read = outside_read_pieces(
                        pid, addresses.baseAddress! + index, count, size, buffer.baseAddress! + index * words)
                    // The piece after the last one that was read cannot be read.
                    if read < count {
                        let failed = index + max(0, read)
                        UnsafeMutableBufferPointer(rebasing: buffer[failed * words..<(failed + 1) * words])
                            .update(repeating: 0)
                    }
                    index += max(0, read) + (read < count ? 1 : 0)
                }
            }
        }
    }
}
