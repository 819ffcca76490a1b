// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

/// A forest as JSON, for `chainview ps --json`. The names of its fields are kept from release to release.
///
///     {"process": {…}, "totals": {…}, "time": 1731.5, "nodes": [{…}, …], "leftOut": 0}
///
/// `time` is the moment that running times count to, and `leftOut` is the number of nodes past the limit. Nodes are in
/// the usual order of the dashboard's rows. All fields are always present, `null` where unknown. Times are seconds
/// since 1970, durations seconds, with up to nine decimals.
package struct TreeJSON: Sendable {
    /// The nodes to list.
    package var listing: TreeListing

    /// Lists everything by default.
    package init(listing: TreeListing = TreeListing()) {
        self.listing = listing
    }

    /// Calls `output` with pieces that make one JSON object together, closed by a newline.
    ///
    /// - Parameter now: the moment that running times count to, in nanoseconds of the process's clock.
    package func write(
        _ forest: ChainForest, of process: ProcessDescription, now: UInt64, to output: (String) throws -> Void
    ) rethrows {
        let members: [(name: String, value: String)] = [
            ("process", Self.process(process)), ("totals", Self.totals(of: forest)),
            ("time", JSONText.seconds(now &+ process.wallOffset)),
        ]
        try output("{" + members.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ",\n ") + ",\n \"nodes\": [")
        var isFirst = true
        let leftOut = try listing.forEachRow(of: forest, now: now) { row in
            try output((isFirst ? "\n  " : ",\n  ") + node(row, forest, process.wallOffset, now))
            isFirst = false
        }
        try output("\n ],\n \"leftOut\": \(leftOut)}\n")
    }

    /// Returns the description of a program as a JSON object.
    package static func process(_ process: ProcessDescription) -> String { JSONText.object(members(of: process)) }

    /// Returns the members of the object of a program, in order; the values are JSON.
    package static func members(of process: ProcessDescription) -> [(name: String, value: String)] {
        let key = String(process.key.rawValue, radix: 16)
        return [
            ("pid", JSONText.number(process.pid)), ("name", JSONText.string(process.name)),
            ("run", JSONText.string(String(repeating: "0", count: 16 - key.count) + key)),
            ("recordingSince", JSONText.seconds(process.startTime == 0 ? nil : process.startTime)),
            ("isReadOnly", "\(process.isReadOnly)"), ("isReadFromOutside", "\(process.isReadFromOutside)"),
        ]
    }

    private static func totals(of forest: ChainForest) -> String {
        let counts = forest.totals.counts
        return JSONText.object(
            [
                ("chains", "\(forest.totals.chainCount)"), ("nodes", "\(counts.nodeCount)"),
                ("live", "\(counts.liveCount)"),
            ]
                + NodeState.allCases.map { ($0.word, count(of: $0, in: forest)) }
                + [
                    ("lostEvents", "\(forest.loss.lostCount)"), ("forgottenNodes", "\(forest.totals.evictedCount)"),
                    ("outcomes", outcomes(of: forest)),
                ])
    }

    private static func outcomes(of forest: ChainForest) -> String {
        guard !forest.isReadFromOutside else { return "null" }
        return JSONText.object(ChainOutcome.allCases.map { ($0.word, "\(forest.totals.outcomes[$0])") })
    }

    /// Returns how many nodes have a state. How tasks ended is not known from outside.
    private static func count(of state: NodeState, in forest: ChainForest) -> String {
        let counts = forest.totals.counts
        guard forest.isReadFromOutside else { return "\(counts[state])" }
        switch state {
        case .fulfilled, .rejected, .cancelled, .abandoned: return "null"
        case .unknown: return "\(counts[.unknown] + counts[.fulfilled])"
        case .waiting, .queued, .running, .pending, .skipped: return "\(counts[state])"
        }
    }

    /// Returns the JSON object of a node, as in a listing without a filter. O(steps up to the root).
    package func node(_ node: NodeIndex, _ forest: ChainForest, wallOffset: UInt64, now: UInt64) -> String {
        JSONText.object(
            Self.members(of: node, depth: forest.depth(of: node), in: forest, wallOffset: wallOffset, now: now))
    }

    /// Returns a row as a JSON object, which for the root of a chain has the chain's outcome and the chain's value or
    /// error.
    package func node(_ row: TreeRow, _ forest: ChainForest, _ wallOffset: UInt64, _ now: UInt64) -> String {
        JSONText.object(
            Self.members(of: row.node, depth: Int(row.depth), in: forest, wallOffset: wallOffset, now: now))
    }

    /// Returns the members of the object of a node, in order; the values are JSON.
    package static func members(
        of node: NodeIndex, depth: Int, in forest: borrowing ChainForest, wallOffset: UInt64, now: UInt64
    ) -> [(name: String, value: String)] {
        let view = forest.node(node)
        let timing = forest.timing(of: node, now: now)
        let site = forest.site(of: node)
        let isRoot = forest.isRoot(node)
        let concluding = isRoot ? forest.concludingNode(of: node) : nil
        let hasUnknownEnd = forest.isReadFromOutside && view.state == .fulfilled
        let state = JSONText.string(hasUnknownEnd ? NodeState.unknown.word : view.stateWord)
        let outcome = JSONText.string(
            !isRoot ? nil : hasUnknownEnd ? ChainOutcome.unknown.word : forest.chain(of: node).outcome.word)
        let outcomeSummary = JSONText.string(concluding.flatMap { forest.summary(of: $0) })
        let stall = forest.stall(of: node)
        func id(_ node: NodeIndex?) -> String { JSONText.number(node.map { forest.id(of: $0).rawValue }) }
        func wall(_ time: UInt64?) -> String { JSONText.seconds(time.map { $0 &+ wallOffset }) }
        return [
            ("id", "\(view.id.rawValue)"), ("under", id(forest.treeParent(of: node))),
            ("parent", id(forest.parent(of: node))), ("chain", id(forest.root(of: node))),
            ("inGroupOf", JSONText.number(forest.isSeparate(node) ? forest.origin(of: node).rawValue : nil)),
            ("calledFrom", JSONText.string(forest.remoteParent(of: node)?.text)),
            ("depth", "\(depth)"), ("kind", JSONText.string(view.kind.word)),
            ("label", JSONText.string(forest.label(of: node))), ("state", state),
            ("outcome", outcome), ("outcomeSummary", outcomeSummary),
            ("isLive", "\(view.isLive)"), ("marks", marks(of: view, isMoving: forest.isMoving(node))),
            ("thread", JSONText.string(view.thread == 0 ? nil : forest.threads[view.thread] ?? "\(view.thread)")),
            ("threadID", JSONText.number(view.thread == 0 ? nil : view.thread)),
            ("executor", JSONText.string(view.executor == 0 ? nil : forest.executors[view.executor])),
            ("file", JSONText.string(site?.file)), ("line", JSONText.number(site?.fileLine)),
            ("function", JSONText.string(site?.function)), ("frames", frames(forest.frames(of: node))),
            ("createdAt", wall(view.created)),
            ("seenAt", wall(view.marks.contains(.seenLate) ? view.created : nil)), ("queuedAt", wall(view.queued)),
            ("startedAt", wall(view.started)),
            ("endedAt", wall(view.ended)), ("settledAt", wall(view.settled)),
            ("wait", JSONText.seconds(timing.wait)), ("run", JSONText.seconds(timing.run)),
            ("total", JSONText.seconds(timing.total)),
            ("summary", JSONText.string(forest.summary(of: node))),
            ("cancelledBy", JSONText.string(forest.canceller(of: node))),
            ("blockedIn", JSONText.string(stall?.wait.name)), ("blockedAt", wall(stall?.since)),
            ("waitsFor", waitsFor(node, in: forest)), ("heldBy", heldBy(node, in: forest)),
        ]
    }

    /// Returns what a Swift task waits for: `{"kind": "actor", "id": 12, "label": "Store"}`.
    private static func waitsFor(_ node: NodeIndex, in forest: borrowing ChainForest) -> String {
        guard let wait = forest.taskWait(of: node) else { return "null" }
        return JSONText.object([
            ("kind", JSONText.string(wait.target.name)),
            ("id", JSONText.number(wait.node.map { forest.id(of: $0).rawValue })),
            ("label", JSONText.string(wait.node.flatMap { forest.label(of: $0) })),
        ])
    }

    /// Returns who holds an actor, a lock or an executor: `{"kind": "task", "id": 7, "label": "charge", …}`.
    private static func heldBy(_ node: NodeIndex, in forest: borrowing ChainForest) -> String {
        guard let holder = forest.holder(of: node) else { return "null" }
        return JSONText.object([
            ("kind", JSONText.string(holder.node == nil ? "thread" : "task")),
            ("id", JSONText.number(holder.node.map { forest.id(of: $0).rawValue })),
            ("label", JSONText.string(holder.node.flatMap { forest.label(of: $0) })),
            ("threadID", JSONText.number(holder.thread == 0 ? nil : holder.thread)),
        ])
    }

    private static func frames(_ text: String?) -> String {
        text.map { JSONText.array($0.split(separator: "\n").map { JSONText.string(String($0)) }) } ?? "null"
    }

    private static func marks(of view: NodeView, isMoving: Bool) -> String {
        JSONText.array((view.marks.list.map(\.name) + (isMoving ? ["moving"] : [])).map { JSONText.string($0) })
    }
}
