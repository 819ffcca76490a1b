import CChainRuntime
import ChainEvents
import ChainSystem
import Dispatch
import Synchronization

/// Carries out viewers' commands, one after the other, on a thread of its own: handlers on the inline executor run there
/// and may take their time. The thread is started with the first command.
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

    /// Lines an order up; false where the system has no thread to give.
    func carryOut(_ order: Order) -> Bool {
        let isRunning = thread.withLock { thread in
            if thread == nil { thread = SystemThread("chainview-cmd") { [work] in work.run() } }
            return thread != nil
        }
        guard isRunning else { return false }
        work.state.withLock { $0.orders.append(order) }
        work.hasOrders.signal()
        return true
    }

    /// Ends the thread when it has carried out what it is at, and waits for that for at most `limit` ns: a handler may
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
