import ChainEvents
import ChainModel

/// Statistics of one forest's nodes by call site and kind: a first sweep in slices, then updates by changes.
///
/// Takes two bits a node besides the call sites (some 20 kB each, ``keyLimit`` of them at most). A change costs some 20
/// ns, a settlement 60 ns. Nodes of which only the id is known are left out.
public struct SiteTable: Sendable {
    /// How many call sites and kinds are distinguished; later ones are ``SiteKey/others``.
    public static let keyLimit = 2_048

    /// Changes with every figure.
    public internal(set) var revision: UInt64 = 0

    struct Record: Sendable {
        var key: SiteKey
        var counts = SiteStatistics()
        var wait = DurationHistogram()
        var run = DurationHistogram()
        /// Whether the figures in `counts` are older than the histograms.
        var isStale = false
    }

    var indices: [SiteKey: Int] = [:]
    /// The same by name, because a program may have several numbers for one call site.
    var named: [Name: Int] = [:]
    var records: [Record] = []
    /// Nodes that were counted, and those that were counted as settled.
    var counted = SlotSet(), settled = SlotSet()
    /// Settled nodes of which more is to come.
    var open: [UInt32: OpenEnd] = [:]
    var openHighWater = 0
    private var stale = Queue<Int>()
    /// The next index to sweep; nil after the last one.
    private var cursor: UInt32? = 0
    /// One more than the last index when the sweep began.
    private var bound: UInt32 = 0

    struct Name: Hashable {
        var site: CodeLocation
        var kind: NodeKind
    }

    /// The only call site that is counted; nil for all.
    private var focus: SiteFocus?

    /// Makes an empty table that has yet to sweep the forest.
    public init() {}

    /// Makes a table of one call site and kind, under all numbers that the program has for it.
    public init(only key: SiteKey) { focus = SiteFocus(key) }

    /// The only call site and kind that is counted; nil where all are.
    public var only: SiteKey? { focus?.key }

    /// Whether the sweep is complete.
    public var isComplete: Bool { cursor == nil }

    /// The share of the forest that was swept, from 0 to 1.
    public var progress: Double { cursor.map { bound == 0 ? 0 : min(1, Double($0) / Double(bound)) } ?? 1 }

    /// All call sites and kinds that were seen, in no order; of several numbers for the same one the first.
    public var keys: some Collection<SiteKey> { records.lazy.map(\.key) }

    /// The statistics of one call site and kind; nil where none of its nodes was seen.
    public func statistics(_ key: SiteKey) -> SiteStatistics? { indices[key].map { records[$0].counts } }

    /// Sizes of the tables of call sites and of settled nodes of which more is to come.
    public var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call sites", count: records.count, highWaterMark: records.count, limit: Self.keyLimit + 1),
            QueueStatistics(
                name: "settled nodes that run on", count: open.count, highWaterMark: openHighWater,
                limit: Self.openLimit),
        ]
    }

    // MARK: Sweeping

    /// How many free slots cost as much as one node.
    private static let freeSlotsPerNode = 16

    /// Sweeps `budget` more nodes (25 to 100 ns each; 1 ns a node that is not of ``only``). Returns false if none were
    /// left.
    public mutating func sweep(_ forest: ChainForest, budget: Int) -> Bool {
        guard var next = cursor else { return false }
        bound = UInt32(forest.indexBound)
        var rest = budget * Self.freeSlotsPerNode
        if focus != nil { find(forest, &next, &rest) }
        while next < bound, rest > 0 {
            let index = NodeIndex(rawValue: next)
            let isThere = forest.contains(index)
            if isThere { record(forest.node(index), forest) }
            rest -= isThere ? Self.freeSlotsPerNode : 1
            next += 1
        }
        cursor = next >= bound ? nil : next
        revision += 1
        return true
    }

    /// Sweeps for nodes of the one call site.
    private mutating func find(_ forest: ChainForest, _ next: inout UInt32, _ rest: inout Int) {
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

    /// Applies changes. Where there were too many to list, the sweep starts over and evicted nodes are no longer
    /// counted.
    public mutating func update(with changes: ForestChanges, of forest: ChainForest) {
        guard !changes.isEverything else {
            let last = revision
            self = only.map { SiteTable(only: $0) } ?? SiteTable()
            revision = last + 1
            return
        }
        if focus != nil { return update(withFocused: changes, forest) }
        for eviction in changes.evicted {
            record(eviction.node, forest)
            forget(eviction.node.index.rawValue)
        }
        for entry in changes.nodes { record(forest.node(entry.index), forest) }
    }

    private mutating func update(withFocused changes: ForestChanges, _ forest: ChainForest) {
        focus!.follow(forest)
        let focus = focus!
        for eviction in changes.evicted where eviction.node.kind == focus.key.kind {
            guard focus.includes(eviction.node.site) else { continue }
            record(eviction.node, forest)
            forget(eviction.node.index.rawValue)
        }
        for entry in changes.nodes where entry.kind == focus.key.kind {
            guard case let view = forest.node(entry.index), focus.includes(view.site) else { continue }
            record(view, forest)
        }
    }

    private mutating func forget(_ slot: UInt32) {
        _ = counted.remove(slot)
        _ = settled.remove(slot)
        if !open.isEmpty { open[slot] = nil }
    }

    // MARK: Figures

    mutating func markStale(_ index: Int) {
        guard !records[index].isStale else { return }
        records[index].isStale = true
        stale.append(index)
    }

    /// Updates percentiles and bars of stale sites, until `budget` buckets were read (15 ns each; one site at least).
    /// Returns whether all are up to date. Counts always are.
    public mutating func refresh(budget: Int) -> Bool {
        var rest = budget
        while rest > 0, let index = stale.popFirst() {
            rest -= records[index].wait.cost + records[index].run.cost
            refresh(index)
            records[index].isStale = false
        }
        return stale.isEmpty
    }

    /// Updates percentiles and bars of one call site and kind, some 60 µs.
    public mutating func refresh(_ key: SiteKey) {
        if let index = indices[key], records[index].isStale { refresh(index) }
    }

    private mutating func refresh(_ index: Int) {
        records[index].counts.wait = records[index].wait.figures
        records[index].counts.run = records[index].run.figures
    }
}
