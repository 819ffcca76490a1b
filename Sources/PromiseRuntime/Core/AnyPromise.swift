import ChainEvents
import Synchronization

/// A promise of whatever type: what all promises have in common, and what the dashboard sees of one.
///
/// Every member may be used from any thread. There is one short lock in a promise, a bit of its state word: it is held
/// for a few instructions, never while anything is called, and never two at once (RUNTIME P5, S4).
public class AnyPromise: Waiter, @unchecked Sendable {
    // Sendable: all mutable fields are reached under the lock bit of `word`, but for those of the outcome, which are written
    // once under it, and read only after `settling` or `settled` was seen in the word with acquire ordering.
    // Held for a few instructions at a time; see PromiseState.
    let word: Atomic<UInt32>
    /// By which operation the promise was made.
    public final let kind: NodeKind
    /// The id of its node: never reused within the process.
    public final let id: NodeID
    /// Where in the source it was made.
    public final let callSite: CallSite
    @usableFromInline final let context: Context

    // Unchecked (each below): exclusive by the lock bit, or by being written before the outcome is published.
    @exclusivity(unchecked)
    private final var waiters = WaiterList()
    @exclusivity(unchecked)
    final var waitsFor: AnyPromise?
    @exclusivity(unchecked)
    final var follows: AnyPromise?
    @exclusivity(unchecked)
    @usableFromInline final var error: (any Error)?

    @usableFromInline
    init(
        kind: NodeKind, site: CallSite, context: Context, parent: AnyPromise? = nil, isExternal: Bool = false,
        wants: UInt32 = 0
    ) {
        self.kind = kind
        self.context = context
        callSite = site
        id = NodeIDs.next()
        word = Atomic(wants)
        waitsFor = parent
        super.init()
        if context.runtime.isRecording { reportCreated(parent: parent, isExternal: isExternal) }
    }

    deinit {
        let state = PromiseState(rawValue: word.load(ordering: .relaxed))
        if state.has(PromiseState.registered) { context.runtime.registry.remove(id) }
        // A loser's error concerns nobody: what it lost to has settled who waited.
        let answered = PromiseState.errorSeen | PromiseState.cancelled | PromiseState.quiet
        if state.rawValue & (PromiseState.rejected | answered) == PromiseState.rejected { reportUnhandled() }
        if context.runtime.isRecording { report(.released) }
        waiters.release()
    }

    // MARK: The lock bit

    /// Takes the lock bit; gives the state without it.
    func lock() -> PromiseState {
        var state = word.load(ordering: .relaxed) & ~PromiseState.locked
        var attempts = 0
        while true {
            let (exchanged, original) = word.weakCompareExchange(
                expected: state, desired: state | PromiseState.locked,
                successOrdering: .acquiring, failureOrdering: .relaxed)
            if exchanged { return PromiseState(rawValue: state) }
            if original & PromiseState.locked != 0 { Spin.pause(&attempts) }
            state = original & ~PromiseState.locked
        }
    }

    /// Stores the state and gives the lock bit back.
    func unlock(_ state: PromiseState) { word.store(state.rawValue, ordering: .releasing) }

    /// The state at this moment; what the outcome's bits announce may be read.
    var current: PromiseState { PromiseState(rawValue: word.load(ordering: .acquiring) & ~PromiseState.locked) }

    // MARK: Waiting

    /// Adds a waiter, or tells it at once where the promise is settled already.
    @usableFromInline
    final func register(_ waiter: Waiter) {
        let state = lock()
        let registration = state.register()
        let isChild = waiter.child != nil
        if registration == .wait || isChild { waiters.append(waiter) }
        unlock(state)
        if registration == .deliver {
            ThreadLoop.current.deliver { waiter.settled(self) }
        }
    }

    /// Tells the waiters, in order of registration, until there are none left; then the promise is settled.
    final func deliverOutcome() {
        var told: Unmanaged<Waiter>?
        while true {
            var state = lock()
            let following = told.map { $0._withUnsafeGuaranteedRef { $0.next } } ?? waiters.first
            guard let following else {
                state.finishSettling()
                let done = waiters.sweep()
                unlock(state)
                done.release()
                return
            }
            unlock(state)
            // The list keeps its entries while the promise is settling, so the reference holds.
            following._withUnsafeGuaranteedRef { $0.settled(self) }
            told = following
        }
    }

    /// Notes that one of the waiters is done before this promise is, or a child has settled after it.
    final func waiterIsDone() {
        let state = lock()
        var done = WaiterList()
        // While it is settling, the list belongs to the one who tells the waiters; he sweeps at the end.
        if !state.has(PromiseState.settling), waiters.noteDone() { done = waiters.sweep() }
        unlock(state)
        done.release()
    }

    /// Whether somebody who is not done wants the outcome of this promise.
    final var hasConsumers: Bool {
        let state = lock()
        var found = false
        waiters.forEach { found = found || ($0.isConsumer && !$0.isDone) }
        unlock(state)
        return found
    }

    /// The waiters that are not done, retained.
    final func liveWaiters() -> [Waiter] {
        let state = lock()
        var live: [Waiter] = []
        waiters.forEach { if !$0.isDone { live.append($0) } }
        unlock(state)
        return live
    }

    // MARK: Settling

    /// Gives the promise its outcome: `write` stores it, under the lock bit; false if it has one already.
    @usableFromInline
    final func settle(
        by settler: SettlerKind, rejected: Bool, ownsValue: Bool = false, flags: EventFlags = [], write: () -> Void
    ) -> Bool {
        var state = lock()
        guard state.settle(by: settler.settler, rejected: rejected, hasWaiters: !waiters.isEmpty) else {
            unlock(state)
            return false
        }
        write()
        if ownsValue { state.set(PromiseState.ownsValue) }
        let parent = waitsFor
        let followed = follows
        waitsFor = nil
        follows = nil
        unlock(state)
        if context.runtime.isRecording { reportSettled(state, flags: flags) }
        if state.has(PromiseState.settling) { ThreadLoop.current.deliver(self) }
        parent?.waiterIsDone()
        followed?.waiterIsDone()
        didSettle()
        return true
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
        settle(by: settler, rejected: true, flags: flags) { self.error = error }
    }

    /// Is rejected as `other` was: whose the error is to handle now.
    final func passError(of other: AnyPromise, flags: EventFlags) {
        if other.current.has(PromiseState.errorHandled) { markErrorSeen(handled: true) }
        other.markErrorSeen()
        _ = reject(other.error!, by: .machinery, flags: flags)
    }

    /// Takes the outcome of a promise of the same type that has one. Overridden where the type is known.
    func copyOutcome(of other: AnyPromise, flags: EventFlags) { fatalError("a promise without a type") }

    /// Told once, right after the outcome was published, with no lock held.
    func didSettle() {}

    /// Runs the node's handler, on its executor. Overridden by nodes that have one.
    func runHandler() {}

    /// Does one step of a link. Overridden by links.
    @usableFromInline
    func perform(_ step: HandlerStep) -> Bool { false }

    /// The value as text, where the recorder asks for values.
    var valueText: String? { nil }

    /// Whether there is a value that must be destroyed; for the deinit of the class that knows its type.
    @usableFromInline
    final var ownsValue: Bool { word.load(ordering: .relaxed) & PromiseState.ownsValue != 0 }

    // MARK: Being a waiter of another promise

    override final var child: AnyPromise? { self }
    override final var isDone: Bool { current.hasOutcome }
}

/// Waiting for a lock bit.
enum Spin {
    /// Spins at first, then gives the processor away: the holder needs a few instructions, unless it was descheduled.
    static func pause(_ attempts: inout Int) {
        attempts += 1
        if attempts > 40 { threadYield() }
    }
}
