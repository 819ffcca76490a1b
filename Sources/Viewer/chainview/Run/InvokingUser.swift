// SPDX-License-Identifier: MIT

import ArgumentParser
import ChainRecording
import ChainSystem
import Foundation

/// The user who has started chainview by `sudo`. Root is needed to read other users' programs; editors, alerts and the
/// commands of `watch --exec` run as this user all the same, and files belong to this user.
struct InvokingUser: Equatable {
    let id: uid_t
    let group: gid_t

    /// Nil if this process is not root, or was not started by `sudo` by another user.
    static let current = geteuid() == 0 ? InvokingUser(ProcessInfo.processInfo.environment) : nil

    /// Reads `SUDO_UID` and `SUDO_GID`.
    init?(_ environment: [String: String]) {
        guard let id = environment["SUDO_UID"].flatMap({ uid_t($0) }), id != 0,
            let group = environment["SUDO_GID"].flatMap({ gid_t($0) })
        else { return nil }
        (self.id, self.group) = (id, group)
    }

    /// Gives a file that was just created to the user.
    static func own(_ descriptor: Int32) {
        // A file system without owners leaves the file to root.
        if let current { _ = fchown(descriptor, current.id, current.group) }
    }

    /// Gives a folder that was just created to the user.
    static func own(folder path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        own(descriptor)
        close(descriptor)
    }

    /// Gives a new recording to the user.
    static func own(_ file: RecordingFileStorage) {
        if let current { file.setOwner(current.id, current.group) }
    }

    /// Returns how to start a program as the user: by a command of chainview itself, because the system starts programs
    /// as other users only from a process that has become that user.
    func start(_ start: ProgramStart) -> ProgramStart {
        var changed = start
        #if os(Linux)
            changed.program = "/proc/self/exe"
        #else
            changed.program = Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
        changed.searchesPath = false
        changed.arguments =
            ["chainview", AsUserCommand.name, "\(id)", "\(group)", start.program] + start.arguments.dropFirst()
        return changed
    }
}

extension ProgramStart {
    /// Starts the program as the user who has started chainview by `sudo`, if there is one; else as this process's user.
    func runAsInvokingUser() throws(SystemError) -> Int32 {
        guard let user = InvokingUser.current else { return try run() }
        return try user.start(self).run()
    }
}

/// `chainview as-user`: becomes a user for good, and runs a program in place of itself.
struct AsUserCommand: ParsableCommand {
    static let name = "as-user"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Runs a program as a user: for commands of a dashboard that runs as root.",
        shouldDisplay: false)

    @Argument(help: "The number of the user.")
    var user: UInt32

    @Argument(help: "The number of the user's group.")
    var group: UInt32

    @Argument(parsing: .captureForPassthrough, help: "The program and its arguments.")
    var command: [String]

    func run() throws {
        // What `sudo` has set is root's.
        let entry = getpwuid(user)
        if let entry {
            setenv("HOME", entry.pointee.pw_dir, 1)
            for name in ["USER", "LOGNAME"] { setenv(name, entry.pointee.pw_name, 1) }
        }
        let hasGroups =
            entry.map { initgroups($0.pointee.pw_name, Self.group(group)) == 0 } ?? (setgroups(0, nil) == 0)
        // The group first, because only root may change it.
        guard hasGroups, setgid(group) == 0, setuid(user) == 0 else {
            throw Failure(status: .inputOutput, message: "cannot become user \(user): \(DisplayText.system())")
        }
        guard let program = command.first else { throw ValidationError("Name a program.") }
        signal(SIGXFSZ, SIG_DFL)
        _ = withCStrings(command) { execvp(program, $0) }
        Streams.printError("cannot start \(program): \(DisplayText.system())")
        _exit(127)
    }

    #if canImport(Darwin)
        private static func group(_ group: gid_t) -> Int32 { Int32(bitPattern: group) }
    #else
        private static func group(_ group: gid_t) -> gid_t { group }
    #endif
}
