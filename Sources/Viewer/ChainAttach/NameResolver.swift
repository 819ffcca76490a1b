// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import ChainWire

/// A socket, and the name of the program behind it.
struct NamedSocket {
    var socket: FoundSocket
    var name: String
    var process: ProcessKey
    /// Whether the program itself sent its name. Otherwise the name is from the file beside the socket, which a killed
    /// program leaves behind.
    var hasAnswered: Bool

    /// Whether a program listens at the socket.
    var isAlive: Bool { hasAnswered || Endpoint.isAlive(socket) }
}

/// A search for a program by its name.
struct NameResolver {
    private let sockets: [NamedSocket]
    /// The pids of programs that have no file with a name beside their socket, and have not answered.
    private let silent: [Int32]
    /// The searched folders, in words.
    private let folders: String

    init(_ sockets: [NamedSocket], silent: [Int32], in folders: String) {
        self.sockets = sockets
        self.silent = silent
        self.folders = folders
    }

    /// Returns the endpoint of the only program with the name or, if no program has it, of the only program with the
    /// name as a prefix. If several programs match, returns the endpoint of the `preferred` one.
    func find(_ name: String, preferring preferred: ProcessKey?) throws(AttachError) -> Endpoint {
        let exact = living { $0.name == name }
        let matches = exact.isEmpty && !name.isEmpty ? living { $0.name.hasPrefix(name) } : exact
        let match = matches.first { preferred != nil && $0.process == preferred }
        if let match = match ?? (matches.count == 1 ? matches.first : nil) {
            return match.socket.endpoint
        }
        guard matches.isEmpty else {
            let list = matches.map { exact.isEmpty ? "\($0.socket.pid) (\($0.name))" : "\($0.socket.pid)" }.joined(
                separator: ", ")
            let what = exact.isEmpty ? "have names that begin with" : "are named"
            throw AttachError(.ambiguous, "\(matches.count) programs \(what) \(name): give a pid: \(list)")
        }
        // `timedOut`, because a process that has not answered may have the name.
        throw AttachError(
            silent.isEmpty ? .notFound : .timedOut, "No program named \(name) listens in \(folders)" + hint(name))
    }

    /// Returns the wanted sockets at which a program listens.
    private func living(_ isWanted: (NamedSocket) -> Bool) -> [NamedSocket] {
        sockets.filter { isWanted($0) && $0.isAlive }
    }

    /// Returns the end of the error's sentence: similar names, or up to eight other names, or advice if there are no
    /// names. Up to eight silent processes follow.
    private func hint(_ name: String) -> String {
        let names = Set(living { _ in true }.map(\.name)).sorted()
        let near = names.filter { editDistance(name.lowercased(), $0.lowercased()) <= max(1, name.count / 3) }
        var hint = ""
        if !near.isEmpty {
            hint = ": did you mean \(near.joined(separator: " or "))?"
        } else if !names.isEmpty {
            hint = ": there " + (names.count == 1 ? "is " : "are ") + names.prefix(8).joined(separator: ", ")
            if names.count > 8 { hint += " and \(names.count - 8) more" }
        } else if silent.isEmpty {
            hint = ": it has to call Inspector.start()" + (geteuid() == 0 ? "" : ", as the same user")
        }
        if !silent.isEmpty {
            hint += " (no answer from \(silent.prefix(8).map(\.description).joined(separator: ", ")))"
        }
        return hint
    }
}
