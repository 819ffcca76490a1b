import ChainEvents
import ChainSystem

/// A Swift `Clock` as a ``ChainClock``. Times count from the moment at which the adapter was made.
///
/// One task sleeps until the earliest deadline, then fires the timers that are due, in order.
final class ClockAdapter<Source: Clock>: ChainClock where Source.Duration == Duration {
    private struct State: Sendable {
        var timers = TimerHeap()
        /// The sleeping task and its deadline. Stays set while timers fire; nil before the first timer, and after the
        /// last one has fired.
        var sleep: (deadline: UInt64, task: Task<Void, Never>)?
        var isFiring = false
    }

    private let source: Source
    private let start: Source.Instant
    private let state = Lock(State())

    init(_ source: Source) {
        self.source = source
        start = source.now
    }

    /// The time since `start` in nanoseconds, plus 1, because 0 stands for an absent time.
    var now: UInt64 { start.duration(to: source.now).clampedNanoseconds + 1 }

    var followsCycleCounter: Bool { false }

    func schedule(at deadline: UInt64, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        let timer = HeapTimer(work)
        state.withLock { state in
            if state.timers.insert(timer, deadline: deadline), !state.isFiring { sleep(until: deadline, &state) }
        }
        return timer
    }

    private func sleep(until deadline: UInt64, _ state: inout State) {
        state.sleep?.task.cancel()
        let moment = start.advanced(by: .nanoseconds(Int64(clamping: deadline - 1)))
        let task = Task.detached { [self] in
            // If the clock fails its timers fire early, because otherwise the promises that wait for them would hang.
            try? await source.sleep(until: moment, tolerance: nil)
            if !Task.isCancelled { fire(dueBy: deadline) }
        }
        state.sleep = (deadline, task)
    }

    private func fire(dueBy deadline: UInt64) {
        let isFirst = state.withLock { state in
            defer { state.isFiring = true }
            return !state.isFiring
        }
        guard isFirst else { return }
        while true {
            let due = max(deadline, now)
            let timer: HeapTimer? = state.withLock { state in
                if let next = state.timers.nextDeadline, next <= due { return state.timers.popFirst(dueBy: due) }
                state.isFiring = false
                state.sleep?.task.cancel()
                state.sleep = nil
                if let next = state.timers.nextDeadline { sleep(until: next, &state) }
                return nil
            }
            guard let timer else { return }
            timer.fire()
        }
    }
}
