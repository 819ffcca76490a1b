import ChainEvents

/// The state of one promise as one word, and its transitions as pure functions: the storage takes the word's lock bit,
/// applies one transition, acts on what it returns after unlocking.
@usableFromInline
struct PromiseState: RawRepresentable, Equatable, Sendable {
    @usableFromInline var rawValue: UInt32

    @inlinable
    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Who wants to settle a promise; what each may do differs.
    enum Settler {
        /// The write side, once only, unless it has already resolved the promise (A+ 2.1.2, ES6 "already resolved").
        case resolver
        /// The promise's own machinery: its handler's end, what it follows, its members, its timer.
        case machinery
        /// Release of the write side.
        case release
        /// A cancellation: always, while there is no outcome.
        case cancellation
    }

    /// What the one who registers a waiter has to do.
    enum Registration: Equatable {
        /// Nothing: whoever settles or is settling the promise delivers.
        case wait
        /// Deliver at once: the promise is settled.
        case deliver
    }

    // Whether the word is locked: held for a few instructions, never while anything is called or released.
    static let locked: UInt32 = 1 << 0
    // The outcome is written; its waiters are being told, in order of registration.
    static let settling: UInt32 = 1 << 1
    // All waiters were told; a new one is told at once.
    static let settled: UInt32 = 1 << 2
    // The write side has been used: fulfilled, rejected, or following another promise.
    static let resolved: UInt32 = 1 << 3
    // The outcome is an error.
    static let rejected: UInt32 = 1 << 4
    // Settled by a cancellation.
    static let cancelled: UInt32 = 1 << 5
    // The handler has been handed to an executor.
    static let queued: UInt32 = 1 << 6
    // The handler has been taken out to be run or dropped.
    static let handlerTaken: UInt32 = 1 << 7
    // The node is recorded, and stands in the registry of live nodes.
    static let registered: UInt32 = 1 << 8
    // The error has gone on to somebody, whose it is now to handle.
    static let errorSeen: UInt32 = 1 << 9
    // A handler of the program ran with the error, here or before it was passed on to here.
    static let errorHandled: UInt32 = 1 << 15
    // A loser of a race: nothing waits for it any more, so its release is no defect.
    static let abandonSuppressed: UInt32 = 1 << 10
    // A consumer of it, however far down, no longer needs it: that one lost, or was cancelled.
    static let unneeded: UInt32 = 1 << 18
    // Some promise follows this one, so that following another may close a ring.
    static let followed: UInt32 = 1 << 11
    // The node has a handler for values; for errors other than a cancellation; for cancellations. They never change.
    @usableFromInline static let wantsValue: UInt32 = 1 << 12
    @usableFromInline static let wantsError: UInt32 = 1 << 13
    @usableFromInline static let wantsCancellation: UInt32 = 1 << 16
    @usableFromInline static let wantsAnyError = wantsError | wantsCancellation
    // The value in the slot has to be destroyed.
    static let ownsValue: UInt32 = 1 << 17
    // It goes on although all its consumers withdrew.
    static let detached: UInt32 = 1 << 14

    // The slot holds the parent; the link to a promise that this one follows.
    static let linked: UInt32 = 1 << 19
    static let following: UInt32 = 1 << 20
    // Somebody runs the handler, and owns the reference to the parent.
    static let running: UInt32 = 1 << 21
    // A recording left the node out (RecordingFilter); a node that is registered is recorded all the same.
    static let excluded: UInt32 = 1 << 22
    // The handler has returned while the node was recorded; by a settlement, or before it.
    static let handlerEnded: UInt32 = 1 << 23
    // From here on the word holds the node's kind, which no transition touches.
    static let kindShift: UInt32 = 24

    /// Notes that the handler has returned, where a settlement's flags say so. Without a branch: each settlement asks.
    @inline(__always)
    mutating func noteHandlerEnd(_ flags: EventFlags) {
        rawValue |= UInt32(flags.rawValue & EventFlags.handlerEnded.rawValue) << 22
    }

    func has(_ bit: UInt32) -> Bool { rawValue & bit != 0 }
    mutating func set(_ bit: UInt32) { rawValue |= bit }
    mutating func clear(_ bit: UInt32) { rawValue &= ~bit }

    /// Fulfilled or rejected, told to all or not.
    var hasOutcome: Bool { rawValue & (Self.settling | Self.settled) != 0 }

    /// Gives the promise its outcome unless it may not have one any more; false means that nothing changed.
    @inline(__always)
    mutating func settle(by settler: Settler, rejected: Bool, hasWaiters: Bool) -> Bool {
        if hasOutcome { return false }
        if has(Self.resolved), settler == .resolver || settler == .release { return false }
        set(Self.resolved | (hasWaiters ? Self.settling : Self.settled))
        if rejected { set(Self.rejected) }
        if settler == .cancellation { set(Self.cancelled) }
        return true
    }

    /// Reserves the promise for the one that it will follow; false if it is resolved already. `byHandler` says that its own
    /// handler asks, which may follow even though the promise has no write side.
    mutating func follow(byHandler: Bool) -> Bool {
        if hasOutcome || (has(Self.resolved) && !byHandler) { return false }
        set(Self.resolved)
        return true
    }

    /// Notes a new waiter.
    @inline(__always)
    func register() -> Registration { has(Self.settled) ? .deliver : .wait }

    /// Ends the telling of waiters.
    mutating func finishSettling() {
        clear(Self.settling)
        set(Self.settled)
    }

    /// Whether the caller is the one to hand the handler to an executor.
    @inline(__always)
    mutating func queue() -> Bool {
        if has(Self.queued) { return false }
        set(Self.queued)
        return true
    }

    /// Whether the caller is the one to run or drop the handler.
    @inline(__always)
    mutating func takeHandler() -> Bool {
        if has(Self.handlerTaken) { return false }
        set(Self.handlerTaken)
        return true
    }
}
