// SPDX-License-Identifier: MIT

/// The state of the connection to a program.
enum Connection: Equatable {
    /// The program was not reached yet. `attempt` counts from 1; 0 before the first attempt. `lastFailure` is one
    /// sentence on the previous attempt.
    case absent(attempt: Int, lastFailure: String?)
    /// Events arrive as they happen.
    case live
    /// The program was live and has ended, is unreachable or silent. Its last known state is shown until it is reached
    /// again.
    case lost(Disconnection)
    /// The source has ended, for the reason in a short phrase.
    case ended(String)
    /// The program is shown at a moment of a recording, or of the live program's past.
    case replay(ReplayPosition)

    /// The loss of a program: since when it is unreachable or silent, why, and when the next attempt is made.
    struct Disconnection: Equatable {
        /// When the last message arrived, or the loss was noticed, in nanoseconds since 1970.
        var since: UInt64
        /// One sentence on what happened.
        var reason: String
        /// The number of attempts to reconnect.
        var attempt: Int
        /// The time of the next attempt, in nanoseconds since 1970; 0 where the connection is open and the program is
        /// silent.
        var nextAttempt: UInt64
        /// Whether the program has said goodbye, because it ended or stopped its inspector.
        var hasStopped = false

        /// Whether the connection is open and the program is silent.
        var isSilence: Bool { nextAttempt == 0 }
    }

    var isLive: Bool { self == .live }
    var isAbsent: Bool { if case .absent = self { true } else { false } }
    var isEnded: Bool { if case .ended = self { true } else { false } }
    var replay: ReplayPosition? { if case .replay(let position) = self { position } else { nil } }
    /// Whether the program's time advances.
    var isMoving: Bool { isLive || replay?.isPlaying == true }
    var disconnection: Disconnection? { if case .lost(let disconnection) = self { disconnection } else { nil } }
}

/// The replacement of an old run of a program by a new one.
struct Restart: Equatable {
    /// When the new run connected, in nanoseconds since 1970.
    var time: UInt64
    /// The process id of the old run.
    var oldPid: Int32

    /// How long a restart is shown, in nanoseconds.
    static let shownDuration: UInt64 = 60_000_000_000

    func isShown(at wall: UInt64) -> Bool { wall &- min(wall, time) < Self.shownDuration }
}
