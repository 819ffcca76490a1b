import ChainEvents
import ChainModel

/// The nodes of one forest by call site and kind: counted by a look at everything in slices, then kept up by what changes.
///
/// Two bits a node besides what call sites take (some 20 kB each, ``keyLimit`` of them at most); taking in a change is
/// some 20 ns, a settlement 60 ns. Nodes of which only the id is known are left out.
public struct SiteTable: Sendable {
    /// How many call sites and kinds are told apart; what comes later is ``SiteKey/others``.
    public static let keyLimit = 2_048

    /// Changes with every figure.
    public private(set) var revision: UInt64 = 0

    private struct Record: Sendable {
        var key: SiteKey
        var counts = SiteStatistics()
        var wait = DurationHistogram()
        var run = DurationHistogram()
        /// Whether the figures in `counts` are older than the histograms.
        var isStale = false
    }

    private var places: [SiteKey: Int] = [:]
    /// The same by name: a program may have several numbers for one call site.
    private var named: [Name: Int] = [:]
    private var records: [Record] = []
    /// Those that were counted, and those of them that were counted as settled.
    private var counted = SlotSet(), settled = SlotSet()
    /// Settled, and yet more is to come.
    private var open: [UInt32: OpenEnd] = [:]
    private var openHighWater = 0
    private var stale: [Int] = []
    private var staleCursor = 0
    /// The next index to look at; nil when all were.
    private var cursor: UInt32? = 0
    /// One more than the last index that there was when the look began.
    private var bound: UInt32 = 0

    private struct Name: Hashable {
        var site: CodeLocation
        var kind: NodeKind
    }

    /// The one call site that is counted; nil for all.
    private var focus: SiteFocus?

    /// An empty table, which has yet to look at everything.
    public init() {}

    /// The same for one call site and kind alone, under whatever numbers the program has it.
    public init(only key: SiteKey) { focus = SiteFocus(key) }

    /// The one call site and kind that is counted; nil where all are.
    public var only: SiteKey? { focus?.key }

    /// Whether all nodes were looked at.
    public var isComplete: Bool { cursor == nil }

    /// How much of the forest was looked at, from 0 to 1.
    public var progress: Double { cursor.map { bound == 0 ? 0 : min(1, Double($0) / Double(bound)) } ?? 1 }

    /// All call sites and kinds that were seen, in no order; of several numbers for the same one the first.
    public var keys: some Collection<SiteKey> { records.lazy.map(\.key) }

    /// What is known of one call site and kind; nil where none of its nodes was seen.
    public func statistics(_ key: SiteKey) -> SiteStatistics? { places[key].map { records[$0].counts } }

    /// What is kept of call sites, and of settled nodes of which more is to come.
    public var queueStatistics: [QueueStatistics] {
        [
            QueueStatistics(
                name: "call sites", count: records.count, highWaterMark: records.count, limit: Self.keyLimit + 1),
            QueueStatistics(
                name: "settled nodes that run on", count: open.count, highWaterMark: openHighWater,
                limit: Self.openLimit),
        ]
    }

    // MARK: Looking at everything

    /// Slots that cost as much as one node.
    private static let freeSlotsPerNode = 16

    /// Looks at so many more nodes (25 to 100 ns each, others than those of ``only`` 1 ns); false if none were left.
    public mutating func sweep(_ forest: borrowing ChainForest, budget: Int) -> Bool {
        guard var next = cursor else { return false }
        bound = UInt32(forest.indexBound)
        var rest = budget * Self.freeSlotsPerNode
        if focus != nil { find(forest, &next, &rest) }
        while next < bound, rest > 0 {
            let index = NodeIndex(rawValue: next)
            let isThere = forest.contains(index)
            if isThere { note(forest.node(index), forest) }
            rest -= isThere ? Self.freeSlotsPerNode : 1
            next += 1
        }
        cursor = next >= bound ? nil : next
        revision += 1
        return true
    }

    /// Goes to those of the one call site alone.
    private mutating func find(_ forest: borrowing ChainForest, _ next: inout UInt32, _ rest: inout Int) {
        focus!.follow(forest)
        let focus = focus!
        while next < bound, rest > 0 {
            let end = min(bound, next + UInt32(clamping: rest))
            let found = forest.firstIndex(in: next..<end, madeBy: focus.key.kind) { focus.includes($0) }
            rest -= Int((found?.rawValue ?? end) - next)
            next = end
            guard let found else { continue }
            note(forest.node(found), forest)
            rest -= Self.freeSlotsPerNode
            next = found.rawValue + 1
        }
    }

    /// Takes in what changed. Where that is more than is listed all is looked at again, and who is gone is forgotten.
    public mutating func update(with changes: ForestChanges, of forest: borrowing ChainForest) {
        guard !changes.isEverything else {
            let last = revision
            self = only.map { SiteTable(only: $0) } ?? SiteTable()
            revision = last + 1
            return
        }
        if focus != nil { return update(withFocused: changes, forest) }
        for eviction in changes.evicted {
            note(eviction.node, forest)
            forget(eviction.node.index.rawValue)
        }
        for entry in changes.nodes { note(forest.node(entry.index), forest) }
    }

    private mutating func update(withFocused changes: ForestChanges, _ forest: borrowing ChainForest) {
        focus!.follow(forest)
        let focus = focus!
        for eviction in changes.evicted where eviction.node.kind == focus.key.kind {
            guard focus.includes(eviction.node.site) else { continue }
            note(eviction.node, forest)
            forget(eviction.node.index.rawValue)
        }
        for entry in changes.nodes where entry.kind == focus.key.kind {
            guard case let view = forest.node(entry.index), focus.includes(view.site) else { continue }
            note(view, forest)
        }
    }

    private mutating func forget(_ slot: UInt32) {
        _ = counted.remove(slot)
        _ = settled.remove(slot)
        if !open.isEmpty { open[slot] = nil }
    }

    // MARK: Counting

    /// Counts a node as far as it was not.
    private mutating func note(_ view: NodeView, _ forest: borrowing ChainForest) {
        // Who is known by a mention alone has no call site yet.
        guard view.site != 0 || view.kind != .other else { return }
        let slot = view.index.rawValue
        let isNew = counted.insert(slot)
        let isLive = view.isLive
        let isSettling = !isLive && settled.insert(slot)
        let isOpen = !isNew && !isSettling && !open.isEmpty && open[slot] != nil
        guard isNew || isSettling || isOpen else { return }
        let place = place(of: SiteKey(site: view.site, kind: view.kind), forest)
        if isNew {
            records[place].counts.total += 1
            if isLive { records[place].counts.live += 1 }
        }
        if isSettling {
            if !isNew { records[place].counts.live -= 1 }
            settle(view, place)
        } else if isOpen {
            close(view, place)
        }
        revision += 1
    }

    /// What is not known yet of a node that has settled.
    private struct OpenEnd: OptionSet {
        let rawValue: UInt8
        /// How it was settled.
        static let settlement = OpenEnd(rawValue: 1)
        /// When its handler ends.
        static let run = OpenEnd(rawValue: 2)
    }

    private static let openLimit = 65_536

    private mutating func settle(_ view: NodeView, _ place: Int) {
        var rest: OpenEnd = []
        if view.state == .unknown { rest.insert(.settlement) } else { countEnd(view, place) }
        let timing = view.handlerTiming(now: view.settled ?? 0)
        if let wait = timing.wait, view.started != nil || view.state != .unknown {
            records[place].wait.record(wait)
            markStale(place)
        }
        if view.activity == .running { rest.insert(.run) } else { recordRun(view, timing, place) }
        guard !rest.isEmpty, open.count < Self.openLimit else { return }
        open[view.index.rawValue] = rest
        openHighWater = max(openHighWater, open.count)
    }

    private mutating func countEnd(_ view: NodeView, _ place: Int) {
        switch view.state {
        case .rejected, .abandoned: records[place].counts.rejected += 1
        case .cancelled: records[place].counts.cancelled += 1
        default: break
        }
    }

    private mutating func recordRun(_ view: NodeView, _ timing: Timing, _ place: Int) {
        // Of one that is gone nobody knows when its handler ended.
        guard let run = timing.run, view.ended != nil else { return }
        records[place].run.record(run)
        markStale(place)
    }

    /// More is known of one that had settled.
    private mutating func close(_ view: NodeView, _ place: Int) {
        guard var rest = open[view.index.rawValue] else { return }
        if rest.contains(.settlement), view.state != .unknown {
            rest.remove(.settlement)
            countEnd(view, place)
        }
        if rest.contains(.run), view.activity != .running {
            rest.remove(.run)
            recordRun(view, view.handlerTiming(now: view.settled ?? 0), place)
        }
        open[view.index.rawValue] = rest.isEmpty ? nil : rest
    }

    private mutating func place(of key: SiteKey, _ forest: borrowing ChainForest) -> Int {
        if let known = places[key] { return known }
        let name = forest.sites[key.site].map { Name(site: $0, kind: key.kind) }
        if let name, let known = named[name], places.count < Self.aliasLimit {
            places[key] = known
            return known
        }
        guard records.count < Self.keyLimit || key == .others else { return place(of: .others, forest) }
        let place = records.count
        records.append(Record(key: key))
        places[key] = place
        if let name { named[name] = place }
        return place
    }

    /// Numbers of call sites that are remembered.
    private static let aliasLimit = 16 * keyLimit

    // MARK: Figures

    private mutating func markStale(_ place: Int) {
        guard !records[place].isStale else { return }
        records[place].isStale = true
        stale.append(place)
    }

    /// Brings percentiles and bars up to date, of as many sites as have so many buckets (15 ns each; one site at least);
    /// whether all are. Counts are always.
    public mutating func refresh(budget: Int) -> Bool {
        var rest = budget
        while staleCursor < stale.count, rest > 0 {
            let place = stale[staleCursor]
            staleCursor += 1
            rest -= records[place].wait.cost + records[place].run.cost
            refresh(place)
            records[place].isStale = false
        }
        guard staleCursor == stale.count else { return false }
        stale.removeAll(keepingCapacity: true)
        staleCursor = 0
        return true
    }

    /// Brings percentiles and bars of one call site and kind up to date, some 60 µs.
    public mutating func refresh(_ key: SiteKey) {
        if let place = places[key], records[place].isStale { refresh(place) }
    }

    private mutating func refresh(_ place: Int) {
        records[place].counts.wait = records[place].wait.figures
        records[place].counts.run = records[place].run.figures
    }
}
