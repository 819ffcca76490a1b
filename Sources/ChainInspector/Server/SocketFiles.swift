import CChainRuntime
import ChainWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a path leads to, links not followed.
struct FileFacts: Equatable {
    let device: UInt64
    let inode: UInt64
    private let mode: UInt32
    private let owner: UInt32

    /// Nil where there is nothing.
    init?(at path: String) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: facts.st_dev)
        inode = UInt64(facts.st_ino)
        mode = UInt32(facts.st_mode)
        owner = facts.st_uid
    }

    var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
    var isLink: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFLNK) }
    var isSocket: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFSOCK) }
    var isOurs: Bool { owner == geteuid() }
    /// What the group and others may do.
    var rightsOfOthers: UInt32 { mode & 0o077 }
    var rightsOfOwner: UInt32 { mode & 0o700 }
}

/// A file that this process made and takes away again, if it is still the same one.
struct OwnFile: Sendable {
    let path: String
    private let device: UInt64
    private let inode: UInt64

    init?(_ path: String) {
        guard let facts = FileFacts(at: path) else { return nil }
        self.path = path
        (device, inode) = (facts.device, facts.inode)
    }

    func remove() {
        guard let facts = FileFacts(at: path), facts.device == device, facts.inode == inode else { return }
        unlink(path)
    }
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
            throw ServerFailure("The folder \(path) cannot be made", errorNumber: errno)
        }
        try check()
    }

    /// Checks that the folder is a real one, of this user, that nobody else can look into.
    func check() throws(ServerFailure) {
        guard let facts = FileFacts(at: path) else {
            throw ServerFailure("The folder \(path) is not there", errorNumber: errno)
        }
        guard !facts.isLink else {
            throw ServerFailure("\(path) is a link, which may lead to somebody else's folder: remove it")
        }
        guard facts.isFolder else { throw ServerFailure("\(path) is no folder: remove it, or choose another") }
        guard facts.isOurs else { throw ServerFailure("The folder \(path) belongs to another user: choose another") }
        guard facts.rightsOfOthers == 0, facts.rightsOfOwner == 0o700 else {
            throw ServerFailure("The folder \(path) is open to others: set its mode to 0700")
        }
    }

    /// Takes away what processes that are gone have left.
    func removeStale() {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        var entryCount = 0
        while let entry = readdir(folder), entryCount < 10_000 {
            entryCount += 1
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            // A dot and a pid: a socket that was not given its name yet.
            let socket = name.hasPrefix(".") ? name.dropFirst() + ".sock" : name[...]
            guard let pid = SocketFolder.pid(of: String(socket)), pid != getpid() else { continue }
            guard kill(pid, 0) != 0, errno == ESRCH else { continue }
            _ = removeIfStale("\(path)/\(name)")
        }
    }
}

/// Whether nothing is at `path` now; a socket of this user's on which nobody listens was taken away.
///
/// Both are asked, the process and the socket: in another container there may be a process that this one cannot see.
func removeIfStale(_ path: String) -> Bool {
    guard let facts = FileFacts(at: path) else { return true }
    guard facts.isSocket, facts.isOurs, chain_try_unix(path) == -ECONNREFUSED else { return false }
    return unlink(path) == 0
}
