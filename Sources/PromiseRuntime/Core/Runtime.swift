import CChainRuntime
import ChainEvents
import Synchronization

/// The world that promises live in: who is told of their steps, what their time is, and who runs their handlers.
///
/// Promises that a handler makes, and the children of a promise, inherit its runtime (<doc:TheRules>, R1); elsewhere it
/// is ``shared``, or what ``run(_:)`` says. Two runtimes in one process see nothing of each other.
public final class Runtime: _PromiseContext, @unchecked Sendable {
    // Sendable: all that changes is behind a lock or atomic.
    /// The runtime of promises for which nobody named another: the system's clock, the default pool.
    public static let shared = Runtime(isImmortal: true)

    /// Gives the time of every timestamp, timeout and delay.
    public let clock: any ChainClock

    let registry = Registry()
    // The sink of the recorder, as the address of a SinkBox kept alive by `sinks`, plus 1 where it has a filter; 0 while
    // nobody records.
    private let recording = Atomic<UInt>(0)
    private let sinks = Lock<[SinkBox]>([])
    private let hooks = Lock(Hooks())

    /// Makes a runtime of its own. Without an executor it has the process's default pool; without a clock, the system's.
    /// With a sink it records from the start, until ``stopRecording()``.
    public convenience init(
        sink: (any EventSink)? = nil, clock: any ChainClock = SystemClock.shared,
        executor: any PromiseExecutor = PoolExecutor.shared
    ) {
        self.init(clock: clock, executor: executor, isImmortal: false)
        if let sink { _ = startRecording(into: sink) }
    }

    private init(
        clock: any ChainClock = SystemClock.shared, executor: any PromiseExecutor = PoolExecutor.shared,
        isImmortal: Bool
    ) {
        self.clock = clock
        super.init(executor: executor, isImmortal: isImmortal)
        if isImmortal { ForkHandling.insertShared(self) }
    }

    deinit {
        if !sinks.withLock({ $0.isEmpty }) { RecordedRuntimes.remove(Unmanaged.passUnretained(self)) }
    }

    /// The runtime whose handler runs on this thread, or the one that ``run(_:)`` set, or ``shared``. Costs two loads.
    public static var current: Runtime {
        guard let pointer = chain_thread_current().pointee.runtime else { return shared }
        return Unmanaged<Runtime>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Runs `body` on the calling thread so that promises which it makes belong to this runtime. May be nested. Work that
    /// `body` hands to other threads, or to tasks, does not inherit it; promises do.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = chain_thread_current()!
        let outer = thread.pointee.runtime
        thread.pointee.runtime = Unmanaged.passUnretained(self).toOpaque()
        defer { chain_thread_current().pointee.runtime = outer }
        return try body()
    }

    /// Whether the work that runs on this thread has been cancelled: true in a handler whose promise was cancelled
    /// while it runs (<doc:TheRules>, X4). Costs two loads; false outside of handlers.
    public static var isCancelled: Bool {
        guard let node = chain_thread_current().pointee.node else { return false }
        return Unmanaged<AnyPromise>.fromOpaque(node)._withUnsafeGuaranteedRef { $0.isCancelled }
    }

    // MARK: Recording

    @inline(__always)
    final var isRecordingHere: Bool {
        #if CHAINVIEW_NO_EVENTS
            false  // A build without hooks, which `make counts` compares with.
        #else
            recording.load(ordering: .relaxed) != 0
        #endif
    }

    var sink: SinkBox? { sinkReferenceHere?.takeUnretainedValue() }

    /// The same, unretained: the runtime keeps it for as long as it lives.
    @inline(__always)
    var sinkReferenceHere: Unmanaged<SinkBox>? {
        UnsafeRawPointer(bitPattern: recording.load(ordering: .acquiring) & ~1).map { Unmanaged.fromOpaque($0) }
    }

    /// Whether somebody records some of the chains only.
    @inline(__always)
    var isNarrowedHere: Bool { recording.load(ordering: .relaxed) & 1 != 0 }

    /// Reports every step of this runtime's promises to `sink` from now on. A promise that exists is reported from its
    /// next step on, after a `created` event with the flag `late`; of those that an earlier recording had, that
    /// one alone was told so: look them up (``liveNodes(inShard:)``).
    ///
    /// - Parameters:
    ///   - sink: Is told of each step on the thread where it happens; it must neither block nor throw.
    ///   - capturesErrors: whether a rejection's text goes with it (it may hold secrets).
    ///   - capturesValues: whether a value's description goes with it; costs a rendering for each value.
    ///   - filter: which chains are recorded; all by default.
    /// - Returns: false, and nothing is changed, where somebody records already.
    public func startRecording(
        into sink: any EventSink, capturesErrors: Bool = true, capturesValues: Bool = false,
        filter: RecordingFilter = RecordingFilter()
    ) -> Bool {
        let box = SinkBox(
            sink: sink, capturesErrors: capturesErrors, capturesValues: capturesValues,
            decision: RecordingDecision(filter))
        let isFirst = sinks.withLock { sinks in
            guard recording.load(ordering: .relaxed) == 0 else { return false }
            sinks.append(box)
            let address = UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque())
            recording.store(address | (box.decision == nil ? 0 : 1), ordering: .releasing)
            return true
        }
        if isFirst { RecordedRuntimes.insert(self) }
        return isFirst
    }

    /// Ends recording; idempotent. A step under way on another thread may still reach the sink, which the runtime keeps
    /// alive for that as long as it lives.
    public func stopRecording() {
        sinks.withLock { _ in recording.store(0, ordering: .releasing) }
    }

    // MARK: Forks

    func lockForFork() {
        sinks.lockForFork()
        hooks.lockForFork()
        registry.lockForFork()
    }

    func unlockAfterFork() {
        registry.unlockAfterFork()
        hooks.unlockAfterFork()
        sinks.unlockAfterFork()
    }

    /// Ends recording in a child of a fork, which holds the locks; what is recorded is the parent's.
    func stopRecordingInChild() { recording.store(0, ordering: .releasing) }

    // MARK: The registry

    /// In how many parts the live promises are told (``liveNodes(inShard:)``).
    public static var registryShardCount: Int { Registry.shardCount }

    /// The live promise of that id, if it was recorded; nil where it is gone. O(1), one short lock.
    public func liveNode(_ id: NodeID) -> AnyPromise? { registry.promise(id) }

    /// The live promises that were recorded, of one part of the registry. O(n) in those, under one lock.
    /// It retains them: let go of them soon.
    public func liveNodes(inShard shard: Int) -> [AnyPromise] { registry.promises(inShard: shard) }

    /// How many promises are registered, which is how many of the recorded ones are alive. One lock a part.
    public var liveNodeCount: Int { registry.count }

    // MARK: Hooks

    private struct Hooks: Sendable {
        var unhandled: (@Sendable (UnhandledRejection) -> Void)?
        var abandoned: (@Sendable (AbandonedPromise) -> Void)?
    }

    /// Called once for each error that nobody handled by the time its promise was released (<doc:TheRules>, S3), on the
    /// thread that released it. Nil: nothing is called.
    public var onUnhandled: (@Sendable (UnhandledRejection) -> Void)? {
        get { hooks.withLock { $0.unhandled } }
        set { _ = hooks.withLock { exchange(&$0.unhandled, with: newValue) } }
    }

    /// Called once for each pending promise whose resolver was released (<doc:TheRules>, S2), on the thread that
    /// released it, right after the rejection. Nil: nothing is called.
    public var onAbandoned: (@Sendable (AbandonedPromise) -> Void)? {
        get { hooks.withLock { $0.abandoned } }
        set { _ = hooks.withLock { exchange(&$0.abandoned, with: newValue) } }
    }
}

/// A sink and what it wants to have with each event.
final class SinkBox: Sendable {
    let sink: any EventSink
    let capturesErrors: Bool
    let capturesValues: Bool
    /// Which chains are recorded; nil: all.
    let decision: RecordingDecision?

    init(sink: any EventSink, capturesErrors: Bool, capturesValues: Bool, decision: RecordingDecision?) {
        self.sink = sink
        self.decision = decision
        self.capturesErrors = capturesErrors
        self.capturesValues = capturesValues
    }
}

/// Puts a new value in and moves the old one out, so that it is released where no lock is held (TheRules, S4).
func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    let old = value
    value = new
    return old
}
