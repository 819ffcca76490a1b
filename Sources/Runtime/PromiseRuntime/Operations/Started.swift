// SPDX-License-Identifier: MIT

import ChainEvents

/// A waiter for the end of a node that started another promise. The waiter withdraws the node's interest in that
/// promise, so that the started promise is cancelled unless it has another consumer (TheRules, X2). The withdrawal runs
/// in the loop of the first cancellation, so such nodes may be nested to any depth. The withdrawal keeps that
/// cancellation's source and reason.
final class StartedWaiter: _Waiter {
    let started: AnyPromise

    init(_ started: AnyPromise) { self.started = started }

    override func settled(_ starter: AnyPromise) {
        if started.isSettled { return started.markErrorSeen() }
        let cancellation =
            starter.error as? PromiseCancelledError
            ?? PromiseCancelledError(reason: "the operation that started it has ended")
        started.consumerWithdrew(cancellation, origin: starter.id)
    }

    override var isDone: Bool { started.isSettled }
    override var isConsumer: Bool { false }
}

/// The waiter for a started member: ends the member's ``StartedWaiter``, then delivers the member.
private final class EndWaiter: MemberWaiter {
    override func settled(_ promise: AnyPromise) {
        combinator.waiterIsDone()
        super.settled(promise)
    }
}

extension Combinator {
    /// The pending members that this node has started. O(n) in the waiters of this node.
    var startedMembers: [AnyPromise] {
        var members: [AnyPromise] = []
        forEachLiveWaiter { waiter in if let waiter = waiter as? StartedWaiter { members.append(waiter.started) } }
        return members
    }

    /// Adds a promise as a started member: its settlement is delivered to this node, and the end of this node withdraws
    /// the node's interest in the member.
    func start(_ member: AnyPromise, at index: Int) {
        if isRecording {
            report(.linked, other: member.id, detail: UInt16(LinkKind.member.rawValue))
        }
        if let cycle = member.cycle(to: self) {
            _ = reject(cycle, by: .machinery)
        } else if member.isSettled {
            // Delivered at once, because there is nothing to wait for or to cancel.
            member.markErrorSeen()
            memberSettled(member, at: index)
        } else {
            register(StartedWaiter(member))
            member.register(EndWaiter(self, index: index))
        }
    }
}
