import ChainBus
import Foundation
import Synchronization
import TestWaits
import Testing

/// A list of entries in order, which any thread may extend.
final class Log<Entry: Sendable>: Sendable {
    private let lock = NSLock()
    // Used under `lock` only.
    nonisolated(unsafe) private var list: [Entry] = []

    func add(_ entry: Entry) { lock.withLock { list.append(entry) } }

    var entries: [Entry] { lock.withLock { list } }
}

/// A variable that `@Sendable` closures can change.
final class Box<Value: Sendable>: Sendable {
    private let lock = NSLock()
    // Used under `lock` only.
    nonisolated(unsafe) private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
        get { lock.withLock { stored } }
        set { replace(newValue) }
    }

    /// Returns the old value, so that the caller releases it outside the lock.
    @discardableResult
    func replace(_ value: Value) -> Value {
        lock.withLock {
            let old = stored
            stored = value
            return old
        }
    }
}

/// Calls a closure when it is released.
final class Canary: Sendable {
    private let onRelease: @Sendable () -> Void

    init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

    deinit { onRelease() }
}

/// Counts threads down to zero.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(from count: Int) { left = Atomic(count) }

    /// Counts a call, and returns whether it was the last.
    func finish() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }

    /// Spins until all have called ``finish()``.
    func wait() { while left.load(ordering: .acquiring) > 0 { sched_yield() } }
}

/// Runs `body` on `count` threads that start together, and waits for their ends. Throws if they do not come.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
    let start = Countdown(from: count)
    let done = DispatchSemaphore(value: 0)
    for index in 0..<count {
        let thread = Thread {
            _ = start.finish()
            start.wait()
            body(index)
            done.signal()
        }
        thread.start()
    }
    for _ in 0..<count { try #require(done.waitForSignal()) }
}

struct Failure: Error {}

// SPDX-License-Identifier: MIT
