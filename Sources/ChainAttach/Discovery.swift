import ChainWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Finds what can be attached to: the sockets in one folder, and what the environment says of tokens and ssh.
public struct Discovery: Sendable {
    /// Where programs of this user listen.
    public var folder: SocketFolder
    /// How long a program has to say who it is, before it counts as one that does not answer.
    public var timeLimit: Duration = .seconds(1)
    /// The file that the token for TCP is read from; it must be this user's own, with mode 0600.
    public var tokenFile: String
    /// The program that reaches other machines: a name that is looked up in `PATH`, or a path.
    public var sshProgram: String

    /// Takes the folder and the rest from the environment: `XDG_RUNTIME_DIR`, `TMPDIR`, `CHAINVIEW_TOKEN_FILE`,
    /// `CHAINVIEW_SSH`.
    public init(environment: (String) -> String? = Discovery.variable) {
        self.init(folder: SocketFolder(environment: environment, user: geteuid()), environment: environment)
    }

    /// Looks in a folder of one's own choice; the rest is as the environment says.
    public init(folder: SocketFolder, environment: (String) -> String? = Discovery.variable) {
        self.folder = folder
        tokenFile = environment("CHAINVIEW_TOKEN_FILE") ?? folder.path + "/token"
        sshProgram = environment("CHAINVIEW_SSH") ?? "ssh"
    }

    /// A variable of this process's environment.
    public static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// All that listens in the folder, by pid: who answers and who does not. Sockets that dead programs left behind are
    /// passed over. Takes ``timeLimit`` at most, however many hang.
    ///
    /// - Throws: ``AttachError/Kind/foreign`` where the folder is not this user's own; a folder that is not there is
    ///   empty.
    public func list() throws(AttachError) -> [FoundProcess] { [] }

    /// Where a target is reached. A name is looked up among those who answer: exactly, else as the beginning of one.
    public func resolve(_ target: Target) throws(AttachError) -> Endpoint {
        throw AttachError(.notFound, "Nothing listens in \(folder.path)")
    }
}

/// A socket that was found, and who answered there.
public struct FoundProcess: Hashable, Sendable {
    /// The process that the socket is named after.
    public var pid: Int32
    /// The socket.
    public var path: String
    /// What the program says of itself; nil where it does not.
    public var hello: Hello?
    /// Why it cannot be attached to, in one sentence; nil where it can.
    public var problem: String?
}
