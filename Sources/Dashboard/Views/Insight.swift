import ChainInsight
import ChainModel

/// The figures that the views compute of one program, in addition to its forest. ``threads``, ``warnings``,
/// ``failures`` and ``events`` are always kept up to date. ``sites`` and ``chains`` do no work before their figures are first shown, and
/// less work while their figures are not shown.
struct Insight {
    var threads = ThreadLanes()
    var sites = SitesInsight()
    var chains = ChainsInsight()
    /// Counted only while it is shown.
    var stacks = StacksInsight()
    /// Kept up to date, because the count of warnings is on the tab.
    var warnings = WarningTable()
    /// Kept up to date, because it outlives the nodes.
    var failures = FailureTable()
    var events = EventsInsight()
    /// The time of the latest tick, in nanoseconds since 1970.
    private var wall: UInt64 = 0
    /// The time of the latest tick that changed figures, in nanoseconds since 1970.
    private var movedWall: UInt64 = 0

    /// Applies changes of the forest. `now` is in nanoseconds of the program's clock.
    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        sites.follow(changes, of: forest)
        chains.follow(changes, of: forest)
        warnings.update(with: changes, of: forest, now: now)
        failures.update(with: changes, of: forest)
    }

    /// Does the views' work of one tick; returns whether what a view shows has changed.
    mutating func tick(
        _ forest: borrowing ChainForest, now: UInt64, wall: UInt64, isClockStopped: Bool, options: WarningOptions
    ) -> Bool {
        let haveFiguresChanged = tickFigures(forest, wall: wall, isClockStopped: isClockStopped)
        let haveWarningsChanged = warnings.tick(forest, now: now, options: options)
        return haveFiguresChanged || haveWarningsChanged
    }

    /// Does the counting of one tick, even while the picture is frozen; returns whether shown figures changed.
    ///
    /// - Parameter isClockStopped: whether `wall` may stand still, so that figures cannot be refreshed once a second.
    mutating func tickFigures(_ forest: borrowing ChainForest, wall: UInt64, isClockStopped: Bool) -> Bool {
        let haveSitesChanged = sites.tick(forest, wall: wall, isClockStopped: isClockStopped)
        let haveChainsChanged = chains.tick(forest, wall: wall, isClockStopped: isClockStopped)
        self.wall = wall
        if haveSitesChanged || haveChainsChanged { movedWall = wall }
        return haveSitesChanged || haveChainsChanged
    }

    /// Whether a count of ``tickFigures(_:wall:isClockStopped:)`` is unfinished.
    var hasFigureWork: Bool { sites.isCounting || chains.isCounting }
    /// Whether no figure is left to count or to show.
    var areFiguresIdle: Bool { sites.isIdle && chains.isIdle }

    /// Whether a count or a sweep is unfinished.
    var hasWork: Bool { hasFigureWork || warnings.isSweeping }

    /// Whether nothing is to be done until events arrive.
    var isIdle: Bool { areFiguresIdle && warnings.isIdle && !(showsRates && wall &- movedWall < Self.rateTail) }

    /// How long rates may change without events, because they cover the last minute; in nanoseconds.
    private static let rateTail: UInt64 = 61_000_000_000
    private var showsRates: Bool { sites.showsRates || chains.showsRates }
}
