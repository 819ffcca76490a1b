// SPDX-License-Identifier: MIT

import Calibration
import Foundation
import Synchronization

/// Returns the processor time of this thread for one of `count` rounds of `body`, in nanoseconds. Other load does not
/// count.
func nanosecondsEach(_ count: Int, _ body: () -> Void) -> Double {
    Double(timing { for _ in 0..<count { body() } }) / Double(count)
}

/// Returns the processor time of all threads for one of `units`, in nanoseconds; `body` does all of them.
func processNanoseconds(per units: Int, _ body: () -> Void) -> Double {
    Double(timing(by: CLOCK_PROCESS_CPUTIME_ID, body)) / Double(units)
}

/// Runs `body` on that many threads, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            body(index)
            group.leave()
        }.start()
    }
    group.wait()
}

/// Waits for asynchronous work, on a thread outside of its pool.
func waitFor(_ body: @escaping @Sendable () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        await body()
        isDone.signal()
    }
    isDone.wait()
}

/// A count-down of chains with a wait for the last. A global, so that handlers capture nothing.
enum Ended {
    private static let left = Atomic(0)
    private static let isOver = DispatchSemaphore(value: 0)

    /// Sets the number of chains that ``wait()`` waits for.
    static func expect(_ count: Int) { left.store(count, ordering: .relaxed) }

    /// Counts one chain down.
    static func one() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isOver.signal() }
    }

    static func wait() { isOver.wait() }
}

/// A sink for results, so that the optimiser does not remove the work.
@inline(never)
func use<Value>(_ value: Value) {}

/// Returns nanoseconds of the monotonic clock.
func monotonicNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

/// Yields the processor.
func pause() { sched_yield() }
