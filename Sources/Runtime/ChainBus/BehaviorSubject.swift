// SPDX-License-Identifier: MIT

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
