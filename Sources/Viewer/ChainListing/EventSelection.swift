// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText

/// A selection of events: applies the batches of one program to a forest, and selects the events of nodes that a query
/// finds.
///
/// A query sees each node as it was right after the event, but its warnings as of an earlier batch. A query of one
/// plain text also finds events by their word, and `event:` terms restrict the kinds, as in the dashboard's view of
/// events. Costs as much as applying each event by itself, plus matching the query.
package struct EventSelection {
    /// The forest after the batches so far, without the nodes that retention has evicted.
    package private(set) var forest: ChainForest
    /// How many events were lost since the first batch.
    package private(set) var lostCount: UInt64 = 0
    private let query: Query
    private var matcher: QueryMatcher
    /// The forest's ``ChainForest/threadRenameCount`` when the matcher was made.
    private var threadRenameCount = 0
    private var warnings: WarningTracker?
    /// How many events had been lost by the end of the first batch.
    private var lostBefore: UInt64?
    /// By the raw value of an event's kind, whether the kind's word contains the query's plain text.
    private var matchesWord = Array(repeating: false, count: 256)

    /// Selects from the batches of one run of a program; by default all events.
    package init(process: ProcessKey, query: Query = .everything) {
        self.query = query
        matcher = QueryMatcher(query)
        warnings = query.dependsOnWarnings ? WarningTracker() : nil
        let limits = warnings == nil ? ForestLimits(changeLimit: 0) : ForestLimits()
        forest = ChainForest(process: process, limits: limits)
        guard let text = query.plainText else { return }
        for kind in EventKind.allCases {
            matchesWord[Int(kind.rawValue)] = EventText.word(kind).contains(text)
        }
    }

    /// Applies a batch and calls `body` with each selected event and its text, in the order of time, as soon as the
    /// forest has applied the event.
    package mutating func apply(
        _ batch: EventBatch, _ body: (ChainEvent, String?, borrowing ChainForest) throws -> Void
    ) rethrows {
        guard batch.process == forest.process else { return }
        var piece = batch
        piece.events = []
        let events = batch.events.sorted { $0.time < $1.time }
        let count = events.count + batch.nodes.count
        guard !events.isEmpty else { return finish(piece, count) }
        (piece.resync, piece.loss) = (nil, EventCounts())
        for event in events {
            piece.events = [event]
            forest.apply(piece, isLast: false)
            if !piece.sites.isEmpty { piece.sites = [:] }
            if !piece.threads.isEmpty { piece.threads = [:] }
            if !piece.executors.isEmpty { piece.executors = [:] }
            if !piece.nodes.isEmpty { piece.nodes = [] }
            if isSelected(event) { try body(event, batch.text(of: event), forest) }
        }
        piece.events = []
        (piece.resync, piece.loss) = (batch.resync, batch.loss)
        finish(piece, count)
    }

    /// Applies what is left of a batch after its events were applied; the whole batch had `count` events and nodes.
    private mutating func finish(_ rest: EventBatch, _ count: Int) {
        forest.apply(rest)
        // At least as many steps as a batch can add nodes, so that eviction keeps up with creation.
        forest.evictSettled(now: forest.now, budget: 4_096 + 2 * count)
        if let kinds = warnings?.update(&forest) { matcher.warnings = kinds }
        let before = lostBefore ?? rest.loss.lostCount
        lostBefore = before
        lostCount = max(lostCount, rest.loss.lostCount - min(before, rest.loss.lostCount))
    }

    private mutating func isSelected(_ event: ChainEvent) -> Bool {
        guard query.eventKinds?.contains(event.kind) ?? true else { return false }
        if query.matchesAllNodes || matchesWord[Int(event.kind.rawValue)] { return true }
        guard let node = forest.index(of: event.node) else { return false }
        if forest.threadRenameCount != threadRenameCount {
            // A new matcher is made, because a matcher caches names of threads.
            threadRenameCount = forest.threadRenameCount
            let known = matcher.warnings
            matcher = QueryMatcher(query, warnings: known)
        }
        return matcher.matches(node, in: forest, now: max(forest.now, event.time))
    }
}

/// The warnings of a forest that is followed batch by batch, with the default limits.
package struct WarningTracker {
    private var table = WarningTable()
    private var changes = ForestChanges()
    /// The forest's time at the last computation.
    private var checked: UInt64 = 0
    private var revision: UInt64?

    /// The minimum time between two computations, in nanoseconds of the program's clock.
    private static let interval: UInt64 = 100_000_000

    /// Begins without warnings.
    package init() {}

    /// Consumes the changes of a forest. Returns the kinds of warnings that hold for each node, one bit for each kind;
    /// nil if they are as before. Less than 100 ms after the last computation, returns nil without consuming anything.
    package mutating func update(_ forest: inout ChainForest) -> [NodeID: WarningBits]? {
        guard forest.now >= checked.addingClamped(Self.interval) else { return nil }
        checked = forest.now
        forest.consumeChanges(into: &changes)
        return update(with: changes, of: forest)
    }

    /// Returns the kinds of warnings that hold for each node, one bit for each kind, after changes that the caller
    /// consumed; nil if they are as before.
    package mutating func update(with changes: ForestChanges, of forest: borrowing ChainForest) -> [NodeID:
        WarningBits]?
    {
        table.update(with: changes, of: forest, now: forest.now)
        // One call does several slices of a sweep, because a program that hangs sends only one batch a second. These
        // slices take some 20 ms at most.
        for _ in 0..<64 {
            _ = table.tick(forest, now: forest.now, options: WarningOptions())
            guard table.isSweeping else { break }
        }
        guard table.revision != revision else { return nil }
        revision = table.revision
        return table.kindsByNode
    }
}
