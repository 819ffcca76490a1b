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
    var now: UInt64 { nanoseconds(CLOCK_MONOTONIC) }
    var wall: UInt64 { nanoseconds(CLOCK_REALTIME) }

    func poll(_ entries: inout [pollfd], until deadline: UInt64?) {
        var limit: Int32 = -1
        if let deadline {
            // Rounded up, because a zero timeout would spin through the last millisecond.
            let rest = deadline - min(deadline, now)
            limit = Int32(clamping: rest / 1_000_000 + (rest % 1_000_000 > 0 ? 1 : 0))
        }
        if systemPoll(&entries, limit) < 0 { for index in entries.indices { entries[index].revents = 0 } }
    }

    private func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The system's `poll`, under a name that a method `poll` does not hide.
func systemPoll(_ entries: inout [pollfd], _ milliseconds: Int32) -> Int32 {
    poll(&entries, nfds_t(entries.count), milliseconds)
}

extension Duration {
    /// Whole nanoseconds; 0 for a negative duration.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        // Capped, so that the sum of a time and a duration does not overflow.
        return overflows || product > 1 << 62 ? 1 << 62 : product + UInt64(attoseconds) / 1_000_000_000
    }
}
