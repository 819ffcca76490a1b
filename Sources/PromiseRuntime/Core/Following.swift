import ChainEvents

/// Waits on behalf of a promise that follows another (A+ 2.3.2), and holds, for as long, what that one waits for.
final class FollowLink: Waiter {
    let follower: AnyPromise
    let followed: AnyPromise
    /// The parent of the follower, which has run its handler and is still to be told of the end.
    // Unchecked: written once, under the follower's lock bit, before the link is anywhere.
    @exclusivity(unchecked)
    private(set) var parent: AnyPromise?

    init(_ follower: AnyPromise, to followed: AnyPromise) {
        self.follower = follower
        self.followed = followed
    }

    func take(parent: Unmanaged<AnyPromise>, owned: Bool) {
        self.parent = owned ? parent.takeRetainedValue() : parent.takeUnretainedValue()
    }

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
        let link = FollowLink(self, to: other)
        var state = lock()
        guard state.follow(byHandler: byHandler) else {
            unlock(state)
            return false
        }
        let mayCloseRing = state.has(PromiseState.followed)
        if state.has(PromiseState.linked) {
            // Who runs the handler keeps his reference.
            let parent = Unmanaged<AnyPromise>.fromOpaque(UnsafeRawPointer(bitPattern: slot)!)
            link.take(parent: parent, owned: !state.has(PromiseState.running))
        }
        slot = UInt(bitPattern: Unmanaged.passRetained(link).toOpaque())
        state.clear(PromiseState.linked)
        state.set(PromiseState.following)
        unlock(state)
        if isRecording { report(.adopted, other: other.id) }
        if other === self || (mayCloseRing && other.leads(to: self)) {
            return reject(PromiseCycle(site: callSite.site), by: .machinery)
        }
        other.register(link)
        // A cancellation that came between the link and the waiter found nothing to go on to.
        cancelLate(other)
        return true
    }

    /// Goes on to what this promise was to follow, where it was cancelled meanwhile (RUNTIME X2).
    @usableFromInline
    final func cancelLate(_ other: AnyPromise) {
        guard current.isBeingCancelled, other !== self, !other.isSettled, !other.hasConsumers else { return }
        let why = error as? PromiseCancelled
        other.cancel(why?.reason, by: why?.by ?? .program)
    }

    /// Whether this promise follows `target`, over however many others.
    private func leads(to target: AnyPromise) -> Bool {
        var next: AnyPromise? = self
        while let promise = next {
            next = promise.waitsFor.followed
            if next === target { return true }
            if promise === next { return false }
        }
        return false
    }
}
