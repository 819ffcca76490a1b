// SPDX-License-Identifier: MIT

import ChainEvents

/// A program to attach to, as typed: `4242`, `checkout`, `unix:/run/…/4242.sock`, `tcp:127.0.0.1:7777`,
/// `ssh:host/4242`, `exec:kubectl exec -i pod -- chainview relay`.
package enum Target: Hashable, Sendable, CustomStringConvertible {
    /// A process of this user, by its pid.
    case pid(Int32)
    /// A process of this user, by the name of its inspector, or the beginning of the name.
    case name(String)
    /// A socket at any path.
    case unix(path: String)
    /// A TCP port that a program opened (opt-in). Only a port on this machine's loopback can be attached to.
    case tcp(host: String, port: UInt16)
    /// A process on another machine, reached through `ssh`; `process` is its pid or its name there.
    case ssh(host: String, process: String)
    /// A process that a command reaches: any command that runs `chainview relay` where the process is, and carries its
    /// standard input and output.
    case exec(program: String, arguments: [String])

    /// Parses a typed target.
    ///
    /// - Throws: ``TargetError``.
    package init(_ text: String) throws(TargetError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count == 2 ? String(parts[1]) : ""
        switch parts.count == 2 ? parts[0] : "" {
        case "unix":
            guard !rest.isEmpty else {
                throw TargetError("unix: needs the path of a socket, such as unix:/tmp/it.sock")
            }
            self = .unix(path: rest)
        case "tcp": self = try Target.tcp(rest)
        case "ssh": self = try Target.ssh(rest)
        case "exec":
            let words = try ShellWords.split(rest)
            guard let program = words.first, !program.isEmpty else {
                throw TargetError(
                    "exec: needs a command that relays, such as exec:\"kubectl exec -i pod -- chainview relay\"")
            }
            self = .exec(program: program, arguments: Array(words.dropFirst()))
        default: self = try Target.local(text)
        }
    }

    private static func tcp(_ rest: String) throws(TargetError) -> Target {
        guard let colon = rest.lastIndex(of: ":"), let port = UInt16(digits: rest[rest.index(after: colon)...]),
            port > 0, colon > rest.startIndex
        else { throw TargetError("tcp: needs a host and a port, such as tcp:127.0.0.1:7777") }
        var host = rest[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { throw TargetError("tcp: needs a host and a port, such as tcp:127.0.0.1:7777") }
        return .tcp(host: String(host), port: port)
    }

    private static func ssh(_ rest: String) throws(TargetError) -> Target {
        // The first slash, because a program's name may have others.
        guard let slash = rest.firstIndex(of: "/"), slash > rest.startIndex, rest.index(after: slash) < rest.endIndex
        else { throw TargetError("ssh: needs a host and a process there, such as ssh:build-3/4242") }
        let host = String(rest[..<slash])
        guard !host.hasPrefix("-") else { throw TargetError("a host's name does not begin with -") }
        return .ssh(host: host, process: String(rest[rest.index(after: slash)...]))
    }

    private static func local(_ text: String) throws(TargetError) -> Target {
        guard !text.isEmpty else {
            throw TargetError("a target is a pid, a name, unix:PATH, tcp:HOST:PORT, ssh:HOST/PROCESS or exec:COMMAND")
        }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return .name(text) }
        guard let pid = Int32(text), pid > 0 else { throw TargetError("\(text) is not a process id") }
        return .pid(pid)
    }

    /// The target in the form that ``init(_:)`` parses.
    package var description: String {
        switch self {
        case .pid(let pid): "\(pid)"
        case .name(let name): name
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .ssh(let host, let process): "ssh:\(host)/\(process)"
        case .exec(let program, let arguments):
            "exec:" + ([program] + arguments).map(ShellWords.quoted).joined(separator: " ")
        }
    }
}

/// The reason why a typed target cannot be parsed.
package struct TargetError: Error, Hashable, CustomStringConvertible {
    /// One sentence, without a full stop.
    package let description: String

    init(_ description: String) { self.description = description }
}
