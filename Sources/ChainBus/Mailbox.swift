import ChainSystem
import Dispatch

/// A bounded, counted buffer between a stream and one slow subscriber.
///
/// The emitter pushes and never waits for the subscriber; the subscriber drains when it can and learns what it missed.
/// Once an element did not fit, all that follow are dropped too until the next ``drain()``: so the loss is one gap,
/// exactly after the drained elements.
///
///     let mailbox = Mailbox<EventBatch>(limit: 100_000, cost: { $0.events.count }) { wakeUp() }
///     let subscription = batches.subscribe(mailbox)
///
///     let mail = mailbox.drain()  // on the subscriber's thread, when woken
///
/// Every element that was pushed before the stream's end is in exactly one ``Mail``: among its elements or in its count
/// of dropped ones.
public final class Mailbox<Element: Sendable>: Observer {
    /// The contents of a mailbox at a ``Mailbox/drain()``.
    public struct Mail: Sendable {
        /// Oldest first.
        public var elements: [Element] = []
        /// How many elements were dropped after these.
        public var droppedCount = 0
        /// What the dropped elements cost together; equal to ``droppedCount`` where every element costs 1.
        public var droppedCost = 0
        /// The error or completion that the stream ended with after all of these; nil as long as it goes on.
        public var ending: StreamEvent<Element>?

        @inlinable
        init() {}

        /// Whether there are no elements, no losses and no end.
        @inlinable public var isEmpty: Bool { elements.isEmpty && droppedCount == 0 && ending == nil }
    }

    /// The treatment of an element that does not fit.
    public enum Overflow: Hashable, Sendable {
        /// It is dropped and counted.
        case drop
        /// The emitter's thread waits until it fits: for streams from sources that may block, such as a socket.
        case wait
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var mail = Mail()
        @usableFromInline var cost = 0
        @usableFromInline var ending: StreamEvent<Element>?
        @usableFromInline var isClosed = false
        /// Emitters that wait for room.
        @usableFromInline var waiterCount = 0

        @inlinable
        init() {}
    }

    /// What the elements that wait may cost together.
    public let limit: Int
    @usableFromInline let overflow: Overflow
    @usableFromInline let room = DispatchSemaphore(value: 0)
    @usableFromInline let cost: @Sendable (Element) -> Int
    @usableFromInline let wake: @Sendable () -> Void
    @usableFromInline let state = Lock(State())

    /// Makes an empty mailbox.
    ///
    /// - Parameters:
    ///   - limit: What the elements that wait may cost together; at least 1. One that costs more is taken by an empty
    ///     mailbox all the same, for it would never fit.
    ///   - overflow: What becomes of an element that does not fit.
    ///   - cost: What one element costs, from 0: its bytes, its events. It is called on the emitter's thread.
    ///   - wake: Called on the emitter's thread, with no lock held, after the mailbox went from empty to not empty. It
    ///     must be short and must not block. By the time that it is called the mail may have been drained already.
    @inlinable
    public init(
        limit: Int, overflow: Overflow = .drop, cost: @escaping @Sendable (Element) -> Int = { _ in 1 },
        wake: @escaping @Sendable () -> Void
    ) {
        precondition(limit >= 1, "A mailbox holds at least one element; its limit is \(limit)")
        self.limit = limit
        self.overflow = overflow
        self.cost = cost
        self.wake = wake
    }

    /// Pushes an element, as ``push(_:)``, or ends the mail. Nothing is taken after an end.
    @inlinable
    public func on(_ event: StreamEvent<Element>) {
        switch event {
        case .next(let element): push(element)
        case .error, .completed: end(event)
        }
    }

    /// Appends the element; where it does not fit, drops and counts it at once or waits for room (``Overflow``).
    /// Returns whether it was appended.
    @discardableResult
    @inlinable
    public func push(_ element: Element) -> Bool {
        let cost = max(0, cost(element))
        while true {
            switch state.withLock({ $0.take(element, cost, limit, overflow) }) {
            case .taken(let wakes):
                if wakes { wake() }
                return true
            case .refused: return false
            case .full: room.wait()
            }
        }
    }

    /// What the elements that wait cost together; those dropped are not in it.
    @inlinable
    public var waitingCost: Int { state.withLock { $0.cost } }

    /// Removes and returns everything, oldest first; never blocks. An ending is returned once.
    @inlinable
    public func drain() -> Mail {
        let (mail, waiterCount) = state.withLock { state in
            let mail = state.mail
            state.mail = Mail()
            state.cost = 0
            return (mail, state.removeWaiters())
        }
        for _ in 0..<waiterCount { room.signal() }
        return mail
    }

    /// Refuses elements from now on, and wakes emitters that wait for room: call it once the mailbox is no longer
    /// drained.
    @inlinable
    public func close() {
        let waiterCount = state.withLock { state in
            state.isClosed = true
            return state.removeWaiters()
        }
        for _ in 0..<waiterCount { room.signal() }
    }

    @inlinable
    func end(_ ending: StreamEvent<Element>) {
        let wakes = state.withLock { state in
            guard state.ending == nil else { return false }
            let wakes = state.mail.isEmpty
            state.ending = ending
            state.mail.ending = ending
            return wakes
        }
        if wakes { wake() }
    }
}

/// The result of a push.
@usableFromInline
enum Push {
    case taken(wakes: Bool)
    case refused
    case full
}

extension Mailbox.State {
    @inlinable
    mutating func take(_ element: Element, _ cost: Int, _ limit: Int, _ overflow: Mailbox.Overflow) -> Push {
        guard ending == nil, !isClosed else { return .refused }
        let wakes = mail.isEmpty
        let (sum, overflows) = self.cost.addingReportingOverflow(cost)
        if wakes || (mail.droppedCount == 0 && !overflows && sum <= limit) {
            mail.elements.append(element)
            self.cost = sum
            return .taken(wakes: wakes)
        }
        switch overflow {
        case .drop:
            mail.droppedCount += 1
            mail.droppedCost += cost
            return .refused
        case .wait:
            waiterCount += 1
            return .full
        }
    }

    /// Returns how many emitters wait; each is woken and tries again.
    @inlinable
    mutating func removeWaiters() -> Int {
        defer { waiterCount = 0 }
        return waiterCount
    }
}
