import CChainRuntime
import Dispatch
import Synchronization

/// A thread that collects on an interval, which is longer while nobody looks, or when a ring is half full.
final class CollectorThread: Sendable {
    private final class Work: Sendable {
        let collector: Collector
        let isStopped = Atomic<Bool>(false)

        init(_ collector: Collector) { self.collector = collector }

        func run() {
            let options = collector.options
            while !isStopped.load(ordering: .acquiring) {
                collector.collectNow()
                let interval = collector.isWatched ? options.interval : max(options.interval, options.idleInterval)
                let limit = DispatchTimeInterval.nanoseconds(Int(clamping: interval))
                _ = collector.recorder.wake.wait(timeout: .now() + limit)
            }
        }
    }

    private let work: Work
    private let handle: UInt
    private let generation = chain_fork_generation()
    private static let name = "chain-collector"

    /// Starts the thread; nil where the system has none to give.
    init?(_ collector: Collector) {
        work = Work(collector)
        var handle: UInt = 0
        let context = Unmanaged.passRetained(work)
        let isStarted = chain_thread_start(
            CollectorThread.name,
            { context in Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().run() },
            context.toOpaque(), &handle)
        guard isStarted else {
            context.release()
            return nil
        }
        self.handle = handle
    }

    /// Ends the thread and waits for it; called on the thread itself (by an observer) it only lets it end. Once.
    func stop() {
        work.isStopped.store(true, ordering: .releasing)
        work.collector.recorder.wake.signal()
        // In a child of the process there is no such thread.
        guard generation == chain_fork_generation() else { return }
        if chain_thread_is(handle) { chain_thread_detach(handle) } else { chain_thread_join(handle) }
    }
}
