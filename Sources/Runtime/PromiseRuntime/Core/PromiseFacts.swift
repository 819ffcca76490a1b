// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents

/// Facts about a live promise, read on request for the details that a viewer shows. The facts are read one after
/// another, not at one moment. Reading them calls no code of the program, with two exceptions: the `identity` of the
/// program's own executors, and the code that describes the entries of a span.
package struct PromiseFacts: Sendable {
    /// A thread that sleeps until the promise settles.
    package struct BlockedThread: Hashable, Sendable {
        /// The thread.
        package var thread: ThreadID
        /// The node of the handler that the thread runs, or none.
        package var node: NodeID
    }

    /// The type of the value, as Swift writes it.
    package var valueType: String
    /// The label, not shortened.
    package var label: String?
    /// The name of the executor of the promise's handler.
    package var executor: String
    /// The unsettled children, which wait for this promise.
    package var handlers: [NodeID]
    /// The number of waiting tasks and completion handlers, which are no nodes.
    package var callbackCount: Int
    /// The promises that follow this promise.
    package var followers: [NodeID]
    /// The unsettled combinators of which the promise is a member.
    package var combinators: [NodeID]
    /// Threads that sleep until the promise settles.
    package var blockedThreads: [BlockedThread]
    /// The parent, as long as the promise waits for it.
    package var parent: NodeID?
    /// The promise that this one follows.
    package var followed: NodeID?
    /// The error, if the promise is rejected.
    package var error: (any Error)?
    /// Whether the promise has a value.
    package var isFulfilled: Bool
    /// The attributes, events and links of a span; empty for other nodes. Code of the program describes the attributes.
    package var spanEntries: [NodeDetail.Entry] = []
}

extension AnyPromise {
    /// Reads the facts of the promise and its waiters. O(waiters), with a short lock for each.
    package final func facts() -> PromiseFacts {
        let (parent, followed) = waitsFor
        let state = current
        var facts = PromiseFacts(
            valueType: "\(valueType)", label: label, executor: context.executor.identity.name, handlers: [],
            callbackCount: 0, followers: [], combinators: [], blockedThreads: [], parent: parent?.id,
            followed: followed?.id, error: error,
            isFulfilled: state.hasOutcome && !state.has(PromiseState.rejected))
        facts.spanEntries = asSpan?.entries() ?? []
        forEachLiveWaiter { waiter in
            switch waiter {
            case let waiter as ThreadWaiter:
                facts.blockedThreads.append(.init(thread: waiter.thread, node: waiter.node))
            case let waiter as FollowWaiter: facts.followers.append(waiter.follower.id)
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

    /// The value as text; nil for `Void` and if there is no value. Runs code of the program.
    package final var renderedValue: String? {
        let state = current
        return state.hasOutcome && !state.has(PromiseState.rejected) ? valueText : nil
    }
}
