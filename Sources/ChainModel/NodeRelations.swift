/// A relation between two nodes that are not parent and child, seen from one of them.
public struct NodeLink: Hashable, Sendable {
    /// The role of this node.
    public enum Role: UInt8, Hashable, Sendable {
        /// It follows the other and settles as the other does.
        case follows
        /// The other follows it.
        case followedBy
        /// It is a combinator that has the other for a member.
        case hasMember
        /// It is a member of the other, which is a combinator.
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
        /// Nothing holds it: it is settled.
        case settled
        /// Its parent is not settled.
        case parent
        /// Its parent has settled or was evicted: it is about to be queued.
        case aboutToRun
        /// It is in an executor's queue.
        case queued
        /// Its own handler runs.
        case running
        /// It follows a node that is not settled.
        case follows
        /// It is a combinator with an unsettled member: the first such one.
        case member
        /// What it followed, or all its members, have settled: it is about to settle.
        case aboutToSettle
        /// It is a suspended Swift task. Its details show what it waits for.
        case suspended
        /// Its handler blocks its thread until another node settles.
        case awaits
        /// A timer will settle it.
        case timer
        /// A resolver in the program's hands has to settle it.
        case resolver
    }

    /// Why the node is not settled.
    public var reason: Reason
    /// The node that it waits for; nil if it waits for no node, or for one that is not found.
    public var node: NodeIndex?
}

/// One step of a node's history.
public struct HistoryStep: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// It was made.
        case created
        /// It was seen for the first time; its creation was not seen.
        case seen
        /// Its handler was handed to that executor.
        case queued(ExecutorID)
        /// Its handler began on that thread.
        case started(ThreadID)
        /// Its handler ended.
        case ended
        /// It began to follow that node.
        case adopted(NodeIndex)
        /// It got that node for a member.
        case linked(NodeIndex)
        /// Its cancellation was asked for.
        case cancelRequested
        /// It was settled in this way.
        case settled(Settlement)
    }

    /// What happened.
    public var kind: Kind
    /// When it happened, in nanoseconds of the process's clock.
    public var time: UInt64
}
