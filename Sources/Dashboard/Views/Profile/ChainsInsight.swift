import ChainInsight
import ChainModel

/// Figures of one program's chains by the call site of their root, for groups of chains and for the profile. Counting
/// begins when groups or the profile are first shown.
struct ChainsInsight {
    /// The figures that are shown.
    enum Demand: Hashable {
        case nothing
        /// Figures by the root's call site.
        case groups
        /// The figures of `groups`, and where the time goes.
        case profile
    }

    private(set) var table: ChainSiteTable?
    /// A number that changes when other figures are shown, and when the shown figures are refreshed. A refresh comes at
    /// most once a second, but more often during the first sweep or while `wall` may stand still.
    private(set) var generation: UInt64 = 0
    private var demand = Demand.nothing
    /// The table's revision at the last refresh.
    private var shownRevision: UInt64 = 0
    /// The second of the last refresh, since 1970.
    private var second: UInt64 = 0
    private var isRefreshing = false

    /// The maximum number of nodes that are counted in a tick; counting them takes 1 ms at most.
    private static let nodeBudget = 5_000
    /// The maximum number of histogram buckets that are read in a tick; reading them takes 1 ms at most.
    private static let bucketBudget = 65_536

    var queueStatistics: [QueueStatistics] { table?.queueStatistics ?? [] }

    var showsRates: Bool { demand == .groups }

    /// Changes which figures are shown; counting continues even if no figures are shown.
    mutating func show(_ new: Demand, _ forest: borrowing ChainForest, wall: UInt64) {
        guard new != demand else { return }
        demand = new
        guard new != .nothing else { return }
        if table == nil { table = ChainSiteTable() }
        if new == .profile { table!.openProfile() }
        _ = table!.count(forest, wall: wall, budget: Self.nodeBudget)
        (isRefreshing, generation) = (true, generation + 1)
        _ = refresh(forest, wall: wall)
    }

    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest) {
        table?.update(with: changes, of: forest)
    }

    /// Does the counting of one tick. Refreshes the shown figures once a second; during the first sweep, or if
    /// `isClockStopped`, with each change. Returns whether the figures changed.
    ///
    /// - Parameter isClockStopped: whether `wall` may stand still, so that no second passes.
    mutating func tick(_ forest: borrowing ChainForest, wall: UInt64, isClockStopped: Bool) -> Bool {
        guard table != nil else { return false }
        let wasComplete = table!.isComplete
        _ = table!.count(forest, wall: wall, isClockStopped: isClockStopped, budget: Self.nodeBudget)
        guard demand != .nothing else { return false }
        let isDue = isClockStopped || wall / 1_000_000_000 != second || !wasComplete
        if isDue, table!.revision != shownRevision { isRefreshing = true }
        return refresh(forest, wall: wall)
    }

    /// Continues a refresh of the shown figures, if one was begun; returns whether the refresh is complete now.
    private mutating func refresh(_ forest: borrowing ChainForest, wall: UInt64) -> Bool {
        guard isRefreshing, table!.refresh(forest, budget: Self.bucketBudget) else { return false }
        isRefreshing = false
        second = wall / 1_000_000_000
        shownRevision = table!.revision
        generation += 1
        return true
    }

    /// Whether chains are due to be counted, or figures to be refreshed.
    var isCounting: Bool { table?.isCounting ?? false || isRefreshing }

    /// Whether nothing is shown, or nothing is left to count and to refresh.
    var isIdle: Bool {
        guard demand != .nothing, let table else { return true }
        return !isCounting && !table.hasSettled && table.revision == shownRevision
    }
}
