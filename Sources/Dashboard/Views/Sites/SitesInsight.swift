import ChainEvents
import ChainInsight
import ChainModel

/// The nodes of one program by call site and kind: nothing until somebody wants to see it. All of them are kept up from
/// when they were seen; one alone, which is what a node's details need, is counted as long as they are shown.
struct SitesInsight {
    /// What somebody sees.
    enum Demand: Hashable {
        case nothing
        case one(SiteKey)
        case all
    }

    private(set) var table: SiteTable?
    /// Changes when the figures of all do that are shown: once a second at most.
    private(set) var generation: UInt64 = 0
    private var one: SiteTable?
    private var demand = Demand.nothing
    private var shownRevision: UInt64 = 0
    private var oneRevision: UInt64 = 0
    private var second: UInt64 = 0
    private var isRefreshing = false
    /// When the one call site is begun to be counted; nil once it is.
    private var oneBegins: UInt64?

    /// Nodes that are looked at a tick, and buckets of histograms: 1 ms each at most. The first time more.
    private static let nodeBudget = 20_000
    /// The same for one call site: a slot that holds another costs a sixteenth.
    static let oneBudget = 1_024, firstOneBudget = 512
    static let bucketBudget = 65_536
    private static let firstBucketBudget = 400_000
    /// In a forest of more slots one call site is counted once its node was looked at for so long, in nanoseconds: not for
    /// each node that somebody scrolls over.
    private static let smallForest = 50_000
    static let rest: UInt64 = 250_000_000

    var queueStatistics: [QueueStatistics] { (table ?? one ?? SiteTable()).queueStatistics }

    /// Whether there are figures of all to show.
    var isReady: Bool { generation > 0 }

    /// What is known of one call site and kind, as of the last second; nil where none of its nodes was seen yet, or
    /// nobody wanted to know so far.
    func statistics(site: SiteID, kind: NodeKind) -> SiteStatistics? {
        let key = SiteKey(site: site, kind: kind)
        if let table, table.isComplete { return table.statistics(key) }
        guard let one, one.only == key, one.isComplete else { return nil }
        return one.statistics(key)
    }

    /// Somebody sees something else, or the same still. `wall` goes on where the program's clock may stand still.
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
                oneBegins = wall &+ Self.rest
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

    /// Counts on, and once a second brings what is shown up to date; true if there is something to draw anew.
    mutating func tick(_ forest: borrowing ChainForest, wall: UInt64) -> Bool {
        switch demand {
        case .nothing: return false
        case .one(let key):
            if let begins = oneBegins {
                guard wall >= begins else { return false }
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
        } else if !isRefreshing, isNextSecond(wall), table!.revision != shownRevision {
            isRefreshing = true
        }
        guard isRefreshing, table!.refresh(budget: bucketBudget) else { return false }
        isRefreshing = false
        second = wall / 1_000_000_000
        shownRevision = table!.revision
        generation += 1
        return true
    }

    private mutating func tickOne(
        _ key: SiteKey, _ forest: borrowing ChainForest, wall: UInt64, budget: Int = SitesInsight.oneBudget
    ) -> Bool {
        if !one!.isComplete {
            _ = one!.sweep(forest, budget: budget)
            guard one!.isComplete else { return false }
        } else {
            guard isNextSecond(wall), one!.revision != oneRevision else { return false }
        }
        one!.refresh(key)
        (second, oneRevision) = (wall / 1_000_000_000, one!.revision)
        return true
    }

    /// All were seen before, so that one of them is there.
    private mutating func tickAmongAll(_ key: SiteKey, _ forest: borrowing ChainForest, wall: UInt64) -> Bool {
        if !table!.isComplete {
            _ = table!.sweep(forest, budget: Self.nodeBudget)
            guard table!.isComplete else { return false }
        } else {
            guard isNextSecond(wall), table!.revision != oneRevision else { return false }
        }
        table!.refresh(key)
        (second, oneRevision) = (wall / 1_000_000_000, table!.revision)
        return true
    }

    private func isNextSecond(_ wall: UInt64) -> Bool { wall / 1_000_000_000 != second }

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
