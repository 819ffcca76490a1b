import ChainEvents
import Synchronization

/// A promise of whatever type: what all promises have in common, and what the dashboard sees of one.
///
/// Every member may be used from any thread. There is one short lock in a promise, a bit of its state word. It is held
/// for a bounded number of instructions: nothing is allocated, released or run meanwhile, no list is walked to its end,
/// and never are two held at once (<doc:TheRules>, P5, S4).
///
/// A pending promise of any value takes 56 bytes. So its facts share words: pointers have 48 bits at most on the
/// machines that we know, ids and the state leave room, and what it waits for gives way to its outcome in `slot`.
public class AnyPromise: _Waiter, @unchecked Sendable {
    // Sendable: all mutable fields are reached under the lock bit of `word`, but for the outcome in `slot`, which is
    // written once under it, and read only after `settling` or `settled` was seen in the word with acquire ordering.
    // See PromiseState. The highest eight bits are the kind, which never changes.
    let word: Atomic<UInt32>
    private let idLow: UInt32
    // The context, owned unless bit 0 is set; above, the id's higher 16 bits.
    private let contextAndID: UInt
    // The name of the file; above, the line.
    private let fileAndLine: UInt

    // Unchecked (both): exclusive by the lock bit, or by being written before the outcome is published.
    @exclusivity(unchecked)
    final var waiters = WaiterSlot()
    /// By the state: the parent (`linked`), a ``FollowLink`` (`following`), the error (`rejected`), or the value in the
    /// form of ``ValueWord``. Owned.
    @exclusivity(unchecked)
    @usableFromInline final var slot: UInt = 0

    @usableFromInline
    init(
        kind: NodeKind, site: CallSite, contextWord: UInt, parent: __shared AnyPromise? = nil,
        isExternal: Bool = false, wants: UInt32 = 0
    ) {
        let id = NodeIDs.next().rawValue
        idLow = UInt32(truncatingIfNeeded: id)
        contextAndID = contextWord | UInt(truncatingIfNeeded: id >> 32) << 48
        fileAndLine = UInt(bitPattern: site.file) | UInt(min(site.line, 0xFFFF)) << 48
        var bits = wants | UInt32(kind.rawValue) << PromiseState.kindShift
        if let parent {
            slot = UInt(bitPattern: Unmanaged.passUnretained(parent).retain().toOpaque())
            bits |= PromiseState.linked
        }
        word = Atomic(bits)
        let isRecording = Context.unretained(contextWord)._withUnsafeGuaranteedRef { $0.isRecording }
        super.init()
        if isRecording { reportCreated(parent: parent, isExternal: isExternal) }
    }

    deinit {
        let state = PromiseState(rawValue: word.load(ordering: .relaxed))
        if state.has(PromiseState.registered) {
            contextReference._withUnsafeGuaranteedRef { $0.withRuntime { $0.registry.remove(id) } }
        }
        // A loser's error concerns nobody: what it lost to has settled who waited.
        let answered = PromiseState.errorSeen | PromiseState.cancelled | PromiseState.abandonSuppressed
        if state.rawValue & (PromiseState.rejected | answered) == PromiseState.rejected { reportUnhandled(state) }
        if state.has(PromiseState.registered) { report(.released) }
        waiters.release()
        if state.has(PromiseState.rejected) {
            ValueWord.destroy(slot, as: (any Error).self)
        } else if state.has(PromiseState.linked | PromiseState.following) {
            Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(bitPattern: slot)!).release()
        }
        Context.freeStorage(contextAndID)
    }

    // MARK: Facts

    /// By which operation the promise was made.
    public final var kind: NodeKind {
        NodeKind(rawValue: UInt8(truncatingIfNeeded: word.load(ordering: .relaxed) >> PromiseState.kindShift))!
    }

    /// The id of its node: never reused within the process, which has 2⁴⁸ of them.
    public final var id: NodeID { NodeID(rawValue: UInt64(idLow) | UInt64(contextAndID >> 48) << 32) }

    /// Where in the source it was made; a line beyond 65,535 is told as that.
    public final var callSite: CallSite {
        CallSite(
            file: UnsafePointer(bitPattern: fileAndLine & 0xFFFF_FFFF_FFFF), line: UInt32(fileAndLine >> 48))
    }

    /// Unretained: it lives as long as the promise.
    @usableFromInline final var contextReference: Unmanaged<Context> { Context.unretained(contextAndID) }

    @usableFromInline final var context: Context { contextReference.takeUnretainedValue() }

    /// Whether its steps are reported. With nobody recording, the first half is all that the hooks cost.
    @inline(__always)
    final var isRecording: Bool {
        isRecordingAround && isRecorded
    }

    /// Whether somebody records, be it this node or not.
    @inline(__always)
    final var isRecordingAround: Bool { contextReference._withUnsafeGuaranteedRef { $0.isRecording } }

    /// The call site in one word, for comparisons.
    final var siteKey: UInt { fileAndLine }

    // MARK: The lock bit

    /// Takes the lock bit; returns the state without it.
    @inline(__always)
    final func lock() -> PromiseState {
        let state = word.load(ordering: .relaxed) & ~PromiseState.locked
        let (exchanged, original) = word.compareExchange(
            expected: state, desired: state | PromiseState.locked,
            successOrdering: .acquiring, failureOrdering: .relaxed)
        return exchanged ? PromiseState(rawValue: state) : lockContended(original)
    }

    @inline(never)
    private final func lockContended(_ seen: UInt32) -> PromiseState {
        var seen = seen
        var attempts = 0
        while true {
            if seen & PromiseState.locked != 0 { Spin.pause(&attempts) }
            let state = seen & ~PromiseState.locked
            let (exchanged, original) = word.weakCompareExchange(
                expected: state, desired: state | PromiseState.locked,
                successOrdering: .acquiring, failureOrdering: .relaxed)
            if exchanged { return PromiseState(rawValue: state) }
            seen = original
        }
    }

    /// Stores the state and releases the lock bit.
    @inline(__always)
    final func unlock(_ state: PromiseState) { word.store(state.rawValue, ordering: .releasing) }

    /// The state at this moment; what the outcome's bits announce may be read.
    final var current: PromiseState { PromiseState(rawValue: word.load(ordering: .acquiring) & ~PromiseState.locked) }

    // MARK: What it waits for

    /// What the promise waits for, retained: its parent, and the promise that it follows.
    final var waitsFor: (parent: AnyPromise?, followed: AnyPromise?) {
        let state = lock()
        let found = waitsFor(in: state)
        unlock(state)
        return found
    }

    /// The same, for a caller that holds the lock bit.
    final func waitsFor(in state: PromiseState) -> (parent: AnyPromise?, followed: AnyPromise?) {
        guard let pointer = UnsafeRawPointer(bitPattern: slot) else { return (nil, nil) }
        if state.has(PromiseState.linked) {
            return (Unmanaged<AnyPromise>.fromOpaque(pointer).takeUnretainedValue(), nil)
        }
        guard state.has(PromiseState.following) else { return (nil, nil) }
        return Unmanaged<FollowLink>.fromOpaque(pointer)._withUnsafeGuaranteedRef { ($0.parent, $0.followed) }
    }

    // MARK: Settling

    /// Gives the promise its outcome, which it then owns; false, and nothing is taken, if it has one already.
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
        if isRecordingAround { reportSettled(state, flags: flags) }
        completeSettling(state, before: before, slot: old)
        return true
    }

    /// Rejects a pending promise with a cancellation; nil if it has an outcome already. Gives what it waited for. The state
    /// changes at once: code that sees ``isCancelled`` finds the promise rejected.
    final func settleCancelled(
        _ cancellation: PromiseCancelled, origin: NodeID
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
        if isRecordingAround { reportCancelled(state, cancellation, origin: origin) }
        completeSettling(state, before: before, slot: old)
        return sources
    }

    /// Delivers an outcome that was just published, and ends the wait for what the promise waited for.
    @inline(__always)
    private final func completeSettling(_ state: PromiseState, before: PromiseState, slot old: UInt) {
        if state.has(PromiseState.settling) { deliverSoon() }
        // The call that runs the handler holds the parent, and releases it after that.
        if before.rawValue & (PromiseState.linked | PromiseState.following) != 0,
            !before.has(PromiseState.running) || before.has(PromiseState.following)
        {
            endWait(old, in: before)
        }
        didSettle()
    }

    @inline(never)
    private final func deliverSoon() { ThreadLoop.unretained._withUnsafeGuaranteedRef { $0.deliver(self) } }

    /// Ends the wait for what a promise waited for, by its former slot and state.
    @inline(never)
    private final func endWait(_ slot: UInt, in state: PromiseState) {
        let pointer = UnsafeRawPointer(bitPattern: slot)!
        if state.has(PromiseState.linked) {
            unlink(from: Unmanaged.fromOpaque(pointer))
        } else {
            let link = Unmanaged<FollowLink>.fromOpaque(pointer).takeRetainedValue()
            link.parent?.waiterIsDone()
            link.followed.waiterIsDone()
        }
    }

    /// Removes this child from its parent's waiters, and gives up the reference to the parent.
    @inline(__always)
    final func unlink(from parent: Unmanaged<AnyPromise>) {
        parent._withUnsafeGuaranteedRef { $0.waiterIsDone(Unmanaged.passUnretained(self)) }
        parent.release()
    }

    /// Who settles, as inlinable code of other modules names it.
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

    /// Rejects; false if there is an outcome already.
    @usableFromInline
    final func reject(_ error: any Error, by settler: SettlerKind, flags: EventFlags = []) -> Bool {
        let outcome = ValueWord.encode(error, as: (any Error).self)
        if settle(by: settler, rejected: true, outcome: outcome, flags: flags) { return true }
        ValueWord.destroy(outcome, as: (any Error).self)
        return false
    }

    /// The error of a promise that is rejected.
    @usableFromInline
    final var error: (any Error)? {
        current.has(PromiseState.rejected) ? ValueWord.load(slot, as: (any Error).self) : nil
    }

    /// Is rejected as `other` was: whose the error is to handle now.
    final func passError(of other: AnyPromise, flags: EventFlags) {
        if other.current.has(PromiseState.errorHandled) { markErrorSeen(handled: true) }
        other.markErrorSeen()
        _ = reject(other.error!, by: .machinery, flags: flags)
    }

    /// Takes the outcome of a promise of the same type that has one. Overridden where the type is known.
    func copyOutcome(of other: AnyPromise, flags: EventFlags) { fatalError("a promise without a type") }

    /// Called once, right after the outcome was published, with no lock held.
    func didSettle() {}

    /// The promises that settle this one, beside its parent and the one that it follows. Overridden by combinators.
    var pendingMembers: [AnyPromise] { [] }

    override final func discard() { abandonUnlessSettled() }

    /// Does one step of a link. Overridden by links.
    @usableFromInline
    func perform(_ step: HandlerStep) -> Bool { false }

    /// The value as text, where the recorder asks for values.
    var valueText: String? { nil }

    /// What it is fulfilled with. Overridden where the type is known.
    var valueType: Any.Type { Never.self }

    /// Whether there is a value that must be destroyed; for the deinit of the class that knows its type.
    @usableFromInline
    final var ownsValue: Bool { word.load(ordering: .relaxed) & PromiseState.ownsValue != 0 }

    // MARK: Being a waiter of another promise

    override var child: AnyPromise? { self }
    override var isChild: Bool { true }
    override final var isDone: Bool { current.hasOutcome }
}

/// Waiting for a lock bit.
enum Spin {
    /// Spins at first, then yields the processor, then sleeps: 20 µs, and twice as long each time up to 1 ms. The holder
    /// needs a few instructions unless it was descheduled; a yield alone never lets a holder of lower priority run.
    static func pause(_ attempts: inout Int) {
        attempts += 1
        if attempts > 60 {
            threadSleep(nanoseconds: min(1_000_000, 20_000 << min(attempts - 61, 6)))
        } else if attempts > 40 {
            threadYield()
        }
    }
}
