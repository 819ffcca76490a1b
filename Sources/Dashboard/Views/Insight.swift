import ChainEvents
import ChainInsight
import ChainModel

/// What the views make of one program besides its forest. Each part costs next to nothing while its view is closed.
struct Insight {
    var threads = ThreadLanes()
    var sites = SitesInsight()
    /// Kept up always, for their count is on the tab.
    var warnings = WarningTable()
    var events = EventsInsight()

    /// The forest changed; `now` is of the program's clock.
    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        sites.follow(changes, of: forest)
        warnings.update(with: changes, of: forest, now: now)
    }

    /// Does a slice of the work of the views; true if that changed what a view shows.
    mutating func tick(
        _ forest: borrowing ChainForest, now: UInt64, wall: UInt64, options: WarningOptions
    ) -> Bool {
        let isSitesMoved = sites.tick(forest, wall: wall)
        let isWarningsMoved = warnings.tick(forest, now: now, options: options)
        return isSitesMoved || isWarningsMoved
    }

    /// Whether a count or a sweep is unfinished.
    var hasWork: Bool { sites.isCounting || warnings.isSweeping }

    /// Whether nothing is to be done until events arrive.
    var isIdle: Bool { sites.isIdle && warnings.isIdle }
}
