// SPDX-License-Identifier: MIT

/// The cells of a column of text.
struct ColumnSpan: Equatable {
    /// The first cell.
    var start = 0
    /// The number of cells; 0 if the column is not shown.
    var width = 0
    var isShown: Bool { width > 0 }
}

/// The layout of columns: first fixed widths, then shares of the cells that are left. At most one column gets the cells
/// that then remain.
enum ColumnLayout {
    enum Width {
        /// A number of cells.
        case fixed(Int)
        /// A share, in twentieths, of the cells that fixed columns leave, and at least `least` cells.
        case share(twentieths: Int, least: Int)
        /// The cells that all other columns leave; for one column at most.
        case rest
    }

    /// The cells between two columns.
    static let gap = 2

    /// Returns the spans of columns, from left to right, in the cells `start..<end`. A column without a width is not
    /// shown and gets an empty span. If the fixed and least widths need more cells than there are, columns reach beyond
    /// `end`.
    static func spans(from start: Int, to end: Int, _ widths: [Width?]) -> [ColumnSpan] {
        let shown = widths.compactMap { $0 }
        var room = end - start - gap * max(0, shown.count - 1)
        for case .fixed(let width) in shown { room -= width }
        var rest = room
        let cells = widths.map { width -> Int in
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
        return zip(widths, cells).map { width, cells in
            guard let width else { return ColumnSpan() }
            var span = ColumnSpan(start: start, width: cells)
            if case .rest = width { span.width = max(0, rest) }
            start += span.width + gap
            return span
        }
    }
}

extension ColumnLayout {
    /// Returns the number of cells that columns take, with the gaps between them.
    static func width<Column>(of columns: [Column], _ width: (Column) -> Int) -> Int {
        columns.reduce(-gap) { $0 + width($1) + gap }
    }

    /// Returns the columns that fit into `width` cells, in their order. If not all columns fit, the last column of
    /// `priority` is left out first.
    static func fitting<Column: Equatable>(
        _ columns: [Column], priority: [Column], into width: Int, _ columnWidth: (Column) -> Int
    ) -> [Column] {
        let ranked = Array(priority.enumerated())
        let kept = Dashboard.fitting(ranked, into: width, gap: gap, rank: \.offset) { columnWidth($0.element) }
        return columns.filter { column in kept.contains { $0.element == column } }
    }
}

/// Returns the items that fit into `width` cells, with `gap` cells between two of them. The item of the highest rank is
/// left out first; of several items of that rank, the first one. Items without a rank are never left out, nor is the
/// only item that remains.
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
