// SPDX-License-Identifier: MIT

import ChainInsight
import ChainListing
import ChainModel
import ChainRows

/// A finder of the nodes of one program that match a query. Each node is found once, and nodes that match from the
/// beginning are found, too.
///
/// A node is tested after each batch in which it changed. If time alone changes the answer, the node is tested again at
/// that time, to the second. No node is tested while the program reports its state, and a node whose creation is not known
/// yet is returned one batch later, because until then its facts are incomplete.
struct NodeWatch {
    /// The nodes of all batches so far, except the oldest settled chains.
    private(set) var forest: ChainForest
    private var watch: MatchWatch
    private var warnings: WarningTracker?
    private var changes = ForestChanges()
    private var found: Set<NodeID> = []
    private var foundLimit = 10_000
    /// Found nodes whose creation was not known, to be returned with the next batch.
    private var incomplete: [NodeID] = []

    /// The maximum number of nodes that one call of `tick` tests.
    private static let budget = 100_000

    /// Begins with an empty forest for a run of a program.
    init(process: ProcessKey, query: Query) {
        forest = ChainForest(process: process)
        watch = MatchWatch(query, now: 0)
        if watch.readsWarnings { warnings = WarningTracker() }
        // Ticked while the forest is empty, because the watch does not report nodes that are there when it begins.
        forest.consumeChanges(into: &changes)
        _ = watch.tick(0, in: forest, budget: Self.budget)
    }

    /// Applies a batch; returns the nodes that are found for the first time, in the order of their creation.
    mutating func apply(_ batch: EventBatch) -> [NodeIndex] {
        guard batch.process == forest.process else { return [] }
        forest.apply(batch)
        forest.consumeChanges(into: &changes)
        watch.update(changes, of: forest)
        if let kinds = warnings?.update(with: changes, of: forest) { watch.setWarnings(kinds, in: forest) }
        guard !forest.isResyncing else { return [] }
        var new = takeIncomplete()
        repeat {
            for node in watch.tick(forest.now, in: forest, budget: Self.budget)
            where found.insert(forest.id(of: node)).inserted {
                if forest.node(node).marks.contains(.seenLate) {
                    incomplete.append(forest.id(of: node))
                } else {
                    new.append(node)
                }
            }
        } while watch.hasWork
        forgetEvicted()
        return new.map { (forest.node($0), $0) }
            .sorted { ($0.0.created, $0.0.id.rawValue) < ($1.0.created, $1.0.id.rawValue) }
            .map(\.1)
    }

    /// Returns the found nodes whose creation was not known, whether or not it is known by now.
    mutating func takeIncomplete() -> [NodeIndex] {
        defer { incomplete = [] }
        return incomplete.compactMap { forest.index(of: $0) }
    }

    /// Evicts nodes past the limits. Has to be called after the nodes that ``apply(_:)`` returned were read.
    mutating func evictSettled(after batch: EventBatch) {
        // The budget exceeds the number of nodes that the batch can add, so that eviction keeps up with them.
        forest.evictSettled(now: forest.now, budget: 4_096 + 2 * (batch.events.count + batch.nodes.count))
    }

    /// Removes evicted nodes from `found`, because they do not come back.
    private mutating func forgetEvicted() {
        guard found.count > foundLimit else { return }
        found = found.filter { forest.index(of: $0) != nil }
        foundLimit = max(10_000, 2 * found.count)
    }
}
