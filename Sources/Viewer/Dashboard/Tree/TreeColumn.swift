// SPDX-License-Identifier: MIT

import ChainRows
import ChainText
import Frames

/// A column of the tree that `:columns` and the configuration can choose.
package enum TreeColumn: String, Hashable, Sendable, CaseIterable {
    /// The word for the state; the state's glyph is always shown.
    case state
    /// The tree, with the names.
    case node
    /// The thread that the handler began on.
    case thread
    /// The time from being queued to the handler's start.
    case wait
    /// The time that the handler ran.
    case run
    /// A node's total time; at a root, its chain's total time.
    case total
    /// The value or the error.
    case value
    /// The number of the node.
    case id
    /// The call site.
    case site
    /// The executor that the handler was enqueued on.
    case executor

    /// The default columns, from left to right.
    package static let usual: [TreeColumn] = [.state, .node, .thread, .wait, .run, .total, .value]

    /// Returns the chosen columns without repetitions, or the default columns if none is chosen. A missing node column
    /// is added: after the state column if that is the first, else at the front.
    package static func valid(_ chosen: [TreeColumn]) -> [TreeColumn] {
        var columns: [TreeColumn] = []
        for column in chosen where !columns.contains(column) { columns.append(column) }
        if columns.isEmpty { return usual }
        if !columns.contains(.node) { columns.insert(.node, at: columns.first == .state ? 1 : 0) }
        return columns
    }

    /// What a click on the column's header sorts by; nil if rows cannot be sorted by the column.
    var sort: SortColumn? { SortColumn(rawValue: rawValue) }

    /// The title in the column's header.
    var title: String { self == .value ? "value / error" : rawValue }

    /// Whether the column is right-aligned, as durations are.
    var isRightAligned: Bool { sort?.isDuration ?? false }

    /// The least room in which the column is shown, with room for its title and an arrow after it; and the greatest
    /// width, beyond which only a value column at the right end grows. If its cells need less than the least room, the
    /// column is made narrower, unless both bounds are equal.
    var widths: ClosedRange<Int> {
        switch self {
        case .state: Columns.wordWidth + 1...Columns.wordWidth + 1
        case .node: 20...Int.max
        case .thread: 10...24
        case .wait, .run, .total: Columns.durationWidth...Columns.durationWidth
        case .value: 16...48
        case .id: 6...12
        case .site: 12...32
        case .executor: 8...24
        }
    }

    /// Whether the column has the same width whatever its cells hold.
    var isFixed: Bool { widths.lowerBound == widths.upperBound }

    /// The columns that are left out first, in this order. While one of these columns is shown, names keep at least 34
    /// cells, otherwise at least 20.
    static let extras: [TreeColumn] = [.site, .executor, .id, .wait, .thread, .run]

    /// The order in which columns are left out on a narrow screen. The node column stays.
    static let givingWay: [TreeColumn] = extras + [.value, .state, .total]

    /// Returns the cell of a row. Nil for the columns that ``RowPainter`` draws by itself, and for a duration that is
    /// not shown.
    func cell(of row: RowText, _ glyphs: Glyphs) -> (text: String, style: Style)? {
        switch self {
        case .state, .node: nil
        case .thread: (ThreadText.name(row.thread, ellipsis: glyphs.ellipsis), .thread)
        case .wait: row.wait?.cell(glyphs)
        case .run: row.run?.cell(glyphs)
        case .total: row.total?.cell(glyphs)
        case .value: row.value
        case .id: (row.view.id.description, .dim)
        case .site: (row.site, .dim)
        case .executor: (row.executor, .thread)
        }
    }

    /// What the column shows, for the help and the manual.
    var legend: String {
        switch self {
        case .state: "what the node does now; of a settled chain's row, how the chain ended"
        case .node:
            "the operation that made it, then its label, else its call site or id; a chain with a label shows "
                + "that alone; behind it how the chain is doing"
        case .thread: "the thread that its handler runs or ran on"
        case .wait: "from being queued to the start of its handler"
        case .run: "from the start of its handler to the end"
        case .total: "from being made to being settled; of a chain, until all of it has settled"
        case .value: "its value or error, as far as the program describes it"
        case .id: "its number, as in #17"
        case .site: "the file and the line that made it"
        case .executor: "the executor that its handler was handed to"
        }
    }
}
