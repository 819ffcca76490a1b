import CChainRuntime
import ChainEvents
import ChainSystem
import Dispatch
import Synchronization

/// A thread that carries out viewers' commands, one after the other: handlers on the inline executor run there and may
/// be slow. It is started with the first command.
final class CommandThread: Sendable {
    struct Order: Sendable {
        var connection: UInt64
        var command: ViewerCommand
        /// Where the connection's batches come from, if it has any.
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

    /// Enqueues an order; false where the system has no thread left.
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

    /// Ends the thread after the present command, and waits for that for at most `limit` ns, because a handler may
    /// never return. Once.
    func stop(limit: UInt64) {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        work.state.withLock { state in
            state.isStopped = true
            state.orders = []
        }
        work.hasOrders.signal()
        let hasEnded =
            !thread.isCurrent
            && work.hasEnded.wait(timeout: .now() + .nanoseconds(Int(clamping: limit))) == .success
        if hasEnded { thread.join() } else { thread.detach() }
    }
}
