import ChainEvents
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
    /// The file that the token for TCP is read from, which must be this user's own, with mode 0600; nil: the one that a
    /// program of this machine leaves in the folder.
    public var tokenFile: String?
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
        tokenFile = environment("CHAINVIEW_TOKEN_FILE")
        sshProgram = environment("CHAINVIEW_SSH") ?? "ssh"
    }

    /// A variable of this process's environment.
    public static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// All that listens in the folder, by pid: who answers and who does not. Sockets that dead programs left behind are
    /// passed over. Takes ``timeLimit`` at most, however many hang.
    ///
    /// - Throws: ``AttachError/Kind/foreign`` where the folder is not this user's own; a folder that is not there is
    ///   empty.
    public func list() throws(AttachError) -> [FoundProcess] { try list(Waiting()) }

    /// Where a target is reached. A name is looked up among those who answer: exactly, else as the beginning of one.
    public func resolve(_ target: Target) throws(AttachError) -> Endpoint { try resolve(target, Waiting()) }

    /// How a discovery waits.
    struct Waiting: Sendable {
        var clock: any PollClock = SystemPollClock()
        /// Ends it early as soon as it is woken.
        var stop: Waker?
    }

    func list(_ waiting: Waiting) throws(AttachError) -> [FoundProcess] {
        guard try SafeFiles.check(folder) else { return [] }
        let sockets = SafeFiles.names(in: folder.path).compactMap { name in
            SocketFolder.pid(of: name).map { (pid: $0, path: "\(folder.path)/\(name)") }
        }
        var survey = Survey(timeLimit: timeLimit, waiting: waiting)
        return survey.run(sockets.sorted { ($0.pid, $0.path) < ($1.pid, $1.path) })
    }

    /// Looks up a target; of several programs of one name, the `preferred` is meant.
    func resolve(
        _ target: Target, preferring preferred: ProcessKey? = nil, _ waiting: Waiting
    ) throws(AttachError) -> Endpoint {
        switch target {
        case .pid(let pid): try resolve(pid)
        case .name(let name): try Names(list(waiting), in: folder).find(name, preferring: preferred)
        case .unix(let path): Endpoint(kind: .unix(path: path))
        case .tcp(let host, let port):
            Endpoint(kind: .tcp(host: host, port: port, tokenFile: tokenFile ?? folder.tokenPath(port: port)))
        case .ssh(let host, let process):
            Endpoint(kind: .ssh(program: sshProgram, host: host, process: process))
        }
    }

    private func resolve(_ pid: Int32) throws(AttachError) -> Endpoint {
        var path = folder.socketPath(pid: pid)
        if try SafeFiles.check(folder) {
            let names = SafeFiles.names(in: folder.path).filter { SocketFolder.pid(of: $0) == pid }
            if !names.contains("\(pid).sock"), let other = names.min() { path = "\(folder.path)/\(other)" }
            switch SafeFiles.problem(ofSocket: path) {
            case nil: return Endpoint(kind: .unix(path: path))
            case let problem? where problem.kind != .gone: throw problem
            default: break
            }
        }
        guard SafeFiles.isRunning(pid) else { throw AttachError(.notFound, "There is no process \(pid)") }
        throw AttachError(
            .notFound,
            "Process \(pid) does not listen in \(folder.path): it has to call Inspector.start(), as the same user")
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
