// SPDX-License-Identifier: MIT

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

/// One link of a described chain. Chains that continue the same chain share the links of that chain.
final class ChainLink: @unchecked Sendable {
    // Sendable: `previous` changes only in the deinit of this link, or of a later link that holds the only reference to
    // this one.
    private(set) var previous: ChainLink?
    /// The number of nodes that the link makes, including the nodes of chains in a combinator.
    let nodeCount: Int
    /// Makes the node of the link as a child of the given node.
    let make: @Sendable (AnyPromise, inout LaunchPlan) -> AnyPromise

    init(
        after previous: ChainLink?, nodeCount: Int,
        make: @escaping @Sendable (AnyPromise, inout LaunchPlan) -> AnyPromise
    ) {
        self.previous = previous
        self.nodeCount = nodeCount
        self.make = make
    }

    // Iterative, because releasing a long chain recursively overflows the stack.
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
    /// The nodes in the order of creation, without the nodes of chains in combinators.
    private(set) var nodes: [AnyPromise] = []
    /// The serial executors of the launch's handlers, including the handlers of chains in combinators.
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
    /// Cancels the pending part of the linear chain that ends with this node, from its topmost pending node down.
    func cancelLaunch(_ reason: String?, by: CancelledBy) { (root ?? self).cancel(reason, by: by) }

    /// Rejects a planned node that will never be reached; its handler does not run.
    func settleUnreached(_ error: any Error) {
        markErrorSeen(handled: true)
        _ = reject(error, by: .machinery, flags: error is PromiseCancelledError ? [] : .skipping)
    }
}

/// A waiter that cancels the pending nodes of a launch when the launch's last node is cancelled.
final class LaunchCanceller: OneShotWaiter, @unchecked Sendable {
    // Sendable: `before` is accessed only by `settledOnce`, which runs once, and by deinit. `before` is the node above
    // the launch's last node; nil once the waiter has acted.
    private var before: AnyPromise?

    init(of before: AnyPromise) { self.before = before }

    override func settledOnce(_ promise: AnyPromise) {
        guard let before = before.take(), let cancellation = promise.error as? PromiseCancelledError else { return }
        before.cancelLaunch(cancellation.reason, by: cancellation.by)
    }

    override var isConsumer: Bool { false }
}
