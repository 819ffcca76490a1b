// SPDX-License-Identifier: MIT

/// A relation between two nodes that are not parent and child, seen from one of them.
public struct NodeLink: Hashable, Sendable {
    /// The role of this node.
    public enum Role: UInt8, Hashable, Sendable {
        /// This node follows the other node, and settles as the other node does.
        case follows
        /// The other node follows this node.
        case followedBy
        /// This node is a combinator that has the other node for a member.
        case hasMember
        /// This node is a member of the other node, which is a combinator.
        case memberOf
    }

    /// The role of this node.
    public var role: Role
    /// The other node.
    public var node: NodeIndex
    /// When the relation began, in nanoseconds of the process's clock.
    public var time: UInt64
}

/// What a node is waiting for.
public struct Blocker: Hashable, Sendable {
    /// Why a node is not settled.
    public enum Reason: UInt8, Hashable, Sendable {
        /// The node is settled, so it waits for nothing.
        case settled
        /// The node's parent is not settled.
        case parent
        /// The node is about to be queued, because its parent has settled or was evicted.
        case aboutToRun
        /// The node is in an executor's queue.
        case queued
        /// The node's own handler runs.
        case running
        /// The node follows a node that is not settled.
        case follows
        /// The node is a combinator, and not all of its members are known to be settled. ``Blocker/node`` is the first
        /// unsettled member; nil if there is none among the members looked at.
        case member
        /// The node is about to settle, because the node that it follows, or all of its members, have settled.
        case aboutToSettle
        /// The node is a suspended Swift task. The task's details show what it waits for.
        case suspended
        /// The node's handler blocks its thread until another node settles.
        case awaits
        /// A timer will settle the node.
        case timer
        /// A resolver in the program's hands has to settle the node.
        case resolver
        /// The node runs, and its thread is blocked in the system (``ChainForest/stall(of:)``).
        case system
        /// The Swift task waits for another task.
        case task
        /// The Swift task waits for a continuation, which other code has to resume.
        case continuation
        /// The Swift task waits for the next result of its task group.
        case group
        /// The Swift task waits for its turn on an actor.
        case actor
        /// The Swift task waits for a thread of the pool.
        case pool
        /// The Swift task's thread waits for a lock.
        case lock
        /// The Swift task waits for its turn on an executor.
        case executor
        /// The node is an actor, a lock or an executor, and is held: by the task ``Blocker/node`` or, without one, by a
        /// thread (``ChainForest/holder(of:)``).
        case holder
        /// The node is an actor, a lock or an executor that nobody is known to hold.
        case free
    }

    /// Why the node is not settled.
    public var reason: Reason
    /// The node that the waiting node waits for; nil if it waits for no node, or for a node that is not found.
    public var node: NodeIndex?
}

/// One step of a node's history.
public struct HistoryStep: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// The node was made.
        case created
        /// The node was seen for the first time; its creation was not seen.
        case seen
        /// The node's handler was handed to the executor.
        case queued(ExecutorID)
        /// The node's handler began on the thread.
        case started(ThreadID)
        /// The node's handler ended.
        case ended
        /// The node began to follow the given node.
        case adopted(NodeIndex)
        /// The node got the given node for a member.
        case linked(NodeIndex)
        /// The node's cancellation was requested.
        case cancelRequested
        /// The node was settled in the given way.
        case settled(Settlement)
    }

    /// What happened.
    public var kind: Kind
    /// When it happened, in nanoseconds of the process's clock.
    public var time: UInt64
}
