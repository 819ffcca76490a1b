import Synchronization

/// What an executor can run: a promise that has a handler, or a closure in a box.
public class _Runnable {
    @usableFromInline
    init() {}

    /// Does the work; called once for each time that it was handed to an executor.
    func runHandler() { fatalError("a Runnable that does not run") }

    /// Called instead where an executor ends with it: whoever waits for the work is to know.
    func discard() {}
}

/// An object that waits for a promise: a link made by `then` (which is itself a promise), a follower, a combinator, or a
/// callback of the runtime. It may stand in the lists of several promises.
public class _Waiter: _Runnable {
    @usableFromInline
    override init() { super.init() }

    /// Called once a registration, by the thread that settles `promise` or registers at a settled one, no lock held.
    func settled(_ promise: AnyPromise) { fatalError("a Waiter that does not wait") }

    /// Whether the list may drop it: its promise was delivered to it, or it needs the promise no more. Once true it stays
    /// true. Read under the lock bit of the promise, so overrides only load.
    var isDone: Bool { true }

    /// Whether it consumes the outcome: a pending promise without a consumer left is no longer needed (TheRules, X2).
    var isConsumer: Bool { true }

    /// The promise on whose behalf it waits, if there is one.
    var consumer: AnyPromise? { child }

    /// The promise to which a cancellation of the one waited for goes on (TheRules, X1), if it is a child.
    var child: AnyPromise? { nil }

    /// Whether there is such a child; promises know without counting a reference.
    var isChild: Bool { child != nil }
}

/// A waiter of the runtime's own that runs a closure when the promise settles; never user code.
final class CallbackWaiter: _Waiter, @unchecked Sendable {
    // Sendable: `action` is touched by the one call that exchanges `wasCalled`, and by deinit.
    private var action: ((AnyPromise) -> Void)?
    private let wasCalled = Atomic(false)

    init(_ action: @escaping (AnyPromise) -> Void) { self.action = action }

    override func settled(_ promise: AnyPromise) {
        if wasCalled.exchange(true, ordering: .acquiringAndReleasing) { return }
        action.take()?(promise)
    }

    override var isDone: Bool { wasCalled.load(ordering: .relaxed) }
}
