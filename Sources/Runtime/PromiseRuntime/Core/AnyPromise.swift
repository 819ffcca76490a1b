// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import Synchronization

/// A promise of any type: what all promises have in common, and what the dashboard shows of a promise.
///
/// Every member may be used from any thread. A promise has one short lock, a bit of its state word. It is held for a
/// bounded number of instructions: nothing is allocated, released or called under the lock, and no list is walked to
/// its end. No thread holds two of these locks at the same time (<doc:TheRules>, P5, S4).
///
/// A pending promise of any value fits in 56 bytes, because its facts share words. Pointers have at most 48 bits on the
/// supported machines, ids and the state leave bits free, and the outcome replaces the parent in `slot`.
public class AnyPromise: _Waiter, @unchecked Sendable {
    // Sendable: all mutable fields are accessed under the lock bit of `word`. The exception is the outcome in `slot`:
    // it is written once under the lock, and read only after `settling` or `settled` was loaded with acquire ordering.
    // The highest eight bits of `word` are the kind, which never changes. See PromiseState.
    let word: Atomic<UInt32>
    private let idLow: UInt32
    // The context, owned unless bit 0 is set; in the high 16 bits, the upper 16 bits of the id.
    private let contextAndID: UInt
    // The address of the file name; in the high 16 bits, the line.
    private let fileAndLine: UInt

    // Unchecked, as is `slot`: the lock bit makes accesses exclusive, or the write precedes the publication of the
    // outcome.
    @exclusivity(unchecked)
    final var waiters = WaiterSlot()
    /// The content depends on the state: the parent (`linked`), a ``FollowWaiter`` (`following`), the error
    /// (`rejected`), or the value in the form of ``ValueWord``; 0 for a pending promise without a parent. The slot owns
    /// its content.
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
        fileAndLine = UInt(bitPattern: site.filePointer) | UInt(min(site.line, 0xFFFF)) << 48
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
        // The error of a loser is not reported, because its combinator was settled by another member.
        let exempt = PromiseState.errorSeen | PromiseState.cancelled | PromiseState.loser
        if state.rawValue & (PromiseState.rejected | exempt) == PromiseState.rejected { reportUnhandled(state) }
        if state.has(PromiseState.registered) { report(.released) }
        waiters.release()
        if state.has(PromiseState.rejected) {
            ValueWord.destroy(slot, as: (any Error).self)
        } else if state.has(PromiseState.linked | PromiseState.following) {
            Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(bitPattern: slot)!).release()
        }
        Context.releaseOwned(contextAndID)
    }

    // MARK: Facts

    /// The operation that made the promise.
    public final var kind: NodeKind {
        NodeKind(rawValue: UInt8(truncatingIfNeeded: word.load(ordering: .relaxed) >> PromiseState.kindShift))!
    }

    /// The id of the node. Ids are never reused within the process, which has 2⁴⁸ of them.
    public final var id: NodeID { NodeID(rawValue: UInt64(idLow) | UInt64(contextAndID >> 48) << 32) }

    /// Where in the source the promise was made. A line beyond 65,535 is reported as 65,535.
    public final var callSite: CallSite {
        CallSite(
            filePointer: UnsafePointer(bitPattern: fileAndLine & 0xFFFF_FFFF_FFFF), line: UInt32(fileAndLine >> 48))
    }

    /// The context, unretained: it lives as long as the promise.
    @usableFromInline final var contextReference: Unmanaged<Context> { Context.unretained(contextAndID) }

    @usableFromInline final var context: Context { contextReference.takeUnretainedValue() }

    /// Whether the steps of this promise are reported. While nothing records, `isRuntimeRecording` is the whole cost of
    /// the hooks.
    @inline(__always)
    final var isRecording: Bool {
        isRuntimeRecording && isRecorded
    }

    /// Whether the promise's runtime is recorded, even if the filter excludes this promise.
    @inline(__always)
    final var isRuntimeRecording: Bool { contextReference._withUnsafeGuaranteedRef { $0.isRecording } }

    /// The call site in one word, for comparisons.
    final var siteKey: UInt { fileAndLine }

    // MARK: The lock bit

    /// Takes the lock bit; returns the state without that bit.
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
    final func unlock(_ state: PromiseState) {
        chain_retain_barrier()
        word.store(state.rawValue, ordering: .releasing)
    }

    /// The state at this moment. If the promise has an outcome, `slot` may be read without the lock bit.
    final var current: PromiseState { PromiseState(rawValue: word.load(ordering: .acquiring) & ~PromiseState.locked) }

    // MARK: What it waits for

    /// The parent and the promise that this one follows, both retained; nil once this promise has an outcome.
    final var waitsFor: (parent: AnyPromise?, followed: AnyPromise?) {
        let state = lock()
        let found = waitsFor(in: state)
        unlock(state)
        return found
    }

    /// Returns what the property `waitsFor` returns, for a caller that holds the lock bit.
    final func waitsFor(in state: PromiseState) -> (parent: AnyPromise?, followed: AnyPromise?) {
        guard let pointer = UnsafeRawPointer(bitPattern: slot) else { return (nil, nil) }
        if state.has(PromiseState.linked) {
            return (Unmanaged<AnyPromise>.fromOpaque(pointer).takeUnretainedValue(), nil)
        }
        guard state.has(PromiseState.following) else { return (nil, nil) }
        return Unmanaged<FollowWaiter>.fromOpaque(pointer)._withUnsafeGuaranteedRef { ($0.parent, $0.followed) }
    }

    // MARK: For subclasses

    /// Settles this promise with the outcome of `other`, a settled promise of the same type. Overridden where the type
    /// is known.
    func copyOutcome(of other: AnyPromise, flags: EventFlags) { fatalError("a promise without a type") }

    /// Reacts to the settlement: called once, right after the outcome was published, with no lock held.
    func didSettle() {}

    /// The members that settle this promise, besides its parent and the promise that it follows. Overridden by
    /// combinators.
    var pendingMembers: [AnyPromise] { [] }

    override final func discard() { abandonUnlessSettled(isJobDropped: true) }

    /// Performs one step of a link; true if the settlement reported the handler's end. Overridden by links.
    @usableFromInline
    func perform(_ step: HandlerStep) -> Bool { false }

    /// The value as text, for recorders that capture values.
    var valueText: String? { nil }

    /// The type of the value. Overridden where the type is known.
    var valueType: Any.Type { Never.self }

    /// Whether the slot owns a value. Read by the deinit of ``Promise``, which knows the type of the value.
    @usableFromInline
    final var ownsValue: Bool { word.load(ordering: .relaxed) & PromiseState.ownsValue != 0 }

    // MARK: Being a waiter of another promise

    override var child: AnyPromise? { self }
    override var isChild: Bool { true }
    override final var isDone: Bool { current.hasOutcome }
}

/// The wait of a spin lock.
enum Spin {
    /// Waits before the next attempt: spins at first, yields later, and in the end sleeps, for 20 µs at first and 1 ms
    /// at most. The holder of the lock needs a few instructions unless it was descheduled. With yielding alone, a
    /// holder of lower priority might never run.
    static func pause(_ attempts: inout Int) {
        attempts += 1
        if attempts > 60 {
            SystemThread.sleep(nanoseconds: min(1_000_000, 20_000 << min(attempts - 61, 6)))
        } else if attempts > 40 {
            SystemThread.yield()
        }
    }
}
