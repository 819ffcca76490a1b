// SPDX-License-Identifier: MIT

import CChainRuntime

/// The description of a program to start. The program begins with no blocked signal.
package struct ProgramStart {
    /// The process group of the program. A terminal sends its signals to a whole group.
    package enum Group: Sendable {
        /// The group of this process.
        case parent
        /// A group of its own in this terminal.
        case group
        /// A session of its own without a terminal.
        case session
    }

    /// A path, or a name to look up in `PATH` if ``searchesPath`` is true.
    package var program: String
    package var searchesPath = false
    /// All arguments, the program's own name first.
    package var arguments: [String]
    /// The environment: texts such as "NAME=value"; nil for the environment of this process.
    package var environment: [String]?
    /// Descriptors of this process, each with its number in the program. Other descriptors are inherited unless they
    /// are marked close-on-exec. On Darwin, a program in a session of its own inherits no other descriptors.
    package var descriptors: [(own: Int32, theirs: Int32)] = []
    /// Whether the program's standard input is `/dev/null`.
    package var hasNoInput = false
    package var group = Group.group
    /// The signals that have their default action in the program, even if this process ignores them; nil for all
    /// signals.
    package var defaultSignals: [Int32]?

    package init(_ program: String, arguments: [String]) {
        self.program = program
        self.arguments = arguments
    }

    /// Starts the program and returns its process id.
    package func run() throws(SystemError) -> Int32 {
        #if os(Linux)
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
            // POSIX_SPAWN_SETSID of glibc and musl. The modules lack it, because the header has it in a feature test.
            let session: Int32 = 0x80
        #else
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
            let session = POSIX_SPAWN_SETSID | POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if hasNoInput { posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) }
        for (own, theirs) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, theirs) }
        var (none, defaults) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        if let defaultSignals {
            sigemptyset(&defaults)
            for signal in defaultSignals { sigaddset(&defaults, signal) }
        } else {
            sigfillset(&defaults)
        }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, 0)
        let grouping: Int32 =
            switch group {
            case .parent: 0
            case .group: Int32(POSIX_SPAWN_SETPGROUP)
            case .session: session
            }
        posix_spawnattr_setflags(
            &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | grouping))
        var pid: pid_t = 0
        let spawn = searchesPath ? posix_spawnp : posix_spawn
        let code = withCStrings(arguments) { arguments in
            guard let environment else {
                return spawn(&pid, program, &actions, &attributes, arguments, chain_environment())
            }
            return withCStrings(environment) { spawn(&pid, program, &actions, &attributes, arguments, $0) }
        }
        guard code == 0 else { throw SystemError(code: code) }
        return pid
    }
}

/// Calls `body` with texts as C strings in an array that ends with nil.
package func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
) rethrows -> Result {
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return try body(copies + [nil])
}
