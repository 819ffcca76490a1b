// SPDX-License-Identifier: MIT

import Synchronization

/// Work that an executor can run: a promise with a handler, or a closure in a box.
public class _Runnable {
    @usableFromInline
    init() {}

    /// Runs the work; called once per submission.
    func runHandler() { fatalError("a _Runnable without work") }

    /// Called instead of ``runHandler()`` if an executor drops the work, so that its waiters do not wait for ever.
    func discard() {}
}

/// A waiter of a promise: a link (the promise that an operation such as `then` makes), a follower, a combinator, or a
/// callback of the runtime. A waiter may be registered at several promises.
public class _Waiter: _Runnable {
    @usableFromInline
    override init() { super.init() }

    /// Receives the outcome: called once per registration, without a lock, by the thread that settles `promise`, or by
    /// the thread that registers the waiter at a settled promise.
    func settled(_ promise: AnyPromise) { fatalError("a _Waiter without an action") }

    /// Whether a promise may remove this waiter from its waiters: the outcome was delivered to this waiter, or this
    /// waiter no longer needs the promise. Once true, the property stays true. It is read under the lock bit of the
    /// promise, so an override may do nothing but load atomic values.
    var isDone: Bool { true }

    /// Whether this waiter consumes the outcome: a pending promise without a consumer is no longer needed (TheRules,
    /// X2).
    var isConsumer: Bool { true }

    /// The promise on behalf of which this waiter waits; nil for a thread, a task or a callback.
    var consumer: AnyPromise? { child }

    /// The child to which a cancellation of the awaited promise goes down (TheRules, X1); nil if this waiter is no
    /// child.
    var child: AnyPromise? { nil }

    /// Whether ``child`` is not nil. Promises override this property, so that reading it counts no reference.
    var isChild: Bool { child != nil }
}

/// A waiter that acts once, however often and from however many threads an outcome is delivered to it.
class OneShotWaiter: _Waiter {
    private let wasCalled = Atomic(false)

    /// Receives the first outcome, as ``settled(_:)`` does.
    func settledOnce(_ promise: AnyPromise) {}

    override final func settled(_ promise: AnyPromise) {
        if !wasCalled.exchange(true, ordering: .acquiringAndReleasing) { settledOnce(promise) }
    }

    override final var isDone: Bool { wasCalled.load(ordering: .relaxed) }
}

/// A waiter that runs a closure of the runtime when the promise settles; never user code.
final class CallbackWaiter: OneShotWaiter, @unchecked Sendable {
    // Sendable: `action` is accessed by `settledOnce` and by deinit alone.
    private var action: ((AnyPromise) -> Void)?

    init(_ action: @escaping (AnyPromise) -> Void) { self.action = action }

    override func settledOnce(_ promise: AnyPromise) { action.take()?(promise) }
}
