#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A program that was started to carry bytes: its standard input and output are one socket, its standard error another.
/// Killed and reaped by ``end()``, which its release calls.
final class Child: Sendable {
    let socket: Descriptor
    private let errors: Descriptor
    private let pid: pid_t
    private let tail = Lock<[UInt8]>([])
    private let status = Lock<Int32?>(nil)

    /// How much of the end of what it complains is kept.
    private static let tailLimit = 4096

    /// Starts a program, found by `PATH` if it is no path, in a session of its own: nothing that is typed at a terminal
    /// reaches it, and it asks nothing there.
    init(_ program: String, _ arguments: [String]) throws(AttachError) {
        let (socket, theirSocket) = try Descriptor.pair()
        let (errors, theirErrors) = try Descriptor.pair()
        self.socket = socket
        self.errors = errors
        // It may well take no care of sockets that do not wait.
        for end in [theirSocket.number, theirErrors.number] {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) & ~O_NONBLOCK)
        }
        var started: pid_t = 0
        let code = spawn(program, arguments, theirSocket.number, theirErrors.number, &started)
        withExtendedLifetime((theirSocket, theirErrors)) {}
        guard code == 0 else {
            throw AttachError(.system, "\(program) cannot be started: \(AttachError.text(of: code))")
        }
        pid = started
    }

    deinit { _ = end() }

    /// To wait for: it complains.
    var entry: pollfd { pollfd(fd: errors.number, events: Int16(POLLIN), revents: 0) }

    /// Takes in what it complains; false once nothing more comes.
    func readErrors() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.tailLimit, alignment: 1) { buffer in
            while true {
                switch errors.read(into: buffer) {
                case .moved(let count):
                    tail.withLock { tail in
                        tail += buffer[..<count]
                        tail.removeFirst(max(0, tail.count - Self.tailLimit))
                    }
                case .wouldBlock: return true
                case .end, .failed: return false
                }
            }
        }
    }

    /// The last line of its complaints that is not empty.
    var lastLine: String? {
        _ = readErrors()
        let text = tail.withLock { String(decoding: $0, as: UTF8.self) }
        return text.split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }.map(String.init)
    }

    /// Kills it with all that it started, and waits for that. Gives the code that it exited with, or nil where a signal
    /// ended it. A program that was about to exit keeps its code.
    func end() -> Int32? {
        let status = status.withLock { known in
            if known == nil {
                kill(-pid, SIGKILL)
                var status: Int32 = -1
                while waitpid(pid, &status, 0) < 0, errno == EINTR {}
                known = status
            }
            return known ?? -1
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }
}

/// Starts a program with a clean signal mask, default signals, a session of its own and no descriptor but the three.
private func spawn(
    _ program: String, _ arguments: [String], _ socket: Int32, _ errors: Int32, _ pid: inout pid_t
) -> Int32 {
    #if canImport(Glibc)
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        // Of glibc and musl; not in the module as the macro stands behind a feature test. All of this process's own
        // descriptors are closed on exec.
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80
    #else
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        let flags =
            POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, socket, 0)
    posix_spawn_file_actions_adddup2(&actions, socket, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    return posix_spawnp(&pid, program, &actions, &attributes, &words, environ)
}
