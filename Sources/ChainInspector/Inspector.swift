import CChainRuntime
import ChainBus
import ChainEvents
import ChainModel
import ChainSystem
import ChainWire
import PromiseRuntime

/// What makes a program's chains visible: records a runtime's events, keeps a forest of them, tells it to viewers, and
/// cancels what viewers ask for.
///
///     import ChainInspector
///     try Inspector.start()
///
/// It lasts until ``stop()``, whether or not the result is kept. One thread collects; the program's own threads never wait
/// for it, and pay 43 to 98 ns an event in all: some 3.5 % where handlers do work, at 335,000 events a second; where
/// they do nothing but make events, as fast as they can, 65 % of the throughput. Nodes made earlier appear at their next
/// event. After a fork the child records nothing; it may start an inspector of its own. (Of the parent's inspector a child
/// may use ``stop()``, ``collectNow()``, ``dump(settled:limit:)``, ``loss`` and ``perform(_:)``, which do nothing there.
/// Where the parent had several threads, no promise of the parent's is of use in it.)
public final class Inspector: Sendable {
    /// Who is observed.
    public let info: ProcessDescription

    let runtime: ChainRuntime
    let capabilities: Hello.Capabilities
    let collector: Collector
    private let thread = Lock<CollectorThread?>(nil)
    let server = Lock<AttachServer?>(nil)
    private let dumpWatch = Lock<DumpWatch?>(nil)
    private let isStopped = Lock(false)

    /// The inspectors that run, by runtime: see ``withRunning(_:)``.
    private static let running = Lock<[ObjectIdentifier: Inspector]>([:])

    /// Starts or stops something, one thread at a time. No fork happens meanwhile, so in a child no lock of an inspector's
    /// beginning or end is held by a thread that is not there.
    private static func withRunning<Result>(
        _ body: (inout [ObjectIdentifier: Inspector]) throws -> Result
    ) rethrows -> Result {
        chain_fork_hold()
        defer { chain_fork_allow() }
        return try running.withLock(body)
    }

    /// Begins to record `runtime`.
    ///
    /// Where an inspector of that runtime runs already, gives that one; its name and options stay. One that was stopped
    /// may be followed by another, which is told at once what the first one had; what was made while there was none
    /// appears at its next step, as what was made before the first one does. In a child of a fork an inspector of the
    /// parent's counts for nothing. That nobody can attach (``InspectorOptions/endpoints``) is no error: one sentence on
    /// standard error says why, and ``attachFailures``.
    ///
    /// - Parameter name: what viewers see; nil: the program's file name.
    /// - Throws: ``InspectorError``, and then nothing is recorded.
    @discardableResult
    public static func start(
        name: String? = nil, runtime: ChainRuntime = .shared, options: InspectorOptions = InspectorOptions()
    ) throws -> Inspector {
        let inspector = try withRunning { running in
            let key = ObjectIdentifier(runtime)
            if let other = running[key] {
                if other.collector.recorder.isInOwnProcess { return other }
                // This is a child of the process that it was started in.
                runtime.stopRecording()
                other.dumpWatch.withLock { $0.take() }?.stop()
                running[key] = nil
            }
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
        let clock = runtime.clock
        let wallOffset = clock.followsCycleCounter ? chain_wall_ns() &- clock.now : 0
        info = ProcessDescription(
            key: ProcessKey(rawValue: chain_random()), pid: processID(), name: name, wallOffset: wallOffset,
            startTime: clock.followsCycleCounter ? chain_wall_ns() : 0, isReadOnly: options.isReadOnly)
        collector = Collector(
            Recorder(clock: clock, options: options.recorder), of: info.key,
            runtime: ObservedPromises(runtime, options: options), options: options.collector)
    }

    private func begin(_ options: InspectorOptions) throws {
        guard
            runtime.startRecording(
                into: collector.recorder, capturesErrors: options.capturesErrorText,
                capturesValues: options.capturesValues, filter: options.recording)
        else { throw InspectorError.runtimeIsRecorded }
        // Their steps so far were told to an earlier inspector.
        if runtime.liveNodeCount > 0 { collector.withState { $0.walk.isAsked = true } }
        let collectsByHand = options.collectsByHand ?? !runtime.clock.followsCycleCounter
        do {
            if let signal = options.dumpSignal {
                let watch = try DumpWatch(signal, target: options.dumpTarget) { [weak self] in self?.dump() }
                dumpWatch.withLock { $0 = watch }
            }
            if !collectsByHand {
                guard let started = CollectorThread(collector) else { throw InspectorError.noThread }
                thread.withLock { $0 = started }
            }
        } catch {
            runtime.stopRecording()
            dumpWatch.withLock { $0.take() }?.stop()
            throw error
        }
        let started = AttachServer(self, options: options.server(collectsByHand: collectsByHand))
        server.withLock { $0 = started }
    }

    /// Ends recording; what was recorded is published before, and attached viewers are told, for which it waits a fifth
    /// of a second at most. Leaves no thread, socket or file behind; but a thread of the inspector's own that calls it
    /// (an observer, a handler that a viewer cancelled), or on which a handler does not return, ends by itself. Idempotent.
    public func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        let isOwn = collector.recorder.isInOwnProcess
        let (collecting, dumping) = Inspector.withRunning { running in
            if running[ObjectIdentifier(runtime)] === self {
                running[ObjectIdentifier(runtime)] = nil
                runtime.stopRecording()
            }
            return (thread.withLock { $0.take() }, dumpWatch.withLock { $0.take() })
        }
        dumping?.stop()
        guard isOwn else { return }
        collecting?.stop()
        collector.close()
        // After it, so that viewers are told how it ended.
        server.withLock { $0 }?.stop()
    }

    // MARK: What viewers get

    /// The state as it is when one subscribes, in chunks, then everything that follows; completed by ``stop()``.
    ///
    /// Observers run on the collecting thread, or on the one that subscribes, and hold it up: whoever may be slow takes
    /// ``subscribe(mailboxLimit:onReady:)``.
    public var batches: EventStream<EventBatch> {
        EventStream { [collector] observer in BatchPump(collector, observer) }
    }

    /// A place of its own for a subscriber that may be slow: it takes batches when it can, loses the past but never the
    /// present, and holds up nobody.
    ///
    /// - Parameters:
    ///   - mailboxLimit: how many events may wait for it (a batch counts one more); at least 1.
    ///   - onReady: called when something waits where nothing did, on the collecting thread or on this one, also for the
    ///     end; it must be short and must not block.
    public func subscribe(
        mailboxLimit: Int = 200_000, onReady: @escaping @Sendable () -> Void = {}
    ) -> BatchSubscription {
        collector.subscribe(mailboxLimit: mailboxLimit, onReady: onReady)
    }

    /// Fetches and publishes at once what was recorded by now: for tests and for programs on a virtual clock.
    public func collectNow() {
        // In a child a thread that is not there may hold the collector's locks.
        if collector.recorder.isInOwnProcess { collector.collectNow() }
    }

    /// The tree of what is alive, as text, without any viewer: a line a node, with its state, kind, id and label, where it
    /// was made, on which thread it runs and since when, and what it waits for. Works also while the collecting thread is
    /// held up by an observer. Texts are escaped, so that a terminal may show them. O(nodes).
    ///
    /// ```text
    /// shop (pid 4242) at 2026-11-21 12:04:31 UTC: 2 nodes alive
    /// pending promise #17 order 17 (Shop.swift:31) for 1.24s, waits for its resolver, 2 of 3 alive
    ///   running map #19 fraud score (Shop.swift:40) on worker-2 [4250] for 344ms
    /// ```
    ///
    /// - Parameters:
    ///   - settled: whether nodes are told, too, that have settled, as far as retention keeps them.
    ///   - limit: how many nodes are told at most; then it says how many more are alive.
    public func dump(settled: Bool = false, limit: Int = 10_000) -> String {
        guard collector.recorder.isInOwnProcess else { return "\(escaped(info.name)): of the parent of this process\n" }
        // Published by the collecting thread: this one is not to wait for observers.
        collector.pass(publishes: false)
        return collector.withState { state in
            let counts = state.forest.totals.counts
            let now = max(state.time, collector.recorder.clock.now)
            let when =
                runtime.clock.followsCycleCounter
                ? dateText(nanosecondsSince1970: now &+ info.wallOffset) : "\(readable(now)) of its clock"
            var text = "\(escaped(info.name)) (pid \(info.pid)) at \(when): \(counts.liveCount) nodes alive"
            if state.options.isNarrowed { text += " of the chains that are recorded" }
            if state.loss.lostCount > 0 { text += "; \(state.loss.lostCount) events were lost" }
            return text + "\n" + LiveTree(of: state.forest, now: now, settled: settled, limit: limit).text
        }
    }

    /// The counts of events made, delivered and lost, as of the last look; exact at rest. None in a child of a fork.
    public var loss: EventCounts { collector.recorder.isInOwnProcess ? collector.withState { $0.loss } : EventCounts() }

    // MARK: What viewers ask

    /// Obeys a command or says why not. What comes of a cancellation is told by events, which are published by the time
    /// this returns, but for handlers that still run.
    ///
    /// A scope is cancelled as TheRules, X5 says: the topmost pending nodes now, and until nothing in it is pending what
    /// is left and what is created under it; but nothing that somebody outside of it waits for too, unless it was named.
    public func perform(_ command: ViewerCommand) -> CommandReply { perform(command, for: nil) }

    /// Obeys a command; a state that is asked for is sent to these subscribers, or to all.
    func perform(_ command: ViewerCommand, for subscribers: [BatchSubscription]?) -> CommandReply {
        CommandReply(command: command.id, outcome: outcome(of: command, subscribers))
    }

    private func outcome(of command: ViewerCommand, _ subscribers: [BatchSubscription]?) -> CommandReply.Outcome {
        guard command.process == info.key else { return .refused("The command is for another run of the program") }
        guard collector.recorder.isInOwnProcess else {
            return .refused("The command is for the parent of this process")
        }
        guard !isStopped.withLock({ $0 }) else { return .refused("The program has stopped its inspector") }
        switch command.request {
        case .resync:
            collector.resync(subscribers)
            return .accepted(count: 0)
        case .cancel(let scope, let viewer):
            guard !info.isReadOnly else { return .refused("The program allows viewers to look only (read-only)") }
            return collector.cancel(scope, by: viewer)
        case .describe(let id):
            return collector.describe(id)
        }
    }
}
