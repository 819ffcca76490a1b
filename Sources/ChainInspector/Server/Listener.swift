import CChainRuntime
import ChainWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A socket that viewers connect to, with the files that belong to it.
struct Listener: Sendable {
    let descriptor: Int32
    /// As `chainview attach` takes it.
    let address: String
    /// What a viewer has to show; nil where the system tells who it is.
    let token: [UInt8]?
    private let file: OwnFile?

    init(_ endpoint: Endpoint, folder: SocketFolder) throws(ServerFailure) {
        switch endpoint {
        case .unix: try self.init(in: folder)
        case .unixPath(let path): try self.init(path: path)
        case .tcp(let port): try self.init(port: port, folder: folder)
        }
    }

    /// Ends listening, and takes the files away.
    func close() {
        file?.remove()
        chain_close(descriptor)
    }

    // MARK: Unix sockets

    private init(in folder: SocketFolder) throws(ServerFailure) {
        try folder.prepare()
        folder.removeStale()
        // A process may have several inspectors.
        for number in 1...99 {
            let path = folder.socketPath(pid: getpid(), number: number)
            guard path.utf8.count <= SocketFolder.pathLimit else { throw Listener.tooLong(path) }
            guard removeIfStale(path) else { continue }
            let new = "\(folder.path)/.\(getpid())-\(number)"
            try self.init(path: path, new: new, check: folder.check)
            return
        }
        throw ServerFailure("This process has 99 sockets in \(folder.path) already")
    }

    private init(path: String) throws(ServerFailure) {
        guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw ServerFailure("The path of a socket has to be an absolute one, not “\(path)”")
        }
        guard path.utf8.count <= SocketFolder.pathLimit else { throw Listener.tooLong(path) }
        let slash = path.lastIndex(of: "/")!
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        func check() throws(ServerFailure) {
            guard let facts = FileFacts(at: folder) else {
                throw ServerFailure("The folder \(folder) is not there", errorNumber: errno)
            }
            guard facts.isFolder else { throw ServerFailure("\(folder) is no folder") }
            guard facts.isOurs, facts.rightsOfOthers & 0o022 == 0 else {
                throw ServerFailure("Others may write to the folder \(folder): a socket there could be replaced")
            }
        }
        try check()
        guard removeIfStale(path) else {
            throw ServerFailure("There is something at \(path) already, and it is no socket that nobody listens on")
        }
        try self.init(path: path, new: "\(folder)/.\(getpid())-1", check: check)
    }

    private static func tooLong(_ path: String) -> ServerFailure {
        ServerFailure(
            "The path \(path) is too long for a socket: it has \(path.utf8.count) bytes, and at most "
                + "\(SocketFolder.pathLimit) are allowed")
    }

    /// Listens under another name first, so that whoever finds the socket finds it listening.
    private init(path: String, new: String, check: () throws(ServerFailure) -> Void) throws(ServerFailure) {
        if FileFacts(at: new)?.isSocket == true { unlink(new) }
        let listener = chain_listen_unix(new)
        guard listener >= 0 else {
            throw ServerFailure("There is no listening at \(path)", errorNumber: -listener)
        }
        do throws(ServerFailure) {
            // Who could replace the folder after it was looked at would have his own one now.
            try check()
            guard rename(new, path) == 0 else {
                throw ServerFailure("A socket cannot be named \(path)", errorNumber: errno)
            }
        } catch {
            unlink(new)
            chain_close(listener)
            throw error
        }
        descriptor = listener
        address = "unix:\(path)"
        token = nil
        file = OwnFile(path)
    }

    // MARK: TCP

    private init(port: UInt16, folder: SocketFolder) throws(ServerFailure) {
        try folder.prepare()
        var chosen: UInt16 = 0
        var isV6 = false
        let listener = chain_listen_tcp(port, &chosen, &isV6)
        guard listener >= 0 else {
            throw ServerFailure("There is no listening on the port \(port)", errorNumber: -listener)
        }
        do throws(ServerFailure) {
            let (token, file) = try Token.make(at: folder.tokenPath(port: chosen))
            self.token = token
            self.file = file
        } catch {
            chain_close(listener)
            throw error
        }
        descriptor = listener
        address = isV6 ? "tcp:[::1]:\(chosen)" : "tcp:127.0.0.1:\(chosen)"
    }
}
