// SPDX-License-Identifier: MIT

/// A value that can be watched: a ``BehaviorSubject`` that cannot fail, and completes when it is released.
///
///     let bag = DisposeBag()
///     let speed = Variable(1.0)
///     speed.subscribe(onNext: { print($0) }).disposed(by: bag)  // prints 1.0
///     speed.value = 2                                           // prints 2.0
public final class Variable<Element: Sendable>: Subscribable {
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
