import CChainRuntime
import ChainSystem
import ChainWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file that this process made: removed by ``remove()``, or when the process exits; never by a child of the process, and
/// never a file that has taken its place.
struct OwnFile: Sendable {
    private let note: Int32

    init?(_ path: String) {
        note = chain_own_file(path)
        guard note >= 0 else { return nil }
    }

    func remove() { chain_remove_own_file(note) }
}

/// A name that nothing has yet, in the folder of `path`: `make` makes something there or gives a negative error number.
/// It is no longer than that of a socket, which may be as long as the system allows.
func makeTemporary(in folder: String, _ make: (String) -> Int32) -> (path: String, result: Int32) {
    var (path, result) = ("", -EEXIST)
    for _ in 0..<1000 where result == -EEXIST || result == -EADDRINUSE {
        path = "\(folder == "/" ? "" : folder)/.\(getpid())-\(1 + chain_random() % 999)"
        result = make(path)
    }
    return (path, result)
}

extension SocketFolder {
    /// The folder of the user whom this process acts for.
    static var own: SocketFolder { SocketFolder(environment: secureEnvironment, user: geteuid()) }

    /// Makes the folder where it is not there, and checks that it is this user's alone.
    func prepare() throws(ServerFailure) {
        guard path.hasPrefix("/") else {
            throw ServerFailure("The folder of the sockets has to be an absolute path, not “\(path)”")
        }
        if mkdir(path, 0o700) == 0 {
            // Whatever the process's umask has taken away.
            chmod(path, 0o700)
        } else if errno != EEXIST {
            throw ServerFailure("The folder \(path) cannot be made", SystemError())
        }
        try check()
    }

    /// Checks that the folder is a real one of this user, closed to all others.
    func check() throws(ServerFailure) {
        switch FolderProblem(at: path) {
        case nil: return
        case .missing(let error): throw ServerFailure("The folder \(path) is not there", error)
        case .isLink:
            throw ServerFailure("\(path) is a link, which may lead to somebody else's folder: remove it")
        case .isNoFolder: throw ServerFailure("\(path) is no folder: remove it, or choose another")
        case .belongsTo: throw ServerFailure("The folder \(path) belongs to another user: choose another")
        case .isOpenToOthers, .isRestricted:
            throw ServerFailure("The folder \(path) is open to others: set its mode to 0700")
        }
    }

    /// Removes what processes that are gone have left.
    func removeStale() {
        let names = fileNames(in: path)
        for name in names {
            // A dot and a pid: a file that was not given its name yet.
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

    /// This folder, or where another user has taken its name one beside it that is the user's own: one that is there, else
    /// a new one with a random name.
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

/// Whether nothing is at `path` now; what `isStale` was removed. Another process may put its own file there meanwhile: so
/// the file is moved aside, looked at once more, and moved back if it is alive.
func removeIfStale(_ path: String, isStale: (String) -> Bool = isDeadSocket) -> Bool {
    guard FileFacts(at: path) != nil else { return true }
    guard isStale(path) else { return false }
    let (aside, result) = makeTemporary(in: parentFolder(of: path)) { chain_rename_new(path, $0) }
    guard result == 0 else { return FileFacts(at: path) == nil }
    if isStale(aside) { unlink(aside) } else { _ = chain_rename_new(aside, path) }
    return FileFacts(at: path) == nil
}

/// Whether a path is a socket of this user at which no program listens. Found by connecting, not by the process id: the
/// program may run in another container, where this process cannot see it.
func isDeadSocket(_ path: String) -> Bool {
    guard let facts = FileFacts(at: path) else { return false }
    return facts.isSocket && facts.isOurs && chain_try_unix(path) == -ECONNREFUSED
}

/// Whether a file of this user's is there that was locked by a program, as tokens are and what is being written; now that
/// program has ended, or has closed it. Not its process is asked, which may be in another container.
func isUnlockedFile(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    guard let facts = FileFacts(of: file), facts.isFile, facts.isOurs else { return false }
    return chain_is_locked(file) == 0
}
