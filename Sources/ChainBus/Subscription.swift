/// One observer's place in a ``Hub``. The hub makes sure that it is told one event at a time.
final class Subscription<Element: Sendable>: Disposable {
    struct State: Sendable {
        var observer: AnyObserver<Element>?
        // Weak: whoever drops the disposable without disposing must not keep the stream alive.
        weak var hub: Hub<Element>?
    }

    private let state: Lock<State>
    private let key: Bag<Subscription<Element>>.Key

    init(_ observer: AnyObserver<Element>, of hub: Hub<Element>, key: Bag<Subscription<Element>>.Key) {
        state = Lock(State(observer: observer, hub: hub))
        self.key = key
    }

    func deliver(_ event: Event<Element>) {
        let observer = event.isTerminal ? end().observer : state.withLock { $0.observer }
        observer?.on(event)
    }

    func dispose() {
        let ended = end()
        ended.hub?.remove(key)
        // Released only here, so that the observer's last words find the hub without it.
        withExtendedLifetime(ended) {}
    }

    /// Takes out what is held; nothing is delivered any more.
    @discardableResult
    func end() -> State {
        state.withLock { state in
            let ended = state
            state = State(observer: nil, hub: nil)
            return ended
        }
    }
}
