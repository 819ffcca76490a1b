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
        ThreadLoop.unretained.takeUnretainedValue().deliver {
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
        let (parent, followed) = waitsFor(in: state)
        unlock(state)
        let waiters = liveWaiters()
        if isNew, wasPending, isRecording {
            var flags: EventFlags = []
            if case .viewer = error.by { flags = .byViewer }
            report(.cancelRequested, other: origin, flags: flags, text: error.who)
        }
        if wasPending, reject(error, by: .cancellation) {
            cancelHandler()
            parent?.desert()
            if let followed {
                if followed.hasConsumers { followed.desert() } else { goOn(followed) }
            }
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
        contextReference._withUnsafeGuaranteedRef { context in
            if isRecording { report(.queued, detail: context.executor.identity.id) }
            if context.isInline {
                ThreadLoop.unretained._withUnsafeGuaranteedRef { $0.submit(self) }
            } else {
                context.executor.submit(Job(self))
            }
        }
    }

    /// Whether a cancellation of this promise was asked for; at once, however far its events are (RUNTIME X4).
    public final var isCancelled: Bool { current.has(PromiseState.cancelRequested) }

    /// Marks a loser: nobody waits for it any more, so its release unsettled is no defect (RUNTIME S2).
    func quieten() {
        var state = lock()
        state.set(PromiseState.quiet)
        unlock(state)
        desert()
    }

    /// Notes, here and at the pending promises that this one waits for, that one who waited does no more.
    func desert() {
        var left: [AnyPromise] = [self]
        while let promise = left.popLast() {
            var state = promise.lock()
            let goesOn = !state.has(PromiseState.deserted) && !state.hasOutcome
            state.set(PromiseState.deserted)
            let (parent, followed) = promise.waitsFor(in: state)
            promise.unlock(state)
            guard goesOn else { continue }
            if let parent { left.append(parent) }
            if let followed { left.append(followed) }
        }
    }

    /// Whether somebody still waits for it who has not himself been deserted; true where nobody ever stopped waiting.
    var isWanted: Bool {
        var left: [AnyPromise] = [self]
        var known: Set<NodeID> = []
        while let promise = left.popLast() {
            guard known.insert(promise.id).inserted else { continue }
            if !promise.current.has(PromiseState.deserted) { return true }
            for waiter in promise.liveWaiters() where waiter.isConsumer {
                guard let consumer = waiter.consumer else { return true }
                left.append(consumer)
            }
        }
        return false
    }

    /// Whether a handler of the program ran with the error of the promise that this one waits for.
    @usableFromInline
    final var isParentsErrorHandled: Bool {
        waitsFor.parent?.current.has(PromiseState.errorHandled) ?? false
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
