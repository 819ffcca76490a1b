// SPDX-License-Identifier: MIT

import ChainSystem
import PromiseRuntime

/// A thread that reads for a ``Replayer``, one read at a time. It is started by the first read, and kept, because a
/// recording that plays is read once per frame.
final class ReadingThread: @unchecked Sendable {
    // Sendable: the variables are used only while the condition's mutex is held, except for `isStarted`, which only the
    // replayer's thread uses.
    /// What is to be done on the replayer's thread with what was read.
    typealias Result = (Replayer) -> Void

    private let condition = Condition()
    private var work: (() -> Result)?
    private var result: Result?
    private var isStopped = false
    private var isStarted = false
    private let wake: @Sendable () -> Void

    /// - Parameter wake: called when a read has ended, as a rule on the thread that read.
    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    /// Begins a read. If the system has no thread left, reads on the calling thread.
    func start(_ work: @escaping () -> Result) {
        condition.withLock {
            self.work = work
            condition.broadcast()
        }
        if !isStarted { isStarted = SystemThread.detached("chainview.replay") { [self] in while read() {} } }
        if !isStarted { _ = read() }
    }

    /// Waits for a read that was begun, and performs it. Returns false if the thread is to end instead.
    private func read() -> Bool {
        let work = condition.withLock {
            while self.work == nil, !isStopped { condition.wait() }
            defer { self.work = nil }
            return self.work
        }
        guard let work else { return false }
        let result = work()
        condition.withLock {
            self.result = result
            condition.broadcast()
        }
        wake()
        return true
    }

    /// Returns the result of a read that has ended, once.
    func takeResult() -> Result? {
        condition.withLock {
            defer { result = nil }
            return result
        }
    }

    /// Waits for the end of the read until a time of the monotonic clock; returns whether it has ended.
    func awaitEnd(by end: UInt64) -> Bool {
        condition.withLock {
            while result == nil, case let now = SystemClock.shared.nanoseconds, now < end {
                condition.wait(nanoseconds: end - now)
            }
            return result != nil
        }
    }

    /// Ends the thread after the read under way.
    func stop() {
        condition.withLock {
            isStopped = true
            condition.broadcast()
        }
    }
}
