import CChainRuntime
import ChainEvents

/// A worker of a pool that was seen blocked (RUNTIME E2).
public struct BlockedWorker: Sendable {
    /// The promise whose handler runs on it; nobody where it runs a plain closure.
    public var node: NodeID
    /// The pool.
    public var executor: ExecutorIdentity
    /// The kernel's id of its thread.
    public var thread: ThreadID
    /// For how long it has used no processor.
    public var duration: Duration
    /// Whether another thread may run what it would have; false once the pool has as many as it may.
    public var isStoodInFor: Bool
}

/// The thread that looks at the workers of all pools now and then; it sleeps while none of them works.
final class BlockMonitor: Sendable {
    static let shared = BlockMonitor()

    private static let interval: UInt64 = 10_000_000

    private let condition = Condition()
    private let state = State()

    private final class State: @unchecked Sendable {
        // Sendable: reached under the lock of `condition` alone.
        var pools: [PoolCore] = []
        var isStarted = false
    }

    /// Looks at a pool from now on, until that has been idle for a while.
    func attend(_ core: PoolCore) {
        let startsNow = condition.withLock {
            if state.pools.isEmpty { condition.signal() }
            state.pools.append(core)
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard startsNow else { return }
        let started = startThread { [self] in
            chain_thread_set_name("chain-watch")
            chain_block_signals()
            serve()
        }
        // Without it nobody is seen to block; all else goes on.
        if !started { condition.withLock { state.isStarted = false } }
    }

    private func serve() {
        while true {
            let pools = condition.withLock {
                while state.pools.isEmpty { condition.wait() }
                // Signalled for the first pool alone, so this lasts.
                condition.wait(nanoseconds: Self.interval)
                return state.pools
            }
            for pool in pools where !pool.checkBlocks() {
                // One entry: since it was let go, a worker may have had it looked at anew.
                let dropped = condition.withLock {
                    state.pools.firstIndex { $0 === pool }.map { state.pools.remove(at: $0) }
                }
                _ = dropped
            }
        }
    }
}

extension PoolCore {
    /// After so many looks at a pool in which nobody works, nobody looks until somebody does.
    private static let idleCheckLimit = 100

    /// Whether somebody is to look at this pool who does not yet. Under the lock.
    func attend() -> Bool {
        parked.idleChecks = 0
        guard policy.isWatched, !parked.isAttended else { return false }
        parked.isAttended = true
        return true
    }

    /// Looks at each worker: what waits at one that is stuck in a long job may be stolen to the last, and one that is
    /// blocked is stood in for and told of. False where nobody needs to look any more.
    func checkBlocks() -> Bool {
        var news: [BlockedWorker] = []
        let (isBusy, goesOn) = parking.withLock {
            let now = policy.probe.now()
            var isBusy = false
            for worker in workers[..<placeCount.load(ordering: .relaxed)] {
                guard let thread = worker.thread, !worker.isSleeping else { continue }
                isBusy = true
                if let duration = look(at: worker, thread, now) { news.append(blocked(thread, duration)) }
            }
            parked.idleChecks = isBusy ? 0 : parked.idleChecks + 1
            if parked.idleChecks >= Self.idleCheckLimit { parked.isAttended = false }
            return (isBusy, parked.isAttended)
        }
        if isBusy, isShort(currentCounts), hasWork() { help() }
        for blocked in news { tell(blocked) }
        return goesOn
    }

    /// For how long the worker has been blocked, where that is news. Under the lock.
    private func look(at worker: PoolWorker, _ thread: PoolThread, _ now: UInt64) -> UInt64? {
        let verdict = worker.watch.look(
            progress: worker.progress.load(ordering: .relaxed), now: now, limit: policy.blockLimit.clampedNanoseconds,
            used: { policy.probe.cpuTime(thread) }, isWaiting: { policy.probe.isWaiting(thread) })
        worker.isStuck.store(verdict != .moves || worker.isBlocking, ordering: .relaxed)
        if case .blocked(let nanoseconds, let isNews) = verdict {
            count(worker)
            return isNews ? nanoseconds : nil
        }
        if !worker.isBlocking { uncount(worker) }
        return nil
    }

    private func blocked(_ thread: PoolThread, _ nanoseconds: UInt64) -> BlockedWorker {
        let counts = currentCounts
        return BlockedWorker(
            node: NodeID(chain_thread_node_id(thread.record)), executor: identity, thread: thread.id,
            duration: .nanoseconds(Int64(clamping: nanoseconds)),
            isStoodInFor: counts.active < width ? counts.sleeping > 0 || mayStart(counts) : true)
    }

    /// An event where somebody records the runtime of the node, and the hook of the pool.
    private func tell(_ blocked: BlockedWorker) {
        RecordedRuntimes.report(blocked)
        onBlocked.withLock { $0 }?(blocked)
    }
}

/// The runtimes that somebody records or recorded, to find a node by its id alone. Not weakly: each retain of an object
/// that was ever referenced weakly takes a slow path, and promises retain their runtime.
enum RecordedRuntimes {
    private struct Entry: @unchecked Sendable {
        // Sendable: retained only under the lock, which the runtime's deinit takes to leave.
        let runtime: Unmanaged<Runtime>
    }
    private static let entries = Lock<[Entry]>([])

    static func insert(_ runtime: Runtime) {
        let runtime = Unmanaged.passUnretained(runtime)
        entries.withLock { entries in
            if entries.contains(where: { $0.runtime.toOpaque() == runtime.toOpaque() }) { return }
            entries.append(Entry(runtime: runtime))
        }
    }

    /// For the runtime's deinit.
    static func remove(_ runtime: Unmanaged<Runtime>) {
        entries.withLock { $0.removeAll { $0.runtime.toOpaque() == runtime.toOpaque() } }
    }

    private static var alive: [Runtime] {
        entries.withLock { entries in
            entries.compactMap { chain_try_retain($0.runtime.toOpaque()) ? $0.runtime.takeRetainedValue() : nil }
        }
    }

    static func report(_ blocked: BlockedWorker) {
        guard blocked.node != .none else { return }
        for runtime in alive where runtime.isRecording {
            guard let promise = runtime.liveNode(blocked.node) else { continue }
            let milliseconds = blocked.duration.clampedNanoseconds / 1_000_000
            let help = blocked.isStoodInFor ? "" : "; no other thread may stand in for it"
            promise.report(
                .blocked, detail: blocked.executor.id,
                text: "blocks a worker of \(blocked.executor.name) for \(milliseconds) ms without using the processor"
                    + help)
            return
        }
    }
}
