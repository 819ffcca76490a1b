// SPDX-License-Identifier: MIT

import ChainRows

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
    var title: String { sort?.title ?? rawValue }

    /// Whether the column holds durations, which are right-aligned.
    var isDuration: Bool { self == .wait || self == .run || self == .total }

    /// Whether the column is always as wide as ``least``, whatever its cells hold.
    var isFixed: Bool { self == .state || isDuration }

    /// The greatest width; only a value column at the right end grows beyond it.
    var limit: Int {
        switch self {
        case .thread, .executor: 24
        case .site: 32
        case .value: 48
        case .id: 12
        case .state, .node, .wait, .run, .total: .max
        }
    }

    /// The least room in which the column is shown. If its cells need less room, the column is made narrower.
    var least: Int {
        switch self {
        case .state: Columns.wordWidth + 1
        case .node: 20
        case .thread: 10
        case .wait, .run, .total: Columns.durationWidth
        case .value: 16
        case .id: 6
        case .site: 12
        case .executor: 8
        }
    }

    /// The columns that are left out first, in this order. While one of these columns is shown, names keep at least 34
    /// cells, otherwise at least 20.
    static let extras: [TreeColumn] = [.site, .executor, .id, .wait, .thread, .run]

    /// The order in which columns are left out on a narrow screen. The node column stays.
    static let givingWay: [TreeColumn] = extras + [.value, .state, .total]
}
