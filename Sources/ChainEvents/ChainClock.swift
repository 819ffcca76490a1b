/// Where a runtime's time comes from, timers included, so that a virtual one makes a whole run exact (TheRules, R1).
public protocol ChainClock: AnyObject, Sendable {
    /// Nanoseconds since some fixed moment; never goes back, never 0.
    var now: UInt64 { get }

    /// Whether times may be taken from the cycle counter and calibrated against ``now``; false for a virtual clock.
    var followsCycleCounter: Bool { get }

    /// Calls `work` once, not before `deadline` (ns of this clock), on a thread of the clock's choice; `work` must be
    /// short. Timers of one deadline fire in the order in which they were set.
    func schedule(at deadline: UInt64, _ work: @escaping @Sendable () -> Void) -> any ClockTimer
}

/// A timer that was set.
public protocol ClockTimer: AnyObject, Sendable {
    /// Keeps the timer from firing if it has not begun to; idempotent. The work is released.
    func cancel()
}
