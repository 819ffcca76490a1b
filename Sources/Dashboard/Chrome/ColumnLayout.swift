/// A column of text: where it begins and how wide it is; no width where it is not shown.
struct ColumnSpan: Equatable {
    var start = 0
    var width = 0
    var isShown: Bool { width > 0 }
}

/// The one layout of columns: fixed widths first, then shares of what is left, then the rest to one column.
enum ColumnLayout {
    enum Width {
        case fixed(Int)
        /// So many twentieths of what the fixed columns leave, and at least so many cells.
        case share(twentieths: Int, least: Int)
        /// What all others leave; for one column at most.
        case rest
    }

    /// Cells between two columns.
    static let gap = 2

    /// The spans of columns from one cell to another, from left to right; nil is a column that is not shown.
    static func spans(from start: Int, to end: Int, _ widths: [Width?]) -> [ColumnSpan] {
        let shown = widths.compactMap { $0 }
        var room = end - start - gap * max(0, shown.count - 1)
        for case .fixed(let width) in shown { room -= width }
        var rest = room
        let taken = widths.map { width -> Int in
            switch width {
            case .fixed(let width)?: return width
            case .share(let twentieths, let least)?:
                let share = max(least, room * twentieths / 20)
                rest -= share
                return share
            case .rest?, nil: return 0
            }
        }
        var start = start
        return zip(widths, taken).map { width, taken in
            guard let width else { return ColumnSpan() }
            var span = ColumnSpan(start: start, width: taken)
            if case .rest = width { span.width = max(0, rest) }
            start += span.width + gap
            return span
        }
    }
}

extension ColumnLayout {
    /// The cells of columns, with the gaps between them.
    static func width<Column>(of columns: [Column], _ width: (Column) -> Int) -> Int {
        columns.reduce(-gap) { $0 + width($1) + gap }
    }

    /// The columns that fit into a width, in their order; the last ones by priority are left out first.
    static func fitting<Column: Equatable>(
        _ columns: [Column], priority: [Column], into width: Int, _ columnWidth: (Column) -> Int
    ) -> [Column] {
        let ranked = Array(priority.enumerated())
        let kept = Dashboard.fitting(ranked, into: width, gap: gap, rank: \.offset) { columnWidth($0.element) }
        return columns.filter { column in kept.contains { $0.element == column } }
    }
}

/// Returns the items that fit into a width, with a gap between two: those of the highest rank are left out first, of
/// equal rank the first ones. Items without a rank, and the last one, are never left out.
func fitting<Item>(
    _ items: [Item], into width: Int, gap: Int, rank: (Item) -> Int?, columns: (Item) -> Int
) -> [Item] {
    var kept = items
    var total = items.reduce(-gap) { $0 + columns($1) + gap }
    while total > width, kept.count > 1 {
        let worst = kept.indices.max { (rank(kept[$0]) ?? -1) < (rank(kept[$1]) ?? -1) }!
        guard rank(kept[worst]) != nil else { break }
        total -= columns(kept.remove(at: worst)) + gap
    }
    return kept
}
