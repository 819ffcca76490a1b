import ChainEvents

/// A script of one program's events: each call records one.
///
/// A conforming type decides how an event is recorded: ``ScriptedForest`` applies it at once, another type may collect
/// it in a batch. Each call takes the event's time in nanoseconds; without one the event happens at ``time``.
public protocol EventScript {
    /// The time of the next event, in nanoseconds.
    var time: UInt64 { get set }

    /// Records an event. `text` is the event's text, which has no number in the event yet.
    mutating func record(_ event: ChainEvent, text: String?)
}

extension EventScript {
    /// Advances ``time`` to a number of milliseconds, never back.
    public mutating func at(_ milliseconds: Double) { time = max(time, UInt64(milliseconds * 1_000_000)) }

    /// Records an event of any kind.
    public mutating func record(
        _ kind: EventKind, _ node: UInt64, _ other: UInt64 = 0, at moment: UInt64? = nil, text: String? = nil,
        detail: UInt16 = 0, flags: EventFlags = [], site: SiteID = 0, thread: ThreadID = 1
    ) {
        record(
            ChainEvent(
                time: moment ?? time, kind, node: NodeID(node), other: NodeID(other), site: site, thread: thread,
                detail: detail, flags: flags),
            text: text)
    }

    /// Makes a node: by an operation on `parent` if given, else in a handler of `creator` if given, else as a root.
    public mutating func make(
        _ node: UInt64, _ kind: NodeKind = .promise, _ label: String? = nil, under parent: UInt64 = 0,
        by creator: UInt64 = 0, site: SiteID = 1, external: Bool = false, at moment: UInt64? = nil
    ) {
        var flags: EventFlags = parent != 0 ? .hasParent : []
        if external { flags.insert(.external) }
        record(
            .created, node, parent != 0 ? parent : creator, at: moment, text: label, detail: UInt16(kind.rawValue),
            flags: flags, site: site)
    }

    /// Makes a node by an operation on `parent`.
    public mutating func then(_ node: UInt64, on parent: UInt64, _ kind: NodeKind = .then, at moment: UInt64? = nil) {
        make(node, kind, under: parent, at: moment)
    }

    /// Enqueues a node's handler on an executor.
    public mutating func queue(_ node: UInt64, on executor: ExecutorID = 1, at moment: UInt64? = nil) {
        record(.queued, node, at: moment, detail: executor)
    }

    /// Starts a node's handler on a thread.
    public mutating func start(_ node: UInt64, on thread: ThreadID = 1, at moment: UInt64? = nil) {
        record(.started, node, at: moment, thread: thread)
    }

    /// Ends a node's handler.
    public mutating func end(_ node: UInt64, at moment: UInt64? = nil) { record(.ended, node, at: moment) }

    /// Ends a node's handler and fulfils the node.
    public mutating func fulfill(_ node: UInt64, _ value: String? = nil, at moment: UInt64? = nil) {
        record(.fulfilled, node, at: moment, text: value, flags: .handlerEnded)
    }

    /// Ends a node's handler and rejects the node.
    public mutating func reject(_ node: UInt64, _ error: String = "no", at moment: UInt64? = nil) {
        record(.rejected, node, at: moment, text: error, flags: .handlerEnded)
    }

    /// Makes a node a member of a combinator.
    public mutating func member(_ combinator: UInt64, _ node: UInt64, at moment: UInt64? = nil) {
        record(.linked, combinator, node, at: moment, detail: UInt16(LinkKind.member.rawValue))
    }

    /// Makes a node follow another.
    public mutating func adopt(_ follower: UInt64, _ node: UInt64, at moment: UInt64? = nil) {
        record(.adopted, follower, node, at: moment, detail: UInt16(LinkKind.adoption.rawValue))
    }
}

// SPDX-License-Identifier: MIT
