import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How long a test waits for other threads and processes. Long, because the limit only ends a test that hangs: whether
/// a test passes must not depend on how fast the machine is.
public let waitLimit = Duration.seconds(240)

/// A time limit on the monotonic clock. A stall between two readings hardly counts, because what the test waits for
/// was probably stalled, too.
public struct WaitTimer: Sendable {
    private let limit: Duration
    private var counted = Duration.zero
    private var last = ContinuousClock.now
    /// The longest time that counts between two readings.
    private static let longestStep = Duration.milliseconds(100)

    /// Starts the timer.
    public init(limit: Duration = waitLimit) { self.limit = limit }

    /// Returns the time counted until now. Has to be called often.
    public mutating func count() -> Duration {
        let now = ContinuousClock.now
        counted += min(now - last, Self.longestStep)
        last = now
        return counted
    }

    /// Returns whether time is up. Has to be called often.
    public mutating func isOver() -> Bool { count() >= limit }
}

/// Waits until a condition holds. Returns false if it does not hold when time is up.
public func wait(limit: Duration = waitLimit, until condition: () throws -> Bool) rethrows -> Bool {
    var timer = WaitTimer(limit: limit)
    while try !condition() {
        if timer.isOver() { return false }
        // A pause of a millisecond leaves the processor to what the test waits for.
        poll(nil, 0, 1)
    }
    return true
}

extension DispatchSemaphore {
    /// Waits for a signal. Returns false if none has come when time is up. Does not use the waits of Dispatch that have
    /// a limit, because on Linux they follow the wall clock.
    public func waitForSignal(limit: Duration = waitLimit) -> Bool {
        TestWaits.wait(limit: limit) { wait(timeout: .now()) == .success }
    }
}

// SPDX-License-Identifier: MIT
