#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The error of a file or folder that cannot be read.
struct DiskError: Error, CustomStringConvertible {
    var path: String
    var code: Int32

    var description: String { "\(path): \(String(cString: strerror(code)))" }
}

/// The size of a file and the sum of its bytes.
struct Checksum: Sendable, CustomStringConvertible {
    var byteCount: Int
    var value: UInt64

    var description: String { "\(byteCount) \(byteCount == 1 ? "byte" : "bytes"), \(String(value, radix: 16))" }
}

/// The file system, as far as the demo needs it.
struct Disk: Sendable {
    private static let blockSize = 1 << 16

    func isFolder(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the names in a folder, sorted, without hidden ones. Links count as files, so that no walk is endless.
    func list(_ path: String) throws(DiskError) -> (files: [String], folders: [String]) {
        guard let folder = opendir(path) else { throw DiskError(path: path, code: errno) }
        defer { closedir(folder) }
        var files: [String] = []
        var folders: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(".") { continue }
            var info = stat()
            guard lstat("\(path)/\(name)", &info) == 0 else { continue }
            switch info.st_mode & S_IFMT {
            case S_IFDIR: folders.append(name)
            case S_IFREG, S_IFLNK: files.append(name)
            default: break
            }
        }
        return (files.sorted(), folders.sorted())
    }

    /// Returns the size of a file and the sum of its bytes (FNV-1a, Fowler, Noll and Vo), read a block at a time.
    func checksum(_ path: String, isCancelled: () -> Bool) throws -> Checksum {
        // Not blocking, because the file may have been replaced by a pipe since it was listed.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(path: path, code: errno) }
        defer { close(descriptor) }
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        var byteCount = 0
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.blockSize, alignment: 8)
        defer { block.deallocate() }
        while !isCancelled() {
            let count = read(descriptor, block.baseAddress, block.count)
            guard count >= 0 else { throw DiskError(path: path, code: errno) }
            if count == 0 { return Checksum(byteCount: byteCount, value: sum) }
            byteCount += count
            for byte in block[..<count] { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        throw DemoContext.Stopped()
    }
}

// SPDX-License-Identifier: MIT
