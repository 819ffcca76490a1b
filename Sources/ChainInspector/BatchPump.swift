import ChainBus
import ChainEvents
import ChainSystem

/// The delivery of a subscription's batches to an observer: one at a time and in order, on the notified thread.
final class BatchPump: Disposable {
    fileprivate struct State {
        var subscription: BatchSubscription?
        /// Whether a thread delivers now, and has to repeat when it is done.
        var isPumping = false
        var isRepeatRequested = false
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
                return state.isRepeatRequested
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
    /// Claims the delivery; nil, and a request to repeat, where another thread delivers.
    fileprivate mutating func claim() -> BatchSubscription? {
        guard !isDisposed, let subscription else { return nil }
        isRepeatRequested = isPumping
        guard !isPumping else { return nil }
        isPumping = true
        return subscription
    }
}
