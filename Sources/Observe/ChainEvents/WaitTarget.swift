// SPDX-License-Identifier: MIT

/// What a Swift task waits for, on ``EventKind/waitsFor``. Part of the wire format: never renumbered, only added to.
public enum WaitTarget: UInt16, CaseIterable, Sendable {
    /// It is not known, or this version does not know it.
    case unknown = 0
    /// The end of another task.
    case task = 1
    /// The resumption of a continuation.
    case continuation = 2
    /// The next result of its task group.
    case group = 3
    /// Its turn on an actor.
    case actor = 4
    /// A thread of the pool.
    case pool = 5
    /// A lock.
    case lock = 6
    /// Its turn on an executor.
    case executor = 7
    /// It is not known, because the task changed each time that it was read: its last state is shown.
    case moving = 8

    /// The name, as in the output that programs read.
    public var name: String { "\(self)" }
}
