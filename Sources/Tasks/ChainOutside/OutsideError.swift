// SPDX-License-Identifier: MIT

import ChainSystem

/// The reason why the tasks of a process cannot be read from outside.
package struct OutsideError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons, which a viewer handles differently.
    package enum Kind: Hashable, Sendable {
        /// There is no such process.
        case notFound
        /// Several processes have the name.
        case ambiguous
        /// The process has ended, or runs another program now.
        case ended
        /// The process has no concurrency runtime of Swift, or one whose tasks cannot be read.
        case noTasks
        /// A file of symbols that the user named cannot be used.
        case symbols
        /// This user may not read the memory of the process.
        case refused
        /// The system refused a step, or cannot do this at all.
        case system
    }

    /// The kind of reason.
    package let kind: Kind
    /// One sentence, without a full stop, on the problem and, if there is one, its remedy. Its parts that come from the
    /// process are to be escaped before they are printed.
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// Whether the memory of a process may be read, and what helps if it may not.
enum MemoryAccess {
    /// The facts of the system and of a process on which the right to read its memory depends.
    struct Facts: Equatable {
        var pid: Int32
        var name: String
        /// Whether the viewer runs as root.
        var isRoot: Bool
        /// The user of the process, and of the viewer.
        var owner: UInt32
        var user: UInt32
        /// `kernel.yama.ptrace_scope`; 0 where the kernel does not have it.
        var scope: Int
    }

    /// Returns why memory cannot be read, with the one command that helps.
    static func refusal(_ facts: Facts, _ error: SystemError) -> OutsideError {
        let name = "\(facts.name) (\(facts.pid))"
        let nobody = OutsideError(
            .refused,
            "The kernel lets nobody read the memory of \(name) (kernel.yama.ptrace_scope is 3) until it is restarted with another setting"
        )
        let asRoot = "run `sudo chainview attach \(facts.pid)`"
        guard error.code == EPERM || error.code == EACCES else {
            return OutsideError(.system, "The memory of \(name) cannot be read: \(error)")
        }
        if facts.isRoot {
            if facts.scope == 3 { return nobody }
            return OutsideError(
                .refused,
                "Root may not read the memory of \(name) here, because the capability SYS_PTRACE is missing: start the container with `--cap-add SYS_PTRACE`"
            )
        }
        if facts.owner != facts.user {
            return OutsideError(.refused, "\(name) belongs to another user (\(facts.owner)): \(asRoot)")
        }
        switch facts.scope {
        case 1:
            return OutsideError(
                .refused,
                "This system lets a user read the memory of own child processes alone (kernel.yama.ptrace_scope is 1): \(asRoot)"
            )
        case 2:
            return OutsideError(
                .refused,
                "This system lets only root read the memory of processes (kernel.yama.ptrace_scope is 2): \(asRoot)")
        case 3: return nobody
        default:
            return OutsideError(
                .refused, "\(name) is protected from this user, as programs with special rights are: \(asRoot)")
        }
    }

    /// Reads the facts of a process; nil if it has ended.
    static func facts(of pid: Int32) -> Facts? {
        guard let status = ProcFile.text("/proc/\(pid)/status") else { return nil }
        let owner = ProcessStatus(status)
        return Facts(
            pid: pid, name: owner.name, isRoot: geteuid() == 0,
            owner: owner.user, user: geteuid(),
            scope: ProcFile.text("/proc/sys/kernel/yama/ptrace_scope").flatMap { Int($0.prefix { $0.isNumber }) } ?? 0)
    }
}

/// What `/proc/PID/status` says of a process.
struct ProcessStatus {
    var name = ""
    var user: UInt32 = .max

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == "\t" || $0 == " " }
            switch line[..<colon] {
            case "Name": name = String(value)
            // Real, effective, saved and of the file system.
            case "Uid": user = value.split(separator: "\t").dropFirst().first.flatMap { UInt32($0) } ?? .max
            default: break
            }
        }
    }
}
