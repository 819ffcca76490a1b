// SPDX-License-Identifier: MIT

import ChainModel

/// The details of nodes, which programs send only on request. A node's details are requested when the detail pane has
/// shown the node for ``restDuration``. They are requested again when the node's ``Facts`` have changed after the last
/// request.
struct NodeDetailCache {
    /// The facts of a node; when one of these facts changes, the node's details are requested again.
    struct Facts: Hashable {
        var state: NodeState
        var activity: Activity
        var marks: NodeMarks
        var childCount: Int
    }

    enum Answer: Hashable {
        /// The details, as answered at a time in nanoseconds since 1970.
        case entries([NodeDetail.Entry], at: UInt64)
        /// Why there are no details, in one sentence.
        case refused(String)

        /// Makes the answer of a reply about a node.
        init(_ outcome: CommandReply.Outcome, about node: NodeID?, at wall: UInt64) {
            switch outcome {
            case .described(let detail) where detail.node == node: self = .entries(detail.entries, at: wall)
            case .refused(let reason): self = .refused(reason)
            case .described, .accepted, .frames, .nodes: self = .refused("the program answered something else")
            }
        }
    }

    private struct Known {
        /// The facts at the time of the request.
        var facts: Facts
        var answer: Answer
    }

    /// How long the pane has to show a node before a request, and the minimum time between two requests for that node,
    /// in nanoseconds.
    static let restDuration: UInt64 = 150_000_000
    /// The maximum number of entries of ``known``, and of ``asked``.
    private static let limit = 64

    private var known: [RowID: Known] = [:]
    /// The nodes of ``known``, in the order of their first answers.
    private var order: [RowID] = []
    /// The requests without an answer, the oldest first.
    private var asked: [(command: UInt64, rowID: RowID, facts: Facts)] = []
    /// The node that the pane shows. `since` is when the pane began to show it or its details were last requested, in
    /// nanoseconds since 1970.
    private var paneNode: (rowID: RowID, since: UInt64)?

    var queueStatistics: QueueStatistics {
        let count = known.count + asked.count
        return QueueStatistics(
            name: "details of nodes", count: count, highWaterMark: count, limit: 2 * Self.limit)
    }

    subscript(rowID: RowID) -> Answer? { known[rowID]?.answer }

    /// Returns whether a node's details have to be requested: no answer for these facts is known, and no request is
    /// open.
    func lacks(_ rowID: RowID, _ facts: Facts) -> Bool {
        known[rowID]?.facts != facts && !asked.contains { $0.rowID == rowID }
    }

    /// Notes the node that the pane shows, if any; returns whether it has shown that node for ``restDuration``.
    mutating func notePane(on rowID: RowID?, at wall: UInt64) -> Bool {
        guard let rowID else {
            paneNode = nil
            return false
        }
        guard let paneNode, paneNode.rowID == rowID, paneNode.since <= wall else {
            self.paneNode = (rowID, wall)
            return false
        }
        return wall - paneNode.since >= Self.restDuration
    }

    mutating func noteAsked(_ rowID: RowID, _ facts: Facts, by command: UInt64, at wall: UInt64) {
        paneNode = (rowID, wall)
        asked.append((command, rowID, facts))
        if asked.count > Self.limit { asked.removeFirst() }
    }

    /// Keeps an answer and returns its node; nil if `command` did not request details.
    mutating func record(_ outcome: CommandReply.Outcome, to command: UInt64, at wall: UInt64) -> RowID? {
        guard let index = asked.firstIndex(where: { $0.command == command }) else { return nil }
        let (_, rowID, facts) = asked.remove(at: index)
        keep(Answer(outcome, about: rowID.id, at: wall), facts, of: rowID)
        return rowID
    }

    private mutating func keep(_ answer: Answer, _ facts: Facts, of rowID: RowID) {
        if known[rowID] == nil { order.append(rowID) }
        known[rowID] = Known(facts: facts, answer: answer)
        if order.count > Self.limit { known[order.removeFirst()] = nil }
    }

    /// Forgets the refusals of a source's program, and the requests that it has not answered, so that these details are
    /// requested again. Called when the program was reached.
    mutating func retryRefused(_ source: SourceID) {
        asked.removeAll { $0.rowID.source == source }
        for rowID in order where rowID.source == source {
            if case .refused? = known[rowID]?.answer { known[rowID] = nil }
        }
        order.removeAll { known[$0] == nil }
    }
}

extension NodeDetailCache {
    /// Requests the details of the node that the pane shows, if they are missing and the pane has shown it long enough.
    mutating func ask(_ context: inout ViewContext) {
        let wanted = context.describableNode
        guard notePane(on: wanted?.rowID, at: context.wall), let (rowID, facts) = wanted, lacks(rowID, facts) else {
            return
        }
        ask(about: rowID, facts, &context)
    }

    /// Requests the details of a node, shown or not.
    mutating func ask(about rowID: RowID, _ facts: Facts, _ context: inout ViewContext) {
        guard let node = rowID.node else { return }
        let command = context.send(.describe(node.id), to: rowID.source, node.process)
        noteAsked(rowID, facts, by: command, at: context.wall)
    }
}

extension ViewContext {
    /// The node that the detail pane shows; nil if the pane shows no node, or if the node's program cannot be asked.
    var describableNode: (rowID: RowID, facts: NodeDetailCache.Facts)? {
        guard layout.detail != nil, !layout.isTooSmall, let selection, let (programIndex, node) = selectedNode,
            world.programs[programIndex].connection.isLive, world.programs[programIndex].frozenBuffer?.successor == nil,
            // What is known of an actor, an executor or a lock has been reported.
            !world.programs[programIndex].forest.kind(of: node).isResource
        else { return nil }
        return (selection, world.programs[programIndex].facts(of: node))
    }
}

extension Program {
    func facts(of node: NodeIndex) -> NodeDetailCache.Facts {
        let view = forest.node(node)
        return NodeDetailCache.Facts(
            state: view.state, activity: view.activity, marks: view.marks, childCount: forest.childCount(of: node))
    }
}
