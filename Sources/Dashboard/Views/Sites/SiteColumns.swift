import ChainInsight
import Frames

/// The columns of call sites, from left to right; rows can be sorted by each.
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

    /// The column in a sentence.
    var words: String {
        switch self {
        case .rejected: "rejected"
        case .cancelled: "cancelled"
        case .bars: "run"
        default: title
        }
    }

    /// Whether the column is text: left-aligned and sorted from A, where numbers are right-aligned, the greatest first.
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

    /// The order in which columns are left out where there is not room for all, from the last.
    private static let priority: [SiteColumn] = [
        .site, .runP99, .live, .kind, .total, .rejected, .program, .runP50, .cancelled, .runMax, .bars, .waitP99,
        .waitMax, .waitP50, .runP90, .waitP90,
    ]

    /// The columns that a pane has room for, and where they are; the call site takes what is left.
    static func spans(width: Int, hasPrograms: Bool) -> [(column: SiteColumn, span: ColumnSpan)] {
        // The mark of the selection is at the left, the scroll bar at the right.
        let room = width - 3
        let ranked = Array(priority.filter { $0 != .program || hasPrograms }.enumerated())
        let kept = fitting(ranked, into: room, gap: ColumnLayout.gap, rank: \.offset, columns: \.element.width)
        let shown = allCases.filter { column in kept.contains { $0.element == column } }
        let taken = shown.reduce(-ColumnLayout.gap) { $0 + $1.width + ColumnLayout.gap }
        // No call site needs more than 26 additional cells.
        let extra = max(0, min(room - taken, 26))
        let widths = shown.map { ColumnLayout.Width.fixed(min(room, $0.width + ($0 == .site ? extra : 0))) }
        return Array(zip(shown, ColumnLayout.spans(from: 2, to: width - 1, widths)))
    }
}

/// The order of the rows.
struct SiteSort: Equatable {
    var column = SiteColumn.runP99
    var isInverted = false

    /// Whether small comes first.
    var isAscending: Bool { column.isText != isInverted }
}
