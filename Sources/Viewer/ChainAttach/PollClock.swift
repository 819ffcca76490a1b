// SPDX-License-Identifier: MIT

import ChainSystem

/// A clock that also waits for descriptors, so that a test controls both.
protocol PollClock: Sendable {
    /// Nanoseconds of a clock that never goes back.
    var now: UInt64 { get }
    /// Nanoseconds since 1970.
    var wall: UInt64 { get }
    /// Waits until a descriptor is ready, or ``now`` reaches the deadline; may return earlier with no descriptor ready.
    func poll(_ entries: inout [pollfd], until deadline: UInt64?)
}

/// The system's clocks and `poll`.
struct SystemPollClock: PollClock {
    var now: UInt64 { SystemTime.monotonic }
    var wall: UInt64 { SystemTime.wall }

    func poll(_ entries: inout [pollfd], until deadline: UInt64?) {
        var limit: Int32 = -1
        if let deadline {
            // Rounded up, because a zero timeout would spin through the last millisecond.
            let rest = deadline - min(deadline, now)
            limit = Int32(clamping: rest / 1_000_000 + (rest % 1_000_000 > 0 ? 1 : 0))
        }
        if systemPoll(&entries, limit) < 0 { for index in entries.indices { entries[index].revents = 0 } }
    }
}

/// The system's `poll`, under a name that a method `poll` does not hide.
func systemPoll(_ entries: inout [pollfd], _ milliseconds: Int32) -> Int32 {
    poll(&entries, nfds_t(entries.count), milliseconds)
}
