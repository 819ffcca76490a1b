// SPDX-License-Identifier: MIT

/// The columns of the profile, from left to right.
enum ProfileColumn: Int, CaseIterable, ComparedColumn {
    case path, bar, totalShare, ownShare, totalSum, ownSum, count, p50, p99, max, errors

    var title: String {
        switch self {
        case .path: "call path"
        case .bar: "time"
        case .totalShare: "total"
        case .ownShare: "self"
        case .totalSum: "sum"
        case .ownSum: "self sum"
        case .count: "count"
        case .p50: "p50"
        case .p99: "p99"
        case .max: "max"
        case .errors: "error"
        }
    }

    /// What rows are sorted by, in a sentence.
    var words: String {
        switch self {
        case .path, .bar, .totalShare, .totalSum: "total time"
        case .ownShare, .ownSum: "self time"
        case .errors: "error share"
        default: title
        }
    }

    var unit: FigureText.Unit? {
        switch self {
        case .path, .bar: nil
        case .totalShare, .ownShare, .errors: .share
        case .count: .count
        case .totalSum, .ownSum, .p50, .p99, .max: .duration
        }
    }

    var isTotal: Bool { self == .count || self == .totalSum || self == .ownSum }

    private var width: Int {
        switch self {
        case .path: 22
        case .bar: 10
        case .ownSum: 8
        case .totalSum, .p50, .p99, .max: 7
        default: 5
        }
    }

    /// The columns by importance: if not all columns fit, the last of them are left out first.
    private static let priority: [ProfileColumn] = [
        .path, .bar, .totalShare, .ownShare, .p99, .count, .errors, .p50, .totalSum, .max, .ownSum,
    ]

    /// The columns that rows can be sorted by, in the order of the key.
    static let sorts: [ProfileColumn] = [.totalShare, .ownShare, .count, .p50, .p99, .max, .errors]

    /// Returns the columns that fit a pane, and their spans. The path and the bar share the width that is left over;
    /// without the bar, the path gets all of it. A column of changes is one cell wider, for the sign.
    static func spans(width: Int, isCompared: Bool = false) -> [(column: ProfileColumn, span: ColumnSpan)] {
        let room = width - 3
        func least(_ column: ProfileColumn) -> Int { column.width + (isCompared && column.unit != nil ? 1 : 0) }
        let shown = ColumnLayout.fitting(allCases, priority: priority, into: room, least)
        let slack = Swift.max(0, room - ColumnLayout.width(of: shown, least))
        let path = shown.contains(.bar) ? min(28, slack / 2) : slack
        let widths = shown.map { column in
            ColumnLayout.Width.fixed(
                min(room, least(column) + (column == .path ? path : column == .bar ? slack - path : 0)))
        }
        return Array(zip(shown, ColumnLayout.spans(from: 2, to: width - 1, widths)))
    }
}

/// The order of the rows at depth 0, and of the rows that are under the same row.
struct ProfileSort: Equatable, ColumnSort {
    var column = ProfileColumn.totalShare
    var isInverted = false

    /// The order in a sentence.
    var words: String { "sorted by \(column.words): the \(isInverted ? "least" : "greatest") first" }

    /// Returns whether rows are sorted by a column.
    func isBy(_ other: ProfileColumn) -> Bool { other == column }
}
