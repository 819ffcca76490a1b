// SPDX-License-Identifier: MIT

import ChainEvents

/// The state of one promise in one word, and its transitions as pure functions. ``AnyPromise`` takes the word's lock
/// bit, applies one transition, unlocks, and then acts on the result.
@usableFromInline
struct PromiseState: RawRepresentable, Equatable, Sendable {
    @usableFromInline var rawValue: UInt32

    @inlinable
    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The origin of a settlement. The states in which a promise may be settled depend on the origin.
    enum Settler {
        /// The write side: it may settle a promise that it has not resolved yet (A+ 2.1.2, ES6 "already resolved").
        case resolver
        /// The promise's own machinery: the end of its handler, the promise that it follows, its members, or its timer.
        case machinery
        /// The release of the write side: it may settle a promise that the write side has not resolved yet.
        case release
        /// A cancellation: it may settle any promise without an outcome.
        case cancellation
    }

    /// What the caller that registers a waiter has to do.
    enum Registration: Equatable {
        /// Nothing: the settling thread delivers.
        case wait
        /// Deliver at once: the promise is settled.
        case deliver
    }

    // Set while the word is locked: for a few instructions, never while code is called or memory is released.
    static let locked: UInt32 = 1 << 0
    // The outcome is written, and is being delivered to the waiters in order of registration.
    static let settling: UInt32 = 1 << 1
    // The outcome was delivered to all waiters; a new waiter gets it at once.
    static let settled: UInt32 = 1 << 2
    // The write side was used: the promise is fulfilled, rejected, or follows another promise.
    static let resolved: UInt32 = 1 << 3
    // The outcome is an error.
    static let rejected: UInt32 = 1 << 4
    // The promise was settled by a cancellation.
    static let cancelled: UInt32 = 1 << 5
    // The handler was submitted to an executor.
    static let queued: UInt32 = 1 << 6
    // The handler was claimed, to be run or dropped.
    static let handlerClaimed: UInt32 = 1 << 7
    // The node is recorded, and is in the registry of live nodes.
    static let registered: UInt32 = 1 << 8
    // A handler, a child, a combinator or a waiting thread or task has received the error, or will receive it. So this
    // promise does not report the error as unhandled.
    static let errorSeen: UInt32 = 1 << 9
    // A combinator of this promise settled first, so an error of this promise is not reported as unhandled.
    static let loser: UInt32 = 1 << 10
    // Another promise follows this one or is about to follow it. If this promise follows a promise in turn, that may
    // close a cycle.
    static let followed: UInt32 = 1 << 11
    // The node has a handler for values. This and the other `wants` bits never change.
    @usableFromInline static let wantsValue: UInt32 = 1 << 12
    // The node has a handler for errors other than a cancellation.
    @usableFromInline static let wantsError: UInt32 = 1 << 13
    // The promise is exempt from cancellation by lack of consumers.
    static let detached: UInt32 = 1 << 14
    // A handler or a blocking wait got the error, in this promise or in a promise that passed the error on to this one.
    static let errorHandled: UInt32 = 1 << 15
    // The node has a handler for cancellations.
    @usableFromInline static let wantsCancellation: UInt32 = 1 << 16
    @usableFromInline static let wantsAnyError = wantsError | wantsCancellation
    // The value in the slot has to be destroyed.
    static let ownsValue: UInt32 = 1 << 17
    // At least one direct or indirect consumer has withdrawn. The promise is needed only if it has another consumer
    // (`isNeeded`).
    static let unneeded: UInt32 = 1 << 18
    // The slot holds the parent.
    static let linked: UInt32 = 1 << 19
    // The slot holds the link to the promise that this one follows.
    static let following: UInt32 = 1 << 20
    // A thread runs the handler, and owns the reference to the parent.
    static let running: UInt32 = 1 << 21
    // A recording filter excluded the node. If the node is registered, it is recorded all the same.
    static let excluded: UInt32 = 1 << 22
    // The handler has returned. If that did not settle the node, the bit is set only while the node is recorded.
    static let handlerEnded: UInt32 = 1 << 23
    // The bits from 24 on hold the node's kind, which no transition changes.
    static let kindShift: UInt32 = 24

    /// Sets `handlerEnded` if the flags of a settlement contain it. The code has no branch, because every settlement
    /// runs it: the flag's bit 1 becomes bit 23.
    @inline(__always)
    mutating func noteHandlerEnd(_ flags: EventFlags) {
        rawValue |= UInt32(flags.rawValue & EventFlags.handlerEnded.rawValue) << 22
    }

    func has(_ bit: UInt32) -> Bool { rawValue & bit != 0 }
    mutating func set(_ bit: UInt32) { rawValue |= bit }
    mutating func clear(_ bit: UInt32) { rawValue &= ~bit }

    /// Whether the promise is fulfilled or rejected; the outcome need not be delivered yet.
    var hasOutcome: Bool { rawValue & (Self.settling | Self.settled) != 0 }

    /// Settles a promise that has no outcome yet. If the promise is resolved already, only its machinery and
    /// cancellations settle it. False means that nothing changed.
    @inline(__always)
    mutating func settle(by settler: Settler, rejected: Bool, hasWaiters: Bool) -> Bool {
        if hasOutcome { return false }
        if has(Self.resolved), settler == .resolver || settler == .release { return false }
        set(Self.resolved | (hasWaiters ? Self.settling : Self.settled))
        if rejected { set(Self.rejected) }
        if settler == .cancellation { set(Self.cancelled) }
        return true
    }

    /// Marks the promise as resolved, because it is about to follow another promise. If it has an outcome, or if it is
    /// resolved already and `byHandler` is false, returns false and changes nothing. `byHandler` is true for the
    /// promise's own handler.
    mutating func follow(byHandler: Bool) -> Bool {
        if hasOutcome || (has(Self.resolved) && !byHandler) { return false }
        set(Self.resolved)
        return true
    }

    /// Returns what to do with a new waiter.
    @inline(__always)
    func register() -> Registration { has(Self.settled) ? .deliver : .wait }

    /// Marks the delivery as complete.
    mutating func finishSettling() {
        clear(Self.settling)
        set(Self.settled)
    }

    /// Claims the submission of the handler; false if another caller has claimed it.
    @inline(__always)
    mutating func queue() -> Bool {
        if has(Self.queued) { return false }
        set(Self.queued)
        return true
    }

    /// Claims the handler, to run or drop it; false if another caller has claimed it.
    @inline(__always)
    mutating func claimHandler() -> Bool {
        if has(Self.handlerClaimed) { return false }
        set(Self.handlerClaimed)
        return true
    }
}
