// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem
import Synchronization

/// A thread that collects at an interval, and earlier when a ring is half full. Without viewers, the interval is
/// longer.
final class CollectorThread: Sendable {
    private final class Work: Sendable {
        let collector: Collector
        let isStopped = Atomic<Bool>(false)
        let hasEnded = Semaphore()

        init(_ collector: Collector) { self.collector = collector }

        func run() {
            while !isStopped.load(ordering: .acquiring) {
                collector.collect(isRegular: true)
                _ = collector.recorder.wake.wait(nanoseconds: collector.readInterval)
            }
            hasEnded.signal()
        }
    }

    private let work: Work
    private let thread: SystemThread
    private let generation = chain_fork_generation()

    /// Starts the thread; nil where the system has none left.
    init?(_ collector: Collector) {
        let work = Work(collector)
        guard let thread = SystemThread("chain-collector", { work.run() }) else { return nil }
        self.work = work
        self.thread = thread
    }

    /// Ends the thread, and waits for its end: at most a second, because an observer may wait for the caller's thread.
    /// If it is called on the thread itself (in an observer), it does not wait. May be called only once.
    func stop() {
        work.isStopped.store(true, ordering: .releasing)
        work.collector.recorder.wake.signal()
        // A child of a fork has no such thread.
        if generation == chain_fork_generation() { thread.join(after: work.hasEnded, limit: 1_000_000_000) }
    }
}

extension SystemThread {
    /// Joins the thread once it has signalled `hasEnded`. Detaches it instead after `limit` nanoseconds, because it may
    /// run code of the program that never returns. If this is called on the thread itself, detaches it immediately.
    func join(after hasEnded: Semaphore, limit: UInt64) {
        if !isCurrent, hasEnded.wait(nanoseconds: limit) { join() } else { detach() }
    }
}
