import ChainEvents

/// Waits on behalf of a promise that follows another (A+ 2.3.2).
final class FollowWaiter: Waiter {
    private let follower: AnyPromise

    init(_ follower: AnyPromise) { self.follower = follower }

    override func settled(_ promise: AnyPromise) { follower.copyOutcome(of: promise, flags: []) }

    override var isDone: Bool { follower.isDone }
    override var consumer: AnyPromise? { follower }
}

extension AnyPromise {
    /// Makes this promise settle as `other` does, which is of the same type; a follower of itself is rejected. Iterative
    /// over any length of followers, as telling waiters is.
    @usableFromInline
    final func follow(_ other: AnyPromise, byHandler: Bool) -> Bool {
        // Before the link itself: of promises that close a ring at the same time, the last one to link sees the mark.
        var otherState = other.lock()
        otherState.set(PromiseState.followed)
        other.unlock(otherState)
        var state = lock()
        guard state.follow(byHandler: byHandler) else {
            unlock(state)
            return false
        }
        let mayCloseRing = state.has(PromiseState.followed)
        follows = other
        unlock(state)
        if context.runtime.isRecording { report(.adopted, other: other.id) }
        if other === self || (mayCloseRing && other.leads(to: self)) {
            return reject(PromiseCycle(site: callSite.site), by: .machinery)
        }
        other.register(FollowWaiter(self))
        // A cancellation that came between the link and the waiter found nothing to go on to.
        cancelLate(other)
        return true
    }

    /// Goes on to what this promise was to follow, where it was cancelled meanwhile (RUNTIME X2).
    @usableFromInline
    final func cancelLate(_ other: AnyPromise) {
        guard current.has(PromiseState.cancelled), other !== self, !other.isSettled, !other.hasConsumers else { return }
        let why = error as? PromiseCancelled
        other.cancel(why?.reason, by: why?.by ?? .program)
    }

    /// Whether this promise follows `target`, over however many others.
    private func leads(to target: AnyPromise) -> Bool {
        var next: AnyPromise? = self
        while let promise = next {
            let state = promise.lock()
            next = promise.follows
            promise.unlock(state)
            if next === target { return true }
            if promise === next { return false }
        }
        return false
    }
}
