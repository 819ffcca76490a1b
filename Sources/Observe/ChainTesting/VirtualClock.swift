// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import PromiseRuntime

/// A clock that stands still until it is advanced, so that a test of delays takes no time and is exact.
///
/// It starts at ``start``. Timers fire on the thread that advances the clock, in the order of their deadlines. Timers
/// with the same deadline fire in the order in which they were set. Each timer sees its own deadline as ``now``, or the
/// present time if its deadline was past already. A clock may be used from any thread, but this order holds only if one
/// thread advances it.
///
///     let clock = VirtualClock()
///     let runtime = ChainRuntime(clock: clock, executor: InlineExecutor.shared)
///     let tea = runtime.run { Promise.delay(.seconds(180)) }
///     clock.advance(by: .seconds(180))
///     #expect(tea.isSettled)
public final class VirtualClock: ChainClock {
    /// The time at which every virtual clock starts: a second after its origin.
    public static let start = ChainInstant(offset: .seconds(1))

    private struct State {
        var now = VirtualClock.start.nanoseconds
        var timers = TimerHeap()
    }
    private let state = Lock(State())

    /// Makes a clock at ``start``.
    public init() {}

    /// The virtual time; changes only by advancing.
    public var now: ChainInstant { ChainInstant(nanoseconds: state.withLock { $0.now }) }

    /// The time since ``start``.
    public var elapsed: Duration { Self.start.duration(to: now) }

    /// False, because the cycle counter does not follow virtual time.
    public var followsCycleCounter: Bool { false }

    /// The deadline of the earliest timer.
    public var nextDeadline: ChainInstant? {
        state.withLock { $0.timers.nextDeadline }.map(ChainInstant.init(nanoseconds:))
    }

    /// Sets a timer. A timer with a past deadline fires at the next advance, even if that is an advance by zero. O(log
    /// n).
    public func schedule(at deadline: ChainInstant, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        let timer = HeapTimer(work)
        _ = state.withLock { $0.timers.insert(timer, deadline: deadline.nanoseconds) }
        return timer
    }

    /// Advances by `duration`, which counts as 0 if it is negative. Fires each timer at its deadline, also timers that
    /// are set on the way. Jobs in a `ManualExecutor` do not run.
    public func advance(by duration: Duration) {
        let target = now.advanced(by: max(duration, .zero)).nanoseconds
        while fireNext(until: target) {}
        state.withLock { $0.now = max($0.now, target) }
    }

    /// Advances to the earliest deadline and fires its timers. Returns false if no timer is set. A timer that is set
    /// meanwhile fires at a later call, so that a caller can bound the number of timers.
    @discardableResult
    public func advanceToNextTimer() -> Bool { fireNext(until: .max) }

    private func fireNext(until target: UInt64) -> Bool {
        let due: [HeapTimer] = state.withLock { state in
            guard let deadline = state.timers.nextDeadline, deadline <= target else { return [] }
            state.now = max(state.now, deadline)
            var due: [HeapTimer] = []
            while let next = state.timers.nextDeadline, next <= deadline, let timer = state.timers.popFirst() {
                due.append(timer)
            }
            return due
        }
        due.forEach { $0.fire() }
        return !due.isEmpty
    }
}
