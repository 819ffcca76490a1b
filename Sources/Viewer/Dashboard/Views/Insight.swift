// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// The figures that the views compute of one program, in addition to its forest. ``threads``, ``warnings``,
/// ``failures`` and ``events`` are always kept up to date. ``sites``, ``chains`` and ``profile`` are counted while they
/// are shown, and have the nodes that are kept when they are first shown, and all later ones.
struct Insight {
    var threads = ThreadLanes()
    /// The nodes by call site: of all call sites, or of the selected node's.
    var sites = ShownFigures<SiteCount>()
    /// The chains by the call site of their root.
    var chains = ShownFigures<ChainCount>()
    /// Where the time of all chains goes.
    var profile = ShownFigures<ProfileCount>()
    /// Differs from that of another run, or of another moment of a recording.
    let identity = CountIdentity()
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
        sites.noteChange()
        chains.noteChange()
        profile.noteChange()
        warnings.update(with: changes, of: forest, now: now)
        failures.update(with: changes, of: forest)
    }

    /// Counts what is about to leave the forest.
    mutating func willEvict(_ departure: Departure, in forest: ChainForest) {
        if sites.countsEvicted { sites.recount.willEvict(departure, in: forest) }
        if chains.countsEvicted { chains.recount.willEvict(departure, in: forest) }
        if profile.countsEvicted { profile.recount.willEvict(departure, in: forest) }
    }

    /// Does the views' work of one tick; returns whether what a view shows has changed.
    mutating func tick(
        _ forest: ChainForest, now: UInt64, wall: UInt64, isClockStopped: Bool, options: WarningOptions
    ) -> Bool {
        let haveFiguresChanged = tickFigures(forest, now: now, wall: wall, isClockStopped: isClockStopped)
        let haveWarningsChanged = warnings.tick(forest, now: now, options: options)
        return haveFiguresChanged || haveWarningsChanged
    }

    /// Does the counting of one tick, even while the picture is frozen; returns whether shown figures changed.
    ///
    /// - Parameter isClockStopped: whether `wall` may stand still, so that figures cannot be refreshed once a second.
    mutating func tickFigures(_ forest: ChainForest, now: UInt64, wall: UInt64, isClockStopped: Bool) -> Bool {
        let areSitesNew = sites.tick(forest, now: now, wall: wall, isClockStopped: isClockStopped)
        let areChainsNew = chains.tick(forest, now: now, wall: wall, isClockStopped: isClockStopped)
        let isProfileNew = profile.tick(forest, now: now, wall: wall, isClockStopped: isClockStopped)
        self.wall = wall
        let areFiguresNew = areSitesNew || areChainsNew || isProfileNew
        if areFiguresNew { movedWall = wall }
        return areFiguresNew
    }

    /// Whether a count of ``tickFigures(_:now:wall:isClockStopped:)`` is unfinished.
    var hasFigureWork: Bool { sites.isCounting || chains.isCounting || profile.isCounting }
    /// Whether no figure is left to count or to show.
    var areFiguresIdle: Bool { sites.isIdle && chains.isIdle && profile.isIdle }

    /// Whether a count or a sweep is unfinished.
    var hasWork: Bool { hasFigureWork || warnings.isSweeping }

    /// Whether nothing is to be done until events arrive.
    var isIdle: Bool { areFiguresIdle && warnings.isIdle && !(showsRates && wall &- movedWall < Self.rateTail) }

    /// How long rates may change without events, because they cover the last minute; in nanoseconds.
    private static let rateTail: UInt64 = 61_000_000_000
    private var showsRates: Bool { chains.isShown || sites.isShown && sites.recount.base.only == nil }
}
