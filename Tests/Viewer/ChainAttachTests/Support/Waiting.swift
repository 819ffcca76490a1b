import ChainBus
import ChainSource
import ChainSystem
import Foundation
import TestWaits

@testable import ChainAttach

/// The reason why a test cannot continue.
struct Impatience: Error, CustomStringConvertible {
    let description: String
}

extension NSCondition {
    /// Waits for a signal, or for a tenth of a second. Returns false if time is up. The lock has to be held.
    fileprivate func wait(within timer: inout WaitTimer) -> Bool {
        _ = wait(until: Date(timeIntervalSinceNow: 0.1))
        return !timer.isOver()
    }
}

/// The elements of a stream in order, recorded from any thread.
final class Recorded<Element: Sendable>: Observer, @unchecked Sendable {
    // Sendable, because everything is used under the lock of `condition`.
    private let condition = NSCondition()
    private var elements: [Element] = []
    private var completed = false

    func on(_ event: StreamEvent<Element>) {
        condition.withLock {
            switch event {
            case .next(let element): elements.append(element)
            case .error, .completed: completed = true
            }
            condition.broadcast()
        }
    }

    var all: [Element] { condition.withLock { elements } }
    var isCompleted: Bool { condition.withLock { completed } }

    /// Waits for an element that satisfies the condition, and returns it. With `last`, it has to be the last so far.
    @discardableResult
    func wait(_ what: String, last: Bool = false, for isWanted: (Element) -> Bool) throws -> Element {
        var timer = WaitTimer()
        return try condition.withLock {
            while true {
                if let element = last ? elements.suffix(1).first(where: isWanted) : elements.last(where: isWanted) {
                    return element
                }
                guard condition.wait(within: &timer) else {
                    throw Impatience(description: "\(what) did not come; there are \(elements)")
                }
            }
        }
    }

    /// Waits until the elements satisfy the condition. Returns whether they did in time.
    func wait(until isWanted: ([Element]) -> Bool) -> Bool {
        var timer = WaitTimer()
        return condition.withLock {
            while !isWanted(elements) {
                guard condition.wait(within: &timer) else { return false }
            }
            return true
        }
    }

    func waitForCompletion() throws {
        var timer = WaitTimer()
        try condition.withLock {
            while !completed {
                guard condition.wait(within: &timer) else {
                    throw Impatience(description: "no end came; there are \(elements)")
                }
            }
        }
    }
}

/// A value that another thread computes.
final class Eventually<Value: Sendable>: Sendable {
    private let values = Recorded<Result<Value, any Error>>()

    init(_ body: @escaping @Sendable () throws -> Value) {
        let values = values
        Thread { values.onNext(Result { try body() }) }.start()
    }

    func value() throws -> Value { try values.wait("a value") { _ in true }.get() }
}

/// A clock that stands still until it is advanced. Waits for descriptors are real.
final class ManualPollClock: PollClock, @unchecked Sendable {
    // Sendable, because everything that changes is used under the lock of `condition`.
    private let condition = NSCondition()
    private var time: UInt64 = 1_000_000_000_000
    /// The deadlines of the waits under way, by their numbers.
    private var waits: [Int: UInt64?] = [:]
    private var lastWait = 0
    private let waker = try! Waker()

    /// The difference between `wall` and `now`.
    static let wallOffset: UInt64 = 1_700_000_000_000_000_000

    var now: UInt64 { condition.withLock { time } }
    var wall: UInt64 { now + Self.wallOffset }

    func poll(_ entries: inout [pollfd], until deadline: UInt64?) {
        let wait: Int? = condition.withLock {
            guard deadline.map({ $0 > time }) ?? true else { return nil }
            lastWait += 1
            waits[lastWait] = .some(deadline)
            condition.broadcast()
            return lastWait
        }
        guard let wait else {
            _ = systemPoll(&entries, 0)
            return
        }
        entries.append(waker.pollEntry)
        _ = systemPoll(&entries, -1)
        if entries.removeLast().revents != 0 { waker.clear() }
        condition.withLock { waits[wait] = nil }
    }

    func advance(by duration: Duration) {
        condition.withLock { time += duration.clampedNanoseconds }
        waker.wake()
    }

    /// Advances to the next deadline again and again until `isDone` returns true. Returns whether it did in time.
    func advance(until isDone: () -> Bool) -> Bool {
        var timer = WaitTimer()
        return condition.withLock {
            // A thread that has done its work waits again, which signals here.
            while !isDone() {
                if let next = waits.values.compactMap({ $0 }).filter({ $0 > time }).min() {
                    time = next
                    waker.wake()
                } else if !condition.wait(within: &timer) {
                    return false
                }
            }
            return true
        }
    }

    /// Waits until a thread waits for a later time, and returns the time until then.
    func restToDeadline() throws -> Duration {
        var timer = WaitTimer()
        return try condition.withLock {
            while true {
                if let next = waits.values.compactMap({ $0 }).filter({ $0 > time }).min() {
                    return .nanoseconds(Int64(next - time))
                }
                guard condition.wait(within: &timer) else {
                    throw Impatience(description: "no thread waits for a time")
                }
            }
        }
    }
}

extension SourceStatus {
    var disconnection: Disconnection? {
        if case .reconnecting(_, let disconnection) = self { disconnection } else { nil }
    }
    var isLive: Bool { if case .live = self { true } else { false } }
    var ending: SourceEnding? { if case .ended(let ending) = self { ending } else { nil } }
    var failure: String? { if case .ended(.failed(let reason)) = self { reason } else { nil } }
}

// SPDX-License-Identifier: MIT
