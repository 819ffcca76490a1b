/// A source of time and timers for a runtime; a virtual clock makes a whole run exact (TheRules, R1).
public protocol ChainClock: AnyObject, Sendable {
    /// The time in nanoseconds since a fixed moment; never decreases, never 0.
    var now: UInt64 { get }

    /// Whether times may be taken from the cycle counter and calibrated against ``now``; false for a virtual clock.
    var followsCycleCounter: Bool { get }

    /// Calls `work` once, not before `deadline` (ns of this clock), on a thread of the clock; `work` must be short.
    /// Timers with the same deadline fire in the order in which they were set.
    func schedule(at deadline: UInt64, _ work: @escaping @Sendable () -> Void) -> any ClockTimer
}

/// A timer that was set by ``ChainClock/schedule(at:_:)``.
public protocol ClockTimer: AnyObject, Sendable {
    /// Prevents the timer from firing if it has not begun to; idempotent. The work is released.
    func cancel()
}
