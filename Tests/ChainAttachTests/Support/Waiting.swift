import ChainBus
import ChainSource
import ChainSystem
import Foundation

@testable import ChainAttach

/// How long to wait for other threads and processes at most.
let patience: TimeInterval = 60

/// Why a test cannot go on.
struct Impatience: Error, CustomStringConvertible {
    let description: String
}

/// Values that come from other threads, in order.
final class Recorded<Element: Sendable>: Observer, @unchecked Sendable {
    // Sendable: everything is reached under the lock of `condition`.
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

    /// Waits for an element: for one that came at any time or, if it has to be the `last`, for that.
    @discardableResult
    func wait(_ what: String, last: Bool = false, for isIt: (Element) -> Bool) throws -> Element {
        let deadline = Date(timeIntervalSinceNow: patience)
        return try condition.withLock {
            while true {
                if let element = last ? elements.suffix(1).first(where: isIt) : elements.last(where: isIt) {
                    return element
                }
                guard condition.wait(until: deadline) else {
                    throw Impatience(description: "\(what) did not come; there are \(elements)")
                }
            }
        }
    }

    /// Waits until all that came is as it should be.
    func wait(until isIt: ([Element]) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: patience)
        return condition.withLock {
            while !isIt(elements) {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }

    func waitForCompletion() throws {
        let deadline = Date(timeIntervalSinceNow: patience)
        try condition.withLock {
            while !completed {
                guard condition.wait(until: deadline) else {
                    throw Impatience(description: "no end came; there are \(elements)")
                }
            }
        }
    }
}

/// Something that another thread works out.
final class Eventually<Value: Sendable>: Sendable {
    private let values = Recorded<Result<Value, any Error>>()

    init(_ body: @escaping @Sendable () throws -> Value) {
        let values = values
        Thread { values.onNext(Result { try body() }) }.start()
    }

    func value() throws -> Value { try values.wait("a value") { _ in true }.get() }
}

/// A clock that stands still until it is told to go on; waits for descriptors are real.
final class ManualPollClock: PollClock, @unchecked Sendable {
    // Sendable: everything that changes is reached under the lock of `condition`.
    private let condition = NSCondition()
    private var time: UInt64 = 1_000_000_000_000
    private var waits: [Int: UInt64?] = [:]
    private var lastWait = 0
    private let waker = try! Waker()

    /// What `wall` is ahead of `now`.
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
        entries.append(waker.entry)
        _ = systemPoll(&entries, -1)
        if entries.removeLast().revents != 0 { waker.clear() }
        condition.withLock { waits[wait] = nil }
    }

    func advance(by duration: Duration) {
        condition.withLock { time += duration.nanoseconds }
        waker.wake()
    }

    /// Goes on to whatever moment is waited for, until something has come of it.
    func advance(until isDone: () -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: patience)
        return condition.withLock {
            // A thread that has done its work waits again, which signals here.
            while !isDone() {
                if let next = waits.values.compactMap({ $0 }).filter({ $0 > time }).min() {
                    time = next
                    waker.wake()
                } else if !condition.wait(until: limit) {
                    return false
                }
            }
            return true
        }
    }

    /// Waits until a thread waits for a later time, and returns the time until then.
    func restToDeadline() throws -> Duration {
        let limit = Date(timeIntervalSinceNow: patience)
        return try condition.withLock {
            while true {
                if let next = waits.values.compactMap({ $0 }).filter({ $0 > time }).min() {
                    return .nanoseconds(Int64(next - time))
                }
                guard condition.wait(until: limit) else { throw Impatience(description: "nobody waits for a time") }
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
