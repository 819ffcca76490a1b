// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem
import ChainWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file of this process, which ``remove()`` or a normal exit removes. A child of a fork does not remove the file, and
/// another file that has replaced it stays.
struct OwnFile: Sendable {
    /// Nanoseconds between two calls of ``touch()``. Without these calls systemd removes files of `/tmp` after ten
    /// days.
    static let touchInterval: UInt64 = 3_600_000_000_000

    private let path: String
    private let facts: FileFacts
    private let process = getpid()
    /// Negative if there was no room to register one more. A normal exit does not remove an unregistered file.
    private let registration: Int32

    /// Registers the file at a path for removal; nil, with `errno` set, if there is no file.
    init?(_ path: String) {
        guard let facts = FileFacts(at: path) else { return nil }
        self.path = path
        self.facts = facts
        registration = chain_own_file(path)
    }

    /// Whether the file is where it was made, and has not been replaced. One `lstat`.
    var isThere: Bool { FileFacts(at: path).map { $0.device == facts.device && $0.inode == facts.inode } ?? false }

    /// Sets the times of the file, or of another file that has replaced it, to now.
    func touch() { utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW) }

    func remove() {
        chain_remove_own_file(registration)
        if registration < 0, process == getpid(), isThere { unlink(path) }
    }
}

/// Calls `make` with random names in a folder until a name is unused, 1,000 times at most; `make` returns a negative
/// error number on failure. The names are at most as long as `PID.sock`, because the system limits the length of a
/// socket's path.
///
/// - Parameter socket: the path in this folder that the file is to have later, or has already. If a path with a name as
///   above is too long for a socket, the file gets another path, which is as long as `socket`.
func makeTemporary(
    in folder: String, for socket: String = "", _ make: (String) -> Int32
) -> (path: String, result: Int32) {
    let prefix = folder == "/" ? "/" : folder + "/"
    let room = socket.utf8.count - prefix.utf8.count
    var (path, result) = ("", -EEXIST)
    for _ in 0..<1000 where result == -EEXIST || result == -EADDRINUSE {
        path = "\(prefix).\(getpid())-\(1 + chain_random() % 999)"
        if room > 0, path.utf8.count > SocketFolder.pathLimit {
            // There are 13 digits, because the highest bit is set.
            let digits = String(chain_random() | 1 << 63, radix: 36)
            path = prefix + (room == 1 ? "" : ".") + digits.suffix(max(1, room - 1))
            if path == socket { continue }
        }
        result = make(path)
    }
    return (path, result)
}

extension SocketFolder {
    /// The folders of this process's effective user, in the order in which they are tried.
    static var own: [SocketFolder] { candidates(environment: secureEnvironment, user: geteuid()) }

    /// Returns the first folder that exists or can be made, and has room for the path of a socket; the first folder if
    /// there is none. A folder that exists but must not be used, because it is a link or open to others, is returned,
    /// too: its problem is then reported.
    static func usable(of candidates: [SocketFolder]) -> SocketFolder {
        let usable = candidates.first { folder in
            guard folder.hasRoom else { return false }
            if FileFacts(at: folder.path) != nil { return true }
            return (try? folder.prepare()) != nil
        }
        return (usable ?? candidates[0]).orFallback()
    }

    /// Makes the folder where it is missing, and checks it.
    func prepare() throws(ServerFailure) {
        guard path.hasPrefix("/") else {
            throw ServerFailure("The folder of the sockets has to be an absolute path, not “\(path)”")
        }
        if mkdir(path, 0o700) == 0 {
            // The mode is set again, because `mkdir` applies the process's umask.
            chmod(path, 0o700)
        } else if errno != EEXIST {
            throw ServerFailure("The folder \(path) cannot be made", SystemError())
        }
        try check()
    }

    /// Checks that the path is a folder of this user with mode 0700, and not a link.
    func check() throws(ServerFailure) {
        switch FolderProblem(at: path) {
        case nil: return
        case .missing(let error): throw ServerFailure("The folder \(path) is not there", error)
        case .isLink:
            throw ServerFailure("\(path) is a link, which may lead to another user's folder: remove it")
        case .isNoFolder: throw ServerFailure("\(path) is not a folder: remove it, or choose another")
        case .belongsTo: throw ServerFailure("The folder \(path) belongs to another user: choose another")
        case .isOpenToOthers: throw ServerFailure("The folder \(path) is open to others: set its mode to 0700")
        case .isRestricted:
            throw ServerFailure("The folder \(path) is closed to its owner, at least in part: set its mode to 0700")
        }
    }

    /// Removes the sockets, labels, tokens and temporary files that ended processes left behind.
    func removeStale() {
        let names = fileNames(in: path)
        for name in names {
            // A dot and a pid: a temporary file that was not renamed yet.
            let socket = name.hasPrefix(".") ? name.dropFirst() + ".sock" : name[...]
            guard let pid = SocketFolder.pid(of: String(socket)), isGone(pid) else { continue }
            let file = "\(path)/\(name)"
            _ = removeIfStale(file) { isDeadSocket($0) || name.hasPrefix(".") && isUnlockedFile($0) }
        }
        for name in names where name.hasSuffix(".name") {
            let socket = name.dropLast(5) + ".sock"
            guard let pid = SocketFolder.pid(of: String(socket)), isGone(pid) else { continue }
            if FileFacts(at: "\(path)/\(socket)") == nil { unlink("\(path)/\(name)") }
        }
        for name in names where name.hasPrefix("tcp-") && name.hasSuffix(".token") {
            _ = removeIfStale("\(path)/\(name)", isStale: isUnlockedFile)
        }
    }

    private func isGone(_ pid: Int32) -> Bool { pid != getpid() && kill(pid, 0) != 0 && errno == ESRCH }

    /// Returns this folder or, if it belongs to another user, a folder of this user beside it: an existing one, else a
    /// new one with a random name. If no other folder can be made, returns this folder, too.
    func orFallback() -> SocketFolder {
        guard let facts = FileFacts(at: path), !facts.isOurs, let (parent, prefix) = fallback else { return self }
        for name in fileNames(in: parent).sorted() where name.hasPrefix(prefix) {
            let other = SocketFolder(path: (parent == "/" ? "" : parent) + "/" + name)
            if (try? other.check()) != nil { return other }
        }
        var template = Array((path + "-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { return self }
        return SocketFolder(path: template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    }
}

/// Removes the file at a path if it `isStale`; returns whether the path is free now. Another process may replace the
/// file meanwhile, so the file is moved aside, checked once more, and moved back if it is in use.
func removeIfStale(_ path: String, isStale: (String) -> Bool = isDeadSocket) -> Bool {
    guard FileFacts(at: path) != nil else { return true }
    guard isStale(path) else { return false }
    let (aside, result) = makeTemporary(in: parentFolder(of: path), for: path) { chain_rename_new(path, $0) }
    guard result == 0 else { return FileFacts(at: path) == nil }
    if isStale(aside) { unlink(aside) } else { _ = chain_rename_new(aside, path) }
    return FileFacts(at: path) == nil
}

/// Returns whether a path is a socket of this user at which no program listens. Connects instead of checking the
/// process id, because the program may run in another container.
func isDeadSocket(_ path: String) -> Bool {
    guard let facts = FileFacts(at: path) else { return false }
    return facts.isSocket && facts.isOurs && chain_try_unix(path) == -ECONNREFUSED
}

/// Returns whether a path is a file of this user without a lock: programs lock their tokens, and files that they are
/// writing. Checks the lock instead of the process id, because the program may run in another container.
package func isUnlockedFile(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    guard let facts = FileFacts(of: file), facts.isFile, facts.isOurs else { return false }
    return chain_is_locked(file) == 0
}
