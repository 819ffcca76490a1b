// SPDX-License-Identifier: MIT

import ChainModel

/// The nodes in the queue of one executor, found by sweeps over the forest, a slice of it in each tick.
struct ExecutorQueue {
    struct Entry: Equatable {
        var node: NodeID
        /// Since when the node is queued, in nanoseconds of the program's clock.
        var since: UInt64
    }

    /// The nodes that have been queued longest, the oldest first, as of the last complete sweep.
    private(set) var entries: [Entry] = []
    /// The nodes that the present sweep found so far.
    private var found: [Entry] = []
    /// The position of the present sweep; nil between two sweeps.
    private var cursor: Cursor?
    /// When the latest sweep began, in nanoseconds since 1970.
    private var began: UInt64?
    /// The forest's counts when the latest sweep began. While they stay the same, another sweep would find the same
    /// nodes.
    private var swept: ForestTotals?

    /// The maximum number of nodes that are listed.
    static let limit = 100
    /// The slots of the forest in one slice; each takes some 15 ns.
    static let budget = 16_384
    /// The minimum time from the beginning of one sweep to the beginning of the next, in nanoseconds. It does not apply
    /// while the clock may stand still, or after the clock was set back.
    private static let interval: UInt64 = 250_000_000

    /// Whether ``entries`` may differ from the queue in the forest.
    func isOutdated(_ forest: borrowing ChainForest) -> Bool { cursor != nil || swept != forest.totals }

    /// Returns the nodes of ``entries`` that are still queued.
    func queuedNodes(in forest: borrowing ChainForest) -> [NodeID] {
        var nodes: [NodeID] = []
        for entry in entries {
            guard let node = forest.index(of: entry.node), forest.state(of: node) == .queued else { continue }
            nodes.append(entry.node)
        }
        return nodes
    }

    /// Makes the next tick begin a sweep, because another forest took the place of the old one.
    mutating func forgetSweep() { (cursor, began, swept) = (nil, nil, nil) }

    /// Sweeps a slice of the forest, if a sweep is due or under way. Returns whether ``entries`` changed.
    ///
    /// - Parameter isClockStopped: whether `wall` may stand still, so that no pause between two sweeps can pass.
    mutating func tick(
        _ executor: ExecutorID, in forest: borrowing ChainForest, wall: UInt64, isClockStopped: Bool
    ) -> Bool {
        if cursor == nil {
            let totals = forest.totals
            guard swept != totals else { return false }
            let isDue = began.map { isClockStopped || wall >= $0 &+ Self.interval || wall < $0 } ?? true
            guard isDue else { return false }
            (cursor, began, found, swept) = (Cursor(end: forest.indexBound), wall, [], totals)
        }
        var rest = Self.budget
        while rest > 0, let slot = cursor?.step() {
            rest -= 1
            let node = NodeIndex(rawValue: slot)
            guard forest.contains(node), forest.state(of: node) == .queued else { continue }
            let view = forest.node(node)
            guard view.executor == executor else { continue }
            found.append(Entry(node: view.id, since: view.queued ?? view.created))
            if found.count >= 8 * Self.limit { trim() }
        }
        guard cursor?.isDone != false else { return false }
        cursor = nil
        trim()
        defer { entries = found }
        return entries != found
    }

    /// Keeps the nodes that have been queued longest.
    private mutating func trim() {
        found.sort { $0.since != $1.since ? $0.since < $1.since : $0.node < $1.node }
        found = Array(found.prefix(Self.limit))
    }
}

extension ThreadsView {
    struct ExecutorKey: Hashable {
        var source: SourceID
        var executor: ExecutorID
    }

    /// Returns whether no unfolded queue has to be swept.
    func isIdle(_ context: ViewContext) -> Bool {
        !queues.contains { key, queue in
            guard let programIndex = context.programIndex(of: key.source), context.programs[programIndex].wasReached
            else {
                return false
            }
            return queue.isOutdated(context.programs[programIndex].forest)
        }
    }

    /// Updates the unfolded queues, and once a second checks for rows that time alone changed. Returns whether rows may
    /// have changed.
    mutating func tick(_ context: ViewContext) -> Bool {
        var isMoved = false
        for key in queues.keys {
            guard let programIndex = context.programIndex(of: key.source), context.programs[programIndex].wasReached
            else {
                continue
            }
            let wall = context.wall
            var queue = queues[key]!
            let isClockStopped = context.programs[programIndex].isClockStopped
            if queue.tick(
                key.executor, in: context.programs[programIndex].forest, wall: wall, isClockStopped: isClockStopped)
            {
                isMoved = true
            }
            queues[key] = queue
        }
        let second = context.wall / 1_000_000_000
        guard !isMoved, second != self.second else { return isMoved }
        self.second = second
        return allRows(context) != rows
    }

    /// Returns the rows of an executor's queue; none if the queue is folded.
    func queueRows(_ key: ExecutorKey, _ program: borrowing Program) -> [Row] {
        guard let queue = queues[key] else { return [] }
        let forest = program.forest
        let rows = queue.queuedNodes(in: forest).map { Row.queued(key.source, key.executor, $0) }
        let rest = forest.load(of: key.executor).queuedCount - rows.count
        return rows + (rest > 0 ? [.moreQueued(key.source, key.executor)] : [])
    }
}
