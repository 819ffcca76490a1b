/// A receiver of events.
///
/// One subscription never calls it twice at a time, and not again after an error or a completion; an observer that is
/// subscribed to several streams may be called by each at once.
///
/// It runs on the emitting thread, and the other observers wait for it: hand slow work to a ``Mailbox``.
public protocol Observer<Element>: Sendable {
    /// What the stream is made of.
    associatedtype Element: Sendable

    /// Handles one event. It may subscribe, dispose and emit (see ``PublishSubject``).
    func on(_ event: StreamEvent<Element>)
}

extension Observer {
    /// Short for `on(.next(element))`.
    @inlinable
    public func onNext(_ element: Element) { on(.next(element)) }

    /// Short for `on(.error(error))`.
    @inlinable
    public func onError(_ error: any Error) { on(.error(error)) }

    /// Short for `on(.completed)`.
    @inlinable
    public func onCompleted() { on(.completed) }
}

/// An observer of any kind: a closure, or another observer wrapped.
public struct AnyObserver<Element: Sendable>: Observer {
    @usableFromInline let body: @Sendable (StreamEvent<Element>) -> Void

    /// Makes an observer of a closure.
    @inlinable
    public init(_ body: @escaping @Sendable (StreamEvent<Element>) -> Void) {
        self.body = body
    }

    /// Wraps an observer, which is retained.
    @inlinable
    public init(_ observer: some Observer<Element>) {
        body = { observer.on($0) }
    }

    /// Hands the event on.
    @inlinable
    public func on(_ event: StreamEvent<Element>) { body(event) }
}
