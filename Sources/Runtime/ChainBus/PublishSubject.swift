// SPDX-License-Identifier: MIT

/// A stream that is also an observer: it delivers each event to all its subscribers, in the order of their
/// subscription.
///
/// All subjects may be used from any thread, inside deliveries too:
///
/// - **Order.** Events are accepted in one order, and each subscriber gets them in that order, one at a time. No event
///   is accepted after an error or a completion.
/// - **Delivering thread.** The emitting thread delivers before `on` returns. If a delivery is under way (on another
///   thread, or because an observer emits), `on` returns at once and that delivery continues with the new event. So
///   emitting never waits for another delivery and never recurses. The number of waiting events has no limit: put an
///   observer that cannot keep up behind a ``Mailbox``.
/// - **Late subscribers.** A subscriber gets exactly the events accepted after it subscribed. A ``BehaviorSubject`` or
///   ``ReplaySubject`` delivers its kept elements first: before `subscribe` returns or, if a delivery is under way,
///   after that delivery. No event is missed or delivered twice.
/// - **Dispose.** See ``Disposable/dispose()``.
/// - **Locks.** No lock is held while an observer runs or an element is released.
/// - **Release.** When a subject that has not ended is released, and each ``EventStream`` of it too, its observers are
///   released without an event.
///
/// A subscriber to a subject that has ended gets only its end: the error or the completion.
public final class PublishSubject<Element: Sendable>: Observer, Subscribable {
    @usableFromInline let hub = Hub<Element>()

    /// Makes a subject without subscribers.
    @inlinable
    public init() {}

    /// Delivers the event to the subscribers.
    @inlinable
    public func on(_ event: StreamEvent<Element>) { hub.emit(event) }

    /// The read side alone; it keeps the stream alive.
    @inlinable
    public var observable: EventStream<Element> { EventStream(of: hub) }

    /// The number of present subscribers, so that an emitter can skip making an element that no subscriber gets.
    @inlinable
    public var subscriberCount: Int { hub.subscriptionCount }
}
