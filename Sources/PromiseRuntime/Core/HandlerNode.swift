import ChainEvents

/// A link: the promise that an operation made, which is also what waits for its parent and what runs its handler. One
/// object a link, plus the handler's captures.
///
/// All that is generic about it is in ``Thunk``, a closure without captures that is written where the types are known:
/// overridden methods of a generic class run unspecialised, with a look-up of metadata each (DESIGN §13).
@usableFromInline
final class HandlerNode<Input: Sendable, Output: Sendable, Handler: Sendable>: Promise<Output>, @unchecked Sendable {
    // Sendable: the handler belongs to the one who has taken it, by the state word.

    /// Does one step of a node, which it is given untyped: see ``HandlerStep``. Gives whether the settling told the end
    /// of the handler.
    @usableFromInline typealias Thunk = @Sendable (AnyPromise, HandlerStep) -> Bool

    // Unchecked: touched only by the one who has taken the handler (PromiseState.takeHandler).
    @exclusivity(unchecked)
    @usableFromInline final var handlerSlot: RawSlot
    @usableFromInline let thunk: Thunk

    @inlinable
    init(
        _ kind: NodeKind, of parent: Promise<Input>, label: String, on executor: (any PromiseExecutor)?,
        site: CallSite, wants: UInt32, handler: Handler, thunk: @escaping Thunk
    ) {
        handlerSlot = RawSlot()
        handlerSlot.store(handler)
        self.thunk = thunk
        super.init(
            kind: kind, site: site, context: parent.context.child(label: label, executor: executor), parent: parent,
            wants: wants)
        parent.register(self)
    }

    deinit {
        // An executor that drops its jobs leaves a handler behind.
        if !current.has(PromiseState.handlerTaken) { _ = thunk(self, .drop) }
    }

    /// The handler, for the one who has taken it.
    @inlinable
    var handler: Handler { handlerSlot.load(as: Handler.self) }

    /// Releases the handler; once, by the one who has taken it.
    @inlinable
    func dropHandler() -> Bool {
        handlerSlot.destroy(Handler.self)
        return false
    }

    override final func settled(_ promise: AnyPromise) { parentSettled(promise) }
    override final func runHandler() { runLinkHandler() }
    override final func perform(_ step: HandlerStep) -> Bool { thunk(self, step) }
}

/// What a link is to do with its handler and outcome.
@usableFromInline
enum HandlerStep {
    /// Run the handler with the value of the parent, and settle.
    case value(AnyPromise)
    /// Run the handler with an error, and settle.
    case error(any Error)
    /// Settle with the value of the parent: there is no handler for it.
    case pass(AnyPromise)
    /// Release the handler.
    case drop
}

extension HandlerStep {
    /// What a handler that takes either is given.
    @inlinable
    func result<Input: Sendable>(_ type: Input.Type) -> Result<Input, any Error>? {
        switch self {
        case .value(let parent): .success(unsafeDowncast(parent, to: Promise<Input>.self).stored)
        case .error(let error): .failure(error)
        case .pass, .drop: nil
        }
    }
}

extension AnyPromise {
    /// A link's parent has its outcome: queue the handler for it, or pass it on.
    final func parentSettled(_ parent: AnyPromise) {
        var state = lock()
        guard !state.hasOutcome else { return unlock(state) }
        let isRejected = parent.current.has(PromiseState.rejected)
        var isWanted = state.has(isRejected ? PromiseState.wantsError : PromiseState.wantsValue)
        if isRejected, state.has(PromiseState.wantsCancellation), parent.error is PromiseCancelled { isWanted = true }
        if isWanted {
            let isOurs = state.queue()
            unlock(state)
            if isOurs { submitHandler() }
            return
        }
        unlock(state)
        if isRejected {
            passError(of: parent, flags: .skipping)
        } else {
            _ = perform(.pass(parent))
        }
        // Only now: a cancellation that came first needs the handler for clean-up (RUNTIME X3).
        state = lock()
        let isOurs = !state.has(PromiseState.cancelled) && state.takeHandler()
        unlock(state)
        if isOurs { _ = perform(.drop) }
    }

    /// Runs a link's handler, on its executor.
    final func runLinkHandler() {
        var state = lock()
        guard state.takeHandler() else { return unlock(state) }
        let parent = waitsFor
        unlock(state)
        let step: HandlerStep
        if state.hasOutcome {
            // Cancelled before it ran: only clean-up does, with the cancellation.
            let isCleanUp = state.has(PromiseState.wantsError | PromiseState.wantsCancellation)
            step = isCleanUp ? error.map { .error($0) } ?? .drop : .drop
        } else if let parent {
            if let error = parent.error {
                parent.markErrorSeen()
                step = .error(error)
            } else {
                step = .value(parent)
            }
        } else {
            step = .drop
        }
        if case .drop = step {
            _ = perform(.drop)
        } else {
            runAsCurrent { perform(step) }
            _ = perform(.drop)
        }
    }
}
