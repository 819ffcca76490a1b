// SPDX-License-Identifier: MIT

/// A source of time and timers for a runtime; a virtual clock makes a whole run exact (TheRules, R1).
public protocol ChainClock: AnyObject, Sendable {
    /// The present time; never decreases.
    var now: ChainInstant { get }

    /// Whether times may be taken from the cycle counter and calibrated against ``now``; false for a virtual clock.
    var followsCycleCounter: Bool { get }

    /// Calls `work` once, not before `deadline`, on a thread of the clock; `work` must be short. Timers with the same
    /// deadline fire in the order in which they were set.
    func schedule(at deadline: ChainInstant, _ work: @escaping @Sendable () -> Void) -> any ClockTimer
}

extension ChainClock {
    /// Calls `work` once, not before `duration` has passed, as ``schedule(at:_:)`` does.
    public func schedule(after duration: Duration, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        schedule(at: now.advanced(by: max(duration, .zero)), work)
    }

    /// The present time in nanoseconds since the clock's origin, as events have it.
    @inlinable
    package var nanoseconds: UInt64 { now.nanoseconds }
}

/// A time of a ``ChainClock``, to the nanosecond. Instants of different clocks cannot be compared.
public struct ChainInstant: InstantProtocol {
    /// The nanoseconds since the clock's origin; never 0, which stands for an absent time in events.
    @usableFromInline package let nanoseconds: UInt64

    /// Makes an instant from the nanoseconds since the clock's origin.
    @inlinable
    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Makes the instant `offset` after the clock's origin, and at least a nanosecond after it.
    public init(offset: Duration) { self = ChainInstant(nanoseconds: 0).advanced(by: offset) }

    /// The time since the clock's origin.
    public var offset: Duration { .nanoseconds(Int64(clamping: nanoseconds)) }

    /// Returns the instant `duration` later; clamped to the range from a nanosecond to some centuries after the origin.
    public func advanced(by duration: Duration) -> ChainInstant {
        let limit = Duration.nanoseconds(Int64.max)
        let (seconds, attoseconds) = min(max(duration, .zero - limit), limit).components
        let distance = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let moved =
            distance < 0
            ? nanoseconds.subtractingClamped(distance.magnitude) : nanoseconds.addingClamped(distance.magnitude)
        return ChainInstant(nanoseconds: max(moved, 1))
    }

    /// Returns the time from this instant to `other`; negative if `other` is earlier.
    public func duration(to other: ChainInstant) -> Duration { other.offset - offset }

    /// Whether `left` is earlier.
    public static func < (left: ChainInstant, right: ChainInstant) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// A timer that was set by ``ChainClock/schedule(at:_:)``.
public protocol ClockTimer: AnyObject, Sendable {
    /// Prevents the timer from firing if it has not begun to; idempotent. The work is released.
    func cancel()
}
