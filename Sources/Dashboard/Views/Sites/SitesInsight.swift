import ChainEvents
import ChainInsight
import ChainModel

/// The nodes of one program by call site and kind: nothing until somebody wants to see it, kept up from then on.
struct SitesInsight {
    private(set) var table: SiteTable?
    /// Changes when the figures do that are shown: once a second at most.
    private(set) var generation: UInt64 = 0
    private var shownRevision: UInt64 = 0
    private var second: UInt64 = 0
    private var isRefreshing = false

    /// Nodes that are looked at a tick, and buckets of histograms: 1 ms each at most. The first time more.
    private static let nodeBudget = 20_000
    static let bucketBudget = 65_536
    private static let firstBucketBudget = 400_000

    /// Whether everything was counted.
    var isComplete: Bool { table?.isComplete ?? false }

    /// Whether there are figures to show.
    var isReady: Bool { generation > 0 }

    /// What is known of one call site and kind, as of the last second; nil where none of its nodes was seen yet, or
    /// nobody wanted to know so far.
    func statistics(site: SiteID, kind: NodeKind) -> SiteStatistics? {
        table?.statistics(SiteKey(site: site, kind: kind))
    }

    /// Somebody wants to see it.
    mutating func begin(_ forest: borrowing ChainForest, now: UInt64) {
        guard table == nil else { return }
        table = SiteTable()
        _ = tick(forest, now: now, bucketBudget: Self.firstBucketBudget)
    }

    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        table?.follow(changes, of: forest)
    }

    /// Counts on, and once a second brings what is shown up to date; true if there is something to draw anew.
    mutating func tick(
        _ forest: borrowing ChainForest, now: UInt64, bucketBudget: Int = SitesInsight.bucketBudget
    ) -> Bool {
        guard table != nil else { return false }
        if !table!.isComplete {
            _ = table!.sweep(forest, budget: Self.nodeBudget)
            guard table!.isComplete else { return true }
            isRefreshing = true
        } else if !isRefreshing, now / 1_000_000_000 != second, table!.revision != shownRevision {
            isRefreshing = true
        }
        guard isRefreshing, table!.refresh(budget: bucketBudget) else { return false }
        isRefreshing = false
        second = now / 1_000_000_000
        shownRevision = table!.revision
        generation += 1
        return true
    }

    /// Whether a count is under way.
    var isCounting: Bool { table.map { !$0.isComplete } ?? false || isRefreshing }

    /// Whether nothing is left to be counted or shown.
    var isIdle: Bool { table == nil || (isComplete && !isRefreshing && table!.revision == shownRevision) }
}
