import ChainEvents
import ChainSystem
import ChainWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Finds what can be attached to: the sockets in one folder, and what the environment says of tokens and ssh.
public struct Discovery: Sendable {
    /// Where programs of this user listen; those that found it taken by another user do so in one beside it.
    public var folder: SocketFolder
    private var looksBeside = false
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
        looksBeside = true
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
    /// - Parameter isWanted: whether a process is asked at all.
    /// - Throws: ``AttachError/Kind/foreign`` where the folder is not this user's own; a folder that is not there is
    ///   empty.
    public func list(_ isWanted: (Int32) -> Bool = { _ in true }) throws(AttachError) -> [FoundProcess] {
        try list(Waiting(), isWanted)
    }

    /// Where a target is reached. A name is looked up exactly, else as the beginning of one: in the files beside the
    /// sockets, so that no program has to answer; those without such a file are asked.
    public func resolve(_ target: Target) throws(AttachError) -> Endpoint { try resolve(target, Waiting()) }

    /// How a discovery waits.
    struct Waiting: Sendable {
        var clock: any PollClock = SystemPollClock()
        /// Ends it early as soon as it is woken.
        var stop: Waker?
    }

    func list(_ waiting: Waiting, _ isWanted: (Int32) -> Bool = { _ in true }) throws(AttachError) -> [FoundProcess] {
        var survey = DiscoveryScan(timeLimit: timeLimit, waiting: waiting)
        return survey.run(try sockets().filter { isWanted($0.pid) })
    }

    /// The folders that there are: each is a real one of this user's, closed to all others.
    func folders() throws(AttachError) -> [SocketFolder] {
        guard looksBeside, let (parent, prefix) = folder.fallback else {
            return try SafeFiles.check(folder) ? [folder] : []
        }
        let names = fileNames(in: parent).filter { $0.hasPrefix(prefix) }.sorted()
        let others = names.map { SocketFolder(path: (parent == "/" ? "" : parent) + "/" + $0) }
            .filter { (try? SafeFiles.check($0)) == true }
        do throws(AttachError) {
            return try SafeFiles.check(folder) ? [folder] + others : others
        } catch {
            // What another user has put there is none of this one's: its programs listen elsewhere.
            guard others.isEmpty, SafeFiles.isOwn(folder.path) else { return others }
            throw error
        }
    }

    private func sockets() throws(AttachError) -> [(pid: Int32, path: String)] {
        var sockets: [(pid: Int32, path: String)] = []
        for folder in try folders() {
            for name in fileNames(in: folder.path) {
                if let pid = SocketFolder.pid(of: name) { sockets.append((pid, "\(folder.path)/\(name)")) }
            }
        }
        return sockets.sorted { ($0.pid, $0.path) < ($1.pid, $1.path) }
    }

    /// Looks up a target; of several programs of one name, the `preferred` is meant.
    func resolve(
        _ target: Target, preferring preferred: ProcessKey? = nil, _ waiting: Waiting
    ) throws(AttachError) -> Endpoint {
        switch target {
        case .pid(let pid): return try resolve(pid)
        case .name(let name): return try resolve(name, preferring: preferred, waiting)
        case .unix(let path): return Endpoint(kind: .unix(path: path))
        case .tcp(let host, let port):
            let token: Endpoint.TokenFile
            if let tokenFile {
                token = Endpoint.TokenFile(path: tokenFile, isLocked: false)
            } else {
                let places = looksBeside ? try folders().map { $0.tokenPath(port: port) } : []
                token = Endpoint.TokenFile(
                    path: places.first { SafeFiles.isOwn($0) } ?? folder.tokenPath(port: port), isLocked: true)
            }
            return Endpoint(kind: .tcp(host: host, port: port, token: token))
        case .ssh(let host, let process):
            return Endpoint(kind: .ssh(program: sshProgram, host: host, process: process))
        }
    }

    private func resolve(
        _ name: String, preferring preferred: ProcessKey?, _ waiting: Waiting
    ) throws(AttachError) -> Endpoint {
        var named: [NamedSocket] = []
        var unnamed: [(pid: Int32, path: String)] = []
        for (pid, path) in try sockets() {
            guard let label = SafeFiles.label(of: path) else {
                unnamed.append((pid, path))
                continue
            }
            named.append(
                NamedSocket(pid: pid, path: path, name: label.name, process: label.process, hasAnswered: false))
        }
        let isFound = named.contains { $0.name == name && $0.isAlive }
        var survey = DiscoveryScan(timeLimit: isFound ? min(timeLimit, .seconds(1)) : timeLimit, waiting: waiting)
        let answers = survey.run(unnamed)
        named += answers.compactMap { found in
            found.hello.map {
                NamedSocket(
                    pid: found.pid, path: found.path, name: $0.process.name, process: $0.process.key, hasAnswered: true)
            }
        }
        let names = NameResolver(
            named.sorted { ($0.pid, $0.path) < ($1.pid, $1.path) },
            silent: answers.filter { $0.hello == nil }.map(\.pid), in: folder)
        return try names.find(name, preferring: preferred)
    }

    private func resolve(_ pid: Int32) throws(AttachError) -> Endpoint {
        for folder in try folders() {
            let names = fileNames(in: folder.path).filter { SocketFolder.pid(of: $0) == pid }
            let name = names.contains("\(pid).sock") ? "\(pid).sock" : names.min()
            guard let path = name.map({ "\(folder.path)/\($0)" }) else { continue }
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

    /// The folders in which something appears when a program begins to listen at a target, for ``FolderWatch``.
    func watchedFolders(of target: Target) -> [String] {
        switch target {
        case .unix(let path): return [parentFolder(of: path)]
        case .ssh: return []
        case .tcp where tokenFile != nil: return [parentFolder(of: tokenFile ?? "")]
        case .tcp, .pid, .name:
            let folders = (try? folders()) ?? []
            // One that is not there yet appears in the folder that holds it.
            return folders.contains(folder)
                ? folders.map(\.path) : folders.map(\.path) + [parentFolder(of: folder.path)]
        }
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
