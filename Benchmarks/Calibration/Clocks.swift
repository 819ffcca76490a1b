// SPDX-License-Identifier: MIT

import Foundation

/// Returns the time of a clock in nanoseconds, by default the processor time of this thread, in which other load does not
/// count.
public func nanoseconds(of clock: clockid_t = CLOCK_THREAD_CPUTIME_ID) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Returns the nanoseconds of a clock that `body` takes.
public func timing(by clock: clockid_t = CLOCK_THREAD_CPUTIME_ID, _ body: () throws -> Void) rethrows -> UInt64 {
    let start = nanoseconds(of: clock)
    try body()
    return nanoseconds(of: clock) - start
}
