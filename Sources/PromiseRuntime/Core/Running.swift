import CChainRuntime
import ChainEvents

extension AnyPromise {
    /// Runs code of the program as this node's handler: promises that it makes know their creator and inherit the
    /// runtime. `body` gives whether the end of the handler has been told by the settling.
    final func runAsCurrent(_ body: () -> Bool) {
        runAsMaker {
            if isRecording { report(.started) }
            let isEndTold = body()
            if !isEndTold, isRecording { report(.ended) }
        }
    }

    /// Runs code that makes promises in this node's name.
    final func runAsMaker(_ body: () -> Void) {
        let thread = chain_thread_current()!
        let outer = (thread.pointee.node, thread.pointee.runtime)
        thread.pointee.node = Unmanaged.passUnretained(self).toOpaque()
        thread.pointee.runtime = UnsafeMutableRawPointer(
            mutating: contextReference._withUnsafeGuaranteedRef { $0.runtimeReference })
        let outerID = thread.pointee.node_id
        chain_thread_set_node_id(thread, id.rawValue)
        body()
        (thread.pointee.node, thread.pointee.runtime) = outer
        chain_thread_set_node_id(thread, outerID)
    }

    /// Queues the body of a promise that has no parent; it does not run if the promise is cancelled before.
    @usableFromInline
    final func submitBody(_ body: @escaping @Sendable () -> Bool) {
        var state = lock()
        state.set(PromiseState.queued)
        unlock(state)
        let executor = context.executor
        if isRecording { report(.queued, detail: executor.identity.id) }
        executor.submit(Job(Body(of: self, body)))
    }
}

/// The body of a promise that has no parent, while an executor has it.
private final class Body: Runnable {
    private let promise: AnyPromise
    private let body: @Sendable () -> Bool

    init(of promise: AnyPromise, _ body: @escaping @Sendable () -> Bool) {
        self.promise = promise
        self.body = body
    }

    override func runHandler() {
        var state = promise.lock()
        let mayRun = !state.hasOutcome && state.takeHandler()
        promise.unlock(state)
        if mayRun { promise.runAsCurrent(body) }
    }

    override func discard() { promise.discard() }
}
