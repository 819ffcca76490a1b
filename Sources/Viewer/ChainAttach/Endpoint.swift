// SPDX-License-Identifier: MIT

import ChainSystem
import ChainWire

/// The address of a program; made by ``Discovery/resolve(_:)``.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        /// Without an owner any process of this user, of root or, for root, of any user may listen at the path.
        case unix(path: String, owner: SocketOwner? = nil)
        case tcp(host: String, port: UInt16, token: TokenFile)
        case ssh(program: String, host: String, process: String)
        case exec(program: String, arguments: [String])
    }

    /// The file of the token for a TCP port.
    struct TokenFile: Hashable, Sendable {
        var path: String
        /// Whether a program of this machine wrote the file, and keeps it locked.
        var isLocked: Bool
    }

    let kind: Kind

    /// The endpoint in the form that ``Target/init(_:)`` parses.
    package var description: String {
        switch kind {
        case .unix(let path, _): "unix:\(path)"
        case .tcp(let host, let port, _): Target.tcp(host: host, port: port).description
        case .ssh(_, let host, let process): "ssh:\(host)/\(process)"
        case .exec(let program, let arguments): Target.exec(program: program, arguments: arguments).description
        }
    }

    /// The time limit for the answer to the greeting; longer through a command, because another machine may be slow to
    /// reach.
    var answerLimit: Duration {
        switch kind {
        case .ssh, .exec: .seconds(30)
        case .unix, .tcp: .seconds(5)
        }
    }

    /// Begins to connect.
    func open() throws(AttachError) -> Opening {
        switch kind {
        case .unix(let path, let owner): return Opening(socket: try Self.connect(path: path, owner))
        case .tcp(let host, let port, let file):
            let token = try SafeFiles.token(in: file.path, requiresLock: file.isLocked)
            return Opening(socket: try Self.connect(host: host, port: port), token: token, isConnecting: true)
        case .ssh(let program, let host, let process):
            let child = try ChildProcess(program, Self.arguments(host: host, process: process))
            return Opening(socket: child.socket, child: child)
        case .exec(let program, let arguments):
            let child = try ChildProcess(program, arguments)
            return Opening(socket: child.socket, child: child)
        }
    }

    /// A connection under way.
    struct Opening {
        var socket: Descriptor
        var child: ChildProcess?
        var token = ""
        /// Whether the system is still connecting: the result has to be checked once the socket is writable.
        var isConnecting = false
    }

    /// Checks the user of the program that accepted a connection, before the token is sent.
    ///
    /// - Throws: if the system reports a user other than this user and root.
    func check(_ socket: Descriptor) throws(AttachError) {
        guard case .tcp = kind else { return }
        guard let user = socket.tcpPeerUser, user != geteuid(), user != 0 else { return }
        throw AttachError(
            .foreign, "At \(self) another user's program listens (user \(user)): it was not sent the token")
    }

    /// Returns the arguments of `ssh`, which joins the words after the host with spaces for a shell on the other side.
    /// With these arguments `ssh` does not prompt, because a dashboard has the terminal.
    static func arguments(host: String, process: String) -> [String] {
        return [
            "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "--", host, "chainview", "relay", "--",
            ShellWords.quoted(process),
        ]
    }

    // MARK: Sockets

    private static func connect(path: String, _ owner: SocketOwner?) throws(AttachError) -> Descriptor {
        let socket = try connectUnchecked(path: path, owner)
        // Root may attach to the programs of all users, and a program of root is trusted.
        if let user = socket.peerUser, user != 0, user != geteuid(), geteuid() != 0 {
            throw AttachError(.foreign, "At \(path) another user's program listens (user \(user))")
        }
        // The process may have put a link to another program's socket there.
        if let owner, socket.peerProcess != owner.process || socket.peerUser != owner.user {
            let other = socket.peerProcess.map { "process \($0)" } ?? "another process"
            throw AttachError(.foreign, "At \(path) \(other) listens, and not process \(owner.process)")
        }
        return socket
    }

    private static func connectUnchecked(path: String, _ owner: SocketOwner?) throws(AttachError) -> Descriptor {
        try SocketOwner.withPath(path, of: owner) { (openPath) throws(AttachError) in
            let length = openPath.utf8.count
            guard length <= SocketFolder.pathLimit else {
                throw AttachError(
                    .system,
                    "The path \(path) has \(length) bytes, where a socket has \(SocketFolder.pathLimit) at most: "
                        + "name it by a shorter one, such as from a nearer folder or through a link")
            }
            var status = stat()
            guard stat(openPath, &status) == 0 else { throw failure(at: path, SystemError()) }
            guard status.st_mode & S_IFMT == S_IFSOCK else { throw AttachError(.foreign, "\(path) is no socket") }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: openPath.utf8) }
            let socket = try open(AF_UNIX)
            guard startConnecting(socket, to: &address) else { throw failure(at: path, SystemError()) }
            return socket
        }
    }

    /// Returns the process that listens at a socket; nil if that is not known, or if none listens. Sends nothing.
    static func listeningProcess(at socket: FoundSocket) -> Int32? {
        (try? connectUnchecked(path: socket.path, socket.owner))?.peerProcess
    }

    /// Returns whether a program listens at a socket; true also if that is not known. Sends nothing.
    static func isAlive(_ socket: FoundSocket) -> Bool {
        do {
            _ = try connect(path: socket.path, socket.owner)
            return true
        } catch {
            return error.kind != .gone && error.kind != .notFound
        }
    }

    private static func failure(at path: String, _ error: SystemError) -> AttachError {
        switch error.code {
        case ENOENT, ENOTDIR: AttachError(.notFound, "There is no socket \(path): is the program running?")
        case ECONNREFUSED:
            AttachError(.gone, "No program listens at \(path) any more: the program ended or stopped its inspector")
        case EACCES, EPERM: AttachError(.refused, "\(path) is closed to you: attach as the user who runs the program")
        case EAGAIN: AttachError(.timedOut, "Too many connections wait at \(path) already: the program does not answer")
        default: AttachError.system("connect to \(path)", error)
        }
    }

    private static func connect(host: String, port: UInt16) throws(AttachError) -> Descriptor {
        var (address4, address6) = (sockaddr_in(), sockaddr_in6())
        let socket: Descriptor
        let isConnected: Bool
        if inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &address4.sin_addr) == 1,
            UInt32(bigEndian: address4.sin_addr.s_addr) >> 24 == 127
        {
            address4.sin_family = sa_family_t(AF_INET)
            address4.sin_port = port.bigEndian
            socket = try open(AF_INET)
            isConnected = startConnecting(socket, to: &address4)
        } else if host == "::1", inet_pton(AF_INET6, host, &address6.sin6_addr) == 1 {
            address6.sin6_family = sa_family_t(AF_INET6)
            address6.sin6_port = port.bigEndian
            socket = try open(AF_INET6)
            isConnected = startConnecting(socket, to: &address6)
        } else {
            throw AttachError(
                .refused,
                "tcp: reaches this machine alone (127.0.0.1, ::1 or localhost), and \(host) is none of these: "
                    + "reach another machine by ssh:HOST/PROCESS")
        }
        guard isConnected || errno == EINPROGRESS else {
            throw failure(connectingTo: Target.tcp(host: host, port: port).description, SystemError())
        }
        var yes: Int32 = 1
        setsockopt(
            socket.number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return socket
    }

    static func failure(connectingTo name: String, _ error: SystemError) -> AttachError {
        error.code == ECONNREFUSED
            ? AttachError(.gone, "No program listens at \(name): does the program open that port?")
            : AttachError.system("connect to \(name)", error)
    }

    private static func open(_ family: Int32) throws(AttachError) -> Descriptor {
        do { return try Descriptor.socket(family: family) } catch { throw AttachError.system("open a socket", error) }
    }

    /// Calls the system's `connect`; returns whether the connection is complete. If it is not, `errno` has the reason.
    private static func startConnecting<Address>(_ socket: Descriptor, to address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                while true {
                    let result = systemConnect(socket.number, address, socklen_t(MemoryLayout<Address>.size))
                    if result < 0, errno == EINTR { continue }
                    return result == 0
                }
            }
        }
    }
}

/// The system's `connect`, under a name that the methods above do not hide.
private func systemConnect(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(socket, address, size)
}
