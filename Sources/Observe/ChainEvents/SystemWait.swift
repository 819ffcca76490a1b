// SPDX-License-Identifier: MIT

/// What a thread is blocked in, on ``EventKind/stalled``. Part of the wire format: never renumbered, only added to.
public enum SystemWait: UInt16, CaseIterable, Sendable {
    /// The system does not say, or says it in a way that this version does not know.
    case unknown = 0
    /// A lock, a semaphore or a condition variable.
    case futex = 1
    /// A sleep.
    case sleep = 2
    /// A read from a descriptor.
    case read = 3
    /// A write to a descriptor.
    case write = 4
    /// A receive from a socket.
    case receive = 5
    /// A send to a socket.
    case send = 6
    /// A wait for descriptors by poll or select.
    case poll = 7
    /// A wait for descriptors by epoll.
    case epoll = 8
    /// A connection attempt.
    case connect = 9
    /// A wait for a connection.
    case accept = 10
    /// A lock on a file.
    case fileLock = 11
    /// A wait until data is on the disk.
    case sync = 12
    /// A wait for a child process.
    case child = 13
    /// A wait for a signal.
    case signal = 14
    /// The opening of a file.
    case open = 15
    /// Another system call.
    case other = 16
    /// A page of memory that is not there yet.
    case page = 17

    /// The name in a few words, such as `futex wait`.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .futex: "futex wait"
        case .sleep: "sleep"
        case .read: "read"
        case .write: "write"
        case .receive: "receive"
        case .send: "send"
        case .poll: "poll"
        case .epoll: "epoll wait"
        case .connect: "connect"
        case .accept: "accept"
        case .fileLock: "file lock"
        case .sync: "fsync"
        case .child: "wait for a child process"
        case .signal: "wait for a signal"
        case .open: "open"
        case .other: "a system call"
        case .page: "a page fault"
        }
    }

    /// Words that follow *blocked*, such as ` in futex wait`; empty for ``unknown``.
    public var words: String { self == .unknown ? "" : " in \(name)" }

    /// What such a wait usually is, where ``name`` is a term of the kernel; nil for other waits.
    public var explanation: String? {
        switch self {
        case .futex: "a lock, a semaphore or a condition"
        case .page: "memory that has to be read from the disk"
        default: nil
        }
    }
}
