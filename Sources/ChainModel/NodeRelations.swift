import ChainEvents

/// How two nodes that are not parent and child belong together, seen from one of them.
public struct NodeLink: Hashable, Sendable {
    /// What this node is to the other.
    public enum Role: UInt8, Hashable, Sendable {
        /// It follows the other: it settles as the other does.
        case follows
        /// The other follows it.
        case followedBy
        /// It is a combinator and the other its member.
        case hasMember
        /// It is a member of the other, a combinator.
        case memberOf
    }

    /// What this node is to the other.
    public var role: Role
    /// The other one.
    public var node: NodeIndex
    /// Since when, in nanoseconds of the process's clock.
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
        /// Its parent has settled (or is gone): it is about to be queued.
        case aboutToRun
        /// It stands in an executor's queue.
        case queued
        /// Its own handler runs.
        case running
        /// It follows another that is not settled.
        case follows
        /// It is a combinator and a member of it is not settled: the first such one.
        case member
        /// What it followed, or all its members, have settled: it is about to settle.
        case aboutToSettle
        /// Its handler runs, and blocks its thread until another node settles.
        case awaits
        /// A timer will settle it.
        case timer
        /// A resolver in the program's hands has to settle it.
        case resolver
    }

    /// Why it is not settled.
    public var reason: Reason
    /// Who holds it; nil where it is no node.
    public var node: NodeIndex?

    /// Joins reason and node.
    public init(reason: Reason, node: NodeIndex? = nil) {
        self.reason = reason
        self.node = node
    }
}

/// One step of a node's past.
public struct HistoryStep: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// It was made.
        case created
        /// The first thing heard of it; its making was not seen.
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
        /// It was settled so.
        case settled(Settlement)
    }

    /// What happened.
    public var kind: Kind
    /// In nanoseconds of the process's clock.
    public var time: UInt64
}
