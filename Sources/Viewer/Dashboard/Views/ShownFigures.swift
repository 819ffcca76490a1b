// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel

/// Figures that are counted while a view shows them: at once when they become shown, then once a second if the forest
/// has changed. While the clock is stopped, so that no second passes, they are counted after each change.
struct ShownFigures<Count: ForestCount> {
    var recount = Recount<Count>()
    /// A number that changes with the figures.
    private(set) var generation: UInt64 = 0
    private(set) var isShown = false
    /// Whether evicted nodes are counted: since the figures were shown first, but for a moment only.
    private(set) var countsEvicted = false
    /// Whether the forest has changed since the last pass began.
    private var isOutdated = false
    private var isClockStopped = false
    /// When the last pass began, in nanoseconds of the program's clock.
    private var begin: UInt64 = 0
    /// The second in which figures became complete last, since 1970.
    private var second: UInt64 = 0
    /// When the first count is to begin, in nanoseconds since 1970; nil if it is not to begin later.
    private var firstCount: UInt64?

    /// How long a first count waits in a large forest if it may be brief, in nanoseconds.
    private static var rest: UInt64 { 250_000_000 }
    /// The number of slots of a forest up to which no count waits.
    private static var smallForest: Int { 50_000 }
    /// How many nodes a slice reads, which takes 1 ms at most.
    private static var budget: Int { 10_000 }

    var figures: Count.Figures? { recount.figures }

    /// Whether a pass is under way or is to begin at once.
    var isCounting: Bool { isShown && (recount.isCounting || isOutdated && isClockStopped) }

    /// Whether nothing is left to be counted or shown.
    var isIdle: Bool { !isShown || !recount.isCounting && !isOutdated && firstCount == nil }

    /// Returns the moment that the figures are of, in nanoseconds of the program's clock: `now` unless the forest has
    /// changed since.
    func time(at now: UInt64) -> UInt64 { isOutdated ? min(begin, now) : now }

    mutating func noteChange() { isOutdated = true }

    /// Begins or ends to show the figures. What begins to be shown is counted in part at once; ticks count the rest.
    ///
    /// - Parameter isBrief: whether the figures may be shown for a moment only, because the user scrolls past them. In a
    ///   large forest they are counted after a rest.
    mutating func show(_ new: Bool, _ forest: ChainForest, now: UInt64, wall: UInt64, isBrief: Bool = false) {
        guard new != isShown else { return }
        isShown = new
        if new, !isBrief { countsEvicted = true }
        recount.forget()
        generation += 1
        firstCount = new && isBrief && forest.indexBound > Self.smallForest ? wall &+ Self.rest : nil
        if new, firstCount == nil { _ = count(forest, now: now, wall: wall) }
    }

    /// Does a slice of the counting; returns whether the figures are new.
    mutating func tick(_ forest: ChainForest, now: UInt64, wall: UInt64, isClockStopped: Bool) -> Bool {
        self.isClockStopped = isClockStopped
        guard isShown else { return false }
        if let firstCount {
            // If the rest is longer than a rest, the clock was set back.
            guard isClockStopped || wall >= firstCount || firstCount - wall > Self.rest else { return false }
        } else {
            let isDue = isOutdated && (isClockStopped || wall / 1_000_000_000 != second)
            guard recount.isCounting || isDue else { return false }
        }
        return count(forest, now: now, wall: wall)
    }

    private mutating func count(_ forest: ChainForest, now: UInt64, wall: UInt64) -> Bool {
        if !recount.isCounting {
            recount.begin(in: forest)
            (isOutdated, begin, firstCount) = (false, now, nil)
        }
        guard recount.advance(in: forest, budget: Self.budget) else { return false }
        second = wall / 1_000_000_000
        generation += 1
        return true
    }
}
