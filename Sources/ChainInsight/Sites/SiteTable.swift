import ChainModel

/// Statistics of one forest's nodes by call site and kind. A first sweep, in slices of work, counts the nodes of the
/// forest; changes of the forest then update the counts.
///
/// Takes four bits for each node, and 16 to 32 bytes for each node in flight. Takes some 30 kB for each call site and
/// kind, of which there are at most ``keyLimit``. A change costs some 20 ns, a settlement 120 ns. Nodes of which only
/// the id is known are left out.
public struct SiteTable: Sendable {
    /// The maximum number of call sites and kinds that are distinguished; nodes of all further call sites and kinds
    /// count as ``SiteKey/others``.
    public static let keyLimit = 2_048

    /// Differs from that of any other count, and after starting over.
    public let identity = CountIdentity()
    /// Changes whenever a count does; the percentiles then need a refresh.
    public internal(set) var revision: UInt64 = 0

    struct Record: Sendable {
        var key: SiteKey
        var counts = SiteStatistics()
        var wait = DurationHistogram()
        var run = DurationHistogram()
        var flow = FlowCounter()
        /// Whether the figures in `counts` are older than the histograms.
        var isStale = false
    }

    /// The index in `records` of each key.
    var indices: [SiteKey: Int] = [:]
    /// The index in `records` of each call site and kind, because a program may have several numbers for a call site.
    var named: [Name: Int] = [:]
    var records: [Record] = []
    /// Nodes that were counted.
    var counted = SlotSet()
    /// Nodes that were counted as settled.
    var settled = SlotSet()
    /// Nodes that were counted as in flight.
    var begun = SlotSet()
    /// Nodes with a running handler.
    var runningSlots = SlotSet()
    /// The running handlers by slot, at most ``runningLimit``.
    var running: [UInt32: Run] = [:]
    var runningHighWater = 0
    /// By slot, which facts of a settled node are still unknown.
    var unknownFacts: [UInt32: UnknownFacts] = [:]
    var unknownFactsHighWater = 0
    /// The indices of the records with ``Record/isStale``.
    private var stale = Queue<Int>()
    /// The next index to sweep; nil after the last index.
    private var cursor: UInt32? = 0
    /// One more than the last index at the latest slice of the sweep.
    private var bound: UInt32 = 0

    struct Run {
        /// In nanoseconds of the process's clock.
        var begin: UInt64
        /// The index of its record.
        var record: Int
    }

    struct Name: Hashable {
        var site: CodeLocation
        var kind: NodeKind
    }

    /// The only call site and kind that is counted; nil if all are counted.
    private var focus: SiteFocus?
    /// Nodes that settled up to this time are not counted, in nanoseconds of the process's clock; nil if all are.
    var countedSince: UInt64?

    /// Makes an empty table that has yet to sweep the forest.
    public init() {}

    /// Makes a table of one call site and kind, under all numbers that the program has for it.
    public init(only key: SiteKey) { focus = SiteFocus(key) }

    /// Makes a table of the nodes that settle after this call, and after a moment in nanoseconds of the process's clock.
    /// Nodes of the forest that have settled are not counted, nor are nodes that come later and settled before: a
    /// program's state has many of them, and is sent again after a loss. O(nodes).
    public init(after forest: ChainForest, since moment: UInt64) {
        cursor = nil
        countedSince = moment
        for slot in 0..<UInt32(forest.indexBound) where forest.contains(NodeIndex(rawValue: slot)) {
            let node = forest.node(NodeIndex(rawValue: slot))
            guard !node.isLive else {
                record(node, forest)
                continue
            }
            _ = (counted.insert(slot), settled.insert(slot))
        }
    }

    /// The only call site and kind that is counted; nil if all are counted.
    public var only: SiteKey? { focus?.key }

    /// Whether the sweep is complete.
    public var isComplete: Bool { cursor == nil }

    /// All call sites and kinds that were seen, in no order. Of a call site with several numbers, the first number is
    /// listed.
    public var keys: some Collection<SiteKey> { records.lazy.map(\.key) }

    /// Returns the statistics of one call site and kind; nil if no such node was seen, or if such nodes count as
    /// ``SiteKey/others``.
    public func statistics(_ key: SiteKey) -> SiteStatistics? {
        guard let record = indices[key].map({ records[$0] }) else { return nil }
        var statistics = record.counts
        statistics.flow = record.flow.complete
        return statistics
    }

    /// The sizes of the tables of call sites, of nodes in flight, of running handlers, and of settled nodes with facts
    /// that are still unknown.
    public var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call sites", count: records.count, highWaterMark: records.count, limit: Self.keyLimit + 1),
            QueueStatistics(
                name: "numbers of call sites", count: indices.count, highWaterMark: indices.count,
                limit: Self.aliasLimit + Self.keyLimit + 1),
            records.lazy.map(\.flow.heap).statistics("begins of nodes in flight"),
            QueueStatistics(
                name: "running handlers", count: running.count, highWaterMark: runningHighWater,
                limit: Self.runningLimit),
            QueueStatistics(
                name: "settled nodes that run on", count: unknownFacts.count, highWaterMark: unknownFactsHighWater,
                limit: Self.unknownFactsLimit),
        ]
    }

    // MARK: Sweeping

    /// How many free slots cost as much as one node.
    private static let freeSlotsPerNode = 16

    /// Sweeps about `budget` more nodes (25 to 100 ns each; 1 ns for a node that ``only`` excludes). Returns false if
    /// the sweep was already complete.
    public mutating func sweep(_ forest: ChainForest, budget: Int) -> Bool {
        guard var next = cursor else { return false }
        bound = UInt32(forest.indexBound)
        var rest = budget * Self.freeSlotsPerNode
        if focus != nil { sweepFocused(forest, &next, &rest) }
        while next < bound, rest > 0 {
            let index = NodeIndex(rawValue: next)
            let isOccupied = forest.contains(index)
            if isOccupied { record(forest.node(index), forest) }
            rest -= isOccupied ? Self.freeSlotsPerNode : 1
            next += 1
        }
        cursor = next >= bound ? nil : next
        revision += 1
        return true
    }

    /// Sweeps for the nodes of ``only``.
    private mutating func sweepFocused(_ forest: ChainForest, _ next: inout UInt32, _ rest: inout Int) {
        focus!.follow(forest)
        let focus = focus!
        while next < bound, rest > 0 {
            let end = min(bound, next + UInt32(clamping: rest))
            let found = forest.firstIndex(in: next..<end, madeBy: focus.key.kind) { focus.includes($0) }
            rest -= Int((found?.rawValue ?? end) - next)
            next = end
            guard let found else { continue }
            record(forest.node(found), forest)
            rest -= Self.freeSlotsPerNode
            next = found.rawValue + 1
        }
    }

    /// Applies changes. If there were too many to list, the sweep starts over, and evicted nodes are no longer counted.
    public mutating func update(with changes: ForestChanges, of forest: ChainForest) {
        guard !changes.isEverything else {
            let (last, moment) = (revision, countedSince)
            self = only.map { SiteTable(only: $0) } ?? SiteTable()
            (revision, countedSince) = (last + 1, moment)
            return
        }
        if focus != nil { return update(withFocused: changes, forest) }
        for eviction in changes.evicted {
            record(eviction.node, forest, isEvicted: true)
            forget(eviction.node, forest)
        }
        for entry in changes.nodes { record(forest.node(entry.index), forest) }
    }

    private mutating func update(withFocused changes: ForestChanges, _ forest: ChainForest) {
        focus!.follow(forest)
        let focus = focus!
        for eviction in changes.evicted where eviction.node.kind == focus.key.kind {
            guard focus.includes(eviction.node.site) else { continue }
            record(eviction.node, forest, isEvicted: true)
            forget(eviction.node, forest)
        }
        for entry in changes.nodes where entry.kind == focus.key.kind {
            guard case let view = forest.node(entry.index), focus.includes(view.site) else { continue }
            record(view, forest)
        }
    }

    private mutating func forget(_ view: NodeView, _ forest: ChainForest) {
        let slot = view.index.rawValue
        _ = counted.remove(slot)
        _ = settled.remove(slot)
        _ = begun.remove(slot)
        if runningSlots.remove(slot) {
            // A running handler beyond the limit has no entry.
            var record = running.removeValue(forKey: slot)?.record
            if record == nil { record = index(of: SiteKey(site: view.site, kind: view.kind), forest) }
            records[record!].counts.running -= 1
            revision += 1
        }
        if !unknownFacts.isEmpty { unknownFacts[slot] = nil }
    }

    // MARK: Figures

    mutating func markStale(_ index: Int) {
        guard !records[index].isStale else { return }
        records[index].isStale = true
        stale.append(index)
    }

    /// Updates percentiles and bars of stale call sites, until `budget` buckets of histograms were read (15 ns each; at
    /// least one site is updated). Returns whether all sites are up to date. Counts need no refresh.
    public mutating func refresh(budget: Int) -> Bool {
        var rest = budget
        while rest > 0, let index = stale.popFirst() {
            rest -= records[index].wait.cost + records[index].run.cost + records[index].flow.cost
            refresh(index)
            records[index].isStale = false
        }
        return stale.isEmpty
    }

    /// Updates percentiles and bars of one call site and kind, some 90 µs.
    public mutating func refresh(_ key: SiteKey) {
        if let index = indices[key], records[index].isStale { refresh(index) }
    }

    private mutating func refresh(_ index: Int) {
        records[index].counts.wait = records[index].wait.figures
        records[index].counts.run = records[index].run.figures
        records[index].flow.refreshTime()
    }

    /// Updates the oldest nodes in flight, the begins of the longest runs, and labels: some 0.2 µs for each call site.
    public mutating func refreshOldest(_ forest: ChainForest) {
        for index in records.indices {
            records[index].counts.oldestRun = nil
            records[index].flow.refreshOldest(forest) { forest.isLive($0) }
        }
        for run in running.values {
            records[run.record].counts.oldestRun = min(records[run.record].counts.oldestRun ?? .max, run.begin)
        }
    }
}

/// The identity of a count. Totals can be subtracted only within one count, because another one has not seen the same
/// nodes.
public final class CountIdentity: Sendable {}

extension ChainForest {
    /// Returns whether the node of an entry is live.
    func isLive(_ entry: OldestHeap.Entry) -> Bool { keptNode(entry)?.isLive ?? false }

    /// Returns whether the node of an entry is the root of a live chain.
    func isLiveRoot(_ entry: OldestHeap.Entry) -> Bool {
        guard let node = keptNode(entry) else { return false }
        return isRoot(node.index) && chain(of: node.index).settled == nil
    }

    /// Returns the node of an entry; nil if it was evicted.
    private func keptNode(_ entry: OldestHeap.Entry) -> NodeView? {
        let index = NodeIndex(rawValue: entry.slot)
        guard contains(index), case let node = node(index),
            UInt32(truncatingIfNeeded: node.id.rawValue) == entry.id
        else { return nil }
        return node
    }
}
