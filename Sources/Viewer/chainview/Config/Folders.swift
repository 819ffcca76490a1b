// SPDX-License-Identifier: MIT

import Foundation

/// The folders of the user's files (https://specifications.freedesktop.org/basedir-spec). A relative path in a variable
/// is ignored.
struct Folders {
    /// Returns a variable of the environment, or nil.
    var environment: @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }

    /// The path of the configuration file; nil without a home folder.
    var configuration: String? { path("XDG_CONFIG_HOME", ".config").map { $0 + "/chainview/config.toml" } }

    /// The folder of saved settings; nil without a home folder.
    var state: String? { path("XDG_STATE_HOME", ".local/state").map { $0 + "/chainview" } }

    private func path(_ variable: String, _ below: String) -> String? {
        if let named = absolute(variable) { return named }
        return absolute("HOME").map { ($0 == "/" ? "" : $0) + "/" + below }
    }

    private func absolute(_ variable: String) -> String? {
        environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

/// Access to small files, which a user may have written by hand.
enum SmallFile {
    /// The error of a file that cannot be read or written.
    enum Problem: Error, Equatable {
        case missing
        /// The file cannot be read or written. The reason follows the path: `cannot be read (Permission denied)`.
        case unreadable(String)
    }

    /// Returns the text of a file of at most `limit` bytes.
    static func read(_ path: String, limit: Int = 1 << 20) throws(Problem) -> String {
        // Non-blocking, because opening a pipe or a terminal may wait.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .missing : .unreadable("cannot be read (\(DisplayText.system()))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable("is not a file")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable("cannot be read (\(DisplayText.system()))") }
            if count == 0 { break }
            bytes += buffer[..<count]
            guard bytes.count <= limit else { throw .unreadable("is larger than \(limit >> 10) KiB") }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .unreadable("is not UTF-8") }
        // A zero byte is refused, because the parser would end the text at it.
        guard !bytes.contains(0) else { throw .unreadable("is not text: it has a zero byte") }
        return text
    }

    /// Replaces a file atomically; the new file is readable by the user only. Creates the folder if there is none.
    static func replace(_ path: String, with text: String) throws(Problem) {
        let folder = (path as NSString).deletingLastPathComponent
        let isNew = !FileManager.default.fileExists(atPath: folder)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw .unreadable("has no folder, and the folder cannot be created") }
        if isNew { InvokingUser.own(folder: folder) }
        let temporary = "\(folder)/.\(getpid()).\(UInt32.random(in: 0 ... .max)).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unreadable("cannot be written (\(DisplayText.system()))") }
        InvokingUser.own(descriptor)
        let isWritten = Streams.write(text, to: descriptor) && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            let reason = DisplayText.system(isWritten ? errno : code)
            unlink(temporary)
            throw .unreadable("cannot be written (\(reason))")
        }
    }
}
