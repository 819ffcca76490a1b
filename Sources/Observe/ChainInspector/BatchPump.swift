// SPDX-License-Identifier: MIT

import ChainBus
import ChainEvents
import ChainSystem

/// The delivery of a subscription's batches to an observer, one batch at a time and in order. It runs on the thread
/// that subscribes or is notified.
final class BatchPump: Disposable {
    fileprivate struct State {
        var subscription: BatchSubscription?
        /// Whether a thread is delivering.
        var isPumping = false
        /// Whether the delivering thread has to look for batches once more when it is done.
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
            let repeats = state.withLock { state in
                state.isPumping = false
                return state.isRepeatRequested
            }
            if isEnded { return observer.onCompleted() }
            if !repeats { return }
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
    /// Claims the delivery for the calling thread. If another thread is delivering, requests a repeat, and returns nil.
    fileprivate mutating func claim() -> BatchSubscription? {
        guard !isDisposed, let subscription else { return nil }
        isRepeatRequested = isPumping
        guard !isPumping else { return nil }
        isPumping = true
        return subscription
    }
}
