import CChainRuntime
import ChainSystem

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Where the bytes of a recording go.
package protocol RecordingStorage {
    /// Writes all bytes at an offset; where it throws, some may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError)

    /// Cuts everything behind so many bytes off.
    func truncate(to count: UInt64) throws(SystemError)
}

/// A file that is being recorded into: of mode 0600, because a recording holds texts of the program.
///
/// What was written survives the end of this process, whatever ends it, but not that of the system: nothing waits for
/// the disk.
package final class RecordingFileStorage: RecordingStorage, Sendable {
    private let file: Descriptor

    /// Creates the file.
    ///
    /// - Parameter overwrites: whether a file of that name is emptied first; else it is an error (`EEXIST`).
    package init(path: String, overwrites: Bool) throws(SystemError) {
        file = Descriptor(owning: try SystemError.check(chain_open_to_write(path, overwrites)))
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError) {
        var (rest, offset) = (bytes, offset)
        while !rest.isEmpty {
            let count = pwrite(file.number, rest.baseAddress, rest.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SystemError(code: count < 0 ? errno : EIO) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            offset += UInt64(count)
        }
    }

    package func truncate(to count: UInt64) throws(SystemError) {
        while ftruncate(file.number, off_t(count)) != 0 {
            guard errno == EINTR else { throw SystemError() }
        }
    }
}
