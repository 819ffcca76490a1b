// SPDX-License-Identifier: MIT

import ChainSystem

/// The implementation of all subjects: accepts events from any thread, and delivers them one at a time.
///
/// Accepting an event (under the lock) fixes its position in the order, and its receivers: all that are subscribed at
/// that time. A caller that finds no delivery under way then delivers, without the lock, until the queue is empty. A
/// caller that finds a delivery (on another thread, or further up its own stack) queues its event for that delivery and
/// returns.
///
/// An event without contention takes the lock twice and allocates nothing, because the delivery holds a reference to
/// the receivers, a copy-on-write collection. Every member is inlinable, because generic code that is not specialised
/// for its element costs ten times as much (`make bench ARGS=bus`).
@usableFromInline
final class Hub<Element: Sendable>: Sendable {
    /// An observer, and the subscription that ends its deliveries.
    @usableFromInline
    struct Receiver: Sendable {
        @usableFromInline let subscription: Subscription<Element>
        @usableFromInline let observer: AnyObserver<Element>

        @inlinable
        init(_ observer: AnyObserver<Element>, _ subscription: Subscription<Element>) {
            self.observer = observer
            self.subscription = subscription
        }

        @inlinable
        func deliver(_ element: Element) {
            if !subscription.isEnded { observer.on(.next(element)) }
        }

        @inlinable
        func end(with ending: StreamEvent<Element>) {
            if subscription.end() { observer.on(ending) }
        }
    }

    /// A delivery, with its receivers.
    @usableFromInline
    enum Delivery: Sendable {
        case element(Element, to: OrderedBag<Receiver>)
        case ending(StreamEvent<Element>, to: OrderedBag<Receiver>)
        /// Elements from before the subscription, for a new receiver.
        case past([Element], ending: StreamEvent<Element>?, to: Receiver)
    }

    @usableFromInline
    struct State: Sendable {
        @usableFromInline var receivers = OrderedBag<Receiver>()
        @usableFromInline var past: ReplayBuffer<Element>
        @usableFromInline var ending: StreamEvent<Element>?
        /// The deliveries that are queued for the caller that is delivering.
        @usableFromInline var waiting: [Delivery] = []
        @usableFromInline var isDelivering = false

        @inlinable
        init(past: ReplayBuffer<Element>) { self.past = past }

        /// Returns the delivery if the caller is to make it; otherwise queues it for the caller that is delivering.
        @inlinable
        mutating func claim(_ delivery: Delivery) -> Delivery? {
            if isDelivering {
                waiting.append(delivery)
                return nil
            }
            isDelivering = true
            return delivery
        }
    }

    @usableFromInline let state: Lock<State>
    @usableFromInline let replaysAfterEnd: Bool

    @inlinable
    init(past: ReplayBuffer<Element> = ReplayBuffer(limit: 0), replaysAfterEnd: Bool = false) {
        state = Lock(State(past: past))
        self.replaysAfterEnd = replaysAfterEnd
    }

    /// The newest of the kept elements; nil if there is none.
    @inlinable
    var last: Element? { state.withLock { $0.past.last } }

    @inlinable
    var subscriptionCount: Int { state.withLock { $0.receivers.count } }

    @inlinable
    func emit(_ event: StreamEvent<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error, .completed: end(with: event)
        }
    }

    @inlinable
    func next(_ element: Element) {
        // The evicted element is released without the lock, because its release may run code that uses the hub.
        let (receivers, evicted) = state.withLock { state -> (OrderedBag<Receiver>?, Element?) in
            guard state.ending == nil else { return (nil, nil) }
            let evicted = state.past.append(element)
            if state.receivers.isEmpty { return (nil, evicted) }
            if state.isDelivering {
                state.waiting.append(.element(element, to: state.receivers))
                return (nil, evicted)
            }
            state.isDelivering = true
            return (state.receivers, evicted)
        }
        withExtendedLifetime(evicted) {}
        guard let receivers else { return }
        for receiver in receivers { receiver.deliver(element) }
        runWaitingDeliveries()
    }

    @inlinable
    func end(with ending: StreamEvent<Element>) {
        let delivery = state.withLock { state -> Delivery? in
            guard state.ending == nil else { return nil }
            state.ending = ending
            return state.claim(.ending(ending, to: state.receivers.removeAll()))
        }
        if let delivery { deliver(delivery) }
    }

    @inlinable
    func subscribe(_ observer: AnyObserver<Element>) -> Subscription<Element> {
        let (subscription, delivery) = state.withLock { state -> (Subscription<Element>, Delivery?) in
            let subscription = Subscription(of: self, key: state.receivers.nextKey)
            let receiver = Receiver(observer, subscription)
            if state.ending == nil { state.receivers.insert(receiver) }
            let past = state.ending == nil || replaysAfterEnd ? state.past.elements : []
            guard !past.isEmpty || state.ending != nil else { return (subscription, nil) }
            return (subscription, state.claim(.past(past, ending: state.ending, to: receiver)))
        }
        if let delivery { deliver(delivery) }
        return subscription
    }

    @inlinable
    func remove(_ key: OrderedBag<Receiver>.Key) {
        let removed = state.withLock { $0.receivers.remove(key) }
        // Released without the lock, because releasing an observer may run code that uses the hub.
        withExtendedLifetime(removed) {}
    }

    @inlinable
    func deliver(_ first: Delivery) {
        run(first)
        runWaitingDeliveries()
    }

    @inlinable
    func runWaitingDeliveries() {
        while let deliveries = nextDeliveries() {
            for delivery in deliveries { run(delivery) }
        }
    }

    @inlinable
    func nextDeliveries() -> [Delivery]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDelivering = false
                return nil
            }
            let deliveries = state.waiting
            state.waiting = []
            return deliveries
        }
    }

    @inlinable
    func run(_ delivery: Delivery) {
        switch delivery {
        case .element(let element, let receivers):
            for receiver in receivers { receiver.deliver(element) }
        case .ending(let ending, let receivers):
            for receiver in receivers { receiver.end(with: ending) }
        case .past(let elements, let ending, let receiver):
            for element in elements { receiver.deliver(element) }
            if let ending { receiver.end(with: ending) }
        }
    }
}
