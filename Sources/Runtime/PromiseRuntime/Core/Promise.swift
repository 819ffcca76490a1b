// SPDX-License-Identifier: MIT

import ChainEvents

/// A promise, or a type that converts to one: the result of a handler of
/// ``Promise/then(label:on:file:line:_:onRejected:)``.
public protocol Thenable<Value>: Sendable {
    /// The type of the value.
    associatedtype Value: Sendable

    /// Returns the promise that settles as this value does.
    func asPromise() -> Promise<Value>
}

/// A future value or error: the read side (Promises/A+ 1.1, <doc:TheRules>, P1).
///
/// A promise is pending until it is fulfilled with a value or rejected with an error, once and for good. Handlers run
/// later, at most once, on their executor; on a serial executor, in the order in which they were attached. Only a
/// handler on the inline executor may run before the call that attaches it returns (<doc:TheRules>, P4).
///
///     let size = Promise { try parse(data) }
///         .map { $0.count }
///         .catch { _ in 0 }
///
/// Every operation makes a new promise, the child of the promise that it is called on. It takes an optional `label` for
/// the dashboard and, if it has a handler, `on:` for the handler's executor; the call site is captured. All operations
/// may be called from any thread.
public class Promise<Value: Sendable>: AnyPromise, Thenable, @unchecked Sendable {
    // Sendable: as AnyPromise is; the value is written once, before the outcome is published.

    /// Makes a pending promise. `contextWord` is a ``_PromiseContext/reference()``, which the promise then owns.
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

    // Not inlined, so that the deinit of a promise that owns nothing looks up no type metadata.
    @inline(never)
    private final func destroyValue() { ValueWord.destroy(slot, as: Value.self) }

    /// The value of a fulfilled promise.
    @inlinable
    final var stored: Value { ValueWord.load(slot, as: Value.self) }

    /// Returns the promise itself.
    @inlinable
    public final func asPromise() -> Promise<Value> { self }

    /// Fulfils the promise; false if `settler` can no longer settle it.
    @inlinable
    final func fulfill(_ value: Value, by settler: SettlerKind, flags: EventFlags = []) -> Bool {
        let outcome = ValueWord.encode(value, as: Value.self)
        let isFirst = settle(
            by: settler, rejected: false, outcome: outcome, ownsValue: !ValueWord.needsNoDestroy(Value.self),
            flags: flags)
        if !isFirst { ValueWord.destroy(outcome, as: Value.self) }
        return isFirst
    }

    override final func copyOutcome(of other: AnyPromise, flags: EventFlags) {
        let state = other.current
        if state.has(PromiseState.rejected) {
            passError(of: other, flags: flags)
        } else if !state.has(PromiseState.ownsValue) {
            // The bits are copied without their type, because they own nothing.
            _ = settle(by: .machinery, rejected: false, outcome: other.slot, flags: flags)
        } else {
            _ = fulfill(unsafeDowncast(other, to: Promise<Value>.self).stored, by: .machinery, flags: flags)
        }
    }

    override final var valueText: String? { Value.self == Void.self ? nil : "\(stored)" }

    override final var valueType: Any.Type { Value.self }

    /// The outcome, or nil while the promise is pending. Takes no lock.
    public final var result: Result<Value, any Error>? {
        guard current.hasOutcome else { return nil }
        if let error { return .failure(error) }
        return .success(stored)
    }

    /// The state of a promise (Promises/A+ 2.1).
    public enum State: Sendable {
        /// Not settled yet.
        case pending
        /// Fulfilled with this value, for good.
        case fulfilled(Value)
        /// Rejected with this error, for good.
        case rejected(any Error)
    }

    /// The state at this moment; a pending promise may settle right after the read. Takes no lock.
    public final var state: State {
        switch result {
        case nil: .pending
        case .success(let value): .fulfilled(value)
        case .failure(let error): .rejected(error)
        }
    }

    /// The value, awaited without blocking a thread; throws the error of a rejection.
    ///
    /// Cancelling the awaiting task ends the wait with `CancellationError`, and cancels this promise if it has no other
    /// consumer (<doc:TheRules>, X2): use ``detached()`` for work that is to go on. Cost: one object and a task switch.
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

    /// Exempts this promise from cancellation by lack of consumers, and returns it (<doc:TheRules>, X2). It goes on
    /// even if every consumer was cancelled or timed out; an explicit ``AnyPromise/cancel(_:by:)`` still cancels it.
    @discardableResult
    public final func detached() -> Promise<Value> {
        var state = lock()
        state.set(PromiseState.detached)
        unlock(state)
        return self
    }
}

extension AnyPromise {
    /// Whether the promise has an outcome. Costs one load.
    public final var isSettled: Bool { current.hasOutcome }

    /// The label, if one was given.
    public final var label: String? { asSpan?.renamed.text ?? context.label }

    /// The promise on which the operation of this promise was called, as long as both are pending; nil for a root
    /// (<doc:TheRules>, P8; as in RXPromise, but a settled parent is released). Costs one short lock; may change at any
    /// moment.
    public final var parent: AnyPromise? {
        waitsFor.parent.flatMap { $0.isSettled ? nil : $0 }
    }

    /// The topmost pending ancestor; nil if ``parent`` is nil. O(n) in the links up to that ancestor.
    public final var root: AnyPromise? {
        var root: AnyPromise?
        while let next = (root ?? self).parent { root = next }
        return root
    }

    /// The runtime of the promise.
    public final var runtime: ChainRuntime { context.runtime }

    /// Returns a snapshot of the node, for viewers that subscribe late. The recorder adds the site, threads and times.
    public final func snapshot() -> NodeSnapshot {
        var node = NodeSnapshot(id: id, kind: kind)
        let state = lock()
        let (parent, followed) = waitsFor(in: state)
        unlock(state)
        node.parent = parent?.id ?? .none
        node.adopted = followed?.id ?? .none
        let renamed = asSpan?.renamed
        node.label = renamed?.text ?? context.label
        node.renameCount = renamed?.count ?? 0
        node.remoteParent = asSpan?.remoteParent
        node.executor = context.executor.identity.id
        node.cancelRequested = state.has(PromiseState.cancelled)
        if state.has(PromiseState.handlerEnded) { node.flags.insert(.handlerEnded) }
        if !state.hasOutcome {
            node.settlement = .pending
        } else if !state.has(PromiseState.rejected) {
            node.settlement = .fulfilled
        } else if error is PromiseCancelledError {
            node.settlement = .cancelled
        } else {
            node.settlement = error is PromiseAbandonedError ? .abandoned : .rejected
        }
        return node
    }
}
