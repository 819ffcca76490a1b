import ChainEvents
import ChainRecording
import ChainSystem
import Dispatch
import PromiseRuntime
import Synchronization

/// The thread of a flight recorder, and what others ask of it.
final class FlightWork: Sendable {
    private struct Inbox {
        var orders: [(order: FlightRecorder.Order, finish: @Sendable (Result<UInt64, RecordingError>) -> Void)] = []
        var isStopping = false
    }

    let hasEnded = Atomic(false)
    private let inbox = Lock(Inbox())
    private let woken: DispatchSemaphore
    private let subscription: BatchSubscription
    private let clock: any ChainClock
    private let begin: @Sendable () -> FlightWriting

    /// Events and batches that wait for the thread at most: two seconds of 200,000.
    private static let mailboxLimit = 400_000

    init(_ inspector: Inspector, _ options: InspectorOptions.FlightRecorder, _ file: FlightFile) {
        let woken = DispatchSemaphore(value: 0)
        self.woken = woken
        clock = inspector.runtime.clock
        begin = { [weak inspector, process = inspector.info, clock = inspector.runtime.clock] in
            FlightWriting(process, clock, options, file) { reason, copy in
                inspector?.writeOwnDump(because: reason, copy)
            }
        }
        // The state has the time of the last look at the rings, of which there may have been none.
        inspector.collector.pass(publishes: false)
        subscription = inspector.collector.subscribe(
            mailboxLimit: Self.mailboxLimit, isPrompt: false, onReady: { woken.signal() })
    }

    /// False where the thread ends.
    func enqueue(
        _ order: FlightRecorder.Order, _ finish: @escaping @Sendable (Result<UInt64, RecordingError>) -> Void
    ) -> Bool {
        let isTaken = inbox.withLock { inbox in
            if !inbox.isStopping { inbox.orders.append((order, finish)) }
            return !inbox.isStopping
        }
        woken.signal()
        return isTaken
    }

    func stop() {
        inbox.withLock { $0.isStopping = true }
        woken.signal()
    }

    func run() {
        var writing = begin()
        defer { subscription.dispose() }
        while true {
            // Before the batches, so that what came before an order is in its copy.
            let (orders, isStopping) = inbox.withLock { inbox in
                defer { inbox.orders = [] }
                return (inbox.orders, inbox.isStopping)
            }
            // Up to now, because under load there may always be another batch, and to the end of a state that is sent.
            let moment = clock.now
            while !writing.hasFailed, let batch = subscription.next() {
                writing.record(batch)
                guard batch.time <= moment || writing.isInState else {
                    woken.signal()
                    break
                }
            }
            writing.flushIfDue()
            if writing.hasFailed {
                hasEnded.store(true, ordering: .relaxed)
                subscription.dispose()
            }
            for (order, finish) in orders { finish(writing.copy(order.span, to: order.target)) }
            writing.dumpIfTriggered()
            guard !isStopping else { return }
            if let delay = writing.flushDelay {
                _ = woken.wait(timeout: .now() + .nanoseconds(Int(delay)))
            } else {
                woken.wait()
            }
        }
    }
}
