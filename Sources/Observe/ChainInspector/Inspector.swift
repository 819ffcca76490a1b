// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainBus
import ChainModel
import ChainSystem
import ChainWire
import PromiseRuntime

/// The recorder and server of a program's chains. It records a runtime's events, applies them to a forest, publishes
/// them to viewers, and carries out viewers' cancellations.
///
///     import ChainInspector
///     try Inspector.start()
///
/// The inspector lasts until ``stop()``, whether or not the result is kept. At the exit of the process (`exit`, or the
/// return of `main`) attached viewers get the last events and a goodbye; the exit waits a fifth of a second for that at
/// most, and not at all without viewers.
///
/// One thread collects, and no step of a
/// promise waits until its event is collected. An event costs 43 to 98 ns in all. A program with work in its handlers,
/// at 335,000 events a second, loses some 3.5 % of its throughput. A program that only makes promises with empty
/// handlers, as fast as it can, loses 65 %. Nodes made earlier appear at their next event. After a fork the child
/// records nothing; it may start its own inspector. (In the child ``stop()`` of the parent's inspector only ends
/// recording and restores the dump signals; ``collectNow()`` does nothing, ``dump(settled:limit:)`` returns one line,
/// ``eventCounts`` are 0, and ``perform(_:)`` refuses. If the parent had several threads, its promises are of no use in
/// the child.)
public final class Inspector: Sendable {
    let description: ProcessDescription
    /// The ``description`` with the present offset to the time of day.
    private let present: Lock<ProcessDescription>
    /// The observed program. Its offset to the time of day is the present offset, because the system's clock may have
    /// been set since the start, or the machine suspended. Recordings and attached viewers keep the offset that they
    /// began with.
    public var info: ProcessDescription {
        let wallOffset = runtime.wallOffset
        var info = present.withLock { present in
            present.correct(wallOffset: wallOffset)
            return present
        }
        info.missingTaskFacts = collector.tasks.withLock { $0 }?.missingFacts ?? []
        info.flightRecorder = flight.withLock { $0.map { $0.hasEnded ? .ended : .recording } } ?? .none
        return info
    }

    let runtime: ChainRuntime
    let capabilities: Hello.Capabilities
    let collector: Collector
    private let thread = Lock<CollectorThread?>(nil)
    let server = Lock<AttachServer?>(nil)
    let flight = Lock<FlightRecorder?>(nil)
    private let dumpThreads = Lock<[DumpSignalThread]>([])
    let isStopped = Lock(false)

    /// The running inspectors, by runtime: see ``withRunning(_:)``.
    private static let running = Lock<[ObjectIdentifier: Inspector]>([:])

    /// Starts or stops an inspector, one thread at a time. Forks wait meanwhile, so that no child inherits a lock that
    /// one of these steps holds.
    private static func withRunning<Result>(
        _ body: (inout [ObjectIdentifier: Inspector]) throws -> Result
    ) rethrows -> Result {
        chain_fork_hold()
        defer { chain_fork_allow() }
        return try running.withLock(body)
    }

    /// Begins to record `runtime`.
    ///
    /// If an inspector of that runtime runs already, returns that inspector; its name and options stay. After a stop
    /// another inspector may be started. With its first collection the new inspector gets the live nodes that the
    /// stopped inspector recorded; nodes made while no inspector ran appear at their next step. In a child of a fork
    /// the parent's inspectors do not count. A failure to listen (``InspectorOptions/endpoints``) is not thrown:
    /// ``endpointErrors`` and standard error have the reason.
    ///
    /// - Parameter name: the name that viewers see; nil: the program's file name.
    /// - Throws: ``InspectorError``, and then nothing is recorded.
    @discardableResult
    public static func start(
        name: String? = nil, runtime: ChainRuntime = .shared, options: InspectorOptions = InspectorOptions()
    ) throws -> Inspector {
        let inspector = try withRunning { running in
            for (key, other) in running where !other.collector.recorder.isInOwnProcess {
                // This process is a child of the one that started the other inspector.
                other.runtime.stopRecording()
                other.stopDumpThreads()
                running[key] = nil
            }
            let key = ObjectIdentifier(runtime)
            if let other = running[key] { return other }
            let inspector = Inspector(name: name ?? programName(), runtime: runtime, options: options)
            try inspector.begin(options)
            running[key] = inspector
            return inspector
        }
        return inspector
    }

    private init(name: String, runtime: ChainRuntime, options: InspectorOptions) {
        self.runtime = runtime
        capabilities = options.capabilities
        description = ProcessDescription(
            key: ProcessKey(rawValue: chain_random()), pid: processID(), name: name, wallOffset: runtime.wallOffset,
            startTime: runtime.hasVirtualClock ? 0 : chain_wall_ns(), isReadOnly: options.isReadOnly)
        present = Lock(description)
        collector = Collector(
            Recorder(clock: runtime.clock, options: options.recorder), of: description.key,
            runtime: ObservedPromises(runtime, options: options), options: options.collector)
    }

    private func begin(_ options: InspectorOptions) throws {
        // The file is made before recording starts, because threads make their rings with their first event.
        let flightFile = makeFlightFile(options)
        guard
            runtime.startRecording(
                into: collector.recorder, capturesErrors: options.capturesErrorText,
                capturesValues: options.capturesValues, filter: options.recording)
        else {
            flightFile?.remove()
            throw InspectorError.runtimeIsRecorded
        }
        // A walk over the registry is requested, because an earlier inspector got the earlier steps of these nodes.
        if runtime.liveNodeCount > 0 { collector.withState { $0.walk.isRequested = true } }
        let hasThread =
            switch options.collection {
            case .automatic: !runtime.hasVirtualClock
            case .thread: true
            case .manual: false
            }
        do {
            try startDumpThreads(options)
            if hasThread {
                guard let started = CollectorThread(collector) else { throw InspectorError.noThread }
                thread.withLock { $0 = started }
            }
        } catch {
            runtime.stopRecording()
            stopDumpThreads()
            flightFile?.remove()
            throw error
        }
        startFlightRecorder(options, in: flightFile)
        runtime.processKey.store(info.key.rawValue, ordering: .relaxed)
        let started = AttachServer(self, options: options.server(hasThread: hasThread))
        server.withLock { $0 = started }
    }

    private func startDumpThreads(_ options: InspectorOptions) throws(InspectorError) {
        if let signal = options.dumpSignal {
            let thread = try DumpSignalThread(signal, target: options.dumpTarget) { [weak self] in self?.dump() }
            dumpThreads.withLock { $0.append(thread) }
        }
        if let signal = options.flightRecorder?.dumpSignal {
            let thread = try DumpSignalThread(signal, target: .standardError) { [weak self] in
                self?.dumpForSignal()
                return nil
            }
            dumpThreads.withLock { $0.append(thread) }
        }
    }

    private func stopDumpThreads() {
        let threads = dumpThreads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in threads { thread.stop() }
    }

    /// Ends recording, and publishes the events recorded by then. Waits for the collecting thread (at most a second),
    /// and for a dump under way (as long as its reader reads). Then waits for the flight recorder's last write, and for
    /// attached viewers to get the events (at most a fifth of a second). Leaves no thread or socket behind, and no file
    /// except dumps. Only two kinds of threads end later, by themselves: a thread of the inspector that calls this
    /// function (in an observer, or in a handler that a viewer cancelled), and a thread with an observer or a handler
    /// that has not returned. Idempotent.
    public func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        let isOwn = collector.recorder.isInOwnProcess
        let collecting = Inspector.withRunning { running in
            if running[ObjectIdentifier(runtime)] === self {
                running[ObjectIdentifier(runtime)] = nil
                runtime.processKey.store(0, ordering: .relaxed)
                runtime.stopRecording()
            }
            return thread.withLock { $0.take() }
        }
        stopDumpThreads()
        guard isOwn else { return }
        collecting?.stop()
        // Read before the flight recorder stops, because the last events may trigger a dump.
        collector.pass(publishes: false)
        flight.withLock { $0 }?.stop()
        flight.withLock { $0 = nil }
        collector.close()
        // The server stops last, so that viewers get the last events.
        server.withLock { $0 }?.stop()
    }

    // MARK: Events and state

    /// The state at the time of the subscription, in chunks, then every batch that follows; completed by ``stop()``.
    ///
    /// Observers run on the collecting thread, on the thread that subscribes, or on a thread that calls
    /// ``collectNow()``, ``perform(_:)`` or ``stop()``, and block that thread. A slow subscriber uses
    /// ``subscribe(mailboxLimit:onReady:)``.
    public var batches: EventStream<EventBatch> {
        EventStream { [collector] observer in BatchPump(collector, observer) }
    }

    /// Returns a subscription for a subscriber that may be slow. It fetches batches when it can, may lose events but
    /// never the present state, and delays no other subscriber.
    ///
    /// - Parameters:
    ///   - mailboxLimit: the most events and nodes that wait in the mailbox, where each batch counts as one more; at
    ///     least 1.
    ///   - onReady: called when the mailbox is no longer empty, and at the end. It is called on the thread that
    ///     publishes, that subscribes or that requests the state. It must be short and must not block.
    public func subscribe(
        mailboxLimit: Int = 200_000, onReady: @escaping @Sendable () -> Void = {}
    ) -> BatchSubscription {
        collector.subscribe(mailboxLimit: mailboxLimit, onReady: onReady)
    }

    /// Subscribes as ``subscribe(mailboxLimit:onReady:)`` does, and returns the batches as an asynchronous sequence:
    /// the present state, then every batch that follows, until ``stop()``.
    ///
    ///     let batches = try Inspector.start().batchSequence()
    ///     for await batch in batches { send(batch) }
    ///
    /// A slow loop may lose events, but never the present state, and delays no other subscriber. The subscription
    /// begins with this call, and ends with the loop's task or when the sequence is released. The sequence is for one
    /// loop only.
    ///
    /// - Parameter mailboxLimit: the most events and nodes that wait, where each batch counts as one more; at least 1.
    public func batchSequence(mailboxLimit: Int = 200_000) -> AsyncStream<EventBatch> {
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let subscription = subscribe(mailboxLimit: mailboxLimit) { wake.yield() }
        wake.onTermination = { _ in subscription.dispose() }
        return AsyncStream {
            while true {
                if let batch = subscription.next() { return batch }
                if subscription.isEnded { return nil }
                guard await wakes.first(where: { true }) != nil else { return nil }
            }
        }
    }

    /// Fetches and publishes all events recorded before the call: for tests and for programs on a virtual clock.
    public func collectNow() {
        // In a child of a fork a thread of the parent, which does not exist here, may hold the collector's locks.
        if collector.recorder.isInOwnProcess { collector.collectNow() }
    }

    /// Returns the trees of the live nodes as text, one line for each node. A line has the node's state, kind, id,
    /// label and call site, its thread, its time in that state, and what it waits for. Needs no viewer, and works while
    /// an observer blocks the collecting thread. Texts are escaped, so that a terminal may show them. O(nodes).
    ///
    /// ```text
    /// shop (pid 4242) at 2026-11-21 12:04:31 UTC: 2 nodes alive
    /// pending promise #17 order 17 (Shop.swift:31) for 1.24s, waits for its resolver, 2 of 3 alive
    ///   running map #19 fraud score (Shop.swift:40) on worker-2 [4250] for 344ms
    /// ```
    ///
    /// - Parameters:
    ///   - settled: whether settled nodes are listed, too, as far as retention keeps them.
    ///   - limit: the most nodes listed, at least 1; a last line counts the live nodes that are not listed.
    public func dump(settled: Bool = false, limit: Int = 10_000) -> String {
        // `info` is not used, because a thread of the parent, which does not exist in a child, may hold its locks.
        guard collector.recorder.isInOwnProcess else {
            return "\(escaped(description.name)): of the parent of this process\n"
        }
        // The collecting thread publishes, because this thread must not wait for observers.
        collector.pass(publishes: false)
        return collector.withState { state in
            let nodeCounts = state.forest.totals.counts
            let now = max(state.time, collector.recorder.clock.nanoseconds)
            let when =
                runtime.hasVirtualClock
                ? "\(readable(now)) of its clock" : dateText(nanosecondsSince1970: now &+ info.wallOffset)
            var text = "\(escaped(info.name)) (pid \(info.pid)) at \(when): \(nodeCounts.liveCount) nodes alive"
            if state.options.isNarrowed { text += " of the chains that are recorded" }
            if state.counts.lostCount > 0 { text += "; \(state.counts.lostCount) events were lost" }
            return text + "\n" + LiveTree(of: state.forest, now: now, settled: settled, limit: limit).text
        }
    }

    /// The counts of events made, delivered and lost, as of the last read of the rings; exact at rest. All are 0 in a
    /// child of a fork.
    public var eventCounts: EventCounts {
        collector.recorder.isInOwnProcess ? collector.withState { $0.counts } : EventCounts()
    }
}

extension ChainRuntime {
    /// The nanoseconds to add to a time of the clock for the time since 1970; 0 for a virtual clock.
    fileprivate var wallOffset: UInt64 { hasVirtualClock ? 0 : chain_wall_ns() &- clock.nanoseconds }
}
