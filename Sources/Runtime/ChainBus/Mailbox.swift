// SPDX-License-Identifier: MIT

import ChainSystem

/// A bounded, counted buffer between a stream and one slow subscriber.
///
/// The emitter pushes, and the subscriber drains when it can. With ``Overflow/drop`` the emitter never waits: once an
/// element does not fit, this element and all that follow are dropped and counted until the next ``drain()``. So the
/// loss is one gap, exactly after the drained elements. With ``Overflow/wait`` no element is dropped, and the emitter
/// waits.
///
///     let mailbox = Mailbox<EventBatch>(limit: 100_000, cost: { $0.events.count }) { wakeUp() }
///     let subscription = batches.subscribe(mailbox)
///
///     let mail = mailbox.drain()  // on the subscriber's thread, when woken
///
/// If a ``push(_:)`` returns before the stream's end and before ``close()``, its element is in exactly one ``Mail``. It
/// is among the elements, or in the count of dropped elements.
public final class Mailbox<Element: Sendable>: Observer {
    /// The contents that a ``Mailbox/drain()`` removes.
    public struct Mail: Sendable {
        /// The elements, oldest first.
        public var elements: [Element] = []
        /// The number of elements that were dropped after ``elements``.
        public var droppedCount = 0
        /// The total cost of the dropped elements; equal to ``droppedCount`` if every element costs 1.
        public var droppedCost = 0
        /// The end of the stream, after all elements; nil while the stream goes on, and in every mail after the mail
        /// with the end.
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
        /// The emitter's thread waits until the element fits or the mailbox is closed: for streams from sources that
        /// may block, such as a socket.
        case wait
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var mail = Mail()
        /// The total cost of the elements of `mail`.
        @usableFromInline var cost = 0
        /// The end of the stream, also after it was drained.
        @usableFromInline var ending: StreamEvent<Element>?
        @usableFromInline var isClosed = false
        /// The number of emitters that are waiting for room.
        @usableFromInline var waiterCount = 0

        @inlinable
        init() {}
    }

    /// The maximum total cost of the elements in the mailbox.
    public let limit: Int
    @usableFromInline let overflow: Overflow
    /// How long an emitter waits for room with ``Overflow/wait``; nil if it waits without limit.
    @usableFromInline let patience: Duration?
    @usableFromInline let room = Semaphore()
    @usableFromInline let cost: @Sendable (Element) -> Int
    @usableFromInline let wake: @Sendable () -> Void
    @usableFromInline let state = Lock(State())

    /// Makes an empty mailbox.
    ///
    /// - Parameters:
    ///   - limit: The maximum total cost of the elements in the mailbox; at least 1. An empty mailbox also takes an
    ///     element that costs more than the limit, because such an element would never fit.
    ///   - overflow: The treatment of an element that does not fit.
    ///   - cost: Returns the cost of one element, such as its bytes or events; less than 0 counts as 0. Called on the
    ///     emitter's thread.
    ///   - wake: Called on the emitter's thread, with no lock held, after the mailbox went from empty to not empty. It
    ///     must be short and must not block. The mail may be drained before `wake` is called.
    @inlinable
    public init(
        limit: Int, overflow: Overflow = .drop, cost: @escaping @Sendable (Element) -> Int = { _ in 1 },
        wake: @escaping @Sendable () -> Void
    ) {
        precondition(limit >= 1, "The limit of a mailbox is a cost of at least 1; it is \(limit)")
        self.limit = limit
        self.overflow = overflow
        patience = nil
        self.cost = cost
        self.wake = wake
    }

    /// Makes an empty mailbox with ``Overflow/wait``, in which an emitter waits for a limited time only. An element
    /// that does not fit after that time is dropped, with all that follow until the next ``drain()``, as with
    /// ``Overflow/drop``.
    package init(
        limit: Int, patience: Duration, cost: @escaping @Sendable (Element) -> Int,
        wake: @escaping @Sendable () -> Void
    ) {
        (self.limit, overflow, self.patience, self.cost, self.wake) = (limit, .wait, patience, cost, wake)
    }

    /// Pushes the element of a `next` as ``push(_:)`` does, or notes the end of the stream. Ignores events after the
    /// first end.
    @inlinable
    public func on(_ event: StreamEvent<Element>) {
        switch event {
        case .next(let element): push(element)
        case .error, .completed: end(event)
        }
    }

    /// Appends the element. If it does not fit, drops and counts it at once or waits for room (see ``Overflow``). After
    /// the stream's end or ``close()`` the element is refused, and not counted. Returns whether the element was
    /// appended.
    @discardableResult
    @inlinable
    public func push(_ element: Element) -> Bool {
        let cost = max(0, cost(element))
        var overflow = overflow
        while true {
            switch state.withLock({ $0.offer(element, cost, limit, overflow) }) {
            case .appended(let wakes):
                if wakes { wake() }
                return true
            case .refused: return false
            case .full: if !waitForRoom() { overflow = .drop }
            }
        }
    }

    /// Waits until the mailbox is drained or closed; returns false after ``patience``.
    @usableFromInline
    func waitForRoom() -> Bool {
        guard let patience else {
            room.wait()
            return true
        }
        // After a time-out the next drain signals once too often; an emitter that is woken without room waits again.
        return room.wait(for: patience)
    }

    /// The total cost of the elements in the mailbox, without the dropped ones.
    @inlinable
    public var waitingCost: Int { state.withLock { $0.cost } }

    /// Removes and returns the mail, and wakes emitters that wait for room; never blocks. The end of the stream is
    /// returned once.
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

    /// Refuses elements from now on, also those of emitters that wait for room. Call it once the mailbox is no longer
    /// drained.
    @inlinable
    public func close() {
        let waiterCount = state.withLock { state in
            state.isClosed = true
            return state.removeWaiters()
        }
        for _ in 0..<waiterCount { room.signal() }
    }

    /// Notes the end of the stream, once.
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

/// The result of an attempt to push an element.
@usableFromInline
enum PushResult {
    /// The element was appended; `wakes` if the mailbox was empty before, so that the subscriber is to be woken.
    case appended(wakes: Bool)
    /// The element was dropped, or came after the end of the stream or ``Mailbox/close()``.
    case refused
    /// The emitter is to wait for room, and to try again.
    case full
}

extension Mailbox.State {
    /// Appends an element if it fits; otherwise drops the element, or counts its emitter as waiting.
    @inlinable
    mutating func offer(_ element: Element, _ cost: Int, _ limit: Int, _ overflow: Mailbox.Overflow) -> PushResult {
        guard ending == nil, !isClosed else { return .refused }
        let wasEmpty = mail.isEmpty
        let (sum, overflows) = self.cost.addingReportingOverflow(cost)
        if wasEmpty || (mail.droppedCount == 0 && !overflows && sum <= limit) {
            mail.elements.append(element)
            self.cost = sum
            return .appended(wakes: wasEmpty)
        }
        guard overflow == .drop || mail.droppedCount > 0 else {
            waiterCount += 1
            return .full
        }
        mail.droppedCount += 1
        let (droppedCost, isTooLarge) = mail.droppedCost.addingReportingOverflow(cost)
        mail.droppedCost = isTooLarge ? .max : droppedCost
        return .refused
    }

    /// Returns the number of waiting emitters, each of which the caller wakes to try again.
    @inlinable
    mutating func removeWaiters() -> Int {
        defer { waiterCount = 0 }
        return waiterCount
    }
}
