import Foundation

/// Where an export is written: standard output, or a new file for its user only, in pieces of some 64 KiB.
///
/// An existing file stays as it is until ``end()`` replaces it; a symbolic link leads to the file that is replaced. A new
/// file is removed if nothing was written to it and ``end()`` was not called.
final class ExportOutput {
    private let descriptor: Int32
    private let path: String?
    /// The temporary file that is written until ``end()``; nil if `path` itself is written.
    private let temporary: String?
    /// Whether the file is created here; devices and pipes are not.
    private let isNew: Bool
    private var isEmpty = true
    private var buffered = ""

    /// Opens a file; nil or `-` is standard output.
    init(_ name: String?, overwrites: Bool) throws {
        guard let name, name != "-" else {
            (descriptor, self.path, temporary, isNew) = (STDOUT_FILENO, nil, nil, false)
            return
        }
        var facts = stat()
        let exists = stat(name, &facts) == 0
        // Devices and pipes are written to, and not replaced.
        let isSpecial = exists && facts.st_mode & S_IFMT != S_IFREG
        let replaces = overwrites && exists && !isSpecial
        let path = replaces ? Self.target(of: name) : name
        temporary = replaces ? "\(path).\(getpid())" : nil
        isNew = !isSpecial
        descriptor = open(temporary ?? path, O_WRONLY | O_CREAT | O_CLOEXEC | (isSpecial ? 0 : O_EXCL), 0o600)
        self.path = path
        guard descriptor < 0 else { return }
        throw failure
    }

    /// Returns the file that a symbolic link leads to, or the path itself.
    private static func target(of path: String) -> String {
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFLNK else { return path }
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    deinit {
        guard let path, descriptor >= 0 else { return }
        close(descriptor)
        if let temporary { unlink(temporary) } else if isNew, isEmpty { unlink(path) }
    }

    /// Writes the buffered text, and replaces the file.
    func end() throws {
        isEmpty = false
        try flush()
        guard let path, let temporary else { return }
        guard rename(temporary, path) == 0 else { throw failure }
    }

    private var failure: Failure { Failure(notWritten: path ?? "-", errno) }

    func write(_ text: String) throws {
        buffered += text
        if buffered.utf8.count > 1 << 16 { try flush() }
    }

    func flush() throws {
        guard !buffered.isEmpty else { return }
        let text = buffered
        buffered = ""
        guard path != nil else { return try Streams.print(text) }
        isEmpty = false
        guard Streams.write(text, to: descriptor) else { throw failure }
    }
}
