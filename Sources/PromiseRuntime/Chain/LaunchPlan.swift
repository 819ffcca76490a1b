import ChainEvents

/// The beginning of a chain, which all of its launches share.
final class ChainHead: Sendable {
    let label: String
    let executor: (any PromiseExecutor)?
    let site: CallSite

    init(label: String, executor: (any PromiseExecutor)?, site: CallSite) {
        self.label = label
        self.executor = executor
        self.site = site
    }
}

/// One link of a described chain; chains with the same beginning share its links.
final class ChainStep: @unchecked Sendable {
    // Sendable: `previous` changes in deinit alone.
    private(set) var previous: ChainStep?
    let nodeCount: Int
    /// Makes the node of the link, under the given one.
    let make: @Sendable (AnyPromise, inout LaunchPlan) -> AnyPromise

    init(
        after previous: ChainStep?, nodeCount: Int,
        make: @escaping @Sendable (AnyPromise, inout LaunchPlan) -> AnyPromise
    ) {
        self.previous = previous
        self.nodeCount = nodeCount
        self.make = make
    }

    // Iterative, because a chain may have any length.
    deinit {
        var next = previous.take()
        while isKnownUniquelyReferenced(&next) {
            let following = next.unsafelyUnwrapped.previous.take()
            next = following
        }
    }
}

/// The nodes and executors of a launch, collected while its nodes are made.
struct LaunchPlan {
    /// All nodes, in the order of creation, without those of inner chains.
    private(set) var nodes: [AnyPromise] = []
    /// The serial executors that its handlers run on, those of inner chains included.
    private(set) var serialExecutors: [any PromiseExecutor] = []

    mutating func note(_ node: AnyPromise) {
        nodes.append(node)
        note(node.context.executor)
    }

    mutating func note(_ executor: any PromiseExecutor) {
        if executor.isSerial, !serialExecutors.contains(where: { $0 === executor }) { serialExecutors.append(executor) }
    }
}

extension AnyPromise {
    /// Cancels the pending part of the linear chain that ends here, from its topmost node down.
    func cancelLaunch(_ reason: String?, by: CancelledBy) { (root ?? self).cancel(reason, by: by) }

    /// Settles a planned node that will never be reached; its handler does not run.
    func settleUnreached(_ error: any Error) {
        markErrorSeen(handled: true)
        _ = reject(error, by: .machinery, flags: error is PromiseCancelled ? [] : .skipping)
    }
}

/// A waiter that passes a cancellation of a launch's last node on to the nodes before it.
final class LaunchCanceller: OneShotWaiter, @unchecked Sendable {
    // Sendable: `before` is accessed by `settledOnce` and by deinit alone.
    private var before: AnyPromise?

    init(of before: AnyPromise) { self.before = before }

    override func settledOnce(_ promise: AnyPromise) {
        guard let before = before.take(), let cancellation = promise.error as? PromiseCancelled else { return }
        before.cancelLaunch(cancellation.reason, by: cancellation.by)
    }

    override var isConsumer: Bool { false }
}
