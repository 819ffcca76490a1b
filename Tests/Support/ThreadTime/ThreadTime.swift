#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Returns the processor time that `body` takes on this thread, so that other work on the machine does not count.
public func threadTime(_ body: () -> Void) -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let begin = now()
    body()
    return now() - begin
}

// SPDX-License-Identifier: MIT
