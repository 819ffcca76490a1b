import ChainEvents

/// A link: the promise that an operation made, which is also what waits for its parent and what runs its handler. One
/// object a link, plus the handler's captures.
///
/// All that is generic about it is in ``Thunk``, a closure without captures that is written where the types are known:
/// overridden methods of a generic class run unspecialised, with a look-up of metadata each.
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
        _ kind: NodeKind, of parent: __shared Promise<Input>, label: String, on executor: (any PromiseExecutor)?,
        site: CallSite, wants: UInt32, handler: Handler, thunk: @escaping Thunk
    ) {
        handlerSlot = RawSlot()
        handlerSlot.store(handler)
        self.thunk = thunk
        super.init(
            kind: kind, site: site,
            contextWord: parent.contextReference._withUnsafeGuaranteedRef {
                $0.childWord(label: label, executor: executor)
            },
            parent: parent, wants: wants)
    }

    /// Makes a link and registers it at its parent. (Within `init` that would count two references more.)
    @inlinable @inline(__always)
    static func make(
        _ kind: NodeKind, of parent: Promise<Input>, label: String, on executor: (any PromiseExecutor)?,
        site: CallSite, wants: UInt32, handler: Handler, thunk: @escaping Thunk
    ) -> HandlerNode {
        let node = HandlerNode(
            kind, of: parent, label: label, on: executor, site: site, wants: wants, handler: handler, thunk: thunk)
        parent.register(node)
        return node
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
    override final func perform(_ step: HandlerStep) -> Bool {
        // A closure without captures leaves nothing to release.
        if case .drop = step, handlerSlot.isTrivial { return false }
        return thunk(self, step)
    }
}

/// What a link is to do with its handler and outcome.
@usableFromInline
enum HandlerStep {
    /// Run the handler with the value of the parent, and settle.
    case value(of: Unmanaged<AnyPromise>)
    /// Run the handler with the error of the parent, or, for clean-up, of the cancelled node itself, and settle.
    case error(of: Unmanaged<AnyPromise>)
    /// Settle with the value of the parent: there is no handler for it.
    case pass(Unmanaged<AnyPromise>)
    /// Release the handler.
    case drop
}

extension HandlerStep {
    /// What a handler that takes either is given.
    @inlinable
    func result<Input: Sendable>(_ type: Input.Type) -> Result<Input, any Error>? {
        switch self {
        case .value(let parent): .success(parent.value(type))
        case .error(let source): .failure(source.failure)
        case .pass, .drop: nil
        }
    }
}

// The caller of `perform` holds the promise.
extension Unmanaged where Instance == AnyPromise {
    /// The value of the promise, which is fulfilled and of that type.
    @inlinable @inline(__always)
    func value<Value: Sendable>(_ type: Value.Type) -> Value {
        _withUnsafeGuaranteedRef { ValueWord.load($0.slot, as: type) }
    }

    /// The error of the promise, which is rejected.
    @inlinable
    var failure: any Error { _withUnsafeGuaranteedRef { ValueWord.load($0.slot, as: (any Error).self) } }
}

extension AnyPromise {
    /// A link's parent has its outcome: queue the handler for it, or pass it on.
    final func parentSettled(_ parent: AnyPromise) {
        let isRejected = parent.current.has(PromiseState.rejected)
        let isWanted = wantsHandler(for: parent, isRejected: isRejected)
        var state = lock()
        if !state.hasOutcome {
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
                _ = perform(.pass(Unmanaged.passUnretained(parent)))
            }
            state = lock()
        }
        unlock(state)
        // A cancellation that came first left the handler here: it may be one for clean-up (TheRules, X3).
        if state.has(PromiseState.cancelled) { return submitCleanUp() }
        dropHandlerUnlessTaken()
    }

    private final func dropHandlerUnlessTaken() {
        var state = lock()
        let isOurs = state.takeHandler()
        unlock(state)
        if isOurs { _ = perform(.drop) }
    }

    /// Whether the handler is one for the parent's outcome.
    @inline(__always)
    private final func wantsHandler(for parent: AnyPromise, isRejected: Bool) -> Bool {
        let wanted = word.load(ordering: .relaxed)
        guard isRejected else { return wanted & PromiseState.wantsValue != 0 }
        let both = wanted & PromiseState.wantsAnyError
        if both == 0 || both == PromiseState.wantsAnyError { return both != 0 }
        return (both == PromiseState.wantsCancellation) == (parent.error is PromiseCancelled)
    }

    /// Runs a link's handler, on its executor.
    final func runLinkHandler() {
        var state = lock()
        guard state.takeHandler() else { return unlock(state) }
        let isPending = !state.hasOutcome
        guard isPending, state.has(PromiseState.linked) else {
            unlock(state)
            // Cancelled before it ran: only clean-up does, with the cancellation.
            if !isPending, state.has(PromiseState.wantsCancellation) {
                runAsCurrent { perform(.error(of: Unmanaged.passUnretained(self))) }
            }
            _ = perform(.drop)
            return
        }
        // The reference to the parent is this call's now, so that its outcome stays while the handler runs.
        state.set(PromiseState.running)
        let parent = Unmanaged<AnyPromise>.fromOpaque(UnsafeRawPointer(bitPattern: slot)!)
        unlock(state)
        let isRejected = parent._withUnsafeGuaranteedRef { $0.current.has(PromiseState.rejected) }
        if isRejected { parent._withUnsafeGuaranteedRef { $0.markErrorSeen() } }
        let outer = pushCurrent()
        if isRecording { report(.started) }
        let isEndReported = perform(isRejected ? .error(of: parent) : .value(of: parent))
        if !isEndReported, isRecording { reportHandlerEnded() }
        popCurrent(to: outer)
        _ = perform(.drop)
        release(parent)
    }

    /// The handler has run: ends the wait for the parent, unless this promise is still to be settled.
    @inline(__always)
    private final func release(_ parent: Unmanaged<AnyPromise>) {
        if !current.hasOutcome {
            var state = lock()
            let isPending = !state.hasOutcome
            state.clear(isPending ? PromiseState.running : 0)
            unlock(state)
            if isPending {
                // The parent is released as this promise settles, or by the link to the promise that it follows.
                if state.has(PromiseState.following) { parent.release() }
                return
            }
        }
        unlink(from: parent)
    }
}
