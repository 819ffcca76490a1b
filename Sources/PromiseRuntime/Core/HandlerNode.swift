import CChainRuntime
import ChainEvents

/// A link: the promise that an operation made, which is also what waits for its parent and what runs its handler. One
/// object a link, plus the handler's captures.
@usableFromInline
final class HandlerNode<Input: Sendable, Output: Sendable, Handler: Sendable>: Promise<Output>, @unchecked Sendable {
    // Sendable: `handler` belongs to the one who has taken it, by the state word.
    /// Runs the handler with the parent's outcome and settles the node; without a handler, passes the parent's value on.
    /// Gives whether the settling told the handler's end. Written where the types are known, so it captures nothing and
    /// is specialised (DESIGN §13).
    @usableFromInline typealias Body = @Sendable (HandlerNode, Handler?, Outcome) -> Bool

    /// What the handler is given.
    @usableFromInline
    enum Outcome {
        case value(Promise<Input>)
        case error(any Error)
    }

    // Unchecked: touched only by the one who has taken the handler (PromiseState.takeHandler).
    @exclusivity(unchecked)
    private var handler: Handler?
    private let body: Body

    @usableFromInline
    init(
        _ kind: NodeKind, of parent: Promise<Input>, label: String?, on executor: (any PromiseExecutor)?,
        site: CallSite, wants: UInt32, handler: Handler, body: @escaping Body
    ) {
        self.handler = handler
        self.body = body
        super.init(
            kind: kind, site: site, context: parent.context.child(label: label, executor: executor), parent: parent,
            wants: wants)
        parent.register(self)
    }

    override func settled(_ promise: AnyPromise) {
        var state = lock()
        guard !state.hasOutcome else { return unlock(state) }
        let isRejected = promise.current.has(PromiseState.rejected)
        if state.has(isRejected ? PromiseState.wantsError : PromiseState.wantsValue) {
            let isOurs = state.queue()
            unlock(state)
            if isOurs { submitHandler() }
            return
        }
        let isOurs = state.takeHandler()
        unlock(state)
        if isOurs { dropHandler() }
        if isRejected {
            passError(of: promise, flags: .skipping)
        } else {
            _ = body(self, nil, .value(unsafeDowncast(promise, to: Promise<Input>.self)))
        }
    }

    override func dropHandler() { handler = nil }

    override func runHandler() {
        var state = lock()
        guard state.takeHandler() else { return unlock(state) }
        let parent = waitsFor
        unlock(state)
        guard let handler = self.handler.take() else { return }
        let outcome: Outcome
        if state.hasOutcome {
            // Cancelled before it ran: only clean-up does, with the cancellation.
            guard state.has(PromiseState.wantsError | PromiseState.wantsCancellation), let error else { return }
            outcome = .error(error)
        } else if let parent {
            if let error = parent.error {
                parent.markErrorSeen()
                outcome = .error(error)
            } else {
                outcome = .value(unsafeDowncast(parent, to: Promise<Input>.self))
            }
        } else {
            return
        }
        runAsCurrent { body(self, handler, outcome) }
    }
}

extension HandlerNode.Outcome {
    /// The value, for handlers that are only called with one.
    @usableFromInline
    var value: Input? {
        if case .value(let promise) = self { promise.stored } else { nil }
    }

    @usableFromInline
    var result: Result<Input, any Error> {
        switch self {
        case .value(let promise): .success(promise.stored!)
        case .error(let error): .failure(error)
        }
    }
}

extension AnyPromise {
    /// Runs code of the program as this node's handler: promises that it makes know their creator and inherit the
    /// runtime. `body` gives whether the end of the handler has been told by the settling.
    final func runAsCurrent(_ body: () -> Bool) {
        runAsMaker {
            if context.runtime.isRecording { report(.started) }
            let isEndTold = body()
            if !isEndTold, context.runtime.isRecording { report(.ended) }
        }
    }

    /// Runs code that makes promises in this node's name.
    final func runAsMaker(_ body: () -> Void) {
        let thread = chain_thread_current()!
        let outer = (thread.pointee.node, thread.pointee.runtime)
        thread.pointee.node = Unmanaged.passUnretained(self).toOpaque()
        thread.pointee.runtime = Unmanaged.passUnretained(context.runtime).toOpaque()
        body()
        (thread.pointee.node, thread.pointee.runtime) = outer
    }

    /// Queues the body of a promise that has no parent; it does not run if the promise is cancelled before.
    @usableFromInline
    final func submitBody(_ body: @escaping @Sendable () -> Bool) {
        var state = lock()
        state.set(PromiseState.queued)
        unlock(state)
        let executor = context.executor
        if context.runtime.isRecording { report(.queued, detail: executor.identity.id) }
        executor.submit(
            Job {
                var state = self.lock()
                let mayRun = !state.hasOutcome && state.takeHandler()
                self.unlock(state)
                if mayRun { self.runAsCurrent(body) }
            })
    }
}
