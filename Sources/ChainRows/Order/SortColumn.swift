// SPDX-License-Identifier: MIT

/// The columns that the tree's rows can be sorted by.
public enum SortColumn: String, Hashable, Sendable, CaseIterable {
    /// First the chains that are not archived, by their start, then archived chains, by their end; the newest first.
    case start
    /// Live states first, then faults.
    case state
    /// The label or, without a label, the call site; digits in it are compared as numbers.
    case node
    /// The name of the thread.
    case thread
    /// The time from being queued to the handler's start.
    case wait
    /// The time that the handler runs.
    case run
    /// The time from the creation of a chain to its end; for a node under another node, the node's own total.
    case total
    /// Errors, then values.
    case value

    /// Whether the column holds durations.
    package var isDuration: Bool { self == .wait || self == .run || self == .total }

    /// Whether the column holds texts, which are ranked by what follows their common prefix.
    package var isText: Bool { self == .node || self == .thread || self == .value }

    /// Whether the greatest value comes first, unless the order is inverted: the longest duration, the newest chain.
    package var isDescending: Bool { isDuration || self == .start }

    /// The title in the column's header.
    package var title: String { self == .value ? "value / error" : rawValue }

    /// The column that the key `s` sorts by next.
    package var next: SortColumn {
        let all = Self.allCases
        return all[(all.firstIndex(of: self)! + 1) % all.count]
    }
}

/// An order of the tree's chains.
public struct TreeOrder: Hashable, Sendable {
    /// The column to sort by.
    public var column: SortColumn
    /// Whether the order is inverted: durations shortest first, texts from Z to A, chains oldest first.
    public var isInverted: Bool
    /// Whether nodes under a node are sorted, too; if not, they are in the order in which they were made.
    public var sortsSiblings: Bool
    /// Whether the chains of a call site stand together, under a row for their group.
    public var isGrouped: Bool

    /// Makes an order; without arguments, the usual order.
    public init(
        column: SortColumn = .start, isInverted: Bool = false, sortsSiblings: Bool = false, isGrouped: Bool = false
    ) {
        self.column = column
        self.isInverted = isInverted
        self.sortsSiblings = sortsSiblings
        self.isGrouped = isGrouped
    }

    /// Whether the greatest value comes first.
    package var isDescending: Bool { column.isDescending != isInverted }
}
