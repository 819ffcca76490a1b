import ChainEvents

/// What a handler of ``Promise/then(label:on:file:line:_:onRejected:)`` may return: a promise, or something that becomes one.
public protocol Thenable<Value>: Sendable {
    /// What the promise is fulfilled with.
    associatedtype Value: Sendable

    /// The promise that settles as this does.
    func asPromise() -> Promise<Value>
}

/// A value that will be there later, or an error: the read side (Promises/A+ 1.1, <doc:TheRules>, P1).
///
/// A promise is pending until it is fulfilled with a value or rejected with an error, once and for good. Handlers that
/// are attached to it run always later, at most once, on their executor, in the order in which they were attached.
///
///     let size = Promise { try parse(data) }
///         .map { $0.count }
///         .catch { _ in 0 }
///
/// Every operation makes a new promise, the child of the one that it is called on, takes an optional `label` for the
/// dashboard, `on:` for the executor of its own handler, and its call site by itself. All may be called from any thread.
public class Promise<Value: Sendable>: AnyPromise, Thenable, @unchecked Sendable {
    // Sendable: as AnyPromise is; the value is written once, before the outcome is published.
    /// `contextWord` is a context's ``_PromiseContext/reference()``, which the promise then owns.
    @inlinable
    override init(
        kind: NodeKind, site: CallSite, contextWord: UInt, parent: __shared AnyPromise? = nil,
        isExternal: Bool = false, wants: UInt32 = 0
    ) {
        super.init(
            kind: kind, site: site, contextWord: contextWord, parent: parent, isExternal: isExternal, wants: wants)
    }

    @inlinable
    init(
        kind: NodeKind, site: CallSite, context: __shared Context, parent: __shared AnyPromise? = nil,
        isExternal: Bool = false
    ) {
        super.init(
            kind: kind, site: site, contextWord: context.reference(), parent: parent, isExternal: isExternal)
    }

    deinit {
        if ownsValue { destroyValue() }
    }

    // Apart, so that who owns nothing looks up no type.
    @inline(never)
    private final func destroyValue() { ValueWord.destroy(slot, as: Value.self) }

    /// The value of a promise that is fulfilled.
    @inlinable
    final var stored: Value { ValueWord.load(slot, as: Value.self) }

    /// The promise itself.
    @inlinable
    public final func asPromise() -> Promise<Value> { self }

    /// Fulfils; false if there is an outcome already.
    @inlinable
    final func fulfill(_ value: Value, by settler: SettlerKind, flags: EventFlags = []) -> Bool {
        let outcome = ValueWord.encode(value, as: Value.self)
        let isOurs = settle(
            by: settler, rejected: false, outcome: outcome, ownsValue: !ValueWord.needsNoDestroy(Value.self),
            flags: flags)
        if !isOurs { ValueWord.destroy(outcome, as: Value.self) }
        return isOurs
    }

    override final func copyOutcome(of other: AnyPromise, flags: EventFlags) {
        let state = other.current
        if state.has(PromiseState.rejected) {
            passError(of: other, flags: flags)
        } else if !state.has(PromiseState.ownsValue) {
            // Bits that own nothing are passed on without looking at their type.
            _ = settle(by: .machinery, rejected: false, outcome: other.slot, flags: flags)
        } else {
            _ = fulfill(unsafeDowncast(other, to: Promise<Value>.self).stored, by: .machinery, flags: flags)
        }
    }

    override final var valueText: String? { Value.self == Void.self ? nil : "\(stored)" }

    override final var valueType: Any.Type { Value.self }

    /// The outcome, or nil while the promise is pending. Costs one load.
    public final var result: Result<Value, any Error>? {
        guard current.hasOutcome else { return nil }
        if let error { return .failure(error) }
        return .success(stored)
    }

    /// Where the promise stands (Promises/A+ 2.1).
    public enum State: Sendable {
        /// No outcome yet.
        case pending
        /// With this value, for good.
        case fulfilled(Value)
        /// With this error, for good.
        case rejected(any Error)
    }

    /// Where the promise stands at this moment: pending may be over as soon as it is read. Costs one load.
    public final var state: State {
        switch result {
        case nil: .pending
        case .success(let value): .fulfilled(value)
        case .failure(let error): .rejected(error)
        }
    }

    /// Waits, without blocking a thread, for the value; throws the error of a rejection.
    ///
    /// Cancelling the task that waits ends the wait with `CancellationError`, and this promise is cancelled if it has
    /// no other consumer (<doc:TheRules>, X2): use ``detached()`` for work that is to go on. Cost: one object, and the
    /// switch of tasks.
    public final var value: Value {
        get async throws {
            let waiter = TaskWaiter<Value>(self)
            return try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { waiter.start($0) }
            } onCancel: {
                waiter.cancel()
            }
        }
    }

    /// Exempts this promise from cancellation by lack of consumers (<doc:TheRules>, X2): it goes on although every
    /// consumer that it had was cancelled or timed out. An explicit ``AnyPromise/cancel(_:by:)`` still cancels it.
    /// Returns the promise itself.
    @discardableResult
    public final func detached() -> Promise<Value> {
        var state = lock()
        state.set(PromiseState.detached)
        unlock(state)
        return self
    }
}

extension AnyPromise {
    /// Whether there is an outcome. Costs one load.
    public final var isSettled: Bool { current.hasOutcome }

    /// What the dashboard calls it, where a label was given.
    public final var label: String? { context.label }

    /// The promise that this one's operation was called on, while that one is pending; nil for a root (<doc:TheRules>,
    /// P8; RXPromise, but that a settled parent is let go of). Costs one short lock; may change at any moment.
    public final var parent: AnyPromise? {
        waitsFor.parent.flatMap { $0.isSettled ? nil : $0 }
    }

    /// The first of the pending promises that this one waits for through its parents; nil for a root. O(n)
    /// in the links up to there.
    public final var root: AnyPromise? {
        var root: AnyPromise?
        while let next = (root ?? self).parent { root = next }
        return root
    }

    /// The runtime that it belongs to.
    public final var runtime: Runtime { context.runtime }

    /// What a late comer to the dashboard is told of it; sites, threads and times are the recorder's to add.
    public final func snapshot() -> NodeSnapshot {
        var node = NodeSnapshot(id: id, kind: kind)
        let state = lock()
        let (parent, followed) = waitsFor(in: state)
        unlock(state)
        node.parent = parent?.id ?? .none
        node.adopted = followed?.id ?? .none
        node.label = context.label
        node.executor = context.executor.identity.id
        node.cancelRequested = state.has(PromiseState.cancelled)
        if state.has(PromiseState.handlerEnded) { node.flags.insert(.handlerEnded) }
        if !state.hasOutcome {
            node.settlement = .pending
        } else if !state.has(PromiseState.rejected) {
            node.settlement = .fulfilled
        } else if error is PromiseCancelled {
            node.settlement = .cancelled
        } else {
            node.settlement = error is PromiseAbandoned ? .abandoned : .rejected
        }
        return node
    }
}
