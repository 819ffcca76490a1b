// SPDX-License-Identifier: MIT

/// A wait that blocks a thread until a node settles.
public struct ThreadWait: Hashable, Sendable {
    /// The thread.
    public var thread: ThreadID
    /// The node that has to settle.
    public var node: NodeID
    /// The node of the handler that blocks the thread, or `.none`.
    public var waiter: NodeID
    /// When the wait began, in nanoseconds of the process's clock.
    public var since: UInt64
}

extension ChainForest {
    /// Returns the waits that block a thread now, innermost last. Waits are nested if a handler that runs during a wait
    /// waits itself. A wait with a lost end event is left out once its node has settled.
    public func waits(of thread: ThreadID) -> [ThreadWait] {
        data.waits(of: thread)
    }

    /// All waits that block a thread now, sorted by thread. O(n log n) for n waiting threads.
    public var waits: [ThreadWait] { data.threadWaits.keys.sorted().flatMap { waits(of: $0) } }

    /// Events that report ``waits``, ``stalls``, what Swift tasks wait for and who holds it to a late subscriber.
    /// Applying them again changes nothing.
    public var waitEvents: [ChainEvent] {
        waits.map { ChainEvent(time: $0.since, .awaited, node: $0.node, other: $0.waiter, thread: $0.thread) }
            + stalls.map {
                ChainEvent(time: $0.since, .stalled, node: $0.node, thread: $0.thread, detail: $0.wait.rawValue)
            } + taskWaitEvents
    }
}

// MARK: Applying

extension ForestData {
    /// Returns the waits of a thread, without waits for settled nodes, because the end events of such waits were lost.
    func waits(of thread: ThreadID) -> [ThreadWait] { threadWaits[thread, default: []].filter { isLive($0.node) } }

    private func isLive(_ id: NodeID) -> Bool {
        slot(of: id).map { nodes[$0].pointee.state.isLive } ?? false
    }

    /// The least number of waiting threads at which threads without a wait for a live node are dropped. The end events
    /// of such waits were lost.
    private static let pruneCount = 1_024
    /// The most waiting threads that are kept; the waits of further threads are dropped.
    static let waitingThreadLimit = 16_384
    /// How many nested waits of one thread are kept. Past the limit, waits with a lost end event are dropped first,
    /// then the outermost wait.
    private static let depthLimit = 64

    func applyAwaited(_ event: ChainEvent) {
        let wait = ThreadWait(thread: event.thread, node: event.node, waiter: event.other, since: event.time)
        var known = threadWaits[event.thread] ?? []
        guard !known.contains(wait) else { return }
        guard !known.isEmpty || hasRoomForWait() else { return }
        if known.count >= Self.depthLimit { known = waits(of: event.thread) }
        if known.count >= Self.depthLimit { known.removeFirst() }
        known.append(wait)
        known.sort { $0.since < $1.since }
        threadWaits[event.thread] = known
        threadWaitHighWater = max(threadWaitHighWater, threadWaits.count)
        recordWaiterChange(of: wait)
    }

    /// Returns whether the wait of another thread can be stored. Drops threads without a wait for a live node if the
    /// number of threads has doubled since the last drop, or has reached the limit. Amortised O(1).
    private func hasRoomForWait() -> Bool {
        let limit = Self.waitingThreadLimit
        guard threadWaits.count >= min(limit, max(Self.pruneCount, 2 * waitCountAfterPruning)) else { return true }
        guard remainingWaitRefusals == 0 else {
            remainingWaitRefusals -= 1
            return false
        }
        for thread in Array(threadWaits.keys) where waits(of: thread).isEmpty { threadWaits[thread] = nil }
        waitCountAfterPruning = threadWaits.count
        let room = limit - threadWaits.count
        // The less room, the more waits are refused at the limit before the next pass over all threads.
        remainingWaitRefusals = max(0, limit - 8 * room)
        return room > 0
    }

    func applyAwaitEnded(_ event: ChainEvent) {
        guard var waits = threadWaits[event.thread],
            let index = waits.lastIndex(where: { $0.node == event.node && $0.since <= event.time })
        else { return }
        recordWaiterChange(of: waits[index])
        // The waits nested in this one have ended as well.
        waits.removeSubrange(index...)
        threadWaits[event.thread] = waits.isEmpty ? nil : waits
    }

    /// Records a change of the node that waits.
    private func recordWaiterChange(of wait: ThreadWait) {
        if let waiter = slot(of: wait.waiter) { recordChange(waiter, .facts) }
    }

    /// Returns the innermost wait of a running node's handler.
    func wait(ofRunning record: NodeRecord) -> ThreadWait? {
        guard !threadWaits.isEmpty else { return nil }
        return waits(of: record.thread).last { $0.waiter.rawValue == record.id }
    }
}
