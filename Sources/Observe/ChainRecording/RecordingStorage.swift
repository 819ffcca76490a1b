// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The destination of a recording's bytes.
package protocol RecordingStorage {
    /// Writes all bytes at an offset; if it throws, some of them may have been written.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(SystemError)

    /// Cuts off everything after the first `count` bytes.
    func truncate(to count: UInt64) throws(SystemError)

    /// Whether the file has lost its last name, so that its bytes are lost once it is closed.
    var isRemoved: Bool { get }
}

extension RecordingStorage {
    /// False, because memory has no name.
    package var isRemoved: Bool { false }
}

/// A file that is being recorded into: of mode 0600, because a recording holds texts of the program.
///
/// Written bytes survive the end of this process, however it ends, but not a crash of the system: nothing waits for the
/// disk.
package final class RecordingFileStorage: RecordingStorage, Sendable {
    private let path: String
    private let isNew: Bool
    private let file: Descriptor
    /// Whether the file had a name at first. A file without a name, such as a temporary file at `/dev/fd/3`, is not
    /// removed.
    private let hadName: Bool

    /// Uses an empty file that is open for writing.
    package init(_ file: Descriptor) {
        (path, isNew, self.file) = ("", false, file)
        hadName = linkCount(of: file.number) > 0
    }

    /// Creates the file, or opens an existing one, which keeps its content until it is written to.
    ///
    /// - Parameter overwrites: whether the file may exist already; if not, an existing file is an error (`EEXIST`).
    package init(path: String, overwrites: Bool) throws(SystemError) {
        self.path = path
        let created = chain_open_to_write(path, false)
        isNew = created >= 0 || !overwrites
        file = Descriptor(owning: try SystemError.check(isNew ? created : chain_open_to_write(path, true)))
        hadName = linkCount(of: file.number) > 0
    }

    package var isRemoved: Bool { hadName && linkCount(of: file.number) == 0 }

    /// Gives the file to a user and a group, unless it existed before. A file system without owners ignores that.
    package func setOwner(_ user: uid_t, _ group: gid_t) { if isNew { _ = fchown(file.number, user, group) } }

    /// Removes the file, unless it existed before; for a recording that has not begun.
    package func discard() { if isNew, !isRemoved { unlink(path) } }

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
