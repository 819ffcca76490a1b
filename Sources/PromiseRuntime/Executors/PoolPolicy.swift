import CChainRuntime

/// What a pool does about workers that block, and about those that have nothing to do.
package struct PoolPolicy: Sendable {
    /// How long a job may block its thread, without using the processor, before that is a block.
    package var blockLimit: Duration
    /// How many threads may stand in for blocked ones, beyond the pool's width.
    package var extraLimit: Int
    /// After how long without a job a thread ends.
    package var idleLimit: Duration
    /// Whether the watch looks at the pool; a test that does not want it calls `checkBlocks()` itself.
    package var isWatched: Bool
    /// How the watch sees time and threads.
    package var probe: ThreadProbe

    /// What the pools of programs have, unless a test says otherwise.
    package init(
        blockLimit: Duration = .milliseconds(100), extraLimit: Int = 64, idleLimit: Duration = .seconds(10),
        isWatched: Bool = true, probe: ThreadProbe = .system
    ) {
        self.blockLimit = blockLimit
        self.extraLimit = extraLimit
        self.idleLimit = idleLimit
        self.isWatched = isWatched
        self.probe = probe
    }
}

/// What the watch over blocked workers asks the system; called without the pool's lock, for a thread that may be gone.
package struct ThreadProbe: Sendable {
    /// Nanoseconds since some moment.
    package var now: @Sendable () -> UInt64
    /// How much processor time a thread has used, in nanoseconds; nil where nobody knows.
    package var cpuTime: @Sendable (PoolThread) -> UInt64?
    /// Whether a thread waits for something else than a processor.
    package var isWaiting: @Sendable (PoolThread) -> Bool

    /// A view of the system.
    package init(
        now: @escaping @Sendable () -> UInt64, cpuTime: @escaping @Sendable (PoolThread) -> UInt64?,
        isWaiting: @escaping @Sendable (PoolThread) -> Bool
    ) {
        self.now = now
        self.cpuTime = cpuTime
        self.isWaiting = isWaiting
    }

    /// The system's own clocks.
    package static let system = ThreadProbe(
        now: { chain_monotonic_ns() },
        cpuTime: { thread in
            let used = chain_thread_cpu_ns(thread.handle)
            return used == 0 ? nil : used
        },
        isWaiting: { chain_thread_is_waiting($0.handle, $0.id) })
}
