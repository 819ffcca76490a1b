// SPDX-License-Identifier: MIT

import ChainInsight
import ChainRows

// Background work: sorting, filtering, reading the rows of a large forest, and the views' statistics.
// It is done between two ticks in slices, each of which takes some 2 ms at most. So a frame or a key waits for one
// slice at most. With several programs, a slice of the views' statistics may take longer, because each program does a
// slice of its own. If the owner dispatches no ``Action/work``, each tick does a slice of each kind.
extension World {
    /// Whether background work is left for ``Action/work``.
    var hasWork: Bool {
        // This is a loop, because a closure would copy each program.
        for programIndex in programs.indices where programs[programIndex].hasWork { return true }
        return false
    }

    /// Does one slice of one kind, some 2 ms at most; the first slice after a tick updates the views' statistics.
    mutating func work(_ options: WarningOptions) {
        if !workSchedule.hasWorked { workSchedule.next = WorkKind.insight.rawValue }
        workSchedule.hasWorked = true
        for _ in WorkKind.allCases {
            let kind = WorkKind(rawValue: workSchedule.next)!
            workSchedule.next = (workSchedule.next + 1) % WorkKind.allCases.count
            guard kind == .insight || count(kind) > 0 else { continue }
            workSchedule.last = kind
            if work(kind, divisor: count(kind), options) { workSchedule.needsRedraw = true }
            return
        }
    }

    /// Does a slice of each kind if no ``Action/work`` was dispatched since the last tick. Returns whether these
    /// slices, or slices that ``Action/work`` did since the last tick, may have changed rows.
    mutating func workInTick(_ options: WarningOptions) -> Bool {
        // Whether rows may have changed in any way, not only whether rows moved.
        var isMoved = workSchedule.needsRedraw
        if !workSchedule.hasWorked, workOnce(options) { isMoved = true }
        (workSchedule.hasWorked, workSchedule.needsRedraw) = (false, false)
        return isMoved
    }

    /// Does a slice of each kind; returns whether rows may have changed.
    @discardableResult
    mutating func workOnce(_ options: WarningOptions) -> Bool {
        // Sorting, filtering and reading share the time of one slice, because all three may have work.
        let divisor = WorkKind.allCases.reduce(0) { $0 + ($1 == .insight ? 0 : count($1)) }
        var isMoved = false
        for kind in WorkKind.allCases where work(kind, divisor: divisor, options) { isMoved = true }
        return isMoved
    }

    /// Returns the number of programs with work of a kind.
    private func count(_ kind: WorkKind) -> Int {
        var count = 0
        // This is a loop, because a closure would copy each program.
        for programIndex in programs.indices where programs[programIndex].hasWork(kind) { count += 1 }
        return count
    }

    /// Does one of `divisor` parts of a slice in each program; returns whether rows may have changed. A slice of the
    /// views' statistics is not divided.
    private mutating func work(_ kind: WorkKind, divisor: Int, _ options: WarningOptions) -> Bool {
        let divisor = max(1, divisor)
        var isMoved = false
        for programIndex in programs.indices {
            let didMove =
                switch kind {
                case .insight: programs[programIndex].tickInsight(options, wall: wall)
                case .sorting: programs[programIndex].work(.sorting, divisor)
                case .filtering: programs[programIndex].work(.filtering, divisor)
                case .reading: programs[programIndex].work(.reading, divisor)
                }
            if didMove { isMoved = true }
        }
        return isMoved
    }
}

/// The state of the round robin over the kinds of work.
struct WorkSchedule {
    /// Whether ``Action/work`` was dispatched since the last tick.
    var hasWorked = false
    /// Whether a slice changed rows, so that the next tick draws.
    var needsRedraw = false
    /// The raw value of the kind to try next.
    fileprivate var next = 0
    /// The kind of the last slice that ``Action/work`` did.
    fileprivate var last: WorkKind?
    /// Whether that slice updated the views' statistics.
    var hasCountedForViews: Bool { last == .insight }
}

/// The views' statistics, and the kinds of ``Outline/WorkKind``.
fileprivate enum WorkKind: Int, CaseIterable { case insight, sorting, filtering, reading }

extension Program {
    /// Whether the program has background work.
    var hasWork: Bool {
        wasReached && outline.hasWork || hasInsightWork
    }

    fileprivate func hasWork(_ kind: WorkKind) -> Bool {
        switch kind {
        case .insight: hasInsightWork
        case .sorting: outline.hasWork(.sorting)
        case .filtering: wasReached && outline.hasWork(.filtering)
        case .reading: outline.hasWork(.reading)
        }
    }

    /// Whether the views' statistics have work. While the picture is frozen, the work on warnings does not count,
    /// because warnings are not updated.
    fileprivate var hasInsightWork: Bool { isFrozen ? insight.hasFigureWork : insight.hasWork }

    /// Does one of `divisor` parts of a slice of work on the rows; returns whether rows may have moved.
    fileprivate mutating func work(_ kind: Outline.WorkKind, _ divisor: Int) -> Bool {
        guard wasReached else { return false }
        return outline.work(kind, in: forest, now: kind == .reading ? now : shownNow, divisor: divisor)
    }
}
