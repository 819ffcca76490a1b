// SPDX-License-Identifier: MIT

import CChainRuntime

/// The policy of a pool for blocked and idle workers.
package struct PoolPolicy: Sendable {
    /// The time without using the processor after which a job counts as blocked.
    package var blockLimit: Duration
    /// The limit of threads beyond the pool's width, which compensate for blocked threads.
    package var extraLimit: Int
    /// The time without a job after which a thread ends.
    package var idleLimit: Duration
    /// Whether the watch (``BlockMonitor``, which looks for blocked workers) checks the pool; a test that turns this
    /// off calls `checkBlocks()` itself.
    package var isWatched: Bool
    /// The watch's access to time and threads.
    package var probe: ThreadProbe
    /// Returns whether the pool may ask the system for another thread; false in a test that simulates a lack of
    /// threads.
    package var hasThread: @Sendable () -> Bool

    /// Makes a policy; all pools outside of tests use the defaults.
    package init(
        blockLimit: Duration = .milliseconds(100), extraLimit: Int = 64, idleLimit: Duration = .seconds(10),
        isWatched: Bool = true, probe: ThreadProbe = .system, hasThread: @escaping @Sendable () -> Bool = { true }
    ) {
        self.blockLimit = blockLimit
        self.extraLimit = extraLimit
        self.idleLimit = idleLimit
        self.isWatched = isWatched
        self.probe = probe
        self.hasThread = hasThread
    }
}

/// The watch's queries to the system; called without the pool's lock, for a thread that may be gone.
package struct ThreadProbe: Sendable {
    /// The time in nanoseconds since an arbitrary moment.
    package var now: @Sendable () -> UInt64
    /// The processor time of a thread in nanoseconds; nil if it is unknown.
    package var cpuTime: @Sendable (PoolThread) -> UInt64?
    /// Whether a thread waits for something other than a processor.
    package var isWaiting: @Sendable (PoolThread) -> Bool

    /// Makes a probe of these queries.
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
