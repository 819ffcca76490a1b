// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainRecording
import ChainSystem
import PromiseRuntime
import Synchronization

/// The work of a flight recorder's thread, and the inbox of other threads' requests.
final class FlightWork: Sendable {
    private struct Inbox {
        var requests:
            [(request: FlightRecorder.DumpRequest, finish: @Sendable (Result<UInt64, RecordingError>) -> Void)] = []
        var isStopping = false
    }

    /// Whether the file could not be written any more.
    let hasEnded = Atomic(false)
    private let inbox = Lock(Inbox())
    private let woken: Semaphore
    private let subscription: BatchSubscription
    private let clock: any ChainClock
    private let file: FlightFile
    /// Makes the recording; called on the thread.
    private let begin: @Sendable () -> FlightWriting

    /// The most events, nodes and batches that wait for the thread: as many as arrive in two seconds at 200,000 a
    /// second.
    private static let mailboxLimit = 400_000

    init(_ inspector: Inspector, _ options: InspectorOptions.FlightRecorder, _ file: FlightFile) {
        let woken = Semaphore()
        self.woken = woken
        self.file = file
        clock = inspector.runtime.clock
        begin = { [weak inspector, process = inspector.info, clock = inspector.runtime.clock] in
            FlightWriting(
                process, clock, options, file, totals: { inspector?.totals ?? ProcessTotals() },
                dump: { inspector?.writeOwnDump(because: $0, $1) })
        }
        // A pass over the rings comes first, because the state that the subscription begins with has the time of the
        // last pass, or of the inspector's start.
        inspector.collector.pass(publishes: false)
        subscription = inspector.collector.subscribe(
            mailboxLimit: Self.mailboxLimit, isPrompt: false, callsProgram: false,
            settledLimit: FlightWriting.settledLimit(options), onReady: { woken.signal() })
    }

    /// Ends the subscription, because the thread could not be started.
    func abandon() { subscription.dispose() }

    /// Enqueues a request; returns false if the thread is stopping.
    func enqueue(
        _ request: FlightRecorder.DumpRequest, _ finish: @escaping @Sendable (Result<UInt64, RecordingError>) -> Void
    ) -> Bool {
        let isTaken = inbox.withLock { inbox in
            if !inbox.isStopping { inbox.requests.append((request, finish)) }
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
        var touchTime = chain_monotonic_ns()
        while true {
            // Heartbeats of the collector wake the thread every second.
            let now = chain_monotonic_ns()
            if now >= touchTime {
                touchTime = now + OwnFile.touchInterval
                file.touch()
            }
            // Requests are taken before batches, so that a copy contains all batches from before its request.
            let (requests, isStopping) = inbox.withLock { inbox in
                defer { inbox.requests = [] }
                return (inbox.requests, inbox.isStopping)
            }
            // Only batches up to the present are read, because under load there may always be another batch. A state,
            // however, is read to its end.
            let moment = clock.nanoseconds
            while !writing.hasFailed, let part = subscription.nextPart() {
                writing.record(part)
                if writing.isKeyframeDue { subscription.requestKeyframe() }
                guard part.batch.time <= moment || writing.isInState else {
                    woken.signal()
                    break
                }
            }
            writing.flushIfDue()
            if writing.hasFailed {
                hasEnded.store(true, ordering: .relaxed)
                subscription.dispose()
            }
            for (request, finish) in requests { finish(writing.copy(request.span, to: request.target)) }
            writing.dumpIfTriggered()
            guard !isStopping else { return }
            if let delay = writing.flushDelay {
                _ = woken.wait(nanoseconds: delay)
            } else {
                woken.wait()
            }
        }
    }
}
