import ChainModel

/// The counter that computes ``FlowFigures``: for the nodes of one call site in ``SiteTable``; for the chains of one
/// call site, by their roots, in ``ChainSiteTable``.
struct FlowCounter: Sendable {
    /// Counts, and the percentiles as of the last refresh.
    private(set) var figures = FlowFigures()
    /// The durations of settled nodes or chains.
    private(set) var time = DurationHistogram()
    private var history = RateHistory()
    private(set) var heap = OldestHeap()
    private var commonLabel = CommonLabel()
    /// The first and the last node that were recorded since the last refresh. The next refresh reads their labels.
    private var samples: [NodeID] = []
    /// When the newest node was made, in nanoseconds of the process's clock.
    private var newestCreated: UInt64 = 0

    /// The cost of ``refreshTime()``: about the number of the histogram's buckets.
    var cost: Int { time.cost }

    /// The figures, with the history of settlements.
    var complete: FlowFigures {
        var complete = figures
        complete.history = history
        return complete
    }

    /// Records a new node as a sample for the label, and as the newest node unless a newer node is known.
    mutating func note(_ node: NodeView) {
        if node.created >= newestCreated { (figures.newestNode, newestCreated) = (node.id, node.created) }
        if samples.count < 2 { samples.append(node.id) } else { samples[1] = node.id }
    }

    /// Counts that a node or chain is in flight. `isInFlight` tells whether an earlier one still is.
    mutating func begin(_ node: NodeView, at begin: UInt64, where isInFlight: (OldestHeap.Entry) -> Bool) {
        figures.inFlight += 1
        heap.insert(node, begin: begin, where: isInFlight)
    }

    /// Counts that a node or chain is no longer in flight.
    mutating func leave() { figures.inFlight -= 1 }

    /// Counts a settlement; `duration` is nil if the begin is unknown.
    mutating func end(at settled: UInt64?, after duration: UInt64?, failed: Bool, cancelled: Bool) {
        figures.ended += 1
        if failed { figures.failed += 1 }
        if cancelled { figures.cancelled += 1 }
        if let settled { history.record(at: settled) }
        if let duration { time.record(duration) }
    }

    mutating func refreshTime() { figures.time = time.figures }

    /// Updates the oldest item in flight and the label. O(1) unless many items have settled since the last refresh.
    mutating func refreshOldest(_ forest: ChainForest, isInFlight: (OldestHeap.Entry) -> Bool) {
        let oldest = heap.oldest(where: isInFlight)
        figures.oldest = oldest?.begin
        figures.oldestNode = oldest.map { forest.node(NodeIndex(rawValue: $0.slot)).id } ?? .none
        guard !samples.isEmpty else { return }
        for sample in samples {
            if let label = forest.index(of: sample).flatMap(forest.label), !label.isEmpty { commonLabel.add(label) }
        }
        samples.removeAll(keepingCapacity: true)
        figures.label = commonLabel.text
    }
}

extension Sequence<OldestHeap> {
    /// The size of several heaps together.
    func statistics(_ name: String) -> QueueStatistics {
        reduce(into: QueueStatistics(name: name, count: 0, highWaterMark: 0, limit: 0)) { all, heap in
            all.count += heap.entries.count
            all.highWaterMark += heap.highWaterMark
            all.limit += heap.limit
        }
    }
}
