// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation

/// The output of an export: standard output, a device or pipe, or a file that only its owner can read and write. The
/// output is written in pieces of some 64 KiB.
///
/// An existing file stays as it is until ``end()`` replaces it. If the name is a symbolic link, the file that the link
/// leads to is replaced. A new file is removed if nothing was written to it and ``end()`` was not called.
final class ExportOutput {
    private let descriptor: Int32
    private let path: String?
    /// How the file is replaced by ``end()``; nil if `path` itself is written.
    private let replacement: FileReplacement?
    /// Whether this object creates the file that it writes; false for devices, pipes and standard output.
    private let createsFile: Bool
    /// Whether the file had a name at first. Devices and pipes may have none.
    private let hadName: Bool
    /// Whether a new file is removed on release.
    private var isRemovable = true
    private var buffered = ""

    /// Opens a file; nil or `-` is standard output.
    init(_ name: String?, overwrites: Bool) throws {
        guard let name, name != "-" else {
            (descriptor, path, replacement, createsFile, hadName) = (STDOUT_FILENO, nil, nil, false, false)
            return
        }
        var facts = stat()
        let exists = stat(name, &facts) == 0
        if overwrites, !exists, lstat(name, &facts) == 0 { throw Failure(notWritten: name, ENOENT) }
        // Devices and pipes are written to, and not replaced.
        let isSpecial = exists && facts.st_mode & S_IFMT != S_IFREG
        replacement = overwrites && exists && !isSpecial ? FileReplacement(of: name) : nil
        path = replacement?.path ?? name
        createsFile = !isSpecial
        let written = replacement?.temporary ?? name
        descriptor = open(written, O_WRONLY | O_CREAT | O_CLOEXEC | (isSpecial ? 0 : O_EXCL), 0o600)
        hadName = createsFile && descriptor >= 0 && linkCount(of: descriptor) > 0
        guard descriptor < 0 else {
            if createsFile { InvokingUser.own(descriptor) }
            return
        }
        throw failure
    }

    deinit {
        guard let path, descriptor >= 0 else { return }
        close(descriptor)
        if let replacement { unlink(replacement.temporary) } else if createsFile, isRemovable { unlink(path) }
    }

    /// Writes the buffered text, and replaces an existing file.
    func end() throws {
        try flush()
        try checkName()
        isRemovable = false
        guard let replacement else { return }
        guard replacement.finish() else { throw failure }
    }

    private var failure: Failure { Failure(notWritten: path ?? "-", errno) }

    /// Throws if the new file has lost its name since it was made: what is written is lost then.
    private func checkName() throws {
        guard let path, hadName, replacement == nil, linkCount(of: descriptor) == 0 else { return }
        throw Failure(
            status: .inputOutput, message: "\(DisplayText.shown(path)) was removed while it was being written.")
    }

    func write(_ text: String) throws {
        buffered += text
        if buffered.utf8.count > 1 << 16 { try flush() }
    }

    func flush() throws {
        guard !buffered.isEmpty else { return }
        let text = buffered
        buffered = ""
        guard path != nil else { return try Streams.print(text) }
        // If already the first text fails, as on a full disk, the file is removed.
        guard Streams.write(text, to: descriptor) else { throw failure }
        try checkName()
        isRemovable = false
    }
}
