// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem

/// The system call that a thread is blocked in.
struct BlockingCall: Hashable, Sendable {
    /// What the call waits for.
    let wait: SystemWait
    /// The first three arguments; 0 for a thread that is blocked outside of a call, as by a page fault.
    let first: UInt64
    let second: UInt64
    let third: UInt64

    /// Parses `/proc/PID/task/TID/syscall`; nil for a thread that runs, or waits for a processor.
    init?(parsing text: String) {
        let fields = text.split(whereSeparator: \.isWhitespace)
        guard let name = fields.first, let number = Int(name) else { return nil }
        wait = SystemWait(rawValue: chain_system_call_wait(number)) ?? .unknown
        let arguments = number < 0 ? [] : fields[1...].prefix(3).map { UInt64($0.dropFirst(2), radix: 16) ?? 0 }
        first = arguments.first ?? 0
        second = arguments.count > 1 ? arguments[1] : 0
        third = arguments.count > 2 ? arguments[2] : 0
    }
}

/// What the system says of the threads of a process, in `/proc/PID/task`.
enum ThreadFiles {
    /// Returns the ids of all threads; none if the process has ended.
    static func ids(of pid: Int32) -> [ThreadID] { fileNames(in: "/proc/\(pid)/task").compactMap { ThreadID($0) } }

    /// Returns the name of a thread; empty if it has ended.
    static func name(_ pid: Int32, _ thread: ThreadID) -> String {
        guard let text = text(pid, thread, "comm") else { return "" }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// Returns the call that a thread is blocked in; nil if it runs, or if that is not known.
    static func call(_ pid: Int32, _ thread: ThreadID) -> BlockingCall? {
        text(pid, thread, "syscall").flatMap { BlockingCall(parsing: $0) }
    }

    /// Returns how often a thread has been given a processor: the number of a blocked thread changes before it runs.
    /// Nil where the system does not count that.
    static func runCount(_ pid: Int32, _ thread: ThreadID) -> UInt64? {
        text(pid, thread, "schedstat")?.split(whereSeparator: \.isWhitespace).dropFirst(2).first.flatMap { UInt64($0) }
    }

    private static func text(_ pid: Int32, _ thread: ThreadID, _ name: String) -> String? {
        ProcFile.shortText("/proc/\(pid)/task/\(thread)/\(name)")
    }
}
