import ChainEvents

/// Stands in the list of a node that started another promise. As the starter ends it withdraws its interest, so that
/// the started promise is cancelled unless it has another consumer: in the canceller's loop, however deep such nodes
/// are nested, with the canceller and the reason (TheRules, X2).
final class StartedWaiter: _Waiter {
    let started: AnyPromise

    init(_ started: AnyPromise) { self.started = started }

    override func settled(_ starter: AnyPromise) {
        if started.isSettled { return started.markErrorSeen() }
        let cancellation = starter.error as? PromiseCancelled ?? PromiseCancelled(reason: "what started it has ended")
        started.consumerWithdrew(cancellation, origin: starter.id)
    }

    override var isDone: Bool { started.isSettled }
    override var isConsumer: Bool { false }
}

/// Ends the ``StartedWaiter`` of a promise that is settled, and delivers that one as a member.
private final class EndWaiter: MemberWaiter {
    override func settled(_ promise: AnyPromise) {
        combinator.waiterIsDone()
        super.settled(promise)
    }
}

extension Combinator {
    /// The members that this node has started and that are pending. O(its waiters).
    var startedMembers: [AnyPromise] {
        var members: [AnyPromise] = []
        forEachLiveWaiter { waiter in if let waiter = waiter as? StartedWaiter { members.append(waiter.started) } }
        return members
    }

    /// Makes a promise a member that this node has started: its settlement is delivered here, and this node's end ends the
    /// interest in it.
    func start(_ member: AnyPromise, at index: Int) {
        if isRecording {
            report(.linked, other: member.id, detail: UInt16(LinkKind.member.rawValue))
        }
        if let cycle = member.cycle(to: self) {
            _ = reject(cycle, by: .machinery)
        } else if member.isSettled {
            // Nothing to wait for and nothing to cancel.
            member.markErrorSeen()
            memberSettled(member, at: index)
        } else {
            register(StartedWaiter(member))
            member.register(EndWaiter(self, index: index))
        }
    }
}
