import ChainEvents

/// Waits on behalf of a promise that follows another (A+ 2.3.2).
final class FollowWaiter: Waiter {
    private let follower: AnyPromise

    init(_ follower: AnyPromise) { self.follower = follower }

    override func settled(_ promise: AnyPromise) { follower.copyOutcome(of: promise, flags: []) }

    override var isDone: Bool { follower.isDone }
}

extension AnyPromise {
    /// Makes this promise settle as `other` does, which is of the same type; a follower of itself is rejected. Iterative
    /// over any length of followers, as telling waiters is.
    @usableFromInline
    final func follow(_ other: AnyPromise, byHandler: Bool) -> Bool {
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
        var otherState = other.lock()
        otherState.set(PromiseState.followed)
        other.unlock(otherState)
        other.register(FollowWaiter(self))
        return true
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
