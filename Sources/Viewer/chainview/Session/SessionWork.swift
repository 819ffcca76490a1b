// SPDX-License-Identifier: MIT

import ChainSystem
import PromiseRuntime

/// Work that a session leaves to other threads, because it may wait for a file or another program. The results are
/// performed on the session's thread.
final class SessionWork: @unchecked Sendable {
    // Sendable: the variables are used only while the condition's mutex is held.
    typealias Result = @Sendable (Session) -> Void

    private let condition = Condition()
    private var results: [Result] = []
    private var runningCount = 0
    private let wake: @Sendable () -> Void

    /// - Parameter wake: called on another thread when there are results.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Runs work on a thread of its own, and then leaves its result to the session. If the system has no thread left,
    /// runs the work at once.
    ///
    /// - Parameter isAwaited: whether the end of the session waits for the work.
    func start(_ name: String, isAwaited: Bool = false, _ work: @escaping @Sendable () -> Result) {
        condition.withLock { if isAwaited { runningCount += 1 } }
        let run: @Sendable () -> Void = { [self] in
            let result = work()
            condition.withLock {
                results.append(result)
                if isAwaited { runningCount -= 1 }
                condition.broadcast()
            }
            wake()
        }
        if !SystemThread.detached(name, run) { run() }
    }

    /// Leaves something to do to the session.
    func post(_ result: @escaping Result) {
        condition.withLock { results.append(result) }
        wake()
    }

    /// Removes and returns the results, in the order in which they came.
    func takeResults() -> [Result] {
        condition.withLock {
            defer { results = [] }
            return results
        }
    }

    /// Waits for the end of all awaited work until a time of the monotonic clock; returns whether the work has ended.
    func awaitEnd(by end: UInt64) -> Bool {
        condition.withLock {
            while runningCount > 0, case let now = SystemClock.shared.nanoseconds, now < end {
                condition.wait(nanoseconds: end - now)
            }
            return runningCount == 0
        }
    }
}
