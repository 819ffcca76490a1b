// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight

/// A row of the view of call sites.
struct SiteRow: Equatable, ComparedRow {
    /// The identity of a row, which stays the same when the row moves.
    struct ID: Hashable {
        var process: ProcessKey
        var key: SiteKey
    }

    var id: ID
    /// The program's index in ``State/programs``.
    var programIndex: Int
    var program: String
    /// The call site; nil where it is unknown.
    var site: CodeLocation?
    var statistics: SiteStatistics
    /// The moment of the figures, at which ages are measured, in nanoseconds of the program's clock.
    var now: UInt64
    /// Whether the age of the oldest node in flight is a lower bound, because the node was seen first when it was live
    /// already.
    var isOldestLeast = false
    var changes: [Double?] = []
    var isNew = false

    /// The text in the column of call sites: hostile until it is escaped.
    var siteText: String {
        if id.key == .others { return "all other call sites" }
        guard let site, !site.fileID.isEmpty else { return "unknown" }
        return site.description
    }

    var kindText: String { id.key == .others ? "" : id.key.kind.word }

    /// The name in a sentence.
    var name: String { kindText.isEmpty ? siteText : "\(kindText) at \(siteText)" }

    /// What the labels of its nodes have in common: hostile until it is escaped.
    var labelText: String { statistics.flow.label ?? "" }

    /// Returns the number in a column: a count, tenths of a percent, or nanoseconds; 0 for texts.
    func number(_ column: SiteColumn) -> UInt64 {
        let flow = statistics.flow
        return switch column {
        case .site, .label, .kind, .program: 0
        case .inFlight: UInt64(max(0, flow.inFlight))
        case .oldest: flow.oldestAge(at: now) ?? 0
        case .rate, .trend: UInt64(flow.history.perMinute(at: now).rounded())
        case .errors: UInt64(flow.failedShare * 1_000)
        case .totalP50: flow.time.p50
        case .totalP99: flow.time.p99
        case .totalMax: max(flow.time.max, flow.oldestAge(at: now) ?? 0)
        case .running: UInt64(max(0, statistics.running))
        case .waitP50: statistics.wait.p50
        case .waitP90: statistics.wait.p90
        case .waitP99: statistics.wait.p99
        case .waitMax: statistics.wait.max
        case .runP50, .bars: statistics.run.p50
        case .runP90: statistics.run.p90
        case .runP99: statistics.run.p99
        case .runMax: max(statistics.run.max, runningAge)
        case .count: UInt64(statistics.total)
        case .rejected: UInt64(statistics.rejected)
        case .cancelled: UInt64(statistics.cancelled)
        }
    }

    /// How long the longest running handler has run, in nanoseconds; 0 if no handler runs.
    var runningAge: UInt64 { statistics.oldestRun.map { now > $0 ? now - $0 : 0 } ?? 0 }

    /// Whether the oldest node in flight is older than the p99 of the settled nodes, and older than a second.
    var isOverdue: Bool { number(.oldest) > max(statistics.flow.time.p99, 1_000_000_000) }

    func figure(_ column: SiteColumn) -> Double? {
        guard column.unit != nil, has(column) || column == .rate else { return nil }
        if column == .errors { return statistics.flow.failedShare }
        let number = number(column)
        return column.isDuration && number == 0 ? nil : Double(number)
    }

    /// Returns what a sort compares: the change if the column shows it, else the column's number; for `total p99`, the
    /// age of the oldest node in flight if that is greater. Nil if the column shows nothing.
    private func rank(_ column: SiteColumn) -> Double? {
        if !changes.isEmpty, column.unit != nil { return changes[column.rawValue] }
        guard has(column) else { return nil }
        return Double(column == .totalP99 ? max(number(.totalP99), number(.oldest)) : number(column))
    }

    /// Returns whether a column has a number or text: without a handler, for example, there is neither wait nor run.
    func has(_ column: SiteColumn) -> Bool {
        switch column {
        case .label: !labelText.isEmpty
        case .oldest: statistics.flow.oldest != nil
        case .errors, .rate, .totalP50: statistics.flow.ended > 0
        case .totalP99: statistics.flow.ended > 0 || statistics.flow.oldest != nil
        case .totalMax: statistics.flow.ended > 0 || statistics.flow.oldest != nil
        case .waitP50, .waitP90, .waitP99, .waitMax: statistics.wait.count > 0
        case .runP50, .runP90, .runP99, .bars: statistics.run.count > 0
        case .runMax: statistics.run.count > 0 || statistics.oldestRun != nil
        default: true
        }
    }

    /// Returns whether a row comes before another one, in a strict total order.
    func precedes(_ other: SiteRow, by sort: SiteSort) -> Bool {
        switch sort.column {
        case .site: break
        case .kind where kindText != other.kindText: return (kindText < other.kindText) == sort.isAscending
        case .program where program != other.program: return (program < other.program) == sort.isAscending
        case .label where labelText != other.labelText:
            if labelText.isEmpty != other.labelText.isEmpty { return other.labelText.isEmpty }
            return (labelText < other.labelText) == sort.isAscending
        case .label, .kind, .program: break
        default:
            // Rows without a number come last in either direction.
            let ranks = (rank(sort.column), other.rank(sort.column))
            guard let own = ranks.0, let others = ranks.1 else {
                if ranks.0 == ranks.1 { break }
                return ranks.0 != nil
            }
            if own != others { return (own < others) == sort.isAscending }
        }
        return sort.column == .site && !sort.isAscending ? other.precedesBySite(self) : precedesBySite(other)
    }

    private func precedesBySite(_ other: SiteRow) -> Bool {
        let files = (site?.fileID ?? "\u{10ffff}", other.site?.fileID ?? "\u{10ffff}")
        if files.0 != files.1 { return files.0 < files.1 }
        let lines = (site?.line ?? 0, other.site?.line ?? 0)
        if lines.0 != lines.1 { return lines.0 < lines.1 }
        if id.key.kind != other.id.key.kind { return id.key.kind.rawValue < other.id.key.kind.rawValue }
        if programIndex != other.programIndex { return programIndex < other.programIndex }
        return id.key.site < other.id.key.site
    }
}
