// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// A process whose program is written in Swift.
package struct SwiftProcess: Hashable, Sendable {
    /// The process id.
    package let pid: Int32
    /// The name of the program's file.
    package let name: String
    /// The user that it runs as.
    package let user: UInt32
    /// The key of its run, the same for all viewers.
    let key: UInt64
}

/// The search for processes of Swift programs, whether they were prepared or not: those of this user, and for root those
/// of all users. To be used on one thread.
///
/// The first search reads the headers of each program's file, about 40 µs a process; later searches read those of new
/// processes alone. Finds nothing where the system has no `/proc`.
package final class SwiftProcessSearch {
    private struct Known {
        var key: UInt64
        /// Nil for a program that is not written in Swift.
        var process: SwiftProcess?
    }

    private let path: String
    private var known: [Int32: Known] = [:]

    /// Makes a search of a `/proc`; an empty path finds nothing.
    package init(_ path: String = "/proc") { self.path = path }

    /// Whether there is a `/proc` to search.
    package var isPossible: Bool { !path.isEmpty }

    /// Returns the processes, by pid. Those that cannot be looked at are left out.
    package func processes() -> [SwiftProcess] {
        let own = getpid()
        var next: [Int32: Known] = [:]
        for name in path.isEmpty ? [] : fileNames(in: path) {
            guard let pid = Int32(name), pid > 0, pid != own, let identity = ProcessIdentity(of: pid) else { continue }
            if let before = known[pid], before.key == identity.key.rawValue {
                next[pid] = before
            } else {
                next[pid] = Known(key: identity.key.rawValue, process: Self.process(pid, identity))
            }
        }
        known = next
        return next.values.compactMap(\.process).sorted { $0.pid < $1.pid }
    }

    private static func process(_ pid: Int32, _ identity: ProcessIdentity) -> SwiftProcess? {
        let user = ProcFile.text("/proc/\(pid)/status").map { ProcessStatus($0).user } ?? .max
        guard user == geteuid() || geteuid() == 0 else { return nil }
        let descriptor = open("/proc/\(pid)/exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0, let file = ElfFile(owning: descriptor), file.hasSwift else { return nil }
        return SwiftProcess(pid: pid, name: identity.name, user: user, key: identity.key.rawValue)
    }
}

extension SwiftProcess {
    /// The description of the process for a list, before its memory is read.
    package var info: ProcessDescription {
        var process = ProcessDescription(
            key: ProcessKey(rawValue: key), pid: pid, name: name, wallOffset: 0, isReadOnly: true)
        process.isReadFromOutside = true
        return process
    }

    /// Returns the process that a name means: the one of that name, or else the one whose name begins with it. Nil if
    /// there is none.
    ///
    /// - Throws: ``OutsideError/Kind/ambiguous`` if there are several.
    package static func named(_ name: String, among processes: [SwiftProcess]) throws(OutsideError) -> SwiftProcess? {
        let exact = processes.filter { $0.name == name }
        let found = exact.isEmpty ? processes.filter { $0.name.hasPrefix(name) } : exact
        guard found.count > 1 else { return found.first }
        let list = found.prefix(5).map { "\($0.name) (\($0.pid))" }.joined(separator: ", ")
        let others = found.count > 5 ? " and \(found.count - 5) others" : ""
        throw OutsideError(.ambiguous, "\(name) can be \(list)\(others): use a pid")
    }
}
