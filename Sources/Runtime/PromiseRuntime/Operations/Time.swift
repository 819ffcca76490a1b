// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

extension Promise where Value == Void {
    /// Makes a promise that is fulfilled after at least `duration` by the runtime's clock (PromiseKit's `after`). With
    /// a `duration` of zero or less the timer is due at once. Cancelling the promise cancels the timer. Cost: a timer,
    /// amortised O(log n) in the number of timers that are set.
    public static func delay(
        _ duration: Duration, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Void> {
        let node = TimerNode<Void>(
            .delay, context: .root(label: label, executor: executor), site: CallSite(fileID: file, line: line),
            parent: nil)
        node.set(duration) { node in _ = node.fulfill((), by: .machinery) }
        return node
    }
}

extension Promise {
    /// Passes the value on after `duration`, which begins when this promise is fulfilled. An error is passed on at
    /// once.
    public final func delay(
        _ duration: Duration, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        let node = TimerNode<Value>(
            .delay, context: context.child(label: label, executor: nil), site: CallSite(fileID: file, line: line),
            parent: self)
        node.onParent { node, parent in
            if parent.current.has(PromiseState.rejected) { return node.copyOutcome(of: parent, flags: .skipping) }
            node.set(duration) { node in node.copyOutcome(of: parent, flags: []) }
        }
        register(node)
        return node
    }

    /// Makes a promise that settles as this promise does, or is rejected with ``PromiseTimeoutError`` if this promise
    /// takes longer than `limit`. In that case this promise is cancelled if it has no other consumer. The same rule
    /// applies to what this promise waits for, up to the source of the work (<doc:TheRules>, X2; Bluebird 3;
    /// RXPromise's `setTimeout:`). The time begins with the call. A settled promise is never too late, whatever the
    /// limit.
    public final func timeout(
        _ limit: Duration, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        let node = TimerNode<Value>(
            .timeout, context: context.child(label: label, executor: nil), site: CallSite(fileID: file, line: line),
            parent: self)
        node.onParent { node, parent in node.copyOutcome(of: parent, flags: []) }
        // Registered first, so that no limit is too short for a settled promise.
        register(node)
        node.set(limit) { [self] node in
            // The outcome of a settled promise may still be on its way to the node.
            guard !isSettled, node.reject(PromiseTimeoutError(limit: limit), by: .machinery) else { return }
            consumerWithdrew(PromiseCancelledError(reason: "timed out after \(limit)"), origin: node.id)
        }
        return node
    }
}

/// A node that is settled by a timer or by its parent.
final class TimerNode<Value: Sendable>: Promise<Value>, @unchecked Sendable {
    // Sendable: the timer is behind its lock; `whenParentSettles` is set before the node is registered anywhere.
    private let timer = Lock<(any ClockTimer)?>(nil)
    private var whenParentSettles: (@Sendable (TimerNode, Promise<Value>) -> Void)?

    init(_ kind: NodeKind, context: Context, site: CallSite, parent: Promise<Value>?) {
        super.init(kind: kind, site: site, context: context, parent: parent)
    }

    func onParent(_ action: @escaping @Sendable (TimerNode, Promise<Value>) -> Void) { whenParentSettles = action }

    /// Sets the timer, unless the node is settled already.
    func set(_ duration: Duration, _ action: @escaping @Sendable (TimerNode) -> Void) {
        if isSettled { return }
        let timer = context.runtime.clock.schedule(after: duration) { [self] in action(self) }
        self.timer.withLock { $0 = timer }
        if isSettled { cancelTimer() }
    }

    override func settled(_ promise: AnyPromise) {
        guard !isSettled else { return }
        whenParentSettles?(self, unsafeDowncast(promise, to: Promise<Value>.self))
    }

    override func didSettle() { cancelTimer() }

    private func cancelTimer() { timer.withLock { $0.take() }?.cancel() }
}
