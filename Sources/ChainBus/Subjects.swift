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

/// A subject with a current value, which it delivers first to each subscriber. See ``PublishSubject`` for the rules.
///
/// A subscriber to a subject that has ended gets only its end: the error or the completion.
public final class BehaviorSubject<Element: Sendable>: Observer, Subscribable {
    @usableFromInline let hub: Hub<Element>

    /// Makes a subject with a value to begin with.
    @inlinable
    public init(_ value: Element) {
        var past = ReplayBuffer<Element>(limit: 1)
        _ = past.append(value)
        hub = Hub(past: past)
    }

    /// Makes the element of a `next` the current value, and delivers the event.
    @inlinable
    public func on(_ event: StreamEvent<Element>) { hub.emit(event) }

    /// The read side alone; it keeps the stream alive.
    @inlinable
    public var observable: EventStream<Element> { EventStream(of: hub) }

    /// The element that was accepted last; it may not be delivered yet. The value remains after the end of the stream.
    @inlinable
    public var value: Element {
        guard let value = hub.last else { fatalError("A BehaviorSubject always has a value") }
        return value
    }
}

/// A subject that begins each subscription with its newest elements, oldest first. See ``PublishSubject`` for the
/// rules.
///
/// A subscriber to a subject that has ended gets the kept elements and then the end.
public final class ReplaySubject<Element: Sendable>: Observer, Subscribable {
    @usableFromInline let hub: Hub<Element>

    /// Makes a subject that keeps up to `limit` elements, 0 or more.
    @inlinable
    public init(limit: Int) {
        hub = Hub(past: ReplayBuffer(limit: limit), replaysAfterEnd: true)
    }

    /// Keeps the element of a `next`, and delivers the event.
    @inlinable
    public func on(_ event: StreamEvent<Element>) { hub.emit(event) }

    /// The read side alone; it keeps the stream alive.
    @inlinable
    public var observable: EventStream<Element> { EventStream(of: hub) }
}

/// A value that can be watched: a ``BehaviorSubject`` that cannot fail, and completes when it is released.
///
///     let bag = DisposeBag()
///     let speed = StreamVariable(1.0)
///     speed.subscribe(onNext: { print($0) }).disposed(by: bag)  // prints 1.0
///     speed.value = 2                                            // prints 2.0
public final class StreamVariable<Element: Sendable>: Subscribable {
    @usableFromInline let subject: BehaviorSubject<Element>

    /// Makes a variable with a value to begin with.
    @inlinable
    public init(_ value: Element) {
        subject = BehaviorSubject(value)
    }

    @inlinable
    deinit { subject.onCompleted() }

    /// The value that was set last. Reading and then setting it are two steps, between which another thread may set it.
    @inlinable
    public var value: Element {
        get { subject.value }
        set { subject.onNext(newValue) }
    }

    /// The read side alone; it does not keep the variable alive.
    @inlinable
    public var observable: EventStream<Element> { subject.observable }
}
