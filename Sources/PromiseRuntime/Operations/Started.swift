import ChainEvents

/// Stands in the list of a node that started another promise, so that a cancellation goes on to it as to a child: in the
/// canceller's loop, however deep such nodes are nested, with the reason and who asked (RUNTIME X1, X2).
final class StartedWaiter: Waiter {
    private let started: AnyPromise

    init(_ started: AnyPromise) { self.started = started }

    /// The starter has ended: what it started is of no more use.
    override func settled(_ starter: AnyPromise) { started.endWith(starter) }

    override var isDone: Bool { started.isSettled }
    override var isConsumer: Bool { false }
    override var child: AnyPromise? { started }
}

extension AnyPromise {
    /// Cancels this promise, whose starter has ended, for the reason that the starter was cancelled for, if it was.
    func endWith(_ starter: AnyPromise) {
        guard !isSettled else { return markErrorSeen() }
        let why = starter.error as? PromiseCancelled
        cancel(why == nil ? "what started it has ended" : why?.reason, by: why?.by ?? .program)
    }
}

/// Tells a node that a promise which it started has ended: the ``StartedWaiter`` is needed no more.
private final class EndWaiter: MemberWaiter {
    override func settled(_ promise: AnyPromise) {
        combinator.waiterIsDone()
        super.settled(promise)
    }
}

extension Combinator {
    /// Takes a promise for a member that this node has started: it tells of its settlement, and ends with this node.
    func start(_ member: AnyPromise, at index: Int) {
        if isRecording {
            report(.linked, other: member.id, detail: UInt16(LinkKind.member.rawValue))
        }
        if member === self {
            _ = reject(PromiseCycle(site: callSite.site), by: .machinery)
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
