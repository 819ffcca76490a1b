// SPDX-License-Identifier: MIT

import Synchronization

/// A store of one uniquely owned state, which only actions change.
///
///     struct Counter { var count = 0 }
///     enum Action { case increment, save, saved }
///     enum Effect { case write(Int) }
///
///     let store = StateStore(Counter()) { (state: inout Counter, action: Action) -> [Effect] in
///         switch action {
///         case .increment: state.count += 1; return []
///         case .save: return [.write(state.count)]
///         case .saved: return []
///         }
///     } handle: { effect, store in
///         if case .write(let count) = effect { write(count) }
///         store.dispatch(.saved)
///     }
///     store.dispatch(.increment)
///
/// Each action is one step: `reduce` changes the state, then the subscribers are called in the order of their
/// subscription, then the effects are handled in order. Actions dispatched by subscribers and the handler are queued,
/// so steps never nest. The outermost call of ``dispatch(_:)`` returns when the queue is empty.
///
/// **The state is never copied.** The store holds the only reference to it, `reduce` changes it in place, and readers
/// borrow it. If a reader keeps a copy of the state, or of a collection in it, the next change copies the whole of that
/// value, which may be 100 MB: copy only what is shown. A `~Copyable` state enforces this.
///
/// **One thread.** A store is not `Sendable`, so the compiler keeps it where it was made (or sent to); its closures may
/// therefore hold values that are not `Sendable`, such as a screen. Events of other threads reach the store through a
/// ``Mailbox``: the store's thread drains the mailbox and dispatches its elements.
public final class StateStore<State: ~Copyable, Action, Effect> {
    @usableFromInline
    enum Phase {
        case idle
        case reducing(Action)
        case notifying
    }

    @usableFromInline
    struct Subscriber {
        @usableFromInline let observe: (borrowing State, Action) -> Void
        @usableFromInline let subscription: StoreSubscription

        @inlinable
        init(_ observe: @escaping (borrowing State, Action) -> Void, _ subscription: StoreSubscription) {
            self.observe = observe
            self.subscription = subscription
        }
    }

    @usableFromInline var state: State
    @usableFromInline let reduce: (inout State, Action) -> [Effect]
    @usableFromInline let handle: (Effect, StateStore) -> Void
    @usableFromInline var subscribers = OrderedBag<Subscriber>()
    @usableFromInline var phase = Phase.idle
    /// Actions that were dispatched inside a step.
    @usableFromInline var waiting: [Action] = []

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - state: The first state. Do not keep a copy of it.
    ///   - reduce: Changes the state by one action and returns the effects to carry out. It must not dispatch, read
    ///     the store or subscribe: that ends the program with a message that names the action.
    ///   - handle: Carries out an effect. It gets the store, to dispatch the results.
    @inlinable
    public init(
        _ state: consuming State, reduce: @escaping (inout State, Action) -> [Effect],
        handle: @escaping (Effect, StateStore) -> Void = { _, _ in }
    ) {
        self.state = state
        self.reduce = reduce
        self.handle = handle
    }

    /// Performs a step for `action`, then a step for each action that was dispatched during one of these steps. Inside
    /// a step or ``withState(_:)`` the action is only queued.
    @inlinable
    public func dispatch(_ action: Action) {
        checkNotReducing("dispatch of \(Self.name(of: action))")
        guard case .idle = phase else {
            waiting.append(action)
            return
        }
        step(action)
        runWaitingSteps()
    }

    /// Calls `body` with the state, borrowed. Actions that `body` dispatches are queued until it returns or, inside a
    /// step, until that step ends.
    @inlinable
    public func withState<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        checkNotReducing("withState")
        guard case .idle = phase else { return try body(state) }
        phase = .notifying
        defer { runWaitingSteps() }
        return try body(state)
    }

    /// Calls `observe` after each change with the state and the action that changed it, until the returned subscription
    /// is disposed of.
    ///
    /// A subscription made inside a step begins with the next step. The subscription may be disposed of on any thread;
    /// its closure is released after the store's next change.
    @inlinable
    public func subscribe(_ observe: @escaping (borrowing State, Action) -> Void) -> any Disposable {
        checkNotReducing("subscribe")
        let subscription = StoreSubscription()
        subscribers.insert(Subscriber(observe, subscription))
        return subscription
    }

    @inlinable
    func step(_ action: Action) {
        phase = .reducing(action)
        let effects = reduce(&state, action)
        phase = .notifying
        notifySubscribers(of: action)
        for effect in effects { handle(effect, self) }
    }

    @inlinable
    func runWaitingSteps() {
        while !waiting.isEmpty {
            let actions = waiting
            waiting = []
            for action in actions { step(action) }
        }
        phase = .idle
    }

    @inlinable
    func notifySubscribers(of action: Action) {
        var hasDisposed = false
        for subscriber in subscribers {
            if subscriber.subscription.isDisposed { hasDisposed = true } else { subscriber.observe(state, action) }
        }
        if hasDisposed { releaseDisposed() }
    }

    @inlinable
    func releaseDisposed() {
        // Keeps the old bag until the change is done, because releasing a closure may run a deinit that uses the store.
        let old = subscribers
        subscribers.removeAll(where: { $0.subscription.isDisposed })
        withExtendedLifetime(old) {}
    }

    @inlinable
    func checkNotReducing(_ what: @autoclosure () -> String) {
        guard case .reducing(let action) = phase else { return }
        // fatalError, because release builds do not print the message of a precondition.
        fatalError(
            """
            \(what()) inside reduce, while it reduces \(Self.name(of: action)). A reducer only changes the state that it \
            is given: return an effect, and dispatch from its handler; or dispatch from a subscriber.
            """)
    }

    @inlinable
    static func name(of action: Action) -> String {
        let name = String(describing: action)
        let short = name.prefix(200)
        return short.endIndex == name.endIndex ? name : "\(short)…"
    }
}

@usableFromInline
final class StoreSubscription: Disposable {
    @usableFromInline let disposed = Atomic(false)

    @inlinable
    init() {}

    @inlinable
    var isDisposed: Bool { disposed.load(ordering: .relaxed) }

    @inlinable
    func dispose() { disposed.store(true, ordering: .relaxed) }
}
