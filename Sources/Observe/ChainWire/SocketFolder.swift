// SPDX-License-Identifier: MIT

/// The folder in which programs listen and viewers search. There is one folder for each user, and in it one socket for
/// each inspector, named by the pid of its process.
///
/// This type only makes and parses names. Programs make the folder; programs and viewers check that it is a real folder
/// (no link) of this user with mode 0700.
public struct SocketFolder: Hashable, Sendable {
    /// The folder's path, without a slash at the end.
    public let path: String

    /// Uses a folder of the caller's choice.
    public init(path: String) {
        self.path = path
    }

    /// The folder of a user: the first of ``candidates(environment:user:)``.
    ///
    /// - Parameters:
    ///   - environment: returns the value of a variable; a value that is no absolute path counts as absent.
    ///   - user: the number of the effective user.
    public init(environment: (String) -> String?, user: UInt32) {
        self = Self.candidates(environment: environment, user: user)[0]
    }

    /// The folders of a user: `$XDG_RUNTIME_DIR/chainview`, then `chainview-UID` in `$TMPDIR` or, without it or if its
    /// path is too long, in `/tmp`. A program uses the first that can be made and has room for the path of a socket;
    /// viewers search all of them. The parameters are those of ``init(environment:user:)``.
    public static func candidates(environment: (String) -> String?, user: UInt32) -> [SocketFolder] {
        func folder(_ name: String) -> String? {
            guard var path = environment(name), path.hasPrefix("/") else { return nil }
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            return path
        }
        var candidates = folder("XDG_RUNTIME_DIR").map { [SocketFolder(path: $0 + "/chainview")] } ?? []
        let temporary = folder("TMPDIR").map {
            SocketFolder(path: ($0 == "/" ? "" : $0) + "/chainview-\(user)")
        }
        if let temporary { candidates.append(temporary) }
        if !(temporary?.hasRoom ?? false) { candidates.append(SocketFolder(path: "/tmp/chainview-\(user)")) }
        return candidates
    }

    /// The folders of a user in an ordinary session, or without one: `/run/user/UID/chainview`, then `/tmp/chainview-UID`.
    /// A viewer on Linux searches these whatever its own environment is, because the environment of a service, of a timer
    /// or of `docker exec` is another one.
    package static func usual(user: UInt32) -> [SocketFolder] {
        candidates(environment: { $0 == "XDG_RUNTIME_DIR" ? "/run/user/\(user)" : nil }, user: user)
    }

    /// Whether the path of each of a process's sockets in the folder is short enough.
    public var hasRoom: Bool { socketPath(pid: .max, number: 99).utf8.count <= Self.pathLimit }

    /// Returns the path of a process's socket; a second inspector in one process has `number` 2, and so on.
    public func socketPath(pid: Int32, number: Int = 1) -> String {
        number == 1 ? "\(path)/\(pid).sock" : "\(path)/\(pid)-\(number).sock"
    }

    /// Returns the path of the file of mode 0600 with a socket's ``SocketLabel``: `4242.name` beside `4242.sock`.
    public static func labelPath(of socketPath: String) -> String {
        (socketPath.hasSuffix(".sock") ? String(socketPath.dropLast(5)) : socketPath) + ".name"
    }

    /// The parent folder, and the prefix of the names of fallback folders in it; nil where the path has no name. A
    /// program makes a fallback folder (`chainview-1000-x3Fk0a`) where another user has taken this folder's name;
    /// viewers search the fallback folders that belong to their user.
    public var fallback: (parent: String, prefix: String)? {
        guard let slash = path.lastIndex(of: "/"), path.index(after: slash) < path.endIndex else { return nil }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), path[path.index(after: slash)...] + "-")
    }

    /// Returns the path of the token file of a TCP port that one of the user's processes opened. The file has mode
    /// 0600, and holds the token (``ClientHello/token``) and a line feed. The program keeps it locked (`flock`) while
    /// the port is open.
    public func tokenPath(port: UInt16) -> String { "\(path)/tcp-\(port).token" }

    /// Returns the path of a flight recorder's file, a recording of mode 0600. The program keeps it locked (`flock`)
    /// while it records; a second inspector in one process has `number` 2, and so on.
    public func flightPath(pid: Int32, number: Int = 1) -> String {
        number == 1 ? "\(path)/\(pid).flight" : "\(path)/\(pid)-\(number).flight"
    }

    /// Returns the path of the file with a program's rings, beside the file of its flight recorder.
    public static func ringsPath(ofFlight path: String) -> String {
        (path.hasSuffix(".flight") ? String(path.dropLast(7)) : path) + ".rings"
    }

    /// Returns whether a file of the folder is that of a flight recorder.
    public static func isFlight(_ fileName: String) -> Bool { pid(ofFlight: fileName) != nil }

    /// Returns the process that made a flight recorder's file of the folder; nil for other files.
    package static func pid(ofFlight fileName: String) -> Int32? {
        fileName.hasSuffix(".flight") ? pid(of: fileName.dropLast(7) + ".sock") : nil
    }

    /// Returns the process to which a socket of the folder belongs; nil for other files.
    public static func pid(of fileName: String) -> Int32? {
        guard fileName.hasSuffix(".sock") else { return nil }
        let parts = fileName.dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ Int32($0).map { $0 > 0 } ?? false }) else { return nil }
        return Int32(parts[0])
    }

    /// The maximum length of a socket's path in bytes, without the NUL at its end (`sun_path`).
    public static let pathLimit: Int = {
        #if os(Linux)
            107
        #else
            103
        #endif
    }()
}
