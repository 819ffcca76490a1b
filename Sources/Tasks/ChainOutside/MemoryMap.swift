// SPDX-License-Identifier: MIT

import ChainSystem

/// The mapped memory of a process, from `/proc/PID/maps`.
struct MemoryMap: Sendable {
    /// Memory that is mapped from a file, or from none.
    struct Region: Sendable {
        let start: UInt64
        let end: UInt64
        /// The offset of ``start`` in the file.
        let offset: UInt64
        let isReadable: Bool
        let isWritable: Bool
        let isExecutable: Bool
        let isPrivate: Bool
        let inode: UInt64
        /// The file as the process sees it; a name in brackets, such as `[heap]`, or empty for memory without a file.
        let path: String

        var isFile: Bool { path.utf8.first == UInt8(ascii: "/") }
        func contains(_ address: UInt64) -> Bool { start <= address && address < end }
    }

    /// In the order of addresses.
    let regions: [Region]

    /// Reads the map of a process; nil, with `errno` set, if it cannot be read, which also holds for a process that has
    /// ended.
    init?(of pid: Int32) {
        guard let bytes = ProcFile.bytes("/proc/\(pid)/maps"), !bytes.isEmpty else { return nil }
        self.init(parsing: bytes)
    }

    /// Parses the text of a map; lines that are not understood are left out.
    init(parsing bytes: [UInt8]) {
        regions = bytes.split(separator: UInt8(ascii: "\n")).compactMap { Region(line: $0) }.sorted {
            $0.start < $1.start
        }
    }

    /// Returns the region that contains an address. O(log regions).
    func region(_ address: UInt64) -> Region? {
        let index = regions.count(before: { $0.end <= address })
        return index < regions.count && regions[index].start <= address ? regions[index] : nil
    }

    func isReadable(_ address: UInt64) -> Bool { region(address)?.isReadable ?? false }
    func isWritable(_ address: UInt64) -> Bool { region(address)?.isWritable ?? false }
    func isExecutable(_ address: UInt64) -> Bool { region(address)?.isExecutable ?? false }
}

extension MemoryMap.Region {
    /// Parses `start-end perms offset device inode path`.
    fileprivate init?(line: ArraySlice<UInt8>) {
        // The path, the sixth field, may contain spaces.
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count >= 5, fields[1].count == 4,
            let dash = fields[0].firstIndex(of: UInt8(ascii: "-")),
            let start = UInt64(String(decoding: fields[0][..<dash], as: UTF8.self), radix: 16),
            let end = UInt64(String(decoding: fields[0][(dash + 1)...], as: UTF8.self), radix: 16), start < end,
            let offset = UInt64(String(decoding: fields[2], as: UTF8.self), radix: 16),
            let inode = UInt64(String(decoding: fields[4], as: UTF8.self))
        else { return nil }
        let permissions = Array(fields[1])
        self.init(
            start: start, end: end, offset: offset, isReadable: permissions[0] == UInt8(ascii: "r"),
            isWritable: permissions[1] == UInt8(ascii: "w"), isExecutable: permissions[2] == UInt8(ascii: "x"),
            isPrivate: permissions[3] == UInt8(ascii: "p"), inode: inode,
            path: fields.count < 6 ? "" : String(decoding: fields[5].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self))
    }
}

extension Array {
    /// Returns how many elements come before a place; those that do come first. O(log n).
    func count(before isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Files of `/proc`, which have no size.
enum ProcFile {
    /// Returns the bytes of a file, at most `limit`; nil, with `errno` set, if it cannot be read.
    static func bytes(_ path: String, limit: Int = 256 << 20) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < limit {
            let count = read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }

    static func text(_ path: String) -> String? {
        bytes(path, limit: 64 << 10).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the text of a file of at most 255 bytes, with one call of the system for reading.
    static func shortText(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
