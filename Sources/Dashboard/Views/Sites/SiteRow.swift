import ChainEvents
import ChainInsight
import ChainModel

/// One row of call sites.
struct SiteRow: Equatable {
    /// Which one, whatever its place.
    struct ID: Hashable {
        var process: NodeKey
        var key: SiteKey
    }

    var id: ID
    /// The program's place in ``State/programs``.
    var programIndex: Int
    var program: String
    /// Nil where unknown.
    var site: CodeLocation?
    var statistics: SiteStatistics

    /// The text of its column: hostile until it is escaped.
    var siteText: String {
        if id.key == .others { return "all other call sites" }
        guard let site, !site.fileID.isEmpty else { return "unknown" }
        return site.description
    }

    var kindText: String { id.key == .others ? "" : id.key.kind.word }

    /// In a sentence.
    var name: String { kindText.isEmpty ? siteText : "\(kindText) at \(siteText)" }

    /// The number in a column; 0 for texts.
    func number(_ column: SiteColumn) -> UInt64 {
        switch column {
        case .site, .kind, .program: 0
        case .live: UInt64(max(0, statistics.live))
        case .total: UInt64(statistics.total)
        case .rejected: UInt64(statistics.rejected)
        case .cancelled: UInt64(statistics.cancelled)
        case .waitP50: statistics.wait.p50
        case .waitP90: statistics.wait.p90
        case .waitP99: statistics.wait.p99
        case .waitMax: statistics.wait.max
        case .runP50: statistics.run.p50
        case .runP90: statistics.run.p90
        case .runP99: statistics.run.p99
        case .runMax: statistics.run.max
        case .bars: statistics.run.count
        }
    }

    /// Whether there is anything to say in a column: what has no handler has no wait and no run.
    func has(_ column: SiteColumn) -> Bool {
        switch column {
        case .waitP50, .waitP90, .waitP99, .waitMax: statistics.wait.count > 0
        case .runP50, .runP90, .runP99, .runMax, .bars: statistics.run.count > 0
        default: true
        }
    }

    /// Whether it comes before another; never both ways, and never neither but for itself.
    func precedes(_ other: SiteRow, by sort: SiteSort) -> Bool {
        switch sort.column {
        case .site: break
        case .kind where kindText != other.kindText: return (kindText < other.kindText) == sort.isAscending
        case .program where program != other.program: return (program < other.program) == sort.isAscending
        case .kind, .program: break
        default:
            // Those without a number come last, however it is sorted.
            if has(sort.column) != other.has(sort.column) { return has(sort.column) }
            let numbers = (number(sort.column), other.number(sort.column))
            if numbers.0 != numbers.1 { return (numbers.0 < numbers.1) == sort.isAscending }
        }
        return precedesBySite(other) == (sort.column != .site || sort.isAscending)
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
