import ChainEvents
import PromiseRuntime

/// A clock that stands still until it is told to go on, so that a test of delays takes no time and is exact.
///
/// It starts at ``start``. Timers fire on the thread that advances, in the order of (deadline, setting), and each of them
/// sees its own deadline as ``now``. May be used from any thread; the order is only that of one advancing thread.
///
///     let clock = VirtualClock()
///     let runtime = ChainRuntime(clock: clock, executor: InlineExecutor.shared)
///     let tea = runtime.run { Promise.delay(.seconds(180)) }
///     clock.advance(by: .seconds(180))
///     #expect(tea.isSettled)
public final class VirtualClock: ChainClock {
    /// What every virtual clock starts at: one second, in nanoseconds (a clock is never 0).
    public static let start: UInt64 = 1_000_000_000

    private struct State {
        var now = VirtualClock.start
        var timers = TimerHeap()
    }
    private let state = Lock(State())

    /// Makes a clock that stands at ``start``.
    public init() {}

    /// Virtual nanoseconds; changes only by advancing.
    public var now: UInt64 { state.withLock { $0.now } }

    /// How long the clock has gone on since ``start``.
    public var elapsed: Duration { .nanoseconds(Int64(clamping: now - Self.start)) }

    /// False: the cycle counter knows nothing of virtual time.
    public var followsCycleCounter: Bool { false }

    /// The deadline of the earliest timer that is set, in nanoseconds of this clock.
    public var nextDeadline: UInt64? { state.withLock { $0.timers.nextDeadline } }

    /// Sets a timer; one whose deadline is past fires at the next advance, even by zero. O(log n).
    public func schedule(at deadline: UInt64, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        let timer = HeapTimer(work)
        _ = state.withLock { $0.timers.insert(timer, deadline: deadline) }
        return timer
    }

    /// Goes on by `duration` (none below 0), stopping at each deadline on the way to fire its timers; those that they
    /// set on the way fire, too. Only timers run: jobs that wait in a `ManualExecutor` go on waiting.
    public func advance(by duration: Duration) {
        let target = now &+ duration.clampedNanoseconds
        while fireNext(until: target) {}
        state.withLock { $0.now = max($0.now, target) }
    }

    /// Goes on to the earliest deadline and fires its timers; false, and nothing happens, where no timer is set. Timers
    /// that they set, even at once, are left for the next call, so that a caller can bound how many there are.
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
