import CChainRuntime
import ChainEvents

/// What a live promise can tell of itself at one moment that no event tells. Nothing of the program's is called for it.
package struct PromiseFacts: Sendable {
    /// A thread that sleeps until the promise settles.
    package struct BlockedThread: Hashable, Sendable {
        /// The thread.
        package var thread: ThreadID
        /// The node whose handler it runs, or nobody.
        package var node: NodeID
    }

    /// What it is fulfilled with, as Swift writes the type.
    package var valueType: String
    /// Its label, whole.
    package var label: String?
    /// The executor of its handler.
    package var executor: String
    /// Its children that are not settled: those whose handlers wait.
    package var handlers: [NodeID]
    /// Tasks and completion handlers that wait, which are no nodes.
    package var callbackCount: Int
    /// Who follows it.
    package var followers: [NodeID]
    /// The combinators that have it for a member and are not settled.
    package var combinators: [NodeID]
    /// Threads that sleep until it settles.
    package var blockedThreads: [BlockedThread]
    /// What it waits for: its parent, and the promise that it follows.
    package var parent: NodeID?, followed: NodeID?
    /// Its error, where it is rejected.
    package var error: (any Error)?
    /// Whether it has a value.
    package var isFulfilled: Bool
}

extension AnyPromise {
    /// Looks at the promise and at who waits for it. O(those), and one short lock.
    package final func facts() -> PromiseFacts {
        let (parent, followed) = waitsFor
        let state = current
        var facts = PromiseFacts(
            valueType: "\(valueType)", label: context.label, executor: context.executor.identity.name, handlers: [],
            callbackCount: 0, followers: [], combinators: [], blockedThreads: [], parent: parent?.id,
            followed: followed?.id, error: error,
            isFulfilled: state.hasOutcome && !state.has(PromiseState.rejected))
        forEachLiveWaiter { waiter in
            switch waiter {
            case let waiter as ThreadWaiter:
                facts.blockedThreads.append(.init(thread: waiter.thread, node: waiter.node))
            case let waiter as FollowLink: facts.followers.append(waiter.follower.id)
            case let child as AnyPromise where child.isChild: facts.handlers.append(child.id)
            default:
                guard waiter.isConsumer else { return }
                if let combinator = waiter.consumer {
                    facts.combinators.append(combinator.id)
                } else {
                    facts.callbackCount += 1
                }
            }
        }
        return facts
    }

    /// The value as text; nil where there is none, or nothing to say of it. Runs the program's code.
    package final var renderedValue: String? {
        let state = current
        return state.hasOutcome && !state.has(PromiseState.rejected) ? valueText : nil
    }
}
