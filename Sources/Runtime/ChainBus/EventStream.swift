// SPDX-License-Identifier: MIT

/// Something that can be subscribed to: an ``EventStream``, a subject, a ``Variable``.
public protocol Subscribable<Element>: Sendable {
    /// The type of the stream's elements.
    associatedtype Element: Sendable

    /// The read side alone.
    var observable: EventStream<Element> { get }
}

/// The read side of a stream with the grammar `next* (error | completed)?`. A subscription gets its events one at a
/// time, from whichever threads they come.
///
/// Make a stream from a subject (such as ``PublishSubject``), or from any source with a closure:
///
///     let ticks = EventStream<Int> { observer in
///         let timer = startTimer { observer.onNext($0) }
///         return AnyDisposable { timer.cancel() }
///     }
public struct EventStream<Element: Sendable>: Subscribable {
    @usableFromInline let join: @Sendable (AnyObserver<Element>) -> any Disposable

    /// Makes a cold stream: `produce` runs once for each subscription. The disposable that it returns is disposed of
    /// when the subscription ends or is disposed of.
    ///
    /// `produce` may call its observer from several threads at once, and after the end: the subscriber's events obey
    /// the grammar all the same, by the rules of ``PublishSubject``.
    @inlinable
    public init(_ produce: @escaping @Sendable (AnyObserver<Element>) -> any Disposable) {
        join = { observer in
            let hub = Hub<Element>()
            let source = DisposeBag()
            let subscription = hub.subscribe(
                AnyObserver { event in
                    observer.on(event)
                    if event.isTerminal { source.dispose() }
                })
            source.insert(produce(AnyObserver { hub.emit($0) }))
            return AnyDisposable {
                subscription.dispose()
                source.dispose()
            }
        }
    }

    @inlinable
    init(of hub: Hub<Element>) {
        join = { hub.subscribe($0) }
    }

    /// This stream.
    @inlinable
    public var observable: EventStream<Element> { self }

    @inlinable
    func subscribe(any observer: AnyObserver<Element>) -> any Disposable { join(observer) }
}

extension Subscribable {
    /// Delivers the stream's events to `observer`, until the stream ends or the result is disposed of. The observer is
    /// retained.
    ///
    /// For whole events in one closure: `subscribe(AnyObserver { event in … })`.
    @inlinable
    public func subscribe(_ observer: some Observer<Element>) -> any Disposable {
        observable.subscribe(any: observer as? AnyObserver<Element> ?? AnyObserver(observer))
    }

    /// Calls `onNext` with each element of the stream, and `onError` or `onCompleted` at its end.
    @inlinable
    public func subscribe(
        onNext: @escaping @Sendable (Element) -> Void,
        onError: @escaping @Sendable (any Error) -> Void = { _ in },
        onCompleted: @escaping @Sendable () -> Void = {}
    ) -> any Disposable {
        let observer = AnyObserver<Element> { event in
            switch event {
            case .next(let element): onNext(element)
            case .error(let error): onError(error)
            case .completed: onCompleted()
            }
        }
        return observable.subscribe(any: observer)
    }
}
