// SPDX-License-Identifier: MIT

import ChainEvents

/// One step of a cancellation: a promise to visit.
private struct CancellationVisit {
    let promise: AnyPromise
    /// The promise that the cancellation comes from, or none.
    let origin: NodeID
    /// Whether the visit is for a consumer that withdrew. If so, the promise is cancelled only if it has no other
    /// consumer.
    let isWithdrawal: Bool
}

extension AnyPromise {
    /// Cancels the promise, its pending children, their pending children, and so on.
    ///
    /// A pending promise is rejected with ``PromiseCancelledError``. Then the cancellation goes **down** to the
    /// promise's pending children, to their pending children, and so on, even if the promise itself was settled
    /// already. A settled child passes nothing down. The parent and the siblings of the promise go on (<doc:TheRules>,
    /// X1). If a cancelled promise was the last consumer of a promise that it followed, the cancellation goes **up** to
    /// that promise. The same rule applies to what that promise waits for. Rule X2 lists the other cases;
    /// ``Promise/detached()`` exempts a promise. A span is not rejected, but the pending promises under it are (X7).
    ///
    /// The promise and what is under it are a branch. Clean-up handlers in the branch (`catch`, `failed`, `anyway`,
    /// `finally`, `ignore`, `onRejected`, and `recover` if it asks for cancellations) still run, on their executors,
    /// with the ``PromiseCancelledError``; handlers for values do not run (X3). Idempotent; never waits; may be called
    /// from any thread. Cost: O(pending nodes of the branch).
    public final func cancel(_ reason: String? = nil, by: CancelledBy = .program) {
        spread(
            PromiseCancelledError(reason: reason, by: by),
            from: CancellationVisit(promise: self, origin: .none, isWithdrawal: false))
    }

    /// Cancels the promise if it is pending, not detached, and has no consumer left, because one of its consumers
    /// withdrew (TheRules, X2).
    final func consumerWithdrew(_ cancellation: PromiseCancelledError, origin: NodeID = .none) {
        spread(cancellation, from: CancellationVisit(promise: self, origin: origin, isWithdrawal: true))
    }

    /// Performs a cancellation from visit to visit, without recursion.
    private func spread(_ cancellation: PromiseCancelledError, from first: CancellationVisit) {
        var visits = [first]
        ThreadLoop.unretained.takeUnretainedValue().deliver {
            while let visit = visits.popLast() {
                if visit.isWithdrawal {
                    visit.promise.visitFromConsumer(cancellation, visit.origin, &visits)
                } else {
                    visit.promise.visit(cancellation, visit.origin, isWithdrawal: false, &visits)
                }
            }
        }
    }

    /// Cancels a promise that a consumer withdrew from, unless it is detached or has another consumer.
    private func visitFromConsumer(
        _ cancellation: PromiseCancelledError, _ origin: NodeID, _ visits: inout [CancellationVisit]
    ) {
        let state = current
        if state.hasOutcome { return }
        if state.has(PromiseState.detached) || hasConsumers { return markUnneeded() }
        visit(cancellation, origin, isWithdrawal: true, &visits)
    }

    /// Cancels one promise, and adds the promises to visit next.
    private func visit(
        _ cancellation: PromiseCancelledError, _ origin: NodeID, isWithdrawal: Bool, _ visits: inout [CancellationVisit]
    ) {
        // Only the program ends a span (TheRules, X7).
        if kind != .span, let sources = settleCancelled(cancellation, origin: origin) {
            if let parent = sources.parent {
                if isWithdrawal {
                    visits.append(CancellationVisit(promise: parent, origin: id, isWithdrawal: true))
                } else {
                    parent.markUnneeded()
                }
            }
            if let followed = sources.followed {
                visits.append(CancellationVisit(promise: followed, origin: id, isWithdrawal: true))
            }
        }
        let firstChild = visits.count
        forEachLiveWaiter { waiter in
            guard let child = waiter.child, !child.current.hasOutcome else { return }
            visits.append(CancellationVisit(promise: child, origin: id, isWithdrawal: false))
        }
        // Reversed, because visits are taken from the end, and children are visited in the order of registration.
        visits[firstChild...].reverse()
    }

    /// Queues the handler of a cancelled promise if the handler is for clean-up; drops any other handler. Does nothing
    /// if another call has claimed the handler.
    final func submitCleanUp() {
        var state = lock()
        let isCleanUp = state.has(PromiseState.wantsCancellation)
        let isClaimed = isCleanUp ? state.queue() : state.claimHandler()
        unlock(state)
        guard isClaimed else { return }
        if isCleanUp { submitHandler() } else { _ = perform(.drop) }
    }

    /// Submits the handler to its executor. The caller has claimed the submission with ``PromiseState/queue()``.
    func submitHandler() {
        contextReference._withUnsafeGuaranteedRef { context in
            if isRecording { report(.queued, detail: context.executor.identity.id) }
            if context.isInline {
                ThreadLoop.unretained._withUnsafeGuaranteedRef { $0.submit(self) }
            } else {
                context.submit(self)
            }
        }
    }

    /// Whether the promise was cancelled. True at once, also while the cancellation's events are being delivered; false
    /// if the promise was settled before the cancellation (<doc:TheRules>, X4). Costs one load.
    public final var isCancelled: Bool { current.has(PromiseState.cancelled) }

    /// Marks a pending member as a loser, because its combinator has settled first. A later error of the member is then
    /// not reported (TheRules, S3). The release of its resolver is not reported either, unless the member has another
    /// consumer (S2).
    final func markAsLoser() {
        var state = lock()
        state.set(PromiseState.loser)
        unlock(state)
        markUnneeded()
    }

    /// Marks this promise, and the pending promises that it waits for, as unneeded by one of their consumers.
    final func markUnneeded() {
        var unvisited: [AnyPromise] = [self]
        while let promise = unvisited.popLast() {
            var state = promise.lock()
            let continues = !state.has(PromiseState.unneeded) && !state.hasOutcome
            state.set(PromiseState.unneeded)
            let (parent, followed) = promise.waitsFor(in: state)
            promise.unlock(state)
            guard continues else { continue }
            if let parent { unvisited.append(parent) }
            if let followed { unvisited.append(followed) }
        }
    }

    /// Whether any consumer still needs this promise; true if no consumer has withdrawn, or if the promise is detached.
    final var isNeeded: Bool {
        var unvisited: [AnyPromise] = [self]
        var known: Set<NodeID> = []
        while let promise = unvisited.popLast() {
            guard known.insert(promise.id).inserted else { continue }
            let state = promise.current
            if !state.has(PromiseState.unneeded) || state.has(PromiseState.detached) { return true }
            var isConsumedOutside = false
            promise.forEachLiveWaiter { waiter in
                guard waiter.isConsumer else { return }
                if let consumer = waiter.consumer { unvisited.append(consumer) } else { isConsumedOutside = true }
            }
            if isConsumedOutside { return true }
        }
        return false
    }

    /// Whether a handler or a blocking wait got the parent's error.
    @usableFromInline
    final var isParentsErrorHandled: Bool {
        waitsFor.parent?.current.has(PromiseState.errorHandled) ?? false
    }

    /// Marks the error as seen, so that this promise does not report it as unhandled. If `handled` is true, promises to
    /// which the error is passed on do not report it either.
    @usableFromInline
    final func markErrorSeen(handled: Bool = false) {
        let bits = PromiseState.errorSeen | (handled ? PromiseState.errorHandled : 0)
        if current.rawValue & bits == bits { return }
        var state = lock()
        state.set(bits)
        unlock(state)
    }
}
