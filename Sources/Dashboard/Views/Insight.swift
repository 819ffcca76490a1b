import ChainInsight
import ChainModel

/// What the views make of one program besides its forest. Each part costs next to nothing while its view is closed.
struct Insight {
    var threads = ThreadLanes()
    var sites = SitesInsight()
    var chains = ChainsInsight()
    /// Kept up always, for their count is on the tab.
    var warnings = WarningTable()
    var events = EventsInsight()
    /// The time of the latest tick, and of the latest one that changed figures.
    private var wall: UInt64 = 0
    private var movedWall: UInt64 = 0

    /// The forest changed; `now` is of the program's clock.
    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        sites.follow(changes, of: forest)
        chains.follow(changes, of: forest)
        warnings.update(with: changes, of: forest, now: now)
    }

    /// Does a slice of the work of the views; true if that changed what a view shows.
    mutating func tick(
        _ forest: borrowing ChainForest, now: UInt64, wall: UInt64, options: WarningOptions
    ) -> Bool {
        let areFiguresMoved = tickFigures(forest, wall: wall)
        let isWarningsMoved = warnings.tick(forest, now: now, options: options)
        return areFiguresMoved || isWarningsMoved
    }

    /// Does a slice of what is also done while the picture is frozen.
    mutating func tickFigures(_ forest: borrowing ChainForest, wall: UInt64) -> Bool {
        let isSitesMoved = sites.tick(forest, wall: wall)
        let isChainsMoved = chains.tick(forest, wall: wall)
        self.wall = wall
        if isSitesMoved || isChainsMoved { movedWall = wall }
        return isSitesMoved || isChainsMoved
    }

    /// Whether a count of ``tickFigures(_:wall:)`` is unfinished, and whether nothing is left to count or show.
    var hasFigureWork: Bool { sites.isCounting || chains.isCounting }
    var areFiguresIdle: Bool { sites.isIdle && chains.isIdle }

    /// Whether a count or a sweep is unfinished.
    var hasWork: Bool { hasFigureWork || warnings.isSweeping }

    /// Whether nothing is to be done until events arrive.
    var isIdle: Bool { areFiguresIdle && warnings.isIdle && !(showsRates && wall &- movedWall < Self.rateTail) }

    /// Rates of the last minute fall without events.
    private static let rateTail: UInt64 = 61_000_000_000
    private var showsRates: Bool { sites.showsRates || chains.showsRates }
}
