import ChainRows

// Long work: sorting, filtering, the rows of a large forest, the figures of views. It is done in slices between two
// ticks, so that a frame or a key waits for one slice at most. If the owner dispatches no ``Action/work``, each tick
// does one slice of each kind.
extension State {
    /// Whether there is work for ``Action/work``.
    public var hasWork: Bool {
        // A loop, because a closure would copy each program.
        for programIndex in programs.indices where programs[programIndex].hasWork { return true }
        return false
    }

    /// Whether the last slice updated the figures of views. Benchmarks time such slices apart from the others.
    package var hasCountedForViews: Bool { workSchedule.last == .insight }

    /// The state of the round robin over the kinds of work.
    struct WorkSchedule {
        /// Whether ``Action/work`` was dispatched since the last tick.
        var hasWorked = false
        /// Whether a slice changed rows, so that the next tick draws.
        var needsRedraw = false
        fileprivate var next = 0
        fileprivate var last: WorkKind?
    }

    fileprivate enum WorkKind: Int, CaseIterable { case insight, order, scan, rows, spent }

    /// Does one slice of one kind, some 2 ms at most; the first slice after a tick updates the views' figures.
    mutating func work() {
        if !workSchedule.hasWorked { workSchedule.next = WorkKind.insight.rawValue }
        workSchedule.hasWorked = true
        for _ in WorkKind.allCases {
            let turn = WorkKind(rawValue: workSchedule.next)!
            workSchedule.next = (workSchedule.next + 1) % WorkKind.allCases.count
            guard turn == .insight || count(turn) > 0 else { continue }
            workSchedule.last = turn
            if work(turn, share: count(turn)) { workSchedule.needsRedraw = true }
            return
        }
    }

    /// Does a slice of each kind if no ``Action/work`` came since the last tick; returns whether rows may have changed.
    mutating func workInTick() -> Bool {
        var isMoved = workSchedule.needsRedraw
        if !workSchedule.hasWorked {
            // Sorting, filtering and reading share one slice, because all of them may be under way.
            let share = WorkKind.allCases.reduce(0) { $0 + ($1 == .insight || $1 == .spent ? 0 : count($1)) }
            for turn in WorkKind.allCases where work(turn, share: share) { isMoved = true }
        }
        (workSchedule.hasWorked, workSchedule.needsRedraw) = (false, false)
        return isMoved
    }

    /// The number of programs with work of a kind.
    private func count(_ turn: WorkKind) -> Int {
        var count = 0
        // A loop, because a closure would copy each program.
        for programIndex in programs.indices where programs[programIndex].hasWork(turn) { count += 1 }
        return count
    }

    /// Does a slice of a kind in each program, as one of `share` parts; returns whether rows may have changed. The
    /// figures of views are not divided.
    private mutating func work(_ turn: WorkKind, share: Int) -> Bool {
        let share = max(1, share)
        var isMoved = false
        for programIndex in programs.indices {
            let didMove =
                switch turn {
                case .insight: programs[programIndex].tickInsight(options.warnings, wall: wall)
                case .order: programs[programIndex].work(.sorting, share)
                case .scan: programs[programIndex].work(.filtering, share)
                case .rows: programs[programIndex].work(.reading, share)
                case .spent: programs[programIndex].work(.freeing, share)
                }
            if didMove { isMoved = true }
        }
        return isMoved
    }
}

extension Program {
    /// Whether the program has long work.
    var hasWork: Bool {
        isReached && rowModel.hasWork || hasInsightWork
    }

    fileprivate func hasWork(_ kind: State.WorkKind) -> Bool {
        switch kind {
        case .insight: hasInsightWork
        case .order: rowModel.hasWork(.sorting)
        case .scan: isReached && rowModel.hasWork(.filtering)
        case .rows: rowModel.hasWork(.reading)
        case .spent: rowModel.hasWork(.freeing)
        }
    }

    /// Whether figures of views are to be updated; warnings are not while the picture is frozen.
    fileprivate var hasInsightWork: Bool { isFrozen ? insight.hasFigureWork : insight.hasWork }

    /// Does a slice of work on the rows, or one of `share` parts of it; returns whether rows may have moved.
    fileprivate mutating func work(_ kind: RowModel.WorkKind, _ share: Int) -> Bool {
        guard isReached else { return false }
        return rowModel.work(kind, in: forest, now: kind == .reading ? now : shownNow, share: share)
    }
}
