import CChainRuntime
import ChainEvents
import ChainSystem
import Dispatch

/// A thread that carries out viewers' commands, one after another; the first command starts it. It is not the server's
/// thread, because a cancellation runs handlers of the inline executor, which may be slow.
final class CommandThread: Sendable {
    struct Order: Sendable {
        /// The id of the connection that gets the answer.
        var connection: UInt64
        var command: ViewerCommand
        /// The connection's subscription to batches, if it watches.
        var subscription: BatchSubscription?
    }

    private final class Work: Sendable {
        struct State {
            var orders: [Order] = []
            var isStopped = false
        }

        let state = Lock(State())
        let hasOrders = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        let perform: @Sendable (Order) -> Void

        init(_ perform: @escaping @Sendable (Order) -> Void) { self.perform = perform }

        func run() {
            while !state.withLock({ $0.isStopped }) {
                hasOrders.wait()
                let order = state.withLock { state in
                    state.isStopped || state.orders.isEmpty ? nil : state.orders.removeFirst()
                }
                if let order { perform(order) }
            }
            hasEnded.signal()
        }
    }

    private let work: Work
    private let thread = Lock<SystemThread?>(nil)

    init(_ perform: @escaping @Sendable (Order) -> Void) { work = Work(perform) }

    /// Enqueues an order; returns false where the thread cannot be started.
    func enqueue(_ order: Order) -> Bool {
        let isRunning = thread.withLock { thread in
            if thread == nil { thread = SystemThread("chainview-cmd") { [work] in work.run() } }
            return thread != nil
        }
        guard isRunning else { return false }
        work.state.withLock { $0.orders.append(order) }
        work.hasOrders.signal()
        return true
    }

    /// Drops the queued orders and ends the thread after the present command. Waits for the end, but at most `limit`
    /// nanoseconds, because a handler may never return. No order may be enqueued afterwards.
    func stop(limit: UInt64) {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        work.state.withLock { state in
            state.isStopped = true
            state.orders = []
        }
        work.hasOrders.signal()
        thread.join(after: work.hasEnded, limit: limit)
    }
}
