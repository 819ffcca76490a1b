// SPDX-License-Identifier: MIT

import CChainRuntime

/// The clocks of the system, in nanoseconds.
package enum SystemTime {
    /// The time of a clock that never goes back.
    package static var monotonic: UInt64 { chain_monotonic_ns() }

    /// The time of day since 1970. A wall clock may be set to any time: 0 before 1970, and the greatest number after
    /// the year 2554.
    package static var wall: UInt64 { chain_wall_ns() }

    /// How long the calling thread has run.
    package static var thread: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
