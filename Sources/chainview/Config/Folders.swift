import Foundation

/// Where a user's files are (https://specifications.freedesktop.org/basedir-spec): a relative path in a variable counts as
/// none.
struct Folders {
    /// Variables by name; nil where there is none.
    var environment: @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }

    /// The configuration file, unless another is named; nil for who has no home.
    var configuration: String? { place("XDG_CONFIG_HOME", ".config").map { $0 + "/chainview/config.toml" } }

    /// What is remembered of each program.
    var state: String? { place("XDG_STATE_HOME", ".local/state").map { $0 + "/chainview" } }

    private func place(_ variable: String, _ below: String) -> String? {
        if let named = absolute(variable) { return named }
        return absolute("HOME").map { ($0 == "/" ? "" : $0) + "/" + below }
    }

    private func absolute(_ variable: String) -> String? {
        environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}

/// Reads files that a user may have written by hand.
enum SmallFile {
    /// Why a text cannot be had.
    enum Trouble: Error, Equatable {
        case missing
        /// In words: `cannot be read (Permission denied)`.
        case unreadable(String)
    }

    /// A file of text; nobody writes more than `limit` bytes.
    static func read(_ path: String, limit: Int = 1 << 20) throws(Trouble) -> String {
        // Neither a pipe nor a terminal holds chainview up.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .missing : .unreadable("cannot be read (\(DisplayText.system()))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unreadable("is no file")
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
        // To the parser the text would end there.
        guard !bytes.contains(0) else { throw .unreadable("is no text: it has a zero byte") }
        return text
    }

    /// Puts a text in a file's place, whole or not at all, for nobody else to read. The folder is made.
    static func replace(_ path: String, with text: String) throws(Trouble) {
        let folder = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw .unreadable("has no folder, and it cannot be made") }
        let temporary = "\(folder)/.\(getpid()).\(UInt32.random(in: 0 ... .max)).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unreadable("cannot be written (\(DisplayText.system()))") }
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
