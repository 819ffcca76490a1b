// SPDX-License-Identifier: MIT

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
