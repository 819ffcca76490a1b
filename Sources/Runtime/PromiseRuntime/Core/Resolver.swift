// SPDX-License-Identifier: MIT

import ChainEvents

/// The write side of a promise: settles it, once. If the resolver is released while the promise is neither settled nor
/// resolved, the promise is rejected with ``PromiseAbandonedError`` (<doc:TheRules>, S2). Otherwise the promise would
/// stay pending for ever. If no consumer needs the promise any more, it is rejected with ``PromiseCancelledError``
/// instead.
///
/// All members may be called from any thread, any number of times: the first call that settles or resolves counts. Cost
/// of settling: delivery to the waiters, which with the inline executor includes running their handlers.
public final class Resolver<Value: Sendable>: Sendable {
    /// The promise that this resolver settles.
    public let promise: Promise<Value>

    @inlinable
    init(_ promise: Promise<Value>) { self.promise = promise }

    deinit { promise.abandonUnlessSettled(isJobDropped: false) }

    /// Fulfils the promise. If it is resolved already, at most an event is recorded (A+ 2.1.2).
    @inlinable
    public func fulfill(_ value: Value) {
        if !promise.fulfill(value, by: .resolver) { promise.reportSettledAgain() }
    }

    /// Rejects the promise. If it is resolved already, at most an event is recorded (A+ 2.1.3).
    @inlinable
    public func reject(_ error: any Error) {
        if !promise.reject(error, by: .resolver) { promise.reportSettledAgain() }
    }

    /// Makes the promise follow another promise (A+ 2.3.2). If the promise is resolved already, at most an event is
    /// recorded: if `other` is a chain, it is not launched.
    ///
    /// Until `other` is settled the promise stays pending, unless it is cancelled. Cancelling the promise cancels
    /// `other`, too, unless `other` has another consumer (<doc:TheRules>, X2). A promise that would wait for itself is
    /// rejected with ``PromiseCycleError`` (A+ 2.3.1).
    public func resolve(_ other: some Thenable<Value>) {
        // Checked first, because `asPromise()` of a chain launches the chain.
        if promise.current.has(PromiseState.resolved), other is any ColdThenable { return promise.reportSettledAgain() }
        if !promise.follow(other.asPromise(), byHandler: false) { promise.reportSettledAgain() }
    }

    /// Settles the promise with a result. If it is resolved already, at most an event is recorded.
    @inlinable
    public func settle(_ result: Result<Value, any Error>) {
        switch result {
        case .success(let value): fulfill(value)
        case .failure(let error): reject(error)
        }
    }

    /// Whether the promise was cancelled, so the work may stop (<doc:TheRules>, X4). True at once, also while the
    /// cancellation is being delivered. Costs one load.
    public var isCancelled: Bool { promise.isCancelled }

    /// Calls `action` once, on the promise's executor, if a cancellation settles the promise, before this call or after
    /// it (<doc:TheRules>, X4).
    ///
    /// On a serial executor several actions run in the order of the calls. Promises made in an action inherit the
    /// runtime of this promise. If the promise settles otherwise, the actions are released without being called. An
    /// action that captures the resolver keeps itself and the resolver alive until the promise is settled.
    public func onCancel(_ action: @escaping @Sendable () -> Void) {
        promise.register(CancelWaiter(promise.context.executor, action))
    }
}

/// A waiter that runs an action when the promise is cancelled, and drops the action when the promise settles otherwise.
final class CancelWaiter: OneShotWaiter, @unchecked Sendable {
    // Sendable: `action` is accessed by `settledOnce` and by deinit alone.
    private let executor: any PromiseExecutor
    private var action: (@Sendable () -> Void)?

    init(_ executor: any PromiseExecutor, _ action: @escaping @Sendable () -> Void) {
        self.executor = executor
        self.action = action
    }

    override func settledOnce(_ promise: AnyPromise) {
        guard let action = action.take(), promise.current.has(PromiseState.cancelled) else { return }
        let runtime = promise.runtime
        executor.execute { runtime.run(action) }
    }

    override var isConsumer: Bool { false }
}

extension AnyPromise {
    /// Abandons the promise unless it is settled or resolved. If `isJobDropped` is true, an executor dropped its job;
    /// otherwise its resolver was released.
    @inline(__always)
    final func abandonUnlessSettled(isJobDropped: Bool) {
        if current.rawValue & (PromiseState.settling | PromiseState.settled | PromiseState.resolved) == 0 {
            abandon(isJobDropped)
        }
    }

    /// Rejects a pending promise that can no longer be settled. If the promise is needed (``isNeeded``), it is rejected
    /// as abandoned, and reported. Otherwise it is rejected as cancelled.
    @inline(never)
    private final func abandon(_ isJobDropped: Bool) {
        if !isNeeded {
            // The promise is not reported as abandoned, because its last consumer has withdrawn.
            _ = reject(PromiseCancelledError(reason: "nothing waits for it any more"), by: .release)
            return
        }
        let error = PromiseAbandonedError(site: callSite.site, labels: labelsToRoot, isJobDropped: isJobDropped)
        guard reject(error, by: .release) else { return }
        context.runtime.onAbandoned?(AbandonedPromise(id: id, error: error))
    }

    /// The labels of this promise and of its ancestors, up to the first ancestor that is settled.
    private var labelsToRoot: [String] {
        var labels = label.map { [$0] } ?? []
        var next = parent
        while let promise = next {
            if let label = promise.label { labels.append(label) }
            next = promise.parent
        }
        return labels
    }

    @usableFromInline
    final func reportSettledAgain() {
        // A late result after a cancellation is not reported, because it is expected then, and dropped (TheRules, X4).
        if isRecording, !current.has(PromiseState.cancelled) { report(.settledAgain) }
    }
}
