// SPDX-License-Identifier: MIT

import ChainEvents

/// A link: the promise that an operation made. It is also the waiter of its parent and the job that runs its handler,
/// so a link is one object plus the handler's captures.
///
/// All generic code is in ``Thunk``, a closure without captures that is written where the types are known. Overridden
/// methods of a generic class would run unspecialised, with a metadata look-up each.
@usableFromInline
final class HandlerNode<Input: Sendable, Output: Sendable, Handler: Sendable>: Promise<Output>, @unchecked Sendable {
    // Sendable: only the thread that claimed the handler, by the state word, accesses `handlerSlot`.

    /// Performs one ``HandlerStep`` of an untyped node; true if the settlement reported the handler's end.
    @usableFromInline typealias Thunk = @Sendable (AnyPromise, HandlerStep) -> Bool

    // Unchecked: accessed by one thread alone (PromiseState.claimHandler).
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

    /// Makes a link and registers it at its parent. (The registration is not part of `init`, because there it would
    /// count two more references.)
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
        // If an executor dropped this job, the handler is still in `handlerSlot`.
        if !current.has(PromiseState.handlerClaimed) { _ = thunk(self, .drop) }
    }

    /// The handler, for the thread that claimed it.
    @inlinable
    var handler: Handler { handlerSlot.load(as: Handler.self) }

    /// Releases the handler; called once, by the thread that claimed it. Returns false, as a ``Thunk`` that settles
    /// nothing does.
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

/// A step of a link: what to do with its handler and its outcome.
@usableFromInline
enum HandlerStep {
    /// Run the handler with the value of the parent, and settle.
    case value(of: Unmanaged<AnyPromise>)
    /// Run the handler with the error of the parent or, for clean-up, with the error of the cancelled node itself, and
    /// settle.
    case error(of: Unmanaged<AnyPromise>)
    /// Settle with the value of the parent, because the link has no handler for values.
    case pass(Unmanaged<AnyPromise>)
    /// Release the handler.
    case drop
}

extension HandlerStep {
    /// Returns the outcome with which to run a handler that takes both values and errors; nil for the steps `pass` and
    /// `drop`.
    @inlinable
    func result<Input: Sendable>(_ type: Input.Type) -> Result<Input, any Error>? {
        switch self {
        case .value(let parent): .success(parent.value(type))
        case .error(let source): .failure(source.failure)
        case .pass, .drop: nil
        }
    }
}

// The references are unretained, because the caller of `perform` holds the promise.
extension Unmanaged where Instance == AnyPromise {
    /// Returns the value of a fulfilled promise, as this type.
    @inlinable @inline(__always)
    func value<Value: Sendable>(_ type: Value.Type) -> Value {
        _withUnsafeGuaranteedRef { ValueWord.load($0.slot, as: type) }
    }

    /// The error of a promise that is rejected.
    @inlinable
    var failure: any Error { _withUnsafeGuaranteedRef { ValueWord.load($0.slot, as: (any Error).self) } }
}

extension AnyPromise {
    /// Queues the handler for the parent's outcome, or passes the outcome on.
    final func parentSettled(_ parent: AnyPromise) {
        let isRejected = parent.current.has(PromiseState.rejected)
        let isWanted = wantsHandler(for: parent, isRejected: isRejected)
        var state = lock()
        if !state.hasOutcome {
            if isWanted {
                let isClaimed = state.queue()
                unlock(state)
                if isClaimed { submitHandler() }
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
        // An earlier cancellation left the handler to this call, because the handler may be for clean-up (TheRules,
        // X3).
        if state.has(PromiseState.cancelled) { return submitCleanUp() }
        dropHandlerUnlessTaken()
    }

    private final func dropHandlerUnlessTaken() {
        var state = lock()
        let isClaimed = state.claimHandler()
        unlock(state)
        if isClaimed { _ = perform(.drop) }
    }

    /// Returns whether the handler takes the parent's outcome.
    @inline(__always)
    private final func wantsHandler(for parent: AnyPromise, isRejected: Bool) -> Bool {
        let wanted = word.load(ordering: .relaxed)
        guard isRejected else { return wanted & PromiseState.wantsValue != 0 }
        let both = wanted & PromiseState.wantsAnyError
        if both == 0 || both == PromiseState.wantsAnyError { return both != 0 }
        return (both == PromiseState.wantsCancellation) == (parent.error is PromiseCancelledError)
    }

    /// Runs the handler, on its executor.
    final func runLinkHandler() {
        var state = lock()
        guard state.claimHandler() else { return unlock(state) }
        let isPending = !state.hasOutcome
        guard isPending, state.has(PromiseState.linked) else {
            unlock(state)
            // The node was cancelled before its handler ran: only clean-up handlers run, with the cancellation.
            if !isPending, state.has(PromiseState.wantsCancellation) {
                runAsCurrent { perform(.error(of: Unmanaged.passUnretained(self))) }
            }
            _ = perform(.drop)
            return
        }
        // This call takes the reference to the parent, so that the parent's outcome stays while the handler runs.
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

    /// Ends the wait for the parent after the handler ran, unless this promise is still pending.
    @inline(__always)
    private final func release(_ parent: Unmanaged<AnyPromise>) {
        if !current.hasOutcome {
            var state = lock()
            let isPending = !state.hasOutcome
            state.clear(isPending ? PromiseState.running : 0)
            unlock(state)
            if isPending {
                // The settlement of this promise releases the parent. The FollowWaiter of a followed promise has a
                // reference of its own to the parent.
                if state.has(PromiseState.following) { parent.release() }
                return
            }
        }
        unlink(from: parent)
    }
}
