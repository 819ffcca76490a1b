// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem

/// The system's monotonic clock, with one thread for all timers, started with the first timer.
///
/// That thread settles the promises of timers, delivers to their waiters, and runs handlers on the ``InlineExecutor``.
/// While such a handler runs no other timer of this clock fires, so the handler must be short; a wait in it
/// (``Promise/get(timeout:file:line:)``, ``Awaiter/await(timeout:file:line:)``) is refused with ``RefusedWaitError``.
/// Timers fire in the order of their deadlines. The thread has the signal mask of the thread that sets the first timer.
///
/// In a child of a fork the clock begins without timers, and starts a thread of its own with its first timer. The
/// parent's timers fire in the parent only.
public final class SystemClock: ChainClock, ForkRenewable, @unchecked Sendable {
    // Sendable: `timers` is replaced only in a child of a fork, while the child has one thread; no other property
    // changes.
    /// The process's clock.
    public static let shared = SystemClock()

    // Unchecked: written by the only thread of a child.
    @exclusivity(unchecked)
    private var timers = Timers()

    private final class Timers: @unchecked Sendable {
        // Sendable: mutable state is accessed only under the lock of `condition`.
        let condition = Condition()
        var heap = TimerHeap()
        var isStarted = false
    }

    private init() { ForkHandling.insert(self) }

    func renewInChild() {
        _ = Unmanaged.passRetained(timers)
        timers = Timers()
    }

    /// Whether the calling thread fires the timers.
    static var isTimerThread: Bool { chain_thread_current().pointee.fires_timers }

    /// The time of the monotonic clock; costs 22 to 42 ns.
    public var now: ChainInstant { ChainInstant(nanoseconds: chain_monotonic_ns()) }

    /// True: ticks of the cycle counter are calibrated against this clock.
    public var followsCycleCounter: Bool { true }

    /// Sets a timer; amortised O(log n) in the number of timers that are set. The work runs on the clock's thread.
    public func schedule(at deadline: ChainInstant, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        let timer = HeapTimer(work)
        let timers = timers
        let startsNow = timers.condition.withLock {
            if timers.heap.insert(timer, deadline: deadline.nanoseconds) { timers.condition.signal() }
            defer { timers.isStarted = true }
            return !timers.isStarted
        }
        if startsNow {
            let started = SystemThread.retryStarting {
                SystemThread.detached("chain-timer", signals: .inherited) {
                    chain_thread_current().pointee.fires_timers = true
                    Self.serve(timers)
                }
            }
            precondition(started, "the system has no thread left for timers")
        }
        return timer
    }

    private static func serve(_ timers: Timers) {
        while true {
            let due: HeapTimer = timers.condition.withLock {
                while true {
                    guard let deadline = timers.heap.nextDeadline else {
                        timers.condition.wait()
                        continue
                    }
                    let now = chain_monotonic_ns()
                    if let timer = timers.heap.popFirst(dueBy: now) { return timer }
                    if deadline > now { timers.condition.wait(nanoseconds: deadline - now) }
                }
            }
            // An autorelease pool for each timer, because this thread never ends.
            let pool = chain_autorelease_push()
            due.fire()
            chain_autorelease_pop(pool)
        }
    }
}

/// A timer. Its work is removed once, by firing or by cancelling.
package final class HeapTimer: ClockTimer {
    private let work: Lock<(@Sendable () -> Void)?>

    /// Makes a timer that runs `work`.
    package init(_ work: @escaping @Sendable () -> Void) { self.work = Lock(work) }

    /// Runs the work, unless it has run or the timer was cancelled.
    package func fire() { work.withLock { $0.take() }?() }

    /// Drops the work; idempotent.
    package func cancel() { _ = work.withLock { $0.take() } }

    /// Whether the timer has fired or was cancelled.
    package var isDone: Bool { work.withLock { $0 == nil } }
}

/// A binary heap of timers, by deadline, then by order of insertion. A cancelled timer is removed when it reaches the
/// top. Each time the heap has doubled, all cancelled timers are removed.
package struct TimerHeap: Sendable {
    private struct Entry: Sendable {
        var deadline: UInt64
        var order: UInt64
        var timer: HeapTimer

        func isBefore(_ other: Entry) -> Bool { (deadline, order) < (other.deadline, other.order) }
    }
    private var entries: [Entry] = []
    /// The number of timers ever inserted.
    private var order: UInt64 = 0
    /// The number of entries at which all cancelled timers are removed.
    private var sweepCount = 64

    /// Makes an empty heap.
    package init() {}

    /// The earliest deadline of a timer that is not cancelled.
    package var nextDeadline: UInt64? {
        mutating get {
            while let first = entries.first, first.timer.isDone { _ = removeFirst() }
            return entries.first?.deadline
        }
    }

    /// Adds a timer; returns true if the added timer is the earliest. Amortised O(log n).
    package mutating func insert(_ timer: HeapTimer, deadline: UInt64) -> Bool {
        if entries.count >= sweepCount { sweep() }
        order += 1
        entries.append(Entry(deadline: deadline, order: order, timer: timer))
        siftUp(entries.count - 1)
        return entries[0].timer === timer
    }

    /// Removes and returns the earliest timer that is not cancelled. O(log n) for each timer that is removed.
    package mutating func popFirst() -> HeapTimer? {
        while !entries.isEmpty {
            let timer = removeFirst()
            if !timer.isDone { return timer }
        }
        return nil
    }

    /// Removes and returns the earliest timer, if its deadline is not after `now`. The timer may be cancelled already.
    package mutating func popFirst(dueBy now: UInt64) -> HeapTimer? {
        guard let first = entries.first, first.deadline <= now else { return nil }
        return removeFirst()
    }

    /// Removes all cancelled timers.
    private mutating func sweep() {
        let live = entries.filter { !$0.timer.isDone }.sorted { $0.isBefore($1) }
        // A sorted array is a heap.
        entries = live
        sweepCount = max(64, live.count * 2)
    }

    private mutating func removeFirst() -> HeapTimer {
        let timer = entries[0].timer
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            siftDown(0)
        }
        return timer
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child].isBefore(entries[least]) { least = child }
            }
            if least == index { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}
