// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import Synchronization

/// The environment of promises: their recorder, their clock and the default executor of their handlers.
///
/// A promise made in a handler inherits the runtime of that handler, and a child inherits the runtime of its parent
/// (<doc:TheRules>, R1). All other promises belong to ``current``: that is ``shared``, unless ``run(_:)`` or the task's
/// scope sets another runtime. Two runtimes in one process are isolated from each other.
public final class ChainRuntime: _PromiseContext, @unchecked Sendable {
    // Sendable: all mutable state is atomic or behind a lock.
    /// The default runtime, with the system's clock and the default pool.
    public static let shared = ChainRuntime(isImmortal: true)

    /// The clock of every timestamp, timeout and delay.
    public let clock: any ChainClock

    /// Whether the clock may stand still until the program advances the clock.
    package var hasVirtualClock: Bool {
        !clock.followsCycleCounter && (clock as? any AdaptedClock)?.isOfSystem != true
    }

    let registry = Registry()
    // The recorder's sink: the address of a SinkBox kept alive by `sinks`, plus 1 if it has a filter; 0 without a
    // recorder.
    private let recording = Atomic<UInt>(0)
    private let sinks = Lock<[SinkBox]>([])
    private let hooks = Lock(Hooks())
    /// The key of this run of the program, as viewers have it (``ProcessDescription/key``); 0 while no inspector runs.
    package let processKey = Atomic<UInt64>(0)

    /// Makes a runtime. By default it has the process's pool and the system's clock. With a sink it records from the
    /// start, until ``stopRecording()``.
    public convenience init(
        sink: (any EventSink)? = nil, clock: any ChainClock = SystemClock.shared,
        executor: any PromiseExecutor = PoolExecutor.shared
    ) {
        self.init(clock: clock, executor: executor, isImmortal: false)
        if let sink { _ = startRecording(into: sink) }
    }

    /// Makes a runtime on a clock of Swift: `ChainRuntime(clock: .continuous)`, or the clock of a test.
    ///
    /// Times count from this call. A timer sleeps by the clock's `sleep(until:tolerance:)` in a task, so its action
    /// runs on Swift's executors; if that call throws, the timer fires early. Recorded times are times of the clock. An
    /// inspector treats any clock except `.continuous` and `.suspending` as a virtual clock.
    public convenience init(
        sink: (any EventSink)? = nil, clock: some Clock<Duration>, executor: any PromiseExecutor = PoolExecutor.shared
    ) {
        self.init(sink: sink, clock: ClockAdapter(clock), executor: executor)
    }

    private init(
        clock: any ChainClock = SystemClock.shared, executor: any PromiseExecutor = PoolExecutor.shared,
        isImmortal: Bool
    ) {
        self.clock = clock
        super.init(executor: executor, isImmortal: isImmortal)
        ForkHandling.insert(runtime: self)
    }

    deinit {
        if !sinks.withLock({ $0.isEmpty }) { RecordedRuntimes.remove(Unmanaged.passUnretained(self)) }
        // Last, because a fork before this call takes the locks of this runtime.
        ForkHandling.remove(runtime: self)
    }

    /// The runtime of the innermost handler or ``run(_:)`` on this thread. Without a handler or ``run(_:)`` it is the
    /// runtime of the task's scope (``withChain(_:isolation:file:line:_:)``); without a scope it is ``shared``. Costs
    /// two loads. Once the process has made a scope, a call outside of handlers also looks up a task-local value (15
    /// ns).
    public static var current: ChainRuntime {
        guard let pointer = chain_thread_current().pointee.runtime else { return TaskScope.current?.runtime ?? shared }
        return Unmanaged<ChainRuntime>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Runs `body` on the calling thread with this runtime: promises made in it belong to this runtime. May be nested.
    /// Work that `body` moves to other threads or tasks does not inherit the runtime; the children and handlers of its
    /// promises do.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = chain_thread_current()!
        let outer = thread.pointee.runtime
        thread.pointee.runtime = Unmanaged.passUnretained(self).toOpaque()
        defer { chain_thread_current().pointee.runtime = outer }
        return try body()
    }

    /// Runs asynchronous code with this runtime: promises made in it belong to this runtime, also promises made in its
    /// child tasks and in `Task { }`. May be nested.
    @_disfavoredOverload
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        // The creator is kept, because it counts only for promises of its own runtime.
        try await TaskScope(runtime: self, node: TaskScope.creator, task: TaskScope.current?.task)
            .run(isolation: isolation, body)
    }

    /// Whether the handler that runs on this thread was cancelled: true once the handler's promise is cancelled
    /// (<doc:TheRules>, X4). Costs two loads; false outside of handlers.
    public static var isCancelled: Bool {
        guard let node = chain_thread_current().pointee.node else { return false }
        return Unmanaged<AnyPromise>.fromOpaque(node)._withUnsafeGuaranteedRef { $0.isCancelled }
    }

    // MARK: Recording

    @inline(__always)
    @usableFromInline
    final var hasRecorder: Bool {
        #if CHAINVIEW_NO_EVENTS
            false  // A build without hooks, which `make counts` compares with.
        #else
            recording.load(ordering: .relaxed) != 0
        #endif
    }

    var sink: SinkBox? { ownSinkReference?.takeUnretainedValue() }

    /// The sink, unretained: the runtime keeps the sink until the runtime itself is released.
    @inline(__always)
    var ownSinkReference: Unmanaged<SinkBox>? {
        UnsafeRawPointer(bitPattern: recording.load(ordering: .acquiring) & ~1).map { Unmanaged.fromOpaque($0) }
    }

    /// Whether a recorder with a filter runs.
    @inline(__always)
    var hasFilteringRecorder: Bool { recording.load(ordering: .relaxed) & 1 != 0 }

    /// Reports every step of this runtime's promises to `sink` from now on. An existing promise is reported from its
    /// next step on, after a `created` event with the flag `late`. A promise that an earlier recording reported gets no
    /// such event; ``liveNodes(inShard:)`` returns such promises.
    ///
    /// - Parameters:
    ///   - sink: Receives each step on the thread where it happens; it must neither block nor throw.
    ///   - capturesErrors: Whether events contain the text of the program's own errors (it may hold secrets). Events
    ///     always contain the errors of cancelled and abandoned promises.
    ///   - capturesValues: Whether events contain a value's description; costs a rendering for each value.
    ///   - filter: The chains to record; all by default.
    /// - Returns: false, and nothing changes, if a recorder runs already.
    public func startRecording(
        into sink: any EventSink, capturesErrors: Bool = true, capturesValues: Bool = false,
        filter: RecordingFilter = RecordingFilter()
    ) -> Bool {
        let box = SinkBox(
            sink: sink, capturesErrors: capturesErrors, capturesValues: capturesValues,
            filter: CachedRecordingFilter(filter))
        let isFirst = sinks.withLock { sinks in
            guard recording.load(ordering: .relaxed) == 0 else { return false }
            sinks.append(box)
            let address = UInt(bitPattern: Unmanaged.passUnretained(box).toOpaque())
            recording.store(address | (box.filter == nil ? 0 : 1), ordering: .releasing)
            return true
        }
        if isFirst { RecordedRuntimes.insert(self) }
        return isFirst
    }

    /// Ends recording; idempotent. A step in progress on another thread may still reach the sink. Therefore the runtime
    /// keeps the sink until the runtime itself is released.
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

    /// Ends recording in the child of a fork, because the recorder belongs to the parent process. The child's only
    /// thread holds the locks.
    func stopRecordingInChild() {
        recording.store(0, ordering: .releasing)
        registry.forgetAllInChild()
    }

    // MARK: The registry

    /// The number of shards of the registry of live promises (``liveNodes(inShard:)``).
    public static var registryShardCount: Int { Registry.shardCount }

    /// Returns the live promise with that id; nil if the promise is not recorded, or has been released. O(1), one short
    /// lock.
    public func liveNode(_ id: NodeID) -> AnyPromise? { registry.promise(id) }

    /// Returns the live recorded promises of one shard of the registry; `shard` is below ``registryShardCount``. O(n)
    /// in the promises of the shard, under one lock. The returned promises are retained: release them soon.
    public func liveNodes(inShard shard: Int) -> [AnyPromise] { registry.promises(inShard: shard) }

    /// The number of live recorded promises. Takes one lock per shard.
    public var liveNodeCount: Int { registry.count }

    // MARK: Hooks

    private struct Hooks: Sendable {
        var unhandled: (@Sendable (UnhandledRejection) -> Void)?
        var abandoned: (@Sendable (AbandonedPromise) -> Void)?
    }

    /// Called once for each error that no handler received before its promise was released (<doc:TheRules>, S3), on the
    /// thread that released the promise. Nil: nothing is called.
    public var onUnhandled: (@Sendable (UnhandledRejection) -> Void)? {
        get { hooks.withLock { $0.unhandled } }
        set { _ = hooks.withLock { exchange(&$0.unhandled, with: newValue) } }
    }

    /// Called once for each promise that was abandoned (<doc:TheRules>, S2), right after the rejection, on the thread
    /// that released its resolver or dropped its job. Nil: nothing is called.
    public var onAbandoned: (@Sendable (AbandonedPromise) -> Void)? {
        get { hooks.withLock { $0.abandoned } }
        set { _ = hooks.withLock { exchange(&$0.abandoned, with: newValue) } }
    }
}

/// A sink, and its options.
final class SinkBox: Sendable {
    let sink: any EventSink
    let capturesErrors: Bool
    let capturesValues: Bool
    /// The chains to record; nil: all.
    let filter: CachedRecordingFilter?

    init(sink: any EventSink, capturesErrors: Bool, capturesValues: Bool, filter: CachedRecordingFilter?) {
        self.sink = sink
        self.filter = filter
        self.capturesErrors = capturesErrors
        self.capturesValues = capturesValues
    }
}

/// Replaces a value and returns the old value, so that the caller releases it without a lock (TheRules, S4).
func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    let old = value
    value = new
    return old
}
