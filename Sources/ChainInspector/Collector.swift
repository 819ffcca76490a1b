import ChainBus
import ChainEvents
import ChainModel
import ChainSystem

/// Fetches what was recorded, folds it into the process's own forest, and publishes it.
///
/// Works when ``collectNow()`` is called: by a ``CollectorThread``, or by hand where the clock is a virtual one. Any
/// thread may call it; batches are published in order, one at a time, with no lock held.
package final class Collector: Sendable {
    let recorder: Recorder
    let runtime: any ObservedRuntime
    let options: CollectorOptions
    private let state: Lock<CollectorState>
    private let outbox = Lock(Outbox())
    private let subject = PublishSubject<EventBatch>()

    /// What waits for being published, in order, by whoever is at it.
    private struct Outbox {
        var batches: [EventBatch] = []
        var woken: [BatchSubscription] = []
        /// The stream ends after these.
        var ends = false
        var isPublishing = false

        var isEmpty: Bool { batches.isEmpty && woken.isEmpty && !ends }
    }

    init(_ recorder: Recorder, of process: ProcessKey, runtime: any ObservedRuntime, options: CollectorOptions) {
        self.recorder = recorder
        self.runtime = runtime
        self.options = options
        state = Lock(CollectorState(process: process, options: options))
    }

    /// What is published from now on. Observers run on the collecting thread: slow ones take a subscription.
    var batches: EventStream<EventBatch> { subject.observable }

    /// Fetches all that was recorded by now, and publishes it; then does what is due: a resync after a loss, what
    /// cancellations have left.
    package func collectNow() {
        pass()
        resyncIfDue()
        runWatches()
    }

    /// Reads all that was recorded by now, batch by batch. Without publishing, that is left to the next one.
    func pass(publishes: Bool = true) {
        // A pass under way may have looked at the rings too early for the caller: then one more.
        let target = withState { $0.passCount + ($0.isInPass ? 2 : 1) }
        var isDone = false
        while !isDone {
            isDone = withState { state in
                guard !state.isClosed else { return true }
                state.collect(from: recorder, runtime: runtime)
                return state.passCount >= target
            }
            if publishes { publish() }
        }
    }

    /// Runs `body` on the collector's state and lines up what is to be published after it. No code of others may be
    /// called in it.
    func withState<Result>(_ body: (inout CollectorState) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state)
            if !state.outbox.isEmpty {
                let woken = state.subscriptions.filter { $0.takeWake() }
                outbox.withLock { outbox in
                    outbox.batches += state.outbox
                    outbox.woken += woken
                }
                state.outbox.removeAll()
            }
            return result
        }
    }

    /// Publishes what is lined up, unless somebody is at it, who will do it then.
    func publish() {
        while let work = takeOutbox() {
            for batch in work.batches { subject.onNext(batch) }
            for subscription in work.woken { subscription.notify() }
            if work.ends { subject.onCompleted() }
            outbox.withLock { $0.isPublishing = false }
        }
    }

    private func takeOutbox() -> Outbox? {
        outbox.withLock { outbox in
            guard !outbox.isPublishing, !outbox.isEmpty else { return nil }
            defer { outbox = Outbox(isPublishing: true) }
            return outbox
        }
    }

    // MARK: Subscriptions

    /// Whether anybody waits for what happens.
    var isWatched: Bool { withState { !$0.subscriptions.isEmpty || $0.watches.count > 0 } }

    /// Adds a subscriber: it gets the state as it is now, then what is published from now on.
    func subscribe(mailboxLimit: Int, onReady: @escaping @Sendable () -> Void) -> BatchSubscription {
        let subscription = BatchSubscription(self, mailboxLimit: mailboxLimit, onReady: onReady)
        withState { state in
            subscription.begin(state)
            if state.isClosed { subscription.end() } else { state.subscriptions.append(subscription) }
        }
        // The thread may be in a longer wait, while nobody looked.
        recorder.wake.signal()
        onReady()
        return subscription
    }

    func remove(_ subscription: BatchSubscription) {
        withState { state in state.subscriptions.removeAll { $0 === subscription } }
    }

    /// Sends the whole state anew, to those named or to everybody, checked against the registry.
    func resync(_ named: [BatchSubscription]? = nil) {
        let subscriptions = withState { state in
            state.walk.isAsked = true
            return named ?? state.subscriptions
        }
        // The walk first: who got a part of it only would be told the state once more.
        collectNow()
        for subscription in subscriptions { subscription.requestState() }
    }

    /// Reads what is left and ends: the rings are let go, nothing is published afterwards.
    func close() {
        pass()
        let subscriptions = withState { state in
            state.isClosed = true
            state.watches.removeAll()
            defer { state.subscriptions = [] }
            for subscription in state.subscriptions { subscription.end() }
            return state.subscriptions
        }
        recorder.close()
        outbox.withLock { outbox in
            outbox.woken += subscriptions
            outbox.ends = true
        }
        publish()
    }
}
