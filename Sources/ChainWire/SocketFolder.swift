/// Where programs listen and viewers look: one folder a user, one socket a process in it, named by its pid.
///
/// Only names; who uses it makes the folder, and checks on both sides that it is a real folder (no link) of this user
/// with mode 0700.
public struct SocketFolder: Hashable, Sendable {
    /// The folder's path, without a slash at the end.
    public let path: String

    /// A folder of one's own choice.
    public init(path: String) {
        self.path = path
    }

    /// The folder of a user: `$XDG_RUNTIME_DIR/chainview`, else `chainview-UID` in `$TMPDIR` or `/tmp`.
    ///
    /// - Parameters:
    ///   - environment: looks a variable up; variables that are no absolute path count as absent.
    ///   - user: the number of the effective user.
    public init(environment: (String) -> String?, user: UInt32) {
        func folder(_ name: String) -> String? {
            guard var path = environment(name), path.hasPrefix("/") else { return nil }
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            return path
        }
        if let runtime = folder("XDG_RUNTIME_DIR") {
            path = runtime + "/chainview"
        } else {
            path = (folder("TMPDIR") ?? "/tmp") + "/chainview-\(user)"
        }
    }

    /// The socket of a process; a second inspector in one process has `number` 2, and so on.
    public func socketPath(pid: Int32, number: Int = 1) -> String {
        number == 1 ? "\(path)/\(pid).sock" : "\(path)/\(pid)-\(number).sock"
    }

    /// The file of mode 0600 beside a socket that holds its ``SocketLabel``: `4242.name` beside `4242.sock`.
    public static func labelPath(of socketPath: String) -> String {
        (socketPath.hasSuffix(".sock") ? String(socketPath.dropLast(5)) : socketPath) + ".name"
    }

    /// The folder that contains this one, and what the names of other folders for sockets begin with there: programs make
    /// one (`chainview-1000-x3Fk0a`) where another user has taken this one's name, and viewers look in all that are theirs.
    public var fallback: (parent: String, prefix: String)? {
        guard let slash = path.lastIndex(of: "/"), path.index(after: slash) < path.endIndex else { return nil }
        return (slash == path.startIndex ? "/" : String(path[..<slash]), path[path.index(after: slash)...] + "-")
    }

    /// The file of mode 0600 that holds what a viewer has to show on a port that a process of the user's opened
    /// (``ClientHello/token``), and a line feed. The program keeps it locked (`flock`) as long as it has the port open.
    public func tokenPath(port: UInt16) -> String { "\(path)/tcp-\(port).token" }

    /// The process that a file of the folder belongs to, or nil where it is none of these sockets.
    public static func pid(of fileName: String) -> Int32? {
        guard fileName.hasSuffix(".sock") else { return nil }
        let parts = fileName.dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ Int32($0).map { $0 > 0 } ?? false }) else { return nil }
        return Int32(parts[0])
    }

    /// How many bytes the path of a socket has at most, the NUL not counted (`sun_path`).
    public static let pathLimit: Int = {
        #if os(Linux)
            107
        #else
            103
        #endif
    }()
}
