import ChainBus
import ChainEvents
import ChainSystem

/// Hands a subscription's batches to an observer as they come: one at a time and in order, on whatever thread is told
/// that there are some.
final class BatchPump: Disposable {
    fileprivate struct State {
        var subscription: BatchSubscription?
        /// Somebody is at it; and whether he has to look once more.
        var isPumping = false
        var isAsked = false
        var isDisposed = false
    }

    private let observer: AnyObserver<EventBatch>
    private let state = Lock(State())

    init(_ collector: Collector, _ observer: AnyObserver<EventBatch>) {
        self.observer = observer
        let subscription = collector.subscribe(mailboxLimit: .max) { [weak self] in self?.pump() }
        state.withLock { $0.subscription = subscription }
        pump()
    }

    private func pump() {
        while let subscription = state.withLock({ $0.claim() }) {
            while let batch = subscription.next() { observer.onNext(batch) }
            let isEnded = subscription.isEnded
            let goesOn = state.withLock { state in
                state.isPumping = false
                return state.isAsked
            }
            if isEnded { return observer.onCompleted() }
            if !goesOn { return }
        }
    }

    func dispose() {
        let subscription = state.withLock { state in
            state.isDisposed = true
            return state.subscription.take()
        }
        subscription?.dispose()
    }
}

extension BatchPump.State {
    /// Takes the work on, or asks whoever is at it to look once more.
    fileprivate mutating func claim() -> BatchSubscription? {
        guard !isDisposed, let subscription else { return nil }
        isAsked = isPumping
        guard !isPumping else { return nil }
        isPumping = true
        return subscription
    }
}
