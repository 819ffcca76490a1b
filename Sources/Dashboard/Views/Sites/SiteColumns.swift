import ChainInsight
import Frames

/// What a row of call sites can be sorted by: the columns, in the order in which they stand.
enum SiteColumn: Int, CaseIterable {
    case site, kind, program, live, total, rejected, cancelled
    case waitP50, waitP90, waitP99, waitMax, runP50, runP90, runP99, runMax
    case bars

    var title: String {
        switch self {
        case .site: "call site"
        case .kind: "kind"
        case .program: "program"
        case .live: "live"
        case .total: "total"
        case .rejected: "reject"
        case .cancelled: "cancel"
        case .waitP50: "wait p50"
        case .waitP90: "wait p90"
        case .waitP99: "wait p99"
        case .waitMax: "wait max"
        case .runP50: "run p50"
        case .runP90: "run p90"
        case .runP99: "run p99"
        case .runMax: "run max"
        case .bars: "0.1ms run 100s"
        }
    }

    /// As it is said in a sentence.
    var words: String {
        switch self {
        case .rejected: "rejected"
        case .cancelled: "cancelled"
        case .bars: "run"
        default: title
        }
    }

    /// Texts stand at the left and begin with A; numbers at the right and begin with the greatest.
    var isText: Bool { self == .site || self == .kind || self == .program }

    var width: Int {
        switch self {
        case .site: 22
        case .kind: 12
        case .program: 12
        case .live, .total: 5
        case .rejected, .cancelled: 6
        case .waitP50, .waitP90, .waitP99, .waitMax: 8
        case .runP50, .runP90, .runP99, .runMax: 7
        case .bars: DurationFigures.barBounds.count + 1
        }
    }

    /// Who is shown first where there is not room for all.
    private static let priority: [SiteColumn] = [
        .site, .runP99, .live, .kind, .total, .rejected, .program, .runP50, .cancelled, .runMax, .bars, .waitP99,
        .waitMax,
        .waitP50, .runP90, .waitP90,
    ]

    private static let gap = 2

    /// Where the columns stand in a pane of a width; the call site takes what is left.
    static func spans(width: Int, hasPrograms: Bool) -> [(column: SiteColumn, span: Columns.Span)] {
        // The mark of the selection is at the left, the scroll bar at the right.
        var rest = width - 3
        var shown: Set<SiteColumn> = []
        for column in priority where column != .program || hasPrograms {
            let needed = column.width + (shown.isEmpty ? 0 : gap)
            guard needed <= rest || shown.isEmpty else { break }
            rest -= needed
            shown.insert(column)
        }
        // More than that no call site needs.
        let extra = max(0, min(rest, 26))
        var start = 2
        return allCases.filter(shown.contains).map { column in
            let span = Columns.Span(start: start, width: min(width - 3, column.width + (column == .site ? extra : 0)))
            start += span.width + gap
            return (column, span)
        }
    }
}

/// By what the rows stand in order.
struct SiteSort: Equatable {
    var column = SiteColumn.runP99
    var isInverted = false

    /// Whether small comes first.
    var isAscending: Bool { column.isText != isInverted }
}
