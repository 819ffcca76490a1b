// SPDX-License-Identifier: MIT

import ChainBus
import ChainEvents
import ChainSystem

/// The consumer of recorded events: it applies them to the process's own forest, and publishes them.
///
/// A ``CollectorThread`` calls ``collect(isRegular:)``; commands, and programs that collect by hand, call
/// ``collectNow()``. Both may be called from any thread. Batches are published in order, one at a time, with no lock
/// held.
package final class Collector: Sendable {
    let recorder: Recorder
    let runtime: any ObservedRuntime
    let options: CollectorOptions
    /// The Swift tasks, if the program shows them.
    let tasks = Lock<(any TaskSource)?>(nil)
    private let state: Lock<CollectorState>
    private let outbox = Lock(Outbox())
    private let subject = PublishSubject<EventBatch>()

    /// The batches and notifications to publish, in order, by one thread at a time.
    private struct Outbox {
        var batches: [EventBatch] = []
        var woken: [BatchSubscription] = []
        /// Whether the stream ends after these batches.
        var ends = false
        var isPublishing = false

        var isEmpty: Bool { batches.isEmpty && woken.isEmpty && !ends }
    }

    init(_ recorder: Recorder, of process: ProcessKey, runtime: any ObservedRuntime, options: CollectorOptions) {
        self.recorder = recorder
        self.runtime = runtime
        self.options = options
        state = Lock(CollectorState(process: process, options: options, time: recorder.clock.nanoseconds))
    }

    /// The batches that are published after an observer subscribed. An observer blocks the thread that publishes, so a
    /// slow observer uses a ``BatchSubscription``.
    var batches: EventStream<EventBatch> { subject.observable }

    /// Fetches and publishes all events recorded before the call, the changes of tasks, and which threads are blocked.
    /// Then resyncs if a resync is
    /// due, after a loss or a request, and continues cancellations.
    package func collectNow() { collect(isRegular: false) }

    /// Collects as ``collectNow()`` does. Regular calls are made at an interval; they skip the tasks for a time if
    /// looks at the tasks took long.
    func collect(isRegular: Bool) {
        pass()
        sampleTasks(isRegular: isRegular)
        sampleStalls()
        resyncIfDue()
        continueCancellations()
    }

    /// Fetches the last events and changes of tasks for viewers. Runs no code of the program, which is exiting.
    func collectAtExit() {
        pass(publishes: false)
        sampleTasks(isRegular: false, publishes: false)
    }

    /// Reads all events recorded before the call, batch by batch. If `publishes` is false, a later call publishes the
    /// batches.
    func pass(publishes: Bool = true) {
        // A pass under way may have fixed the ends of the rings too early for the caller. In this case one more pass is
        // needed.
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

    /// Runs `body` on the collector's state and moves new batches to the outbox. `body` must not call the program's
    /// code.
    func withState<Result>(_ body: (inout CollectorState) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state)
            if !state.outbox.isEmpty {
                let woken = state.subscriptions.filter { $0.claimWake() }
                outbox.withLock { outbox in
                    outbox.batches += state.outbox
                    outbox.woken += woken
                }
                state.outbox.removeAll()
            }
            return result
        }
    }

    /// Publishes the outbox. If another thread is publishing, that thread publishes these batches, too.
    func publish() {
        while let work = takeOutbox() {
            let deliver = {
                for batch in work.batches { self.subject.onNext(batch) }
                for subscription in work.woken { subscription.notify() }
                if work.ends { self.subject.onCompleted() }
            }
            // Only for code of the program, because this thread then handles signals that the program has blocked since
            // the start.
            if subject.subscriberCount > 0 || work.woken.contains(where: \.callsProgram) {
                SystemThread.runningProgram(deliver)
            } else {
                deliver()
            }
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

    /// Nanoseconds until the next regular read of the rings.
    var readInterval: UInt64 {
        withState { state in
            // Viewers take a program without heartbeats for a stopped program.
            if state.subscriptions.contains(where: \.isPrompt) { return min(options.interval, options.heartbeat) }
            let longest = max(options.interval, options.idleInterval)
            let interval = state.cancellations.areActive(at: state.time) ? options.interval : longest
            // The flight recorder needs this limit: its file has to contain all but the events of the last 250 ms.
            return state.subscriptions.isEmpty ? interval : min(interval, options.idleInterval)
        }
    }

    /// Adds a subscriber, which gets the present state, then the batches that are published later.
    ///
    /// - Parameters:
    ///   - isPrompt: whether the collector looks at the rings more often for this subscriber.
    ///   - callsProgram: whether `onReady` may run code of the program.
    ///   - settledLimit: for a recorder, the most settled nodes of its keyframes; else nil. See
    ///     ``BatchSubscription/nextPart()``.
    func subscribe(
        mailboxLimit: Int, isPrompt: Bool = true, callsProgram: Bool = true, settledLimit: Int? = nil,
        onReady: @escaping @Sendable () -> Void
    ) -> BatchSubscription {
        let subscription = BatchSubscription(
            self, mailboxLimit: mailboxLimit, isPrompt: isPrompt, callsProgram: callsProgram,
            settledLimit: settledLimit, onReady: onReady)
        withState { state in
            subscription.begin(state)
            if state.isClosed { subscription.end() } else { state.subscriptions.append(subscription) }
        }
        // The collecting thread is woken, because without subscribers it waits for the longer interval.
        recorder.wake.signal()
        onReady()
        return subscription
    }

    func remove(_ subscription: BatchSubscription) {
        withState { state in state.subscriptions.removeAll { $0 === subscription } }
    }

    /// Sends the whole state again, checked against the registry: to the named subscriptions, or to all if `named` is
    /// nil. Requests of subscriptions that wait for a requested state already are merged with that: a viewer that reads
    /// nothing would otherwise fill its mailbox with what each request publishes.
    func resync(_ named: [BatchSubscription]? = nil) {
        if let named, !named.isEmpty, named.allSatisfy(\.awaitsState) { return }
        let subscriptions = withState { state in
            state.walk.isRequested = true
            return named ?? state.subscriptions
        }
        // The walk comes first, because a subscriber that gets only a part of a walk is sent the state once more.
        collectNow()
        for subscription in subscriptions { subscription.requestState() }
    }

    /// Reads the remaining events, publishes them and releases the rings; no batch is published afterwards.
    func close() {
        // Stopped without the lock, because stopping may release values of the program.
        let tasks = tasks.withLock { source in
            defer { source = nil }
            return source
        }
        tasks?.stop()
        pass()
        let subscriptions = withState { state in
            state.isClosed = true
            state.cancellations.removeAll()
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
