// SPDX-License-Identifier: MIT

/// The fixed-size facts of one node: a copy of some 100 bytes that keeps nothing of the forest alive.
///
/// The node's texts and relatives are in the forest: ``ChainForest/label(of:)``, ``ChainForest/summary(of:)``,
/// ``ChainForest/treeParent(of:)``, ``ChainForest/links(of:)``.
public struct NodeView: Sendable {
    // First, with the same field widths and offset as in the forest, to avoid a store-forwarding stall.
    let record: NodeRecord
    /// Its index in the forest.
    public let index: NodeIndex

    @inline(__always)
    init(index: NodeIndex, record: NodeRecord) {
        self.record = record
        self.index = index
    }

    /// Its id in the process.
    public var id: NodeID { NodeID(record.id) }
    /// The operation that made it; `.other` where unknown.
    public var kind: NodeKind { record.kind }
    /// Its state.
    public var state: NodeState { record.state }
    /// How it was settled.
    public var settlement: Settlement { record.settlement }
    /// Whether it is not settled.
    public var isLive: Bool { record.state.isLive }
    /// What its handler is doing.
    public var activity: Activity { record.activity }
    /// Whether it is a Swift task that has run and is suspended.
    public var isSuspended: Bool { record.isSuspended && record.state == .pending }
    /// Whether its wait (``Timing/wait``) grows: it is queued, or a suspended task.
    public var isWaitGrowing: Bool { state == .queued || isSuspended }
    /// The state's word; *suspended* for a suspended Swift task.
    public var stateWord: String { isSuspended ? "suspended" : record.state.word }
    /// Whether the node's handler is known to occupy a thread. An async function may be suspended, so for such a
    /// handler this is false, unless the program reports each run of its task (``EventKind/resumed``).
    public var occupiesThread: Bool {
        record.activity == .running && (!record.kind.runsInTask || record.handlerFlags.contains(.isSwitching))
    }
    /// Remarks besides the state.
    public var marks: NodeMarks { record.marks }
    /// Whether ``NodeMarks/cancelRequested`` is among its marks.
    public var isCancelRequested: Bool {
        !record.bits.isDisjoint(with: [.cancelRequested, .cancelMarkedHere]) && record.state.isLive
    }
    /// Where in the source it was made; 0 where unknown.
    public var site: SiteID { record.site }
    /// The thread that its handler began on, or that a Swift task ran on last; 0 if there is none or it is unknown.
    public var thread: ThreadID { record.thread }
    /// The executor that its handler was enqueued on; 0 if it was not enqueued, or the executor is unknown.
    public var executor: ExecutorID { record.executor }
    /// Whether an operation on another promise, its parent, made it. The parent may be evicted.
    public var hasParent: Bool { record.has(.hasParent) }

    /// When it was made, or when it was first seen (in which case ``NodeMarks/seenLate`` is set), in nanoseconds of the
    /// process's clock.
    ///
    /// The other times of a node are rounded down to 100 µs if they are 39 hours or more after this time.
    public var created: UInt64 { record.created }
    /// When its handler was handed to an executor, in nanoseconds of the process's clock, like ``started``, ``ended``
    /// and ``settled``.
    public var queued: UInt64? { record.queued }
    /// When its handler began.
    public var started: UInt64? { record.started }
    /// When its handler ended.
    public var ended: UInt64? { record.ended }
    /// When it was settled.
    public var settled: UInt64? { record.settled }
    /// The latest time that ``settled`` may stand for. The time is rounded down by less than 100 µs if the node settled
    /// 39 hours or more after its creation, and not rounded otherwise.
    package var latestSettled: UInt64? { record.latestSettled }
}

/// Durations of one node at one moment, in nanoseconds; nil where they do not apply.
public struct Timing: Hashable, Sendable {
    /// The time for which the node was queued: until its handler started or, without a start, until the node settled or
    /// until now. For a Swift task that reports its runs, how long it has been suspended. Nil for combinators and
    /// skipped nodes.
    public var wait: UInt64?
    /// The time for which the node's handler ran, until now while the handler runs. For a Swift task that reports its
    /// runs, how long it has been running without a suspension. Nil for combinators and skipped nodes.
    public var run: UInt64?
    /// The time from the node's creation or its parent's settlement, whichever was later, to the node's own settlement,
    /// or to now. Nil while the parent is not settled, for skipped nodes, and for a node that was cancelled before its
    /// parent settled.
    public var total: UInt64?

    /// Joins three durations.
    public init(wait: UInt64? = nil, run: UInt64? = nil, total: UInt64? = nil) {
        self.wait = wait
        self.run = run
        self.total = total
    }
}

/// Which durations of one node are lower bounds (``ChainForest/lowerBounds(of:)``).
public struct LowerBounds: Hashable, Sendable {
    /// Whether ``Timing/wait`` or ``Timing/run``, whichever grows, is one.
    public var state = false
    /// Whether ``Timing/total`` is one.
    public var total = false

    /// Makes the answer that both durations are exact, or another one.
    public init(state: Bool = false, total: Bool = false) { (self.state, self.total) = (state, total) }
}

/// The fields of one node that a text search reads: a copy of 16 bytes, valid until the forest changes.
public struct SearchFields: BitwiseCopyable, Sendable {
    /// Its state.
    public let state: NodeState
    /// The operation that made it.
    public let kind: NodeKind
    /// Where in the source it was made; 0 where unknown.
    public let site: SiteID
    let label: UInt32
    let summary: UInt32

    init(state: NodeState, kind: NodeKind, site: SiteID, label: UInt32, summary: UInt32) {
        (self.state, self.kind, self.site, self.label, self.summary) = (state, kind, site, label, summary)
    }
}
