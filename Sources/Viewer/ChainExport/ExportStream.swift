// SPDX-License-Identifier: MIT

import ChainModel

/// A receiver of the nodes of a program: each once, as finished or unfinished; a root also when it is new.
package protocol NodeExporter {
    /// Receives a new root, which may be evicted or placed under another node later.
    mutating func began(_ root: NodeIndex, in forest: borrowing ChainForest) throws

    /// Receives a node that is settled and has no running handler. Roots and finished nodes of one batch are passed in
    /// the order of the times at which they were made or settled.
    mutating func finished(_ node: NodeIndex, in forest: borrowing ChainForest) throws

    /// Receives the forest after each batch past ``ExportStream/Options/start``, and before the unfinished nodes.
    mutating func advanced(_ forest: borrowing ChainForest) throws

    /// Receives, at the end, a node that is not finished: it is live, its handler runs, or only its id is known.
    mutating func unfinished(_ node: NodeIndex, in forest: borrowing ChainForest) throws
}

extension NodeExporter {
    /// Does nothing.
    package mutating func began(_ root: NodeIndex, in forest: borrowing ChainForest) throws {}
    /// Does nothing.
    package mutating func advanced(_ forest: borrowing ChainForest) throws {}
}

/// Applies batches to a forest, and passes each node to an exporter once it is finished.
///
/// A node is passed on a little later than it finishes: after ``Options/delay`` of the program's time. It is passed on
/// earlier if over ``Options/waitingLimit`` nodes wait, or if a chain has too many nodes. While it waits, it can be
/// placed under another node of the tree and get marks. Memory depends on the live nodes and on the limits, not on the
/// number of events.
package struct ExportStream<Exporter: NodeExporter> {
    /// Limits of a stream.
    package struct Options: Sendable {
        /// The approximate maximum number of nodes that wait to be passed on.
        package var waitingLimit = 20_000
        /// How long a node waits if no limit is exceeded, in nanoseconds of the program's clock. The first batch after
        /// that time ends the wait.
        package var delay: UInt64 = 5_000_000_000
        /// The number of nodes of a chain above which its settled beginning is evicted.
        package var chainNodeLimit = 200_000
        /// The moment that the export begins at, in nanoseconds of the program's clock. Nodes that have finished by
        /// this moment are not passed on, and chains that have settled by it do not begin.
        package var start: UInt64 = 0

        package init() {}
    }

    private struct Entry {
        var node: NodeIndex
        var id: NodeID
        /// The forest's time when the entry was made.
        var time: UInt64
        /// Whether the node is a new root, not a finished node.
        var isBeginning: Bool
    }

    /// The forest after the last batch.
    package private(set) var forest: ChainForest
    package var exporter: Exporter
    private let options: Options
    private var changes = ForestChanges()
    /// The entries that wait to be passed on, from ``firstEntry`` on.
    private var entries: [Entry] = []
    private var firstEntry = 0
    /// What was done for each node, by its index.
    private var progress: [NodeProgress] = []
    /// Whether no batch after ``Options/start`` has been applied. Before such a batch, changes are not consumed.
    private var isBeforeStart: Bool

    /// Begins with an empty forest.
    package init(of process: ProcessKey, to exporter: Exporter, options: Options = Options()) {
        // Twice the number of waiting nodes, so that no node is evicted while it waits.
        let kept = 2 * options.waitingLimit + 1_000
        let limits = ForestLimits(
            settledNodeLimit: kept, settledLeafLimit: kept, chainNodeLimit: options.chainNodeLimit, changeLimit: .max)
        forest = ChainForest(process: process, limits: limits)
        self.exporter = exporter
        self.options = options
        isBeforeStart = options.start > 0
        forest.consumeChanges(into: &changes)
    }

    /// Applies a batch, and passes on the nodes that have waited for long enough.
    package mutating func apply(_ batch: EventBatch) throws {
        if batch.time > options.start { start() }
        forest.apply(batch)
        if !isBeforeStart {
            enqueueChanges()
            // Nodes that wait may be in the beginning of a long chain, which is evicted below.
            let waits = !forest.hasLongChains
            try passOn(waitingLimit: waits ? options.waitingLimit : 0, delay: waits ? options.delay : 0)
            try exporter.advanced(forest)
        }
        forest.evictSettled(now: forest.now, budget: 1 << 20)
    }

    /// Passes on the nodes that wait, and then the unfinished nodes.
    package mutating func end() throws {
        start()
        try passOn(waitingLimit: 0, delay: 0)
        try exporter.advanced(forest)
        for root in forest.roots {
            var node: NodeIndex? = root
            while let current = node {
                if !progress(of: current).contains(.passed) { try exporter.unfinished(current, in: forest) }
                node = forest.next(after: current, within: root)
            }
        }
    }

    // MARK: Waiting

    /// How many entries, nodes and changes the stream stores beside the forest.
    var storedCount: Int { entries.count + progress.count + changes.nodes.count + changes.evicted.count }

    private func progress(of node: NodeIndex) -> NodeProgress {
        Int(node.rawValue) < progress.count ? progress[Int(node.rawValue)] : []
    }

    /// Notes the nodes that had finished by ``Options/start``, and enqueues the chains that are live at that moment.
    private mutating func start() {
        guard isBeforeStart else { return }
        enqueueChanges()
        isBeforeStart = false
    }

    private mutating func enqueueChanges() {
        forest.consumeChanges(into: &changes)
        for eviction in changes.evicted where Int(eviction.index.rawValue) < progress.count {
            progress[Int(eviction.index.rawValue)] = []
        }
        if progress.count < forest.indexBound {
            progress += Array(repeating: [], count: forest.indexBound - progress.count)
        }
        var steps: [(time: UInt64, isFinish: Bool, view: NodeView)] = []
        for change in changes.nodes {
            let index = Int(change.index.rawValue)
            if change.changes.contains(.created) { progress[index] = [] }
            if change.traits.contains(.root), !progress[index].contains(.begun),
                !isBeforeStart || forest.chain(of: change.index).liveCount > 0
            {
                progress[index].insert(.begun)
                let view = forest.node(change.index)
                steps.append((view.created, false, view))
            }
            guard !change.traits.contains(.unfinished), progress[index].isDisjoint(with: [.waiting, .passed]) else {
                continue
            }
            let view = forest.node(change.index)
            // A node of which only the id is known has no settlement. It is passed on at the end, unless it is reported
            // before.
            guard let settled = view.settled else { continue }
            if isBeforeStart {
                progress[index].formUnion([.begun, .passed])
                continue
            }
            progress[index].insert(.waiting)
            steps.append((settled, true, view))
        }
        steps.sort {
            ($0.time, $0.isFinish ? 1 : 0, $0.view.created, $0.view.id)
                < ($1.time, $1.isFinish ? 1 : 0, $1.view.created, $1.view.id)
        }
        entries += steps.map {
            Entry(node: $0.view.index, id: $0.view.id, time: forest.now, isBeginning: !$0.isFinish)
        }
    }

    /// Passes on nodes, batch by batch, until at most `waitingLimit` nodes wait, and no node has waited for `delay`.
    private mutating func passOn(waitingLimit: Int, delay: UInt64) throws {
        while firstEntry < entries.count,
            entries.count - firstEntry > waitingLimit || entries[firstEntry].time.addingClamped(delay) <= forest.now
        {
            let time = entries[firstEntry].time
            while firstEntry < entries.count, entries[firstEntry].time == time {
                try passOn(entries[firstEntry])
                firstEntry += 1
            }
        }
        guard firstEntry > 1_000, firstEntry > entries.count / 2 else { return }
        entries.removeFirst(firstEntry)
        firstEntry = 0
    }

    private mutating func passOn(_ entry: Entry) throws {
        guard forest.contains(entry.id, at: entry.node) else { return }
        if entry.isBeginning {
            if forest.isRoot(entry.node) { try exporter.began(entry.node, in: forest) }
        } else {
            progress[Int(entry.node.rawValue)] = [.begun, .passed]
            try exporter.finished(entry.node, in: forest)
        }
    }
}

/// What was done for a node.
private struct NodeProgress: OptionSet {
    let rawValue: UInt8
    /// The node was enqueued as a new root; or it has finished, after which it cannot begin.
    static let begun = NodeProgress(rawValue: 1)
    /// The node was enqueued as finished.
    static let waiting = NodeProgress(rawValue: 2)
    /// The node was passed on as finished, or had finished by ``ExportStream/Options/start``.
    static let passed = NodeProgress(rawValue: 4)
}
