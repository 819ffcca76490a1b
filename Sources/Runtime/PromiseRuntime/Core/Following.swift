// SPDX-License-Identifier: MIT

import ChainEvents

/// The waiter of a promise that follows another (A+ 2.3.2).
final class FollowWaiter: _Waiter {
    let follower: AnyPromise
    let followed: AnyPromise
    /// The follower's parent, kept because the follower is among the parent's waiters until the follower settles.
    // Unchecked: written once, under the follower's lock bit, before the waiter is reachable.
    @exclusivity(unchecked)
    private(set) var parent: AnyPromise?

    init(_ follower: AnyPromise, to followed: AnyPromise) {
        self.follower = follower
        self.followed = followed
    }

    /// Keeps the follower's parent. Takes over the caller's reference if `owned`, else adds a reference.
    func take(parent: Unmanaged<AnyPromise>, owned: Bool) {
        self.parent = owned ? parent.takeRetainedValue() : parent.takeUnretainedValue()
    }

    override func settled(_ promise: AnyPromise) { follower.copyOutcome(of: promise, flags: []) }

    override var isDone: Bool { follower.isDone }
    override var consumer: AnyPromise? { follower }
}

extension AnyPromise {
    /// Makes this promise follow `other`, a promise of the same type. Rejects this promise with ``PromiseCycleError``
    /// if it would wait for itself. Returns false if this promise has an outcome, or if it is resolved already and
    /// `byHandler` is false. If this promise was cancelled, `other` loses this promise as a consumer (TheRules, X2).
    /// Neither this call nor the delivery recurses, however many promises follow one another.
    @usableFromInline @discardableResult
    final func follow(_ other: AnyPromise, byHandler: Bool) -> Bool {
        // `other` is marked before this promise links to it: if several promises close a cycle at the same time, the
        // last promise to link sees the mark.
        var otherState = other.lock()
        otherState.set(PromiseState.followed)
        other.unlock(otherState)
        let waiter = FollowWaiter(self, to: other)
        var state = lock()
        guard state.follow(byHandler: byHandler) else {
            unlock(state)
            withdrawIfCancelled(from: other)
            return false
        }
        let mayCloseCycle = state.has(PromiseState.followed) || !waiters.isEmpty
        if state.has(PromiseState.linked) {
            // While the handler runs, its call owns the reference in `slot`, so the waiter adds one of its own.
            let parent = Unmanaged<AnyPromise>.fromOpaque(UnsafeRawPointer(bitPattern: slot)!)
            waiter.take(parent: parent, owned: !state.has(PromiseState.running))
        }
        slot = UInt(bitPattern: Unmanaged.passRetained(waiter).toOpaque())
        state.clear(PromiseState.linked)
        state.set(PromiseState.following)
        unlock(state)
        if isRecording { report(.adopted, other: other.id) }
        let hasFollowers = state.has(PromiseState.followed)
        if other === self || mayCloseCycle, let cycle = other.cycle(to: self, hasFollowers: hasFollowers) {
            return reject(cycle, by: .machinery)
        }
        other.register(waiter)
        // Checked after the registration, because a cancellation between linking and registering found no consumer to
        // withdraw.
        withdrawIfCancelled(from: other)
        return true
    }

    /// Withdraws this promise's interest in `other` if this promise was cancelled (TheRules, X2).
    private final func withdrawIfCancelled(from other: AnyPromise) {
        guard other !== self, current.has(PromiseState.cancelled), let cancellation = error as? PromiseCancelledError
        else {
            return
        }
        other.consumerWithdrew(cancellation, origin: id)
    }
}
