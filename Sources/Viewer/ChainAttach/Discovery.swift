// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import ChainWire

/// The search for programs to attach to: the folders with their sockets, the processes that listen elsewhere, and the
/// environment's settings for tokens and ssh.
package struct Discovery: Sendable {
    /// The folder in which programs of this user listen. If the folder belongs to another user, those programs use a
    /// folder beside it.
    package var folder: SocketFolder
    /// The folders in which programs listen that cannot use ``folder``.
    private var otherFolders: [SocketFolder] = []
    /// Whether ``otherFolders`` and this user's folders beside ``folder`` are searched, too.
    private var includesFallbacks = false
    /// The path of `/proc`, by which programs are found that listen elsewhere; empty if only folders are searched.
    private var procPath = ""
    /// The time limit of one search, for the answers of all programs together.
    package var timeLimit: Duration = .seconds(1)
    /// The file of the token for TCP, which must be this user's own, and closed to others (0600). Nil stands for the
    /// file that a program of this machine keeps in the folder.
    package var tokenFile: String?
    /// The program that connects to other machines as `ssh` does: a name that is looked up in `PATH`, or a path.
    package var sshProgram: String

    /// Reads the folder and the settings from the environment: `XDG_RUNTIME_DIR`, `TMPDIR`, `CHAINVIEW_TOKEN_FILE`,
    /// `CHAINVIEW_SSH`, and `CHAINVIEW_PROC` for a path in place of `/proc`.
    ///
    /// Where there is `/proc`, programs are also found in the folders of sessions with another environment, in containers
    /// and, for root, of other users.
    package init(environment: (String) -> String? = Discovery.variable) {
        var folders = SocketFolder.candidates(environment: environment, user: geteuid())
        self.init(folder: folders[0], environment: environment)
        procPath = environment("CHAINVIEW_PROC") ?? "/proc"
        if ProcFolder(procPath) != nil {
            folders += SocketFolder.usual(user: geteuid()).filter { !folders.contains($0) }
        }
        otherFolders = Array(folders.dropFirst())
        includesFallbacks = true
    }

    /// Makes a search of a given folder alone, with the environment's settings for tokens and ssh.
    package init(folder: SocketFolder, environment: (String) -> String? = Discovery.variable) {
        self.folder = folder
        func setting(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        tokenFile = setting("CHAINVIEW_TOKEN_FILE")
        sshProgram = setting("CHAINVIEW_SSH") ?? "ssh"
    }

    /// Returns the value of a variable of this process's environment.
    package static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Returns the programs that were found, this user's first, sorted by pid, including those that do not answer.
    /// Skips sockets of ended programs. Takes ``timeLimit`` at most, however many programs do not answer. A missing
    /// folder counts as empty.
    ///
    /// - Parameter isWanted: returns whether to ask the process with a pid; other processes are not in the result.
    /// - Throws: ``AttachError/Kind/foreign`` if the folder is not this user's own, or is open to others. A search made
    ///   by ``init(environment:)`` skips such a folder if another user owns it, or if a folder beside it can be used.
    package func list(_ isWanted: (Int32) -> Bool = { _ in true }) throws(AttachError) -> [FoundProcess] {
        try list(SearchContext(), isWanted)
    }

    /// Returns the endpoint of a target. A name has to match exactly or, if no program has that name, as a prefix.
    /// Names are read from the files beside the sockets, so that no program has to answer; only programs without such a
    /// file are asked.
    package func resolve(_ target: Target) throws(AttachError) -> Endpoint { try resolve(target, SearchContext()) }

    /// The clock of a search, and the waker that ends it.
    struct SearchContext: Sendable {
        var clock: any PollClock = SystemPollClock()
        /// Ends the search when it is woken.
        var stop: Waker?
    }

    func list(
        _ context: SearchContext, _ isWanted: (Int32) -> Bool = { _ in true }
    ) throws(AttachError) -> [FoundProcess] {
        var scan = DiscoveryScan(timeLimit: timeLimit, context: context)
        let sockets = try sockets(of: ProcFolder(procPath)?.all(where: isWanted) ?? []).sockets.filter {
            isWanted($0.pid)
        }
        // This user's programs are asked first, so that sockets of other users that do not answer delay none of them.
        let sorted = sockets.sorted { ($0.pid, $0.path) < ($1.pid, $1.path) }
        func isOurs(_ socket: FoundSocket) -> Bool { socket.owner?.user ?? geteuid() == geteuid() }
        return scan.run(sorted.filter(isOurs) + sorted.filter { !isOurs($0) })
    }

    /// Returns the folders that exist. Each is a real folder of this user, closed to all other users.
    package func folders() throws(AttachError) -> [SocketFolder] {
        guard includesFallbacks else { return try SafeFiles.check(folder) ? [folder] : [] }
        let others = otherFolders.flatMap { (try? Self.folders(at: $0)) ?? [] }
        do throws(AttachError) { return try Self.folders(at: folder) + others } catch {
            guard others.isEmpty else { return others }
            throw error
        }
    }

    /// Returns a folder, and the folders of this user beside it, as far as they exist.
    private static func folders(at folder: SocketFolder) throws(AttachError) -> [SocketFolder] {
        guard let (parent, prefix) = folder.fallback else { return try SafeFiles.check(folder) ? [folder] : [] }
        let names = fileNames(in: parent).filter { $0.hasPrefix(prefix) }.sorted()
        let others = names.map { SocketFolder(path: (parent == "/" ? "" : parent) + "/" + $0) }
            .filter { (try? SafeFiles.check($0)) == true }
        do throws(AttachError) {
            return try SafeFiles.check(folder) ? [folder] + others : others
        } catch {
            // A folder of another user is no error, because this user's programs then listen beside it. Nor is any
            // other problem of the folder an error if there is a folder beside it.
            guard others.isEmpty, SafeFiles.isOwn(folder.path) else { return others }
            throw error
        }
    }

    /// Searches the folders of this user, and those of processes.
    private func sockets(of processes: [ProcessPlaces]) throws(AttachError) -> SocketSearch {
        let folders = try folders()
        let sockets = folders.flatMap { folder in
            fileNames(in: folder.path).compactMap { name in
                SocketFolder.pid(of: name).map { FoundSocket(pid: $0, path: "\(folder.path)/\(name)") }
            }
        }
        var search = SocketSearch(sockets, in: folders)
        for process in processes { search.add(process) }
        return search
    }

    /// Returns the endpoint of a target; of several programs with the name, the endpoint of the `preferred` one.
    func resolve(
        _ target: Target, preferring preferred: ProcessKey? = nil, _ context: SearchContext
    ) throws(AttachError) -> Endpoint {
        switch target {
        case .pid(let pid): return try resolve(pid)
        case .name(let name): return try resolve(name, preferring: preferred, context)
        case .unix(let path): return Endpoint(kind: .unix(path: path))
        case .tcp(let host, let port):
            let token: Endpoint.TokenFile
            if let tokenFile {
                token = Endpoint.TokenFile(path: tokenFile, isLocked: false)
            } else {
                let paths = includesFallbacks ? try folders().map { $0.tokenPath(port: port) } : []
                token = Endpoint.TokenFile(
                    path: paths.first { SafeFiles.isOwn($0) } ?? folder.tokenPath(port: port), isLocked: true)
            }
            return Endpoint(kind: .tcp(host: host, port: port, token: token))
        case .ssh(let host, let process):
            return Endpoint(kind: .ssh(program: sshProgram, host: host, process: process))
        case .exec(let program, let arguments): return Endpoint(kind: .exec(program: program, arguments: arguments))
        }
    }

    private func resolve(
        _ name: String, preferring preferred: ProcessKey?, _ context: SearchContext
    ) throws(AttachError) -> Endpoint {
        var named: [NamedSocket] = []
        var unnamed: [FoundSocket] = []
        let processes = ProcFolder(procPath)?.all() ?? []
        for socket in try sockets(of: processes).sockets {
            guard let label = SafeFiles.label(of: socket) else {
                unnamed.append(socket)
                continue
            }
            named.append(NamedSocket(socket: socket, name: label.name, process: label.process, hasAnswered: false))
        }
        // If the name is found, the answers only show whether another program has it, too: 1 s is enough for that.
        let isFound = named.contains { $0.name == name && $0.isAlive }
        var scan = DiscoveryScan(timeLimit: isFound ? min(timeLimit, .seconds(1)) : timeLimit, context: context)
        let answers = scan.run(unnamed)
        named += answers.compactMap { found in
            guard let hello = found.hello, let socket = unnamed.first(where: { $0.path == found.path }) else {
                return nil
            }
            return NamedSocket(
                socket: socket, name: hello.process.name, process: hello.process.key, hasAnswered: true)
        }
        let names = NameResolver(
            named.sorted { ($0.socket.pid, $0.socket.path) < ($1.socket.pid, $1.socket.path) },
            silent: answers.filter { $0.hello == nil }.map(\.pid),
            in: searchedPaths + (processes.isEmpty ? "" : ", or where \(processes.count) processes may listen"))
        do throws(AttachError) { return try names.find(name, preferring: preferred) } catch {
            throw error.kind == .notFound ? unsafeFolder ?? error : error
        }
    }

    /// Why one of this user's folders was not searched; nil if all were. Another user's folder is no reason, because this
    /// user's programs then listen beside it.
    private var unsafeFolder: AttachError? {
        for folder in searched where SafeFiles.isOwn(folder.path) {
            do throws(AttachError) { _ = try SafeFiles.check(folder) } catch { return error }
        }
        return nil
    }

    private func resolve(_ pid: Int32) throws(AttachError) -> Endpoint {
        let process = ProcFolder(procPath)?.places(of: pid)
        // As far as the system says, the process may have this user's sockets.
        let isOurs = process.map { $0.user == geteuid() } ?? true
        let search = try sockets(of: process.map { isOurs || geteuid() == 0 ? [$0] : [] } ?? [])
        let found = search.sockets.filter { socket in
            socket.pid == pid && (socket.owner != nil || process.map { $0.ownPid == pid } ?? true)
        }
        // The first socket of the process, and rather one that a process listens at than one that was left behind.
        let sorted = found.filter(\.isFirst) + found.filter { !$0.isFirst }
        let alive = sorted.count > 1 ? sorted.filter(Endpoint.isAlive) : []
        for socket in alive.isEmpty ? sorted : alive {
            switch SafeFiles.problem(of: socket) {
            case nil:
                var socket = socket
                if let process, isOurs, socket.owner == nil {
                    socket.owner = SocketOwner(process: pid, user: process.user, root: nil)
                }
                return socket.endpoint
            case let problem? where problem.kind != .gone: throw problem
            default: continue
            }
        }
        guard SafeFiles.isRunning(pid) else { throw AttachError(.notFound, "There is no process \(pid)") }
        if let process, !isOurs, geteuid() != 0 {
            throw AttachError(
                .refused, "Process \(pid) belongs to another user (\(process.user)): attach as that user, or as root")
        }
        if let problem = search.problem ?? unsafeFolder { throw problem }
        let paths = process.map { process in
            (process.root.isEmpty && isOurs ? searched.map(\.path) : []) + process.paths
        }
        throw AttachError(
            .notFound,
            "Process \(pid) does not listen in \(Self.words(paths ?? searched.map(\.path))): "
                + "it has to call Inspector.start()" + (process == nil ? ", as the same user" : ""))
    }

    /// The searched folders of this user.
    private var searched: [SocketFolder] { [folder] + otherFolders }

    /// The searched folders, in words.
    private var searchedPaths: String { Self.words(searched.map(\.path)) }

    private static func words(_ paths: [String]) -> String {
        var seen: Set<String> = []
        let paths = paths.filter { seen.insert($0).inserted }
        return paths.count < 2 ? paths.joined() : paths.dropLast().joined(separator: ", ") + " or " + (paths.last ?? "")
    }

    /// Returns the folders that change when a program begins to listen at a target, for ``FolderWatch``.
    func watchedFolders(of target: Target) -> [String] {
        switch target {
        case .unix(let path): return [parentFolder(of: path)]
        case .ssh, .exec: return []
        case .tcp where tokenFile != nil: return [parentFolder(of: tokenFile ?? "")]
        case .tcp, .pid, .name:
            let folders = (try? folders()) ?? []
            // A missing folder appears in its parent. A program that cannot use the first folder uses another.
            let isFirstUsable = folder.hasRoom && FileFacts(at: parentFolder(of: folder.path)) != nil
            let missing = ([folder] + (isFirstUsable ? [] : otherFolders)).filter { !folders.contains($0) }
            return folders.map(\.path) + missing.map { parentFolder(of: $0.path) }
        }
    }
}

/// A socket that was found, and the answer of its program.
package struct FoundProcess: Hashable, Sendable {
    /// The process id. That of a process in a container is the one that it has here, as far as it is known, and not that
    /// in the socket's name.
    package var pid: Int32
    /// The path of the socket.
    package var path: String
    /// The program's answer; nil if there is no answer.
    package var hello: Hello?
    /// Why the program cannot be attached to, in one sentence; nil if it can be.
    package var problem: String?

    /// Whether it is the only or the first socket of its process, to which its pid leads.
    package var isFirst: Bool { FoundSocket(pid: pid, path: path).isFirst }
}
