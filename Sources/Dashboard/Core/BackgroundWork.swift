import ChainModel
import ChainRows

// Long work: a new order, a search through all nodes, a large forest read anew, what views count. It goes in slices in
// the time that is left before the next frame, so that frames and keys stay short; where none is left, or nobody uses
// it, a tick does a slice of each.
extension State {
    /// Whether there is work for ``Action/work``.
    public var hasWork: Bool { programs.indices.contains { programs[$0].hasWork } }

    /// Whether the last slice was for what views count, which goes on whatever the user does.
    package var hasCountedForViews: Bool { turns.last == .insight }

    /// How the slices take turns.
    struct Turns {
        /// Whether somebody used the time since the last tick.
        var hasWorked = false
        /// Whether it moved something that is to be arranged and drawn with the next tick.
        var isStirred = false
        fileprivate var next = 0
        fileprivate var last: Turn?
    }

    fileprivate enum Turn: Int, CaseIterable { case insight, order, scan, rows, spent }

    /// One slice: some 2 ms at most. The first after a tick lets the views' figures follow.
    mutating func work() {
        if !turns.hasWorked { turns.next = Turn.insight.rawValue }
        turns.hasWorked = true
        for _ in Turn.allCases {
            let turn = Turn(rawValue: turns.next)!
            turns.next = (turns.next + 1) % Turn.allCases.count
            guard turn == .insight || count(turn) > 0 else { continue }
            turns.last = turn
            if work(turn, share: count(turn)) { turns.isStirred = true }
            return
        }
    }

    /// What the time before this tick was not there for; true if anything that is shown may have moved.
    mutating func workInTick() -> Bool {
        var isMoved = turns.isStirred
        if !turns.hasWorked {
            // Filtering, sorting and reading anew may be under way together.
            let share = Turn.allCases.reduce(0) { $0 + ($1 == .insight || $1 == .spent ? 0 : count($1)) }
            for turn in Turn.allCases where work(turn, share: share) { isMoved = true }
        }
        (turns.hasWorked, turns.isStirred) = (false, false)
        return isMoved
    }

    /// In how many programs there is work of a kind.
    private func count(_ turn: Turn) -> Int { programs.indices.count { hasWork(turn, programs[$0]) } }

    private func hasWork(_ turn: Turn, _ program: borrowing Program) -> Bool {
        switch turn {
        case .insight: program.hasInsightWork
        case .order: program.outline.hasWork(.sorting)
        case .scan: program.isScanning
        case .rows: program.outline.hasWork(.reading)
        case .spent: program.outline.hasWork(.freeing)
        }
    }

    /// Each program does its part, where `share` parts are a slice; true if anything that is shown may have moved.
    private mutating func work(_ turn: Turn, share: Int) -> Bool {
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
    /// Whether there is long work for the time before the next frame.
    var hasWork: Bool {
        isReached && outline.hasWork || hasInsightWork
    }

    /// Warnings wait while the picture stands still.
    fileprivate var hasInsightWork: Bool { isHeld ? insight.sites.isCounting : insight.hasWork }

    /// Does a slice of work on the rows, or one of `share` parts of it; returns whether rows may have moved.
    fileprivate mutating func work(_ kind: RowModel.WorkKind, _ share: Int) -> Bool {
        guard forest != nil else { return false }
        return outline.work(kind, in: forest!, now: kind == .reading ? now : shownNow, share: share)
    }
}
