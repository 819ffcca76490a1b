// SPDX-License-Identifier: MIT

/// A receiver of events.
///
/// A subscription makes one call of its observer at a time, and no call after an error or a completion. Several streams
/// may call one observer at the same time.
///
/// An observer runs on the emitting thread, and the stream's other observers wait for it: hand slow work to a
/// ``Mailbox``.
public protocol Observer<Element>: Sendable {
    /// The type of the stream's elements.
    associatedtype Element: Sendable

    /// Handles one event. It may subscribe, dispose and emit (see ``PublishSubject``).
    func on(_ event: StreamEvent<Element>)
}

extension Observer {
    /// Calls `on(.next(element))`.
    @inlinable
    public func onNext(_ element: Element) { on(.next(element)) }

    /// Calls `on(.error(error))`.
    @inlinable
    public func onError(_ error: any Error) { on(.error(error)) }

    /// Calls `on(.completed)`.
    @inlinable
    public func onCompleted() { on(.completed) }
}

/// An observer of any kind: a closure, or a wrapper of another observer.
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

    /// Passes the event on.
    @inlinable
    public func on(_ event: StreamEvent<Element>) { body(event) }
}
