// SPDX-License-Identifier: MIT

import ChainInsight

/// The columns of call sites, from left to right; rows can be sorted by each.
enum SiteColumn: Int, CaseIterable, ComparedColumn {
    case site, label, kind, program, inFlight, oldest, rate, errors
    case totalP50, totalP99, totalMax, running, runP50, runP90, runP99, runMax, waitP50, waitP90, waitP99, waitMax
    case count, rejected, cancelled, trend, bars

    var title: String {
        switch self {
        case .site: "call site"
        case .label: "label"
        case .kind: "kind"
        case .program: "program"
        case .inFlight: "in flight"
        case .oldest: "oldest"
        case .rate: "/min"
        case .errors: "error"
        case .totalP50: "total p50"
        case .totalP99: "total p99"
        case .totalMax: "total max"
        case .running: "running"
        case .runP50: "run p50"
        case .runP90: "run p90"
        case .runP99: "run p99"
        case .runMax: "run max"
        case .waitP50: "wait p50"
        case .waitP90: "wait p90"
        case .waitP99: "wait p99"
        case .waitMax: "wait max"
        case .count: "count"
        case .rejected: "rejected"
        case .cancelled: "cancelled"
        case .trend: "10 minutes"
        case .bars: "0.1ms run 100s"
        }
    }

    /// What a sort by this column compares, for a sentence.
    var words: String {
        switch self {
        case .oldest: "oldest in flight"
        case .rate, .trend: "settled a minute"
        case .errors: "error share"
        case .totalP99: "total p99, or the oldest in flight where that is older"
        case .running: "running handlers"
        case .runMax: "run max, running handlers included"
        case .bars: "run p50"
        default: title
        }
    }

    /// Whether the column is text: left-aligned and sorted from A. Other columns are right-aligned and sorted with the
    /// greatest first.
    var isText: Bool { self == .site || self == .label || self == .kind || self == .program }

    var isDuration: Bool {
        switch self {
        case .oldest, .totalP50, .totalP99, .totalMax, .runP50, .runP90, .runP99, .runMax, .waitP50, .waitP90,
            .waitP99, .waitMax, .bars:
            true
        default: false
        }
    }

    var unit: FigureText.Unit? {
        switch self {
        case .site, .label, .kind, .program, .oldest, .trend, .bars: nil
        case .errors: .share
        default: isDuration ? .duration : .count
        }
    }

    var isTotal: Bool { self == .count || self == .rejected || self == .cancelled }

    var width: Int {
        switch self {
        case .site: 18
        case .label: 10
        case .kind, .program: 12
        case .oldest: 7
        case .rate, .errors, .count: 5
        case .trend: RateHistory.minuteCount
        case .bars: DurationFigures.barBounds.count + 1
        default: title.count
        }
    }

    /// The columns by importance: on a narrow pane, the last of them are left out first.
    private static let priority: [SiteColumn] = [
        .site, .totalP99, .label, .inFlight, .oldest, .program, .errors, .rate, .totalP50, .trend, .runP99, .running,
        .runMax, .kind, .count, .runP50, .bars, .waitP99, .totalMax, .waitMax, .waitP50, .rejected, .cancelled,
        .runP90, .waitP90,
    ]

    /// The maximum number of cells that the call site and the label get beyond their widths.
    private static let siteSlack = 18, labelSlack = 12

    /// The least width of a pane in which a long label precedes figures of less importance.
    private static let longLabelColumns = 100

    /// Returns the columns that fit a pane, and their spans. The width that is left over goes to the label, then to the
    /// call site, each up to its maximum. In a wide pane the label first gets the width that labels need. A column of
    /// changes is one cell wider, for the sign.
    static func spans(
        width: Int, hasPrograms: Bool, labelWidth: Int = 0, isCompared: Bool = false
    ) -> [(column: SiteColumn, span: ColumnSpan)] {
        // The mark of the selection is at the left, the scroll bar at the right.
        let room = width - 3
        var ranked = priority.filter { $0 != .program || hasPrograms }
        // How many were made since the baseline is asked first.
        if isCompared { ranked.insert(ranked.remove(at: ranked.firstIndex(of: .count)!), at: 2) }
        let extra = width < longLabelColumns ? 0 : min(labelSlack, max(0, labelWidth - SiteColumn.label.width))
        func least(_ column: SiteColumn) -> Int {
            column.width + (column == .label ? extra : 0) + (isCompared && column.unit != nil ? 1 : 0)
        }
        let shown = ColumnLayout.fitting(allCases, priority: ranked, into: room, least)
        let slack = max(0, room - ColumnLayout.width(of: shown, least))
        let label = shown.contains(.label) ? min(labelSlack - extra, slack) : 0
        let site = min(siteSlack, slack - label)
        let widths = shown.map { column in
            ColumnLayout.Width.fixed(
                min(room, least(column) + (column == .site ? site : column == .label ? label : 0)))
        }
        return Array(zip(shown, ColumnLayout.spans(from: 2, to: width - 1, widths)))
    }
}

/// The order of the rows.
struct SiteSort: Equatable, ColumnSort {
    /// By default, the first rows are the call sites that are slowest, or that have the oldest node in flight.
    var column = SiteColumn.totalP99
    var isInverted = false

    /// Whether the smallest comes first.
    var isAscending: Bool { column.isText != isInverted }

    /// The order in a sentence.
    var words: String {
        let order =
            if column.isText {
                isAscending ? "from A to Z" : "from Z to A"
            } else if column.isDuration {
                isAscending ? "the shortest first" : "the longest first"
            } else {
                isAscending ? "the lowest first" : "the highest first"
            }
        return "sorted by \(column.words): \(order)"
    }
}
