// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// A ``ChainClock`` made of a clock of Swift.
protocol AdaptedClock: ChainClock {
    /// Whether the adapted clock is a clock of the system, which advances by itself.
    var isOfSystem: Bool { get }
}

/// A Swift `Clock` as a ``ChainClock``. Times count from the moment at which the adapter was made.
///
/// One task sleeps until the earliest deadline, then fires the timers that are due, in order.
final class ClockAdapter<Source: Clock>: AdaptedClock where Source.Duration == Duration {
    private struct State: Sendable {
        var timers = TimerHeap()
        /// The task that sleeps until the earliest deadline. Stays set while timers fire; nil before the first timer,
        /// and after the last timer has fired.
        var sleep: Task<Void, Never>?
        var isFiring = false
    }

    private let source: Source
    private let start: Source.Instant
    private let state = Lock(State())

    init(_ source: Source) {
        self.source = source
        start = source.now
    }

    /// The time since `start`, plus a nanosecond, because 0 stands for an absent time.
    var now: ChainInstant { ChainInstant(nanoseconds: start.duration(to: source.now).clampedNanoseconds + 1) }

    var followsCycleCounter: Bool { false }

    var isOfSystem: Bool { Source.self == ContinuousClock.self || Source.self == SuspendingClock.self }

    func schedule(at deadline: ChainInstant, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        let timer = HeapTimer(work)
        let deadline = deadline.nanoseconds
        let replaced: Task<Void, Never>? = state.withLock { state in
            guard state.timers.insert(timer, deadline: deadline), !state.isFiring else { return nil }
            return sleep(until: deadline, &state)
        }
        // Without the lock, because the cancellation handlers of the clock run inside the call (TheRules, S4).
        replaced?.cancel()
        return timer
    }

    /// Starts the sleep until `deadline`; returns the previous sleep, for the caller to cancel without the lock.
    private func sleep(until deadline: UInt64, _ state: inout State) -> Task<Void, Never>? {
        let replaced = state.sleep
        state.sleep = Task.detached { [self] in
            let moment = start.advanced(by: .nanoseconds(Int64(clamping: max(deadline, 1) - 1)))
            // If the clock throws, its timers fire early, because otherwise the promises that wait for the timers would
            // hang.
            try? await source.sleep(until: moment, tolerance: nil)
            if !Task.isCancelled { fire(dueBy: deadline) }
        }
        return replaced
    }

    private func fire(dueBy deadline: UInt64) {
        let isFirst = state.withLock { state in
            defer { state.isFiring = true }
            return !state.isFiring
        }
        guard isFirst else { return }
        while true {
            let due = max(deadline, nanoseconds)
            let (timer, replaced): (HeapTimer?, Task<Void, Never>?) = state.withLock { state in
                let next = state.timers.nextDeadline
                if let next, next <= due { return (state.timers.popFirst(dueBy: due), nil) }
                state.isFiring = false
                if let next { return (nil, sleep(until: next, &state)) }
                defer { state.sleep = nil }
                return (nil, state.sleep)
            }
            guard let timer else {
                replaced?.cancel()
                return
            }
            timer.fire()
        }
    }
}
