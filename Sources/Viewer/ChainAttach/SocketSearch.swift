// SPDX-License-Identifier: MIT

import ChainSystem
import ChainWire

/// Who has to listen at a socket that was found through `/proc`.
struct SocketOwner: Hashable, Sendable {
    var process: Int32
    var user: UInt32
    /// What precedes the paths that the process sees. Nil if the path was found in a folder of this user, which is
    /// searched without `/proc`, too.
    var root: String?

    /// Calls `body` with a path of the socket for the system's functions: if a process of another user or in a container
    /// chose it, a path in its folder, which is open during the call.
    static func withPath<Result>(
        _ path: String, of owner: SocketOwner?, _ body: (String) throws(AttachError) -> Result
    ) throws(AttachError) -> Result {
        guard let owner, owner.root != nil else { return try body(path) }
        guard let folder = try OpenFolder(parentFolder(of: path), of: owner) else {
            throw AttachError(.gone, "\(path) is gone")
        }
        defer { withExtendedLifetime(folder) {} }
        return try body(folder.openPath + String(decoding: path.utf8.dropFirst(folder.path.utf8.count), as: UTF8.self))
    }
}

/// A socket that was found. Its pid is that of the process in this process's view, as far as that is known.
struct FoundSocket {
    var pid: Int32
    var path: String
    var owner: SocketOwner?

    var endpoint: Endpoint { Endpoint(kind: .unix(path: path, owner: owner)) }

    /// Whether it is the only or the first socket of its process.
    var isFirst: Bool { !path.utf8.dropFirst(parentFolder(of: path).utf8.count).contains(UInt8(ascii: "-")) }
}

/// A folder that was opened without following a link, and that its user alone may enter. Whoever replaces a part of its
/// path later does not change which folder it is.
final class OpenFolder {
    /// The folder's path in this process's view.
    let path: String
    let facts: FileFacts
    private let descriptor: Int32

    /// A path for the system's functions, which is short enough for a socket, too.
    var openPath: String { "/proc/self/fd/\(descriptor)" }

    /// The names of the sockets, by the pid in the name; under 0 those of other files.
    private(set) lazy var names: [Int32: [String]] = Dictionary(
        grouping: fileNames(in: openPath), by: { SocketFolder.pid(of: $0) ?? 0 })

    /// Opens a folder of a process's user; nil if it does not exist.
    ///
    /// Each part of the path below the root is opened for itself and never through a link, also not through one that
    /// stays below the root: a process may change links at any time, and root follows none of other users.
    init?(_ path: String, of owner: SocketOwner) throws(AttachError) {
        self.path = path
        descriptor = Self.open(path, below: owner.root ?? "")
        guard descriptor >= 0, let facts = FileFacts(of: descriptor) else {
            switch errno {
            case ENOENT, ESRCH: return nil
            case ENOTDIR, ELOOP:
                throw AttachError(
                    .foreign, "\(path) is not a folder, or its path leads through a link: it is not searched")
            default: throw AttachError.system("open the folder \(path)")
            }
        }
        self.facts = facts
        guard facts.owner == owner.user else {
            throw AttachError(.foreign, "\(path) belongs to another user (\(facts.owner)): it is not searched")
        }
        guard facts.othersPermissions == 0 else {
            throw AttachError(
                .foreign, "The folder \(path) is open to others: close it (chmod 700), and see what is in it")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Opens a folder of any user; returns -1, with `errno` set, if that fails.
    private static func open(_ path: String, below root: String) -> Int32 {
        #if os(Linux)
            // O_PATH: a folder may be entered that must not be read.
            let flags = 0x20_0000 | O_DIRECTORY | O_CLOEXEC
        #else
            let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        #endif
        var folder = openat(AT_FDCWD, root.isEmpty ? "/" : root, flags)
        // Split into bytes as the system splits it: a slash and a combining mark are one character of Swift.
        for name in path.utf8.dropFirst(root.utf8.count).split(separator: UInt8(ascii: "/")) where folder >= 0 {
            // The parent of a root is outside the root.
            let isParent = name.elementsEqual("..".utf8)
            let next = isParent ? -1 : openat(folder, String(Substring(name)), flags | O_NOFOLLOW)
            let failure = isParent ? ENOENT : errno
            close(folder)
            errno = failure
            folder = next
        }
        return folder
    }

    /// Returns the names in a folder of any user that begin with a prefix, sorted; a hundred at most, because any user
    /// can make as many names in `/tmp` as they like.
    static func names(in path: String, below root: String, beginningWith prefix: String) -> ArraySlice<String> {
        let folder = open(path, below: root)
        guard folder >= 0 else { return [] }
        defer { close(folder) }
        return fileNames(in: "/proc/self/fd/\(folder)").filter { $0.hasPrefix(prefix) }.sorted().prefix(100)
    }
}

/// A search for the sockets of processes that listen elsewhere than in the folders of this user.
struct SocketSearch {
    /// What was found: at first, the sockets in this user's folders.
    private(set) var sockets: [FoundSocket]
    /// Why a folder was not searched.
    private(set) var problem: AttachError?
    /// This user's folders, which have been searched.
    private let searched: [FileFacts]
    /// The folders of users, which many processes have in common.
    private var opened: [Place: [OpenFolder]] = [:]

    private struct Place: Hashable {
        var path: String
        var user: UInt32
    }

    init(_ sockets: [FoundSocket], in folders: [SocketFolder]) {
        self.sockets = sockets
        searched = folders.compactMap { FileFacts(at: $0.path) }
    }

    /// Adds the sockets of a process.
    mutating func add(_ places: ProcessPlaces) {
        var seen: [FileFacts] = []
        for folder in places.folders.flatMap({ open($0, of: places) }) {
            func isSame(_ facts: FileFacts) -> Bool {
                facts.device == folder.facts.device && facts.inode == folder.facts.inode
            }
            guard !seen.contains(where: isSame) else { continue }
            seen.append(folder.facts)
            if searched.contains(where: isSame) {
                name(places)
            } else {
                // A process has 99 sockets at most; more were made to delay the search.
                for name in (folder.names[places.ownPid] ?? []).prefix(99) {
                    let socket = FoundSocket(pid: places.pid, path: "\(folder.path)/\(name)", owner: places.owner)
                    if listens(places, at: socket) { sockets.append(socket) }
                }
            }
        }
    }

    /// Gives the sockets of a process in a container the pid that the process has here, if the container shares one of
    /// this user's folders.
    private mutating func name(_ places: ProcessPlaces) {
        guard places.ownPid != places.pid else { return }
        for index in sockets.indices where sockets[index].pid == places.ownPid && sockets[index].owner == nil {
            guard Endpoint.listeningProcess(at: sockets[index]) == places.pid else { continue }
            sockets[index].pid = places.pid
            sockets[index].owner = SocketOwner(process: places.pid, user: places.user, root: nil)
        }
    }

    /// Returns false if it is known that another process listens at a socket. Only processes of several containers may
    /// have the same pid, and share a folder.
    private func listens(_ places: ProcessPlaces, at socket: FoundSocket) -> Bool {
        places.ownPid == places.pid || Endpoint.listeningProcess(at: socket).map { $0 == places.pid } ?? true
    }

    /// Opens a folder of a process and, if the folder belongs to another user, the folders beside it.
    private mutating func open(_ folder: SocketFolder, of places: ProcessPlaces) -> [OpenFolder] {
        let place = Place(path: places.root + folder.path, user: places.user)
        if let known = opened[place] { return known }
        var folders: [OpenFolder] = []
        do throws(AttachError) {
            folders = try OpenFolder(place.path, of: places.owner).map { [$0] } ?? []
        } catch {
            folders = beside(folder, of: places)
            if folders.isEmpty { problem = problem ?? error }
        }
        // Kept only where other processes have the same folder, because each is an open file.
        if places.root.isEmpty { opened[place] = folders }
        return folders
    }

    private func beside(_ folder: SocketFolder, of places: ProcessPlaces) -> [OpenFolder] {
        guard let (parent, prefix) = folder.fallback else { return [] }
        let parentPath = places.root + (parent == "/" ? "" : parent)
        return OpenFolder.names(in: parentPath, below: places.root, beginningWith: prefix).compactMap {
            try? OpenFolder("\(parentPath)/\($0)", of: places.owner)
        }
    }
}
