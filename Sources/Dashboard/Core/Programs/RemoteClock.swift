import ChainEvents

/// A program's clock, derived from the viewer's own.
///
/// The difference follows from the times of day of both machines. Those may be set differently: where they contradict
/// the times of the program's batches, which arrive once a second at least, the batches win.
struct RemoteClock {
    /// Nanoseconds of the program's clock; never goes back.
    private(set) var now: UInt64 = 0
    /// What to add to the program's time to get nanoseconds since 1970; 0 for a clock that has nothing to do with that.
    private var wallOffset: UInt64 = 0
    /// What to add to the own clock, by the times of day.
    private var wallShift: Int64?
    /// What to add to the own clock, by the times of the batches: always too little by what a batch takes to arrive.
    private var batchShift: Int64?
    /// The latest time of a batch since the last tick.
    private var latestBatch: UInt64?

    /// What a batch may take to arrive, in nanoseconds.
    private static let tolerance: Int64 = 2_000_000_000

    /// Starts over with a program that was reached, or reached again.
    mutating func begin(_ info: ProcessDescription) {
        wallOffset = info.wallOffset
        (wallShift, batchShift, latestBatch) = (nil, nil, nil)
    }

    /// Shows a moment of a recording, which may be an earlier one.
    mutating func jump(to moment: UInt64) {
        now = moment
        latestBatch = nil
    }

    /// Takes the time of a batch.
    mutating func ingest(_ time: UInt64) {
        now = max(now, time)
        latestBatch = max(latestBatch ?? 0, time)
    }

    /// Advances to `wall`, nanoseconds since 1970, and `own`, nanoseconds of the own clock.
    mutating func tick(wall: UInt64, own: UInt64) {
        guard wallOffset != 0 else {
            now = max(now, own)
            return
        }
        if let latest = latestBatch {
            let shift = Int64(bitPattern: latest &- own)
            batchShift = max(batchShift ?? shift, shift)
            latestBatch = nil
        }
        // A program that had not begun by the time of day runs on a machine with another time of day.
        if wallShift == nil, wall >= wallOffset { wallShift = Int64(bitPattern: wall &- wallOffset &- own) }
        // Nothing moves before the first batch, which arrives at once.
        guard let batchShift else { return }
        var shift = batchShift
        if let wallShift, wallShift >= batchShift, wallShift &- batchShift <= Self.tolerance { shift = wallShift }
        now = max(now, own &+ UInt64(bitPattern: shift))
    }
}
