import ChainInsight
import ChainModel

/// Which rows the view of warnings has.
extension State {
    /// All of them, the worst kind first; of a kind that is not unfolded whole, the first few. O(n log n) in those that are
    /// kept.
    func warningRows() -> [WarningRow] {
        var rows: [WarningRow] = []
        for kind in WarningKind.byWeight where options.warnings.enabled.contains(kind) {
            let all = allWarnings(of: kind)
            guard !all.isEmpty else { continue }
            let isFolded = warnings.folded.contains(kind)
            // What the filter hides is not counted, and of those that are not kept nobody knows.
            let count =
                filter.hidesRest
                ? all.count { $0.isHolding } : programs.reduce(0) { $0 + $1.insight.warnings.count(of: kind) }
            rows.append(.head(kind, count: count, isFolded: isFolded))
            guard !isFolded else { continue }
            let isShort = !warnings.expanded.contains(kind) && all.count > WarningsView.shortCount
            rows += isShort ? Array(all.prefix(WarningsView.shortCount - 1)) : all
            let rest = max(count, all.count) - (isShort ? WarningsView.shortCount - 1 : all.count)
            if rest > 0 { rows.append(.more(kind, count: rest)) }
        }
        for kind in WarningKind.byWeight where !options.warnings.enabled.contains(kind) { rows.append(.hidden(kind)) }
        return rows
    }

    /// Of all programs, those that the filter lets through: since longest first, those that are over at the end.
    private func allWarnings(of kind: WarningKind) -> [WarningRow] {
        var all: [(warning: Warning, programIndex: Int, moment: UInt64)] = []
        for programIndex in programs.indices {
            let offset = programs[programIndex].wallOffset
            for warning in programs[programIndex].insight.warnings.warnings(of: kind)
            where !filter.hidesRest || filterLetsThrough(warning, in: programIndex) {
                all.append((warning, programIndex, warning.since &+ offset))
            }
        }
        if programs.count > 1 {
            all.sort { left, right in
                let isOver = (left.warning.ended != nil, right.warning.ended != nil)
                return isOver.0 == isOver.1 ? left.moment < right.moment : isOver.1
            }
        }
        return all.map { .warning($0.warning, programIndex: $0.programIndex) }
    }

    /// Whether its node matches; who has none does not.
    func filterLetsThrough(_ warning: Warning, in programIndex: Int) -> Bool {
        guard filter.isActive else { return true }
        return programs[programIndex].forest?.index(of: warning.node).map { filterMatches($0, in: programIndex) }
            ?? false
    }
}
