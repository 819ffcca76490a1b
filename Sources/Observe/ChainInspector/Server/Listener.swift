// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A listening socket for viewers, with its files.
struct Listener: Sendable {
    let descriptor: Descriptor
    /// The address in the form of `chainview attach`.
    let address: String
    /// The token that a viewer has to send; nil where the system identifies the viewer's user.
    private(set) var token: [UInt8]?
    /// The socket first.
    private var files: [OwnFile]
    /// The open file of the token, which is locked until this descriptor is closed.
    private var lock: Descriptor?
    /// The TCP port; 0 for a Unix socket.
    private var port: UInt16 = 0

    init(_ endpoint: InspectorEndpoint, folder: SocketFolder, of program: ProcessDescription) throws(ServerFailure) {
        switch endpoint {
        case .unix: try self.init(in: folder, of: program)
        case .unixPath(let path): try self.init(path: path)
        case .tcp(let port): try self.init(port: port, folder: folder)
        }
    }

    // MARK: Files

    /// Whether its files are there: cleaners of `/tmp` remove old files, and a logout removes `/run/user/UID`.
    var hasFiles: Bool { !files.isEmpty && files.allSatisfy(\.isThere) }

    /// Makes the files again that were removed or replaced: for a socket, a new one, maybe at another path, because a
    /// name cannot be given back to a socket. Connected viewers notice nothing. After a failure ``hasFiles`` is false.
    mutating func restoreFiles(
        _ endpoint: InspectorEndpoint, folder: SocketFolder, of program: ProcessDescription
    ) throws(ServerFailure) {
        if case .tcp = endpoint {
            removeFiles()
            try folder.prepare()
            let made = try Token.make(at: folder.tokenPath(port: port))
            lock?.close()
            (token, files, lock) = (made.token, [made.file], made.lock)
        } else if let socket = files.first, socket.isThere {
            // Viewers ask a program that has no label, so that a failure changes nothing.
            for label in files.dropFirst() { label.remove() }
            files = [socket]
            if let label = Listener.writeLabel(of: program, at: String(address.dropFirst(5))) { files.append(label) }
        } else {
            removeFiles()
            let lost = descriptor
            self = try Listener(endpoint, folder: folder, of: program)
            lost.close()
        }
    }

    /// Removes the files, before new ones are made: a new file may get the inode of one that is gone, and would be
    /// removed in its place.
    private mutating func removeFiles() {
        for file in files { file.remove() }
        files = []
    }

    /// Keeps the files from being removed as old files.
    func touch() { for file in files { file.touch() } }

    /// Closes the socket and removes the files.
    func close() {
        for file in files { file.remove() }
        descriptor.close()
        lock?.close()
    }

    // MARK: Unix sockets

    private init(in folder: SocketFolder, of program: ProcessDescription) throws(ServerFailure) {
        try folder.prepare()
        folder.removeStale()
        // Several paths are tried, because a process may have several inspectors.
        var number = 0
        try self.init(in: folder.path, check: folder.check, label: program) { () throws(ServerFailure) in
            number += 1
            guard number < 100 else {
                throw ServerFailure("This process has 99 sockets in \(folder.path) already")
            }
            return folder.socketPath(pid: getpid(), number: number)
        }
    }

    private init(path: String) throws(ServerFailure) {
        guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw ServerFailure("The path of a socket has to be an absolute one, not “\(path)”")
        }
        let folder = parentFolder(of: path)
        func check() throws(ServerFailure) {
            guard let facts = FileFacts(at: folder) else {
                throw ServerFailure("The folder \(folder) is not there", SystemError())
            }
            guard facts.isFolder else { throw ServerFailure("\(folder) is not a folder") }
            guard facts.isOurs, facts.othersPermissions & 0o022 == 0 else {
                throw ServerFailure("Others may write to the folder \(folder): a socket there could be replaced")
            }
        }
        try check()
        var isTaken = false
        try self.init(in: folder, check: check, label: nil) { () throws(ServerFailure) in
            guard !isTaken else {
                throw ServerFailure(
                    "There is a file at \(path) already: it is no socket, or a program listens there")
            }
            isTaken = true
            return path
        }
    }

    private static func tooLong(_ path: String) -> ServerFailure {
        ServerFailure(
            "The path \(path) is too long for a socket: it has \(path.utf8.count) bytes, and at most "
                + "\(SocketFolder.pathLimit) are allowed")
    }

    /// Listens under a temporary name first, so that every socket that viewers can find already listens. Then renames
    /// the socket to the first free path. Another process may try the same path at the same time, even a process with
    /// the same pid in another container; a socket on which a program listens is never replaced.
    private init(
        in folder: String, check: () throws(ServerFailure) -> Void, label: ProcessDescription?,
        nextPath: () throws(ServerFailure) -> String
    ) throws(ServerFailure) {
        var path = try nextPath()
        guard path.utf8.count <= SocketFolder.pathLimit else { throw Listener.tooLong(path) }
        let (new, listener) = makeTemporary(in: folder, for: path) { chain_listen_unix($0) }
        guard listener >= 0 else {
            throw ServerFailure("There is no listening at \(path)", SystemError(code: -listener))
        }
        do throws(ServerFailure) {
            // Checked again, because another user may have replaced the folder since the first check.
            try check()
            while true {
                let result = removeIfStale(path) ? chain_rename_new(new, path) : -EEXIST
                if result == 0 { break }
                guard result == -EEXIST else {
                    throw ServerFailure("A socket cannot be named \(path)", SystemError(code: -result))
                }
                path = try nextPath()
                guard path.utf8.count <= SocketFolder.pathLimit else { throw Listener.tooLong(path) }
            }
        } catch {
            unlink(new)
            chain_close(listener)
            throw error
        }
        descriptor = Descriptor(owning: listener)
        address = "unix:\(path)"
        token = nil
        lock = nil
        files = [OwnFile(path), label.flatMap { Listener.writeLabel(of: $0, at: path) }].compactMap { $0 }
    }

    /// Writes the program's name beside its socket. Failures are ignored, because viewers can ask the program instead.
    private static func writeLabel(of program: ProcessDescription, at path: String) -> OwnFile? {
        guard let socket = FileFacts(at: path) else { return nil }
        let label = SocketLabel(inode: socket.inode, process: program.key, name: program.name)
        let bytes = Array(label.text.utf8)
        guard bytes.count <= SocketLabel.sizeLimit else { return nil }
        let (new, file) = makeTemporary(in: parentFolder(of: path)) { chain_create_locked($0) }
        guard file >= 0 else { return nil }
        defer { chain_close(file) }
        let labelPath = SocketFolder.labelPath(of: path)
        guard fchmod(file, 0o600) == 0, write(file, bytes, bytes.count) == bytes.count, rename(new, labelPath) == 0
        else {
            unlink(new)
            return nil
        }
        return OwnFile(labelPath)
    }

    // MARK: TCP

    private init(port: UInt16, folder: SocketFolder) throws(ServerFailure) {
        try folder.prepare()
        folder.removeStale()
        var chosen: UInt16 = 0
        var isV6 = false
        let listener = chain_listen_tcp(port, &chosen, &isV6)
        guard listener >= 0 else {
            throw ServerFailure("There is no listening on the port \(port)", SystemError(code: -listener))
        }
        do throws(ServerFailure) {
            let made = try Token.make(at: folder.tokenPath(port: chosen))
            token = made.token
            files = [made.file]
            lock = made.lock
        } catch {
            chain_close(listener)
            throw error
        }
        descriptor = Descriptor(owning: listener)
        self.port = chosen
        address = isV6 ? "tcp:[::1]:\(chosen)" : "tcp:127.0.0.1:\(chosen)"
    }
}
