// SPDX-License-Identifier: MIT

// Registration, delivery and removal of waiters. Each hold of the lock bit looks at a few waiters.
extension AnyPromise {
    /// Adds a waiter. If the promise is settled already, delivers to the waiter at once, and adds only a child.
    @usableFromInline
    final func register(_ waiter: _Waiter) {
        var spare: WaiterSpare?
        while true {
            let state = lock()
            let registration = state.register()
            // A child is added to the list of a settled promise, too, because cancellations go down to the child
            // (TheRules, X1).
            let isKept = registration == .wait || waiter.isChild
            if isKept, !waiters.append(waiter, &spare) {
                let missing = waiters.missing
                unlock(state)
                spare = WaiterSpare(missing)
                continue
            }
            unlock(state)
            if registration == .deliver { waiter.settled(self) }
            return
        }
    }

    /// Delivers the outcome to each waiter in order of registration; then the promise is settled. Pending children stay
    /// in the list, because cancellations go down to the children (TheRules, X1).
    final func deliverOutcome() {
        var position = WaiterPosition()
        var last: Unmanaged<_Waiter>?
        while true {
            // Unretained references are safe, because the list keeps its entries while the promise is settling.
            let isOver = last.map { $0._withUnsafeGuaranteedRef { $0.isDone } } ?? false
            var state = lock()
            if isOver { waiters.remove(before: &position) }
            let next = waiters.next(&position)
            var emptied = WaiterSlot()
            var mustSweep = false
            if next == nil {
                state.finishSettling()
                emptied = waiters.takeEmptyList()
                mustSweep = waiters.beginSweep()
            }
            unlock(state)
            if isOver { last?.release() }
            emptied.release()
            guard let next else {
                if mustSweep { sweepWaiters() }
                return
            }
            next._withUnsafeGuaranteedRef { $0.settled(self) }
            last = next
        }
    }

    /// Counts one more waiter as done: a waiter that ended its wait before this promise settled, or a child that
    /// settled after this promise. Removes the only waiter if it is done, and sweeps a list if a sweep is due.
    final func waiterIsDone() {
        let state = lock()
        // No sweep while settling, because the delivery removes the waiters that are done.
        let isSettling = state.has(PromiseState.settling)
        let only = isSettling ? nil : waiters.removeOnlyIfDone()
        let mustSweep = waiters.noteDone(mayBegin: !isSettling)
        unlock(state)
        only?.release()
        if mustSweep { sweepWaiters() }
    }

    /// Removes the given waiter, which is done, if it is the only waiter; otherwise counts it as done. Most promises
    /// have one waiter, which is removed without a walk.
    @inline(__always)
    final func waiterIsDone(_ waiter: Unmanaged<AnyPromise>) {
        let state = lock()
        guard !state.has(PromiseState.settling), waiters.removeOnly(waiter) else {
            unlock(state)
            return waiterIsDone()
        }
        unlock(state)
        waiter.release()
    }

    /// Removes the waiters that are done from a list, a few under each hold of the lock bit. The caller has begun the
    /// sweep.
    private final func sweepWaiters() {
        var taken = RemovedWaiters()
        var isOver = false
        while !isOver {
            var position = WaiterPosition()
            var isSwept = false
            while !isSwept {
                let state = lock()
                // Stopped while settling, because the delivery removes the waiters that are done.
                isSwept = state.has(PromiseState.settling)
                if isSwept { waiters.abortSweep() } else { isSwept = waiters.sweep(&position, &taken) }
                unlock(state)
                taken.release()
            }
            let state = lock()
            let isSettling = state.has(PromiseState.settling)
            let emptied = isSettling ? WaiterSlot() : waiters.takeEmptyList()
            isOver = isSettling || !waiters.beginSweep()
            unlock(state)
            emptied.release()
        }
    }

    /// Whether this promise has a consumer that is not done.
    final var hasConsumers: Bool {
        while true {
            let state = lock()
            let isFound = waiters.findConsumer(limit: 16)
            unlock(state)
            if let isFound { return isFound }
        }
    }

    /// Calls `body` with each waiter that is not done, in order of registration, without a lock.
    final func forEachLiveWaiter(_ body: (_Waiter) -> Void) {
        var position = WaiterPosition()
        while true {
            let state = lock()
            waiters.beginWalk(&position)
            let next = waiters.next(&position)?.retain()
            if next == nil { waiters.endWalk(position) }
            let mustSweep = next == nil && !state.has(PromiseState.settling) && waiters.beginSweep()
            unlock(state)
            guard let next else {
                if mustSweep { sweepWaiters() }
                return
            }
            let waiter = next.takeRetainedValue()
            if !waiter.isDone { body(waiter) }
        }
    }
}
