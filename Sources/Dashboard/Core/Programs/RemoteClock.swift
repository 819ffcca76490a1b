import ChainEvents

/// What a program's clock says, told by a clock of the viewer's own.
///
/// How far the two are apart follows from the times of day of both. Those may be set differently on two machines: where
/// they contradict what the program says of its time (once a second at least), that is believed.
struct RemoteClock {
    /// Nanoseconds of the program's clock; never goes back.
    private(set) var now: UInt64 = 0
    /// What to add to the program's time to get nanoseconds since 1970; 0 for a clock that has nothing to do with that.
    private var wallOffset: UInt64 = 0
    /// What to add to the own clock: by the times of day, and by what was heard, which is always somewhat too little.
    private var byWall: Int64?
    private var byWord: Int64?
    /// The latest that was heard since the last tick.
    private var heard: UInt64?

    /// What a word may take to arrive.
    private static let tolerance: Int64 = 2_000_000_000

    /// It is reached, or reached again.
    mutating func begin(_ info: ProcessDescription) {
        wallOffset = info.wallOffset
        (byWall, byWord, heard) = (nil, nil, nil)
    }

    /// The program says what time it is, or was a moment ago.
    mutating func ingest(_ time: UInt64) {
        now = max(now, time)
        heard = max(heard ?? 0, time)
    }

    /// Goes on: nanoseconds since 1970, and nanoseconds of the own clock.
    mutating func tick(wall: UInt64, own: UInt64) {
        guard wallOffset != 0 else {
            now = max(now, own)
            return
        }
        if let heard {
            let told = Int64(bitPattern: heard &- own)
            byWord = max(byWord ?? told, told)
            self.heard = nil
        }
        // A program that would not have begun yet by the time of day is on a machine with another.
        if byWall == nil, wall >= wallOffset { byWall = Int64(bitPattern: wall &- wallOffset &- own) }
        // Nothing is shown before the first word, which comes at once.
        guard let byWord else { return }
        var shift = byWord
        if let byWall, byWall >= byWord, byWall &- byWord <= Self.tolerance { shift = byWall }
        now = max(now, own &+ UInt64(bitPattern: shift))
    }
}
