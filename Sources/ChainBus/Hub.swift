/// What all subjects are made of: it accepts events from any thread, and delivers them one at a time.
///
/// Accepting an event (under the lock) fixes its place in the order and who gets it: those who are subscribed at that
/// moment. Whoever finds nobody delivering then delivers, without the lock, until nothing waits; whoever finds somebody
/// delivering (another thread, or itself further up its stack) leaves the work to them and returns.
final class Hub<Element: Sendable>: Sendable {
    private enum Work: Sendable {
        case event(Event<Element>, to: Bag<Subscription<Element>>)
        case past([Element], ending: Event<Element>?, to: Subscription<Element>)
    }

    private struct State: Sendable {
        var subscriptions = Bag<Subscription<Element>>()
        var past: ReplayBuffer<Element>
        var ending: Event<Element>?
        var waiting: [Work] = []
        var isDelivering = false

        // Gives the work back to whoever is to deliver it: the caller, if nobody is delivering.
        mutating func claim(_ work: Work) -> Work? {
            if isDelivering {
                waiting.append(work)
                return nil
            }
            isDelivering = true
            return work
        }
    }

    private let state: Lock<State>
    private let replaysAfterEnd: Bool

    init(past: ReplayBuffer<Element> = ReplayBuffer(limit: 0), replaysAfterEnd: Bool = false) {
        state = Lock(State(past: past))
        self.replaysAfterEnd = replaysAfterEnd
    }

    deinit {
        let subscriptions = state.withLock { $0.subscriptions.removeAll() }
        for subscription in subscriptions { subscription.end() }
    }

    /// The newest element that is kept.
    var last: Element? { state.withLock { $0.past.last } }

    var subscriptionCount: Int { state.withLock { $0.subscriptions.count } }

    func emit(_ event: Event<Element>) {
        // The evicted element travels out of the lock to be released.
        let (work, evicted) = state.withLock { state -> (Work?, Element?) in
            guard state.ending == nil else { return (nil, nil) }
            guard case .next(let element) = event else {
                state.ending = event
                return (state.claim(.event(event, to: state.subscriptions.removeAll())), nil)
            }
            let evicted = state.past.append(element)
            return (state.claim(.event(event, to: state.subscriptions)), evicted)
        }
        _ = evicted
        if let work { deliver(work) }
    }

    func subscribe(_ observer: AnyObserver<Element>) -> Subscription<Element> {
        let (subscription, work) = state.withLock { state -> (Subscription<Element>, Work?) in
            let subscription = Subscription(observer, of: self, key: state.subscriptions.nextKey)
            if state.ending == nil { state.subscriptions.insert(subscription) }
            let past = state.ending == nil || replaysAfterEnd ? state.past.elements : []
            guard !past.isEmpty || state.ending != nil else { return (subscription, nil) }
            return (subscription, state.claim(.past(past, ending: state.ending, to: subscription)))
        }
        if let work { deliver(work) }
        return subscription
    }

    func remove(_ key: Bag<Subscription<Element>>.Key) {
        let removed = state.withLock { $0.subscriptions.remove(key) }
        _ = removed
    }

    private func deliver(_ first: Work) {
        run(first)
        while let works = nextWorks() {
            for work in works { run(work) }
        }
    }

    private func nextWorks() -> [Work]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDelivering = false
                return nil
            }
            let works = state.waiting
            state.waiting = []
            return works
        }
    }

    private func run(_ work: Work) {
        switch work {
        case .event(let event, let subscriptions):
            for subscription in subscriptions { subscription.deliver(event) }
        case .past(let elements, let ending, let subscription):
            for element in elements { subscription.deliver(.next(element)) }
            if let ending { subscription.deliver(ending) }
        }
    }
}
