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
                ? all.count { $0.isHolding } : observed.reduce(0) { $0 + $1.insight.warnings.count(of: kind) }
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
        var all: [(warning: Warning, place: Int, moment: UInt64)] = []
        for place in observed.indices {
            let offset = observed[place].wallOffset
            for warning in observed[place].insight.warnings.warnings(of: kind)
            where !filter.hidesRest || filterLetsThrough(warning, in: place) {
                all.append((warning, place, warning.since &+ offset))
            }
        }
        if observed.count > 1 {
            all.sort { left, right in
                let isOver = (left.warning.ended != nil, right.warning.ended != nil)
                return isOver.0 == isOver.1 ? left.moment < right.moment : isOver.1
            }
        }
        return all.map { .warning($0.warning, place: $0.place) }
    }

    /// Whether its node matches; who has none does not.
    func filterLetsThrough(_ warning: Warning, in place: Int) -> Bool {
        guard filter.isActive else { return true }
        return observed[place].forest?.index(of: warning.node).map { filterMatches($0, in: place) } ?? false
    }
}
