// SPDX-License-Identifier: MIT

/// A thread that runs a node's handler, or a Swift task, and is blocked in the system.
public struct ThreadStall: Hashable, Sendable {
    /// The thread.
    public var thread: ThreadID
    /// The node that runs on the thread.
    public var node: NodeID
    /// What the thread is blocked in.
    public var wait: SystemWait
    /// Since when the thread is blocked, in nanoseconds of the process's clock.
    public var since: UInt64

    /// Joins the facts of a stall.
    public init(thread: ThreadID, node: NodeID, wait: SystemWait, since: UInt64) {
        (self.thread, self.node, self.wait, self.since) = (thread, node, wait, since)
    }

    /// How long a stall has to last until the node counts as *blocked* instead of *running* on screens, in nanoseconds.
    public static let shownDuration: UInt64 = 1_000_000_000
}

extension ChainForest {
    /// Returns how the thread on which a node runs is blocked in the system; nil if the node does not run, or if its
    /// thread is not blocked. While the handler waits for a promise, ``wait(of:)`` says more.
    public func stall(of index: NodeIndex) -> ThreadStall? { data.stall(of: data.nodes[checked(index)].pointee) }

    /// Returns ``stall(of:)`` if it has lasted for ``ThreadStall/shownDuration`` at the time `now`.
    public func shownStall(of index: NodeIndex, now: UInt64) -> ThreadStall? {
        stall(of: index).flatMap { $0.since <= now && now - $0.since >= ThreadStall.shownDuration ? $0 : nil }
    }

    /// All threads that are blocked in the system while they run a node, sorted by thread.
    public var stalls: [ThreadStall] {
        data.stalls.values.filter { data.isCurrent($0) }.sorted { $0.thread < $1.thread }
    }
}

// MARK: Applying

extension ForestData {
    /// How many stalled threads are kept; the stalls of further threads are dropped.
    static let stallLimit = 16_384

    func stall(of record: NodeRecord) -> ThreadStall? {
        guard !stalls.isEmpty, record.activity == .running, record.thread != 0, let stall = stalls[record.thread],
            stall.node.rawValue == record.id
        else { return nil }
        // The end of a stall may be lost, and the node may run again on the same thread.
        let begun = record.extra == noSlot ? 0 : extras[record.extra].pointee.switched
        return stall.since >= (begun == 0 ? record.started ?? 0 : begun) ? stall : nil
    }

    /// Returns whether the node of a stall still runs, and is blocked by that stall.
    func isCurrent(_ stall: ThreadStall) -> Bool {
        slot(of: stall.node).flatMap { self.stall(of: nodes[$0].pointee) } == stall
    }

    func applyStalled(_ event: ChainEvent) {
        guard event.thread != 0 else { return }
        let known = stalls[event.thread]
        if let known, known.since > event.time { return }
        if known == nil, stalls.count >= stallRoom {
            stalls = stalls.filter { isCurrent($0.value) }
            stallRoom = min(Self.stallLimit, max(Self.leastStallRoom, 2 * stalls.count))
            guard stalls.count < Self.stallLimit else { return }
        }
        stalls[event.thread] = ThreadStall(
            thread: event.thread, node: event.node, wait: event.systemWait, since: event.time)
        // The node that the thread ran before is not stalled any more.
        if let known, known.node != event.node, let slot = slot(of: known.node) { recordChange(slot, .facts) }
    }

    /// The least number of stalled threads at which stalls without an end event are dropped.
    static let leastStallRoom = 1_024

    func applyStallEnded(_ event: ChainEvent) {
        guard let known = stalls[event.thread], known.node == event.node, known.since <= event.time else { return }
        stalls[event.thread] = nil
    }
}
