// SPDX-License-Identifier: MIT

import ChainModel

/// All that happened in a run: the promises at its end, and the order of their steps.
struct RunHistory {
    /// The moment of a step.
    struct Moment: Comparable {
        var time: UInt64
        /// The number of the event. It orders steps that have the same time, as many steps have in virtual time.
        var number: Int

        static func < (left: Moment, right: Moment) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    /// The steps of one node.
    private struct Steps {
        var created: Moment?, started: Moment?, settled: Moment?
        var isSkipped = false
    }

    private(set) var forest: ChainForest
    let start: UInt64
    let showsTimes: Bool
    private var steps: [NodeID: Steps] = [:]
    /// The number of the last event.
    private var count = 0

    init(process: ProcessKey, start: UInt64, showsTimes: Bool) {
        forest = ChainForest(process: process, limits: ForestLimits(changeLimit: 0))
        (self.start, self.showsTimes) = (start, showsTimes)
    }

    mutating func add(_ batch: EventBatch) {
        forest.apply(batch)
        for node in batch.nodes {
            // Snapshots have times but no numbers of events, so steps from snapshots are ordered by their times only.
            func moment(_ time: UInt64) -> Moment? { time == 0 ? nil : Moment(time: time, number: 0) }
            var known = steps[node.id] ?? Steps()
            known.created = known.created ?? moment(node.created)
            known.started = known.started ?? moment(node.started)
            known.settled = known.settled ?? moment(node.settled)
            known.isSkipped = [.skippedFulfilled, .skippedRejected].contains(node.settlement)
            steps[node.id] = known
        }
        for event in batch.events {
            count += 1
            note(event, Moment(time: event.time, number: count))
        }
    }

    private mutating func note(_ event: ChainEvent, _ moment: Moment) {
        switch event.kind {
        case .created: steps[event.node, default: Steps()].created = moment
        case .started: steps[event.node, default: Steps()].started = moment
        case .fulfilled, .rejected, .cancelled, .skipped, .abandoned:
            var known = steps[event.node] ?? Steps()
            known.settled = known.settled.map { min($0, moment) } ?? moment
            known.isSkipped = event.kind == .skipped
            steps[event.node] = known
        default: break
        }
    }

    func settled(_ node: NodeIndex) -> Moment? { steps[forest.id(of: node)]?.settled }

    /// Returns the moment at which a node's handler began. For a node without a handler, returns its creation or the
    /// settlement of its parent, whichever was later. Returns nil for a node that was skipped or never had its turn,
    /// for example because it was settled before its parent.
    func began(_ node: NodeIndex) -> Moment? {
        guard let known = steps[forest.id(of: node)], !known.isSkipped else { return nil }
        if let started = known.started { return started }
        guard forest.node(node).hasParent else { return known.created }
        let state = forest.state(of: node)
        guard state != .waiting, state != .queued, let parent = forest.parent(of: node) else { return nil }
        // A cancelled link has a handler that never ran.
        if state == .cancelled, forest.node(node).kind.role == .link { return nil }
        guard let turn = settled(parent), known.settled.map({ $0 >= turn }) ?? true else { return nil }
        return known.created.map { max($0, turn) } ?? turn
    }

    // MARK: Expectations

    /// Returns why nodes with these labels did not run in this order; nil if they did.
    func failureMessage(forOrder labels: [String]) -> String? {
        var firsts: [NodeIndex: [String: NodeIndex]] = [:]
        var overall: [String: NodeIndex] = [:]
        for (node, _) in forest.linesInOrder {
            guard let label = forest.label(of: node), labels.contains(label), let begin = began(node) else { continue }
            let root = forest.root(of: node)
            func isFirst(_ known: NodeIndex?) -> Bool { known.flatMap(began).map { begin < $0 } ?? true }
            if isFirst(firsts[root]?[label]) { firsts[root, default: [:]][label] = node }
            if isFirst(overall[label]) { overall[label] = node }
        }
        if let missing = labels.first(where: { overall[$0] == nil }) { return failureMessage(forMissing: missing) }
        // Labels of different chains have an order, too, if no chain has two of the labels.
        let several = firsts.filter { $0.value.count > 1 }.sorted { forest.id(of: $0.key) < forest.id(of: $1.key) }
        for chain in several.isEmpty ? [overall] : several.map(\.value) {
            let nodes = labels.compactMap { chain[$0] }
            for (earlier, later) in zip(nodes, nodes.dropFirst()) {
                if let message = failureMessage(for: earlier, before: later) { return message }
            }
        }
        return nil
    }

    private func failureMessage(for earlier: NodeIndex, before later: NodeIndex) -> String? {
        guard let begin = began(later) else { return nil }
        let end = settled(earlier)
        guard end.map({ $0 > begin }) ?? true else { return nil }
        let names = [earlier, later].map { "\"\(forest.label(of: $0) ?? "")\"" }
        let when = end.map { "settled at \(time($0))" } ?? "never settled"
        return "\(names[1]) began at \(time(begin)), and \(names[0]) \(when):\n"
            + forest.excerpt(marking: [earlier, later], showsTimes: showsTimes)
    }

    private func failureMessage(forMissing label: String) -> String {
        let named = forest.linesInOrder.map(\.index).filter { forest.label(of: $0) == label }
        guard !named.isEmpty else {
            return "there is no promise labelled \"\(label)\":\n"
                + forest.excerpt(marking: [], showsTimes: showsTimes, first: 10)
        }
        return "no promise labelled \"\(label)\" ran:\n"
            + forest.excerpt(marking: Set(named), showsTimes: showsTimes)
    }

    private func time(_ moment: Moment) -> String { seconds(moment.time.subtractingClamped(start)) }
}

extension ChainTree {
    /// Returns which promises are pending; nil if none are.
    func failureMessage(forPendingAfter moment: Duration) -> String? {
        let live = forest.linesInOrder.map(\.index).filter { forest.state(of: $0).isLive }
        guard !live.isEmpty else { return nil }
        let time = seconds(moment.clampedNanoseconds)
        let isEarlier = forest.now < start.addingClamped(moment.clampedNanoseconds)
        let end = isEarlier ? " (the run ends at \(seconds(forest.now.subtractingClamped(start))))" : ""
        return "\(live.count) \(live.count == 1 ? "promise is" : "promises are") pending after \(time)\(end):\n"
            + forest.excerpt(marking: Set(live), showsTimes: showsTimes)
    }
}
