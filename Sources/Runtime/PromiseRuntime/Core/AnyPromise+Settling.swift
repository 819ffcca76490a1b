// SPDX-License-Identifier: MIT

import ChainEvents

// Settling publishes the outcome under the lock bit, then delivers it, and then ends the wait for the parent.
extension AnyPromise {
    /// Settles the promise, which then owns the outcome. If `settler` can no longer settle it, returns false and
    /// changes nothing.
    @usableFromInline
    final func settle(
        by settler: SettlerKind, rejected: Bool, outcome: UInt, ownsValue: Bool = false, flags: EventFlags = []
    ) -> Bool {
        var state = lock()
        let old = slot
        let before = state
        guard state.settle(by: settler.settler, rejected: rejected, hasWaiters: !waiters.isEmpty) else {
            unlock(state)
            return false
        }
        slot = outcome
        state.clear(PromiseState.linked | PromiseState.following)
        if ownsValue { state.set(PromiseState.ownsValue) }
        state.noteHandlerEnd(flags)
        unlock(state)
        if isRuntimeRecording { reportSettled(state, flags: flags) }
        completeSettling(state, before: before, slot: old)
        return true
    }

    /// Rejects a pending promise with a cancellation, submits its clean-up, and returns the promises that it waited
    /// for. Returns nil if the promise has an outcome already. The state changes at once: code that reads
    /// ``isCancelled`` finds the promise rejected.
    final func settleCancelled(
        _ cancellation: PromiseCancelledError, origin: NodeID
    ) -> (parent: AnyPromise?, followed: AnyPromise?)? {
        let outcome = ValueWord.encode(cancellation, as: (any Error).self)
        var state = lock()
        let old = slot
        let before = state
        guard state.settle(by: .cancellation, rejected: true, hasWaiters: !waiters.isEmpty) else {
            unlock(state)
            ValueWord.destroy(outcome, as: (any Error).self)
            return nil
        }
        let sources = waitsFor(in: before)
        slot = outcome
        state.clear(PromiseState.linked | PromiseState.following)
        unlock(state)
        if isRuntimeRecording { reportCancelled(state, cancellation, origin: origin) }
        // A settled parent delivers to this child, and that delivery submits the clean-up in its turn. So the parent's
        // handlers keep their order (TheRules, P4), whichever thread settles the parent. The parent is checked before
        // this child is removed from the parent's waiters. A parent that settles after the removal does not deliver to
        // this child.
        if !(sources.parent?.current.hasOutcome ?? false) { submitCleanUp() }
        completeSettling(state, before: before, slot: old)
        return sources
    }

    /// Delivers the outcome that was just published, and ends the wait for the parent or the followed promise.
    @inline(__always)
    private final func completeSettling(_ state: PromiseState, before: PromiseState, slot old: UInt) {
        if state.has(PromiseState.settling) { deliverSoon() }
        // The call of a running handler holds the parent, and releases it after the handler.
        if before.rawValue & (PromiseState.linked | PromiseState.following) != 0,
            !before.has(PromiseState.running) || before.has(PromiseState.following)
        {
            endWait(old, in: before)
        }
        didSettle()
    }

    @inline(never)
    private final func deliverSoon() { ThreadLoop.unretained._withUnsafeGuaranteedRef { $0.deliver(self) } }

    /// Ends the wait for the parent or the followed promise, given the former slot and state.
    @inline(never)
    private final func endWait(_ slot: UInt, in state: PromiseState) {
        let pointer = UnsafeRawPointer(bitPattern: slot)!
        if state.has(PromiseState.linked) {
            unlink(from: Unmanaged.fromOpaque(pointer))
        } else {
            let waiter = Unmanaged<FollowWaiter>.fromOpaque(pointer).takeRetainedValue()
            waiter.parent?.waiterIsDone()
            waiter.followed.waiterIsDone()
        }
    }

    /// Removes this child from the waiters of its parent, and releases the reference to the parent.
    @inline(__always)
    final func unlink(from parent: Unmanaged<AnyPromise>) {
        parent._withUnsafeGuaranteedRef { $0.waiterIsDone(Unmanaged.passUnretained(self)) }
        parent.release()
    }

    /// ``PromiseState/Settler`` for inlinable code, which other modules compile.
    @usableFromInline
    enum SettlerKind {
        case resolver, machinery, release, cancellation

        fileprivate var settler: PromiseState.Settler {
            switch self {
            case .resolver: .resolver
            case .machinery: .machinery
            case .release: .release
            case .cancellation: .cancellation
            }
        }
    }

    /// Rejects the promise; false if `settler` can no longer settle it.
    @usableFromInline
    final func reject(_ error: any Error, by settler: SettlerKind, flags: EventFlags = []) -> Bool {
        let outcome = ValueWord.encode(error, as: (any Error).self)
        if settle(by: settler, rejected: true, outcome: outcome, flags: flags) { return true }
        ValueWord.destroy(outcome, as: (any Error).self)
        return false
    }

    /// The error of a rejected promise; nil for any other promise.
    @usableFromInline
    final var error: (any Error)? {
        current.has(PromiseState.rejected) ? ValueWord.load(slot, as: (any Error).self) : nil
    }

    /// Rejects this promise with the error of `other`. The error then counts as seen in `other`, and has to be handled
    /// in this promise, unless it was handled already.
    final func passError(of other: AnyPromise, flags: EventFlags) {
        if other.current.has(PromiseState.errorHandled) { markErrorSeen(handled: true) }
        other.markErrorSeen()
        _ = reject(other.error!, by: .machinery, flags: flags)
    }
}
