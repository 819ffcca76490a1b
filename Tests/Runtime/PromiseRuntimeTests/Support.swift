import ChainEvents
import Foundation
import PromiseRuntime
import TestWaits
import Testing

/// An error with a name to compare.
struct Failure: Error, Equatable, CustomStringConvertible {
    var name: String

    init(_ name: String = "failed") { self.name = name }

    var description: String { name }
}

/// A list of entries in order, appended from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let lock = NSLock()
    // Used under `lock` only.
    nonisolated(unsafe) private var list: [Entry] = []

    func add(_ entry: Entry) { lock.withLock { list.append(entry) } }

    /// Releases all entries, without holding the lock.
    func clear() {
        let entries = lock.withLock {
            defer { list = [] }
            return list
        }
        withExtendedLifetime(entries) {}
    }

    var entries: [Entry] { lock.withLock { list } }
    var count: Int { lock.withLock { list.count } }
}

/// A value that can be changed inside `@Sendable` closures.
final class Box<Value: Sendable>: Sendable {
    private let lock = NSLock()
    // Used under `lock` only.
    nonisolated(unsafe) private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
        get { lock.withLock { stored } }
        set { replace(newValue) }
    }

    /// Returns the old value, so that the caller releases it.
    @discardableResult
    func replace(_ value: Value) -> Value {
        lock.withLock {
            let old = stored
            stored = value
            return old
        }
    }

    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&stored) } }
}

/// An object that counts its live instances.
final class Canary: Sendable {
    private let alive: Box<Int>

    init(_ alive: Box<Int>) {
        self.alive = alive
        alive.change { $0 += 1 }
    }

    deinit { alive.change { $0 -= 1 } }

    /// Does nothing; a closure that calls it captures the object.
    func touch() {}
}

/// An object that runs a closure when it is released.
final class OnRelease: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }
}

/// A latch that opens after `count` signals; every wait is bounded.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ count: Int = 1) { self.count = count }

    func open() { semaphore.signal() }

    func wait(_ what: String = "what it waits for", sourceLocation: SourceLocation = #_sourceLocation) throws {
        for _ in 0..<count {
            let isSignalled = semaphore.waitForSignal()
            try #require(isSignalled, "\(what) did not come in \(waitLimit)", sourceLocation: sourceLocation)
        }
    }
}

/// Waits for a promise, and returns its outcome.
@discardableResult
func outcome<Value: Sendable>(
    _ promise: Promise<Value>, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Result<Value, any Error> {
    let latch = Latch()
    promise.finally(on: InlineExecutor.shared) { latch.open() }
    try latch.wait("the promise's outcome", sourceLocation: sourceLocation)
    return promise.result!
}

/// Returns the value of a promise that must be fulfilled.
func value<Value: Sendable>(
    of promise: Promise<Value>, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    try outcome(promise, sourceLocation: sourceLocation).get()
}

/// Returns the error of a promise that must be rejected.
func error<Value: Sendable>(
    of promise: Promise<Value>, sourceLocation: SourceLocation = #_sourceLocation
) throws -> any Error {
    switch try outcome(promise, sourceLocation: sourceLocation) {
    case .success(let value):
        Issue.record("fulfilled with \(value)", sourceLocation: sourceLocation)
        return Failure("none")
    case .failure(let error): return error
    }
}

/// Yields until `condition` holds.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) throws {
    var timer = WaitTimer()
    while !condition() {
        let isOver = timer.isOver()
        try #require(!isOver, "\(what) did not come in \(waitLimit)", sourceLocation: sourceLocation)
        sched_yield()
    }
}

/// As ``eventually(_:sourceLocation:_:)`` for work of tasks, because a blocked test keeps one of their threads.
func soon(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) async throws {
    var timer = WaitTimer()
    while !condition() {
        let isOver = timer.isOver()
        try #require(!isOver, "\(what) did not come in \(waitLimit)", sourceLocation: sourceLocation)
        await Task.yield()
    }
}

/// Runs `body` on `count` threads that start together, with stacks of 512 KiB, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
    let ready = Box(0)
    let done = Latch(count)
    for index in 0..<count {
        let thread = Thread {
            ready.change { $0 += 1 }
            while ready.value < count { sched_yield() }
            body(index)
            done.open()
        }
        thread.stackSize = 512 << 10
        thread.start()
    }
    try done.wait("the end of the threads")
}

/// Runs `body`, which may block, on a new thread, because tasks share theirs.
func elsewhere<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws -> Value {
    let result = Box<Value?>(nil)
    try onThreads(1) { _ in result.value = body() }
    return try #require(result.value)
}

/// A clock that the test advances.
final class TestClock: ChainClock {
    private let state = Box((now: UInt64(1), timers: TimerHeap()))

    var now: ChainInstant { ChainInstant(nanoseconds: state.value.now) }
    var followsCycleCounter: Bool { false }

    func schedule(at deadline: ChainInstant, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        let timer = HeapTimer(work)
        _ = state.change { $0.timers.insert(timer, deadline: deadline.nanoseconds) }
        return timer
    }

    /// Advances the time, and fires the timers that become due, each at its own time.
    func advance(by duration: Duration) {
        let target = now.advanced(by: duration).nanoseconds
        while true {
            let due: HeapTimer? = state.change { state in
                guard let next = state.timers.nextDeadline, next <= target else {
                    state.now = target
                    return nil
                }
                state.now = max(state.now, next)
                return state.timers.popFirst(dueBy: next)
            }
            guard let due else { return }
            due.fire()
        }
    }

    /// Whether no timer is set.
    var isIdle: Bool { state.change { $0.timers.nextDeadline == nil } }
}

/// An isolated runtime with a manual executor and clock.
struct IsolatedRuntime: Sendable {
    let clock = TestClock()
    let executor = ManualExecutor()
    let runtime: ChainRuntime

    init() {
        runtime = ChainRuntime(clock: clock, executor: executor)
        NothingLeft.watch(runtime)
    }

    func run<Result>(_ body: () throws -> Result) rethrows -> Result { try runtime.run(body) }
    func runAll() { executor.runAll() }
}

// SPDX-License-Identifier: MIT
