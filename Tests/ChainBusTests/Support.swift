import ChainBus
import Foundation
import Synchronization
import Testing

/// What was seen, in order, from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let lock = NSLock()
    // Touched under `lock` only.
    nonisolated(unsafe) private var list: [Entry] = []

    func add(_ entry: Entry) { lock.withLock { list.append(entry) } }

    var entries: [Entry] { lock.withLock { list } }
}

/// A place that can be changed inside `@Sendable` closures.
final class Box<Value: Sendable>: Sendable {
    private let lock = NSLock()
    // Touched under `lock` only.
    nonisolated(unsafe) private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
        get { lock.withLock { stored } }
        set { replace(newValue) }
    }

    /// Gives back the old value, so that it is released by the caller.
    @discardableResult
    func replace(_ value: Value) -> Value {
        lock.withLock {
            let old = stored
            stored = value
            return old
        }
    }
}

/// Says in a log that it was released.
final class Canary: Sendable {
    private let onRelease: @Sendable () -> Void

    init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

    deinit { onRelease() }
}

/// Tells the last of several threads that it is the last.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(from count: Int) { left = Atomic(count) }

    /// Whether all the others have called it.
    func finish() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }

    /// Spins until all have called ``finish()``.
    func wait() { while left.load(ordering: .acquiring) > 0 { sched_yield() } }
}

/// Runs `body` on `count` real threads that start together, and waits for them, five minutes at most.
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
    for _ in 0..<count { try #require(done.wait(timeout: .now() + 300) == .success) }
}

struct Failure: Error {}
