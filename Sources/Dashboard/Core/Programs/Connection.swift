enum Connection: Equatable {
    /// It was not found yet. `attempt` counts from 1, 0 where nothing was tried; the failure is of the one before.
    case absent(attempt: Int, lastFailure: String?)
    /// Events arrive as they happen.
    case live
    /// It was live and is not; what is known of it is history, and it is looked for.
    case lost(Disconnection)
    /// The source has ended, for a reason in a short phrase.
    case ended(String)
    /// It is a recording, at a moment.
    case replay(ReplayPosition)

    /// Since when a program cannot be reached, and when it is tried again.
    struct Disconnection: Equatable {
        /// When the last batch arrived, in nanoseconds since 1970.
        var since: UInt64
        /// One sentence on what happened.
        var reason: String
        var attempt: Int
        /// When it is tried next, in nanoseconds since 1970; 0 where there is nothing to try, for the connection is
        /// open and the program is silent.
        var nextAttempt: UInt64

        var isSilence: Bool { nextAttempt == 0 }
    }

    var isLive: Bool { self == .live }
    var isAbsent: Bool { if case .absent = self { true } else { false } }
    var isEnded: Bool { if case .ended = self { true } else { false } }
    var replay: ReplayPosition? { if case .replay(let position) = self { position } else { nil } }
    /// Whether its time advances.
    var isMoving: Bool { isLive || replay?.isPlaying == true }
    var outage: Disconnection? { if case .lost(let outage) = self { outage } else { nil } }
}

/// A new run of a program that took the place of an old one.
struct Restart: Equatable {
    /// When it was found, in nanoseconds since 1970.
    var time: UInt64
    var oldPid: Int32

    /// How long a restart is shown, in nanoseconds.
    static let shownDuration: UInt64 = 60_000_000_000

    func isShown(at wall: UInt64) -> Bool { wall &- min(wall, time) < Self.shownDuration }
}
