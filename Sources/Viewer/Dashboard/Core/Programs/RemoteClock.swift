// SPDX-License-Identifier: MIT

import ChainEvents

/// A program's clock, computed from the viewer's own clock.
///
/// The difference between the two clocks follows from the times of day of both machines. The machines may be set
/// differently: if their times of day contradict the times of the program's batches, the times of the batches are used.
/// Batches arrive at least once a second.
struct RemoteClock {
    /// Nanoseconds of the program's clock; goes back only in ``jump(to:)``.
    private(set) var now: UInt64 = 0
    /// The offset to add to the program's time to get nanoseconds since 1970; 0 for a clock without relation to the
    /// time of day.
    private var wallOffset: UInt64 = 0
    /// The offset to add to the viewer's clock to get the program's clock, by the times of day.
    private var wallShift: Int64?
    /// The same offset, by the times of the batches. It is too small by the time that a batch takes to arrive.
    private var batchShift: Int64?
    /// The latest time of a batch since the last tick.
    private var latestBatch: UInt64?

    /// The time that a batch may take to arrive, in nanoseconds.
    private static let tolerance: Int64 = 2_000_000_000

    /// Starts with the program's wall offset and forgets the other offsets. Called whenever the program was reached.
    mutating func begin(_ info: ProcessDescription) {
        wallOffset = info.wallOffset
        (wallShift, batchShift, latestBatch) = (nil, nil, nil)
    }

    /// Shows a moment of a recording, which may be earlier than ``now``.
    mutating func jump(to moment: UInt64) {
        now = moment
        latestBatch = nil
    }

    /// Applies the time of a batch, in nanoseconds of the program's clock.
    mutating func ingest(_ time: UInt64) {
        now = max(now, time)
        latestBatch = max(latestBatch ?? 0, time)
    }

    /// Advances to the present: `wall` in nanoseconds since 1970, and `own` in nanoseconds of the viewer's clock.
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
        // The times of day are not used if the program's clock began in the viewer's future: then the program's machine
        // has another time of day.
        if wallShift == nil, wall >= wallOffset { wallShift = Int64(bitPattern: wall &- wallOffset &- own) }
        // The clock does not advance before the first batch, which arrives at once.
        guard let batchShift else { return }
        var shift = batchShift
        if let wallShift, wallShift >= batchShift, wallShift &- batchShift <= Self.tolerance { shift = wallShift }
        now = max(now, own &+ UInt64(bitPattern: shift))
    }
}
