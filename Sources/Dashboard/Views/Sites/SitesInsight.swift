import ChainInsight
import ChainModel

/// Counts of one program's nodes by call site and kind. All call sites are counted from when they are first shown.
/// Before that, a single call site is counted while the details of one of its nodes are shown.
struct SitesInsight {
    /// The counts that are shown.
    enum Demand: Hashable {
        case nothing
        case one(SiteKey)
        case all
    }

    /// The counts of all call sites; nil until they are first shown.
    private(set) var table: SiteTable?
    /// A number that changes with the shown figures of all call sites: at most once a second, but with each change
    /// while `wall` may stand still.
    private(set) var generation: UInt64 = 0
    /// The counts of a single call site.
    private var one: SiteTable?
    private var demand = Demand.nothing
    /// The revision of ``table`` at the last refresh of all call sites.
    private var shownRevision: UInt64 = 0
    /// The revision of the table that has the single call site, at the last refresh of that call site.
    private var oneRevision: UInt64 = 0
    /// The second of the last refresh, since 1970.
    private var second: UInt64 = 0
    private var isRefreshing = false
    /// Whether `wall` may stand still, so that figures are refreshed with each change.
    private var isClockStopped = false
    /// When the count of a single call site is to begin, in nanoseconds since 1970; nil if no count is to begin later.
    private var oneBegins: UInt64?

    /// The maximum number of nodes that are counted in a tick; counting them takes 1 ms at most.
    private static let nodeBudget = 10_000
    /// The maximum number of nodes that are counted in a tick for a single call site; a node of another call site, or a
    /// free slot, counts as a sixteenth.
    static let oneBudget = 1_024
    /// The maximum number of nodes that are counted immediately when a single call site is first shown.
    static let firstOneBudget = 512
    /// The maximum number of histogram buckets that are read in a tick; reading them takes 1 ms at most.
    static let bucketBudget = 65_536
    /// The maximum number of histogram buckets that are read immediately when all call sites are first shown.
    private static let firstBucketBudget = 400_000
    /// The maximum number of slots of a forest in which a single call site is counted without ``selectionDelay``.
    private static let smallForest = 50_000
    /// How long a node of a larger forest has to be selected until its call site is counted, in nanoseconds. The delay
    /// is there because scrolling passes over many nodes.
    static let selectionDelay: UInt64 = 250_000_000

    var queueStatistics: [QueueStatistics] { (table ?? one ?? SiteTable()).queueStatistics }

    var showsRates: Bool { demand == .all }

    /// Whether there are figures of all call sites to show.
    var isReady: Bool { generation > 0 }

    /// Returns the figures of a call site and kind, as of the last second. Nil if there are no such nodes, or if they
    /// are not counted.
    func statistics(site: SiteID, kind: NodeKind) -> SiteStatistics? {
        let key = SiteKey(site: site, kind: kind)
        if let table, table.isComplete { return table.statistics(key) }
        guard let one, one.only == key, one.isComplete else { return nil }
        return one.statistics(key)
    }

    /// Changes which counts are shown. `wall` is the dashboard's time in nanoseconds since 1970; it is used because the
    /// program's clock may be stopped.
    mutating func show(_ new: Demand, _ forest: borrowing ChainForest, wall: UInt64) {
        guard new != demand else { return }
        demand = new
        oneBegins = nil
        switch new {
        case .nothing: one = nil
        case .all:
            one = nil
            guard table == nil else { return }
            table = SiteTable()
            _ = tickAll(forest, wall: wall, bucketBudget: Self.firstBucketBudget)
        case .one(let key):
            guard table == nil else {
                table!.refresh(key)
                return
            }
            one = nil
            guard forest.indexBound <= Self.smallForest else {
                oneBegins = wall &+ Self.selectionDelay
                return
            }
            one = SiteTable(only: key)
            _ = tickOne(key, forest, wall: wall, budget: Self.firstOneBudget)
        }
    }

    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest) {
        table?.update(with: changes, of: forest)
        one?.update(with: changes, of: forest)
    }

    /// Does the counting of one tick. Refreshes the shown figures once a second or, if `isClockStopped`, with each
    /// change. Returns whether there is something to redraw.
    ///
    /// - Parameter isClockStopped: whether `wall` may stand still, so that no second passes.
    mutating func tick(_ forest: borrowing ChainForest, wall: UInt64, isClockStopped: Bool) -> Bool {
        self.isClockStopped = isClockStopped
        switch demand {
        case .nothing: return false
        case .one(let key):
            if let begins = oneBegins {
                // If the remaining time is longer than the delay, the clock was set back.
                let isAhead = wall < begins && begins - wall <= Self.selectionDelay
                guard isClockStopped || !isAhead else { return false }
                oneBegins = nil
                one = SiteTable(only: key)
            }
            return table == nil ? tickOne(key, forest, wall: wall) : tickAmongAll(key, forest, wall: wall)
        case .all: return tickAll(forest, wall: wall, bucketBudget: Self.bucketBudget)
        }
    }

    private mutating func tickAll(_ forest: borrowing ChainForest, wall: UInt64, bucketBudget: Int) -> Bool {
        if !table!.isComplete {
            _ = table!.sweep(forest, budget: Self.nodeBudget)
            guard table!.isComplete else { return true }
            isRefreshing = true
        } else if !isRefreshing, isDue(wall), table!.revision != shownRevision {
            isRefreshing = true
        }
        guard isRefreshing, table!.refresh(budget: bucketBudget) else { return false }
        table!.refreshOldest(forest)
        isRefreshing = false
        second = wall / 1_000_000_000
        shownRevision = table!.revision
        generation += 1
        return true
    }

    /// Updates the oldest nodes in flight and the longest runs of all call sites.
    mutating func refreshOldest(_ forest: borrowing ChainForest) { if isReady { table?.refreshOldest(forest) } }

    private mutating func tickOne(
        _ key: SiteKey, _ forest: borrowing ChainForest, wall: UInt64, budget: Int = SitesInsight.oneBudget
    ) -> Bool {
        if !one!.isComplete {
            _ = one!.sweep(forest, budget: budget)
            guard one!.isComplete else { return false }
        } else {
            guard isDue(wall), one!.revision != oneRevision else { return false }
        }
        one!.refresh(key)
        (second, oneRevision) = (wall / 1_000_000_000, one!.revision)
        return true
    }

    /// Does the counting of one tick for all call sites, because they were shown before; refreshes the figures of
    /// `key`.
    private mutating func tickAmongAll(_ key: SiteKey, _ forest: borrowing ChainForest, wall: UInt64) -> Bool {
        if !table!.isComplete {
            _ = table!.sweep(forest, budget: Self.nodeBudget)
            guard table!.isComplete else { return false }
        } else {
            guard isDue(wall), table!.revision != oneRevision else { return false }
        }
        table!.refresh(key)
        (second, oneRevision) = (wall / 1_000_000_000, table!.revision)
        return true
    }

    /// Returns whether changed figures are to be refreshed.
    private func isDue(_ wall: UInt64) -> Bool { isClockStopped || wall / 1_000_000_000 != second }

    /// Whether a count is under way.
    var isCounting: Bool {
        switch demand {
        case .nothing: false
        case .one: (table ?? one).map { !$0.isComplete } ?? false
        case .all: table.map { !$0.isComplete } ?? false || isRefreshing
        }
    }

    /// Whether nothing is left to be counted or shown.
    var isIdle: Bool {
        switch demand {
        case .nothing: true
        case .one:
            if oneBegins != nil {
                false
            } else if let table = table ?? one {
                table.isComplete && table.revision == oneRevision
            } else {
                true
            }
        case .all: table.map { $0.isComplete && !isRefreshing && $0.revision == shownRevision } ?? true
        }
    }
}
