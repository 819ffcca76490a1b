// SPDX-License-Identifier: MIT

import ChainRecording
import ChainSystem
import Foundation

/// The time of day.
enum WallClock {
    /// Nanoseconds since 1970.
    static var now: UInt64 { SystemTime.wall }

    /// Returns the seconds to add to UTC for a zone's time of day at a moment, in nanoseconds since 1970. The offset of
    /// today is an hour wrong for a moment on the other side of a change to or from summer time.
    static func offset(at moment: UInt64 = now, in zone: TimeZone = .current) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment) / 1e9))
    }
}

extension RecordingFile {
    /// Seconds to add to UTC for times of day at the recording's end, in the zone of this machine.
    var clockOffset: Int { WallClock.offset(at: range.upperBound &+ process.wallOffset) }
}
