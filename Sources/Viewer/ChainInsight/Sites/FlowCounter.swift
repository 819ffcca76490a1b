// SPDX-License-Identifier: MIT

import ChainModel

/// The counter of ``FlowFigures``: for the nodes of one call site in ``SiteCount``; for the chains of one call site, by
/// their roots, in ``ChainCount``.
struct FlowCounter: Sendable {
    private(set) var figures = FlowFigures()
    /// The durations of settled nodes or chains.
    private(set) var time = DurationBuckets()
    private var label = CommonLabel()
    /// How many nodes were noted since the pass began.
    private var notedCount = 0
    /// When the newest node was made, in nanoseconds of the process's clock.
    private var newestCreated: UInt64 = 0

    /// Begins to note the nodes of another pass.
    mutating func begin() { notedCount = 0 }

    /// Notes a node, as the newest unless a newer one is known. Reads the labels of the 1st, 2nd, 4th, 8th… node only,
    /// because reading a label costs more than counting a node.
    mutating func note(_ node: NodeView, _ forest: ChainForest) {
        if node.created >= newestCreated { (figures.newestNode, newestCreated) = (node.id, node.created) }
        notedCount += 1
        if notedCount & (notedCount - 1) == 0 { addLabel(forest.label(of: node)) }
    }

    private mutating func addLabel(_ text: String?) { if let text, !text.isEmpty { label.add(text) } }

    /// Counts a node or chain in flight.
    mutating func begin(_ node: NodeView, at begin: UInt64) {
        figures.inFlight += 1
        if begin < figures.oldest ?? .max { (figures.oldest, figures.oldestNode) = (begin, node.id) }
    }

    /// Counts a settlement; `duration` is nil if the begin is unknown.
    mutating func end(at settled: UInt64?, after duration: UInt64?, failed: Bool, cancelled: Bool) {
        figures.ended += 1
        if failed { figures.failed += 1 }
        if cancelled { figures.cancelled += 1 }
        if let settled { figures.history.record(at: settled) }
        if let duration { time.record(duration) }
    }

    /// Computes percentiles and the label.
    mutating func compute(_ forest: ChainForest) {
        figures.time = time.figures
        for node in [figures.newestNode, figures.oldestNode] { addLabel(forest.index(of: node).flatMap(forest.label)) }
        figures.label = label.text
    }
}
