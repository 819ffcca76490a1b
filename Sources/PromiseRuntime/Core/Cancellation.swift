import ChainEvents

extension AnyPromise {
    /// Cancels: if the promise is pending it is rejected with ``PromiseCancelled``; then the cancellation goes on to all
    /// its pending children and theirs, also where it was settled itself. Never to its parent, never to siblings; to the
    /// promise that it follows if it is that one's only consumer (RUNTIME X1, X2).
    ///
    /// Clean-up handlers in the branch (`catch`, `recover`, `failed`, `anyway`, `ignore`, `onRejected`) still run, on
    /// their executors, with the ``PromiseCancelled``; value handlers do not (X3). Idempotent; never waits; from any
    /// thread. Cost: in the number of pending nodes of the branch.
    public final func cancel(_ reason: String? = nil, by: CancelledBy = .program) {
        let error = PromiseCancelled(reason: reason, by: by)
        var left: [(promise: AnyPromise, from: NodeID)] = [(self, .none)]
        ThreadLoop.current.deliver {
            while let (promise, origin) = left.popLast() {
                promise.cancelOne(error, origin: origin) { left.append(($0, promise.id)) }
            }
        }
    }

    /// Cancels one, and tells which are to be cancelled after it.
    private func cancelOne(_ error: PromiseCancelled, origin: NodeID, then goOn: (AnyPromise) -> Void) {
        var state = lock()
        let wasPending = !state.hasOutcome
        let isNew = !state.has(PromiseState.cancelRequested)
        state.set(PromiseState.cancelRequested)
        let followed = follows
        unlock(state)
        let waiters = liveWaiters()
        if isNew, wasPending, context.runtime.isRecording {
            var flags: EventFlags = []
            if case .viewer = error.by { flags = .byViewer }
            report(.cancelRequested, other: origin, flags: flags, text: "\(error)")
        }
        if wasPending, reject(error, by: .cancellation) {
            cancelHandler()
            if let followed, !followed.hasConsumers { goOn(followed) }
        }
        for waiter in waiters.reversed() {
            if let child = waiter.child, !child.current.hasOutcome { goOn(child) }
        }
    }

    /// What becomes of the handler of a promise that was cancelled before it ran: one for clean-up runs now, with the
    /// cancellation; one for values never will.
    private func cancelHandler() {
        var state = lock()
        if state.has(PromiseState.wantsError | PromiseState.wantsCancellation) {
            let isOurs = state.queue()
            unlock(state)
            if isOurs { submitHandler() }
        } else {
            let isOurs = state.takeHandler()
            unlock(state)
            if isOurs { _ = perform(.drop) }
        }
    }

    /// Hands the handler to its executor; the caller has claimed that by ``PromiseState/queue()``.
    func submitHandler() {
        let executor = context.executor
        if context.runtime.isRecording { report(.queued, detail: executor.identity.id) }
        executor.submit(Job(handlerOf: self))
    }

    /// Whether a cancellation of this promise was asked for; at once, however far its events are (RUNTIME X4).
    public final var isCancelled: Bool { current.has(PromiseState.cancelRequested) }

    /// Marks a loser: nobody waits for it any more, so its release unsettled is no defect (RUNTIME S2).
    func quieten() {
        var state = lock()
        state.set(PromiseState.quiet)
        unlock(state)
    }

    /// Whether a handler of the program ran with the error of the promise that this one waits for.
    @usableFromInline
    final var isParentsErrorHandled: Bool {
        let state = lock()
        let parent = waitsFor
        unlock(state)
        return parent?.current.has(PromiseState.errorHandled) ?? false
    }

    /// Notes that the error has gone on to somebody; `handled`, that a handler of the program ran with it.
    @usableFromInline
    final func markErrorSeen(handled: Bool = false) {
        let bits = PromiseState.errorSeen | (handled ? PromiseState.errorHandled : 0)
        if current.rawValue & bits == bits { return }
        var state = lock()
        state.set(bits)
        unlock(state)
    }
}
