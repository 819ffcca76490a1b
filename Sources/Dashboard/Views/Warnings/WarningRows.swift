import ChainInsight
import ChainModel

// Which rows the view of warnings has.
extension WarningsView {
    /// All rows, the worst kind first; of a kind that is not expanded, the first few. O(n log n) in the kept warnings.
    static func allRows(_ state: borrowing State) -> [WarningRow] {
        let enabled = state.options.warnings.enabled
        var rows: [WarningRow] = []
        for kind in WarningKind.byWeight where enabled.contains(kind) {
            let all = warnings(of: kind, state)
            guard !all.isEmpty else { continue }
            let isFolded = state.warnings.folded.contains(kind)
            // Under a filter only kept warnings count, because the others cannot be tested.
            let count =
                state.filter.hidesRest
                ? all.count { $0.isHolding } : state.programs.reduce(0) { $0 + $1.insight.warnings.count(of: kind) }
            rows.append(.head(kind, count: count, isFolded: isFolded))
            guard !isFolded else { continue }
            let isShort = !state.warnings.expanded.contains(kind) && all.count > shortCount
            rows += isShort ? Array(all.prefix(shortCount - 1)) : all
            let rest = max(count, all.count) - (isShort ? shortCount - 1 : all.count)
            if rest > 0 { rows.append(.more(kind, count: rest)) }
        }
        for kind in WarningKind.byWeight where !enabled.contains(kind) { rows.append(.hidden(kind)) }
        return rows
    }

    /// The warnings of all programs that the filter does not hide: the oldest first, those that are over last.
    private static func warnings(of kind: WarningKind, _ state: borrowing State) -> [WarningRow] {
        var all: [(warning: Warning, programIndex: Int, moment: UInt64)] = []
        for programIndex in state.programs.indices {
            let offset = state.programs[programIndex].wallOffset
            for warning in state.programs[programIndex].insight.warnings.warnings(of: kind)
            where !state.filter.hidesRest || isMatch(warning, in: programIndex, state) {
                all.append((warning, programIndex, warning.since &+ offset))
            }
        }
        if state.programs.count > 1 {
            all.sort { left, right in
                let isOver = (left.warning.ended != nil, right.warning.ended != nil)
                return isOver.0 == isOver.1 ? left.moment < right.moment : isOver.1
            }
        }
        return all.map { .warning($0.warning, programIndex: $0.programIndex) }
    }

    /// Whether the filter matches the warning's node; a warning without a node never matches.
    static func isMatch(_ warning: Warning, in programIndex: Int, _ state: borrowing State) -> Bool {
        guard state.filter.isActive else { return true }
        guard let node = state.programs[programIndex].forest.index(of: warning.node) else { return false }
        return state.filterMatches(node, in: programIndex)
    }
}
