// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows
import ChainText
import Frames

/// The painter of the row of a group, which holds the chains from one call site. The row has the site, the chains'
/// common label, their counts, and figures.
struct GroupPainter {
    let row: Int
    let columns: Columns
    let site: CodeLocation
    let program: Program

    func paint(into painter: inout Painter) {
        let glyphs = painter.glyphs
        let forest = program.forest
        guard let group = program.outline.group(of: site, in: forest) else { return }
        let isHistory = program.connection.disconnection != nil
        func style(_ style: Style) -> Style { isHistory ? .dim : style }
        let role = group.status.role
        painter.frame.write(glyphs.state(role), row: row, column: Columns.glyph, style: style(Style(role)))
        let figureColumns = GroupColumns(columns)
        let end = figureColumns.textEnd
        var column = columns.node.start
        let marker = group.isUnfolded ? glyphs.unfolded : glyphs.folded
        painter.frame.write(marker, row: row, column: column, style: .guide)
        column += 2
        func write(_ text: String, _ style: Style) {
            column += painter.write(text, row: row, column: column, end: end, style: style)
        }
        let parts = GroupText.counts(of: group, glyphs)
        // The name gets room first, then the number of chains; the other counts take the remaining room.
        let tail = parts.first.map { 2 + glyphs.width(of: $0.text) } ?? 0
        let name = glyphs.cut(GroupText.name(of: site), to: max(12, end - column - tail))
        write(name, style(.label.bold))
        if let label = GroupText.label(of: site, in: program) {
            let room = end - column - tail - 2
            if room > 3 {
                write("  ", .normal)
                write(glyphs.cut(label, to: room), style(.label))
            }
        }
        for part in parts {
            // A text is not cut, because a cut number misleads.
            guard column + 2 + glyphs.width(of: part.text) <= end else { break }
            write("  ", .normal)
            write(part.text, style(part.style))
        }
        guard let flow = program.insight.chains.figures?[site] else { return }
        for (column, span) in figureColumns.spans { paint(flow, column, span, style, into: &painter) }
    }

    private func paint(
        _ flow: FlowFigures, _ column: SiteColumn, _ span: ColumnSpan, _ style: (Style) -> Style,
        into painter: inout Painter
    ) {
        var (text, baseStyle) = ("", Style.number)
        switch column {
        case .inFlight: (text, baseStyle) = (flow.inFlight == 0 ? "" : CountText.short(flow.inFlight), .pending)
        case .oldest:
            let age = program.oldestAge(of: flow).map(FigureText.duration) ?? ""
            text = DurationText.atLeast(age, painter.glyphs, if: program.isOldestLeast(of: flow))
            baseStyle = .dim
        case .rate:
            let rate = Int(flow.history.perMinute(at: program.shownNow).rounded())
            if rate > 0 { text = CountText.short(rate) }
        case .errors: (text, baseStyle) = (FigureText.percent(flow.failedShare), .rejected)
        case .totalP50: (text, baseStyle) = (FigureText.duration(flow.time.p50), .dim)
        case .totalP99: text = FigureText.duration(flow.time.p99)
        case .trend: return painter.paintTrend(flow.history, at: program.shownNow, span, row)
        default: return
        }
        let isNone = text.isEmpty
        painter.write(
            isNone ? painter.glyphs.dot : text, row: row, in: span, style: isNone ? .guide : style(baseStyle),
            isRightAligned: true)
    }
}

/// The columns of a group's figures, in place of the columns after the node.
struct GroupColumns {
    /// The columns and their spans, from left to right.
    let spans: [(column: SiteColumn, span: ColumnSpan)]
    /// The first column that the row's text may not use.
    let textEnd: Int

    private static let shown: [SiteColumn] = [.inFlight, .oldest, .rate, .errors, .totalP50, .totalP99, .trend]
    /// The columns by importance: if not all columns fit, the last of them are left out first.
    private static let priority: [SiteColumn] = [
        .inFlight, .rate, .errors, .totalP99, .trend, .totalP50, .oldest,
    ]
    /// The least number of cells left for the text.
    private static let leastText = 36

    init(_ columns: Columns) {
        let end = columns.end
        let room = end - columns.node.start - Self.leastText - ColumnLayout.gap
        let shown = ColumnLayout.fitting(Self.shown, priority: Self.priority, into: room, \.width)
        let width = ColumnLayout.width(of: shown, \.width)
        guard width <= room else {
            (spans, textEnd) = ([], end)
            return
        }
        textEnd = end - width - ColumnLayout.gap
        spans = Array(
            zip(shown, ColumnLayout.spans(from: end - width, to: end, shown.map { .fixed($0.width) })))
    }

    /// Returns whether the headings of the figures stand in place of a header of the tree.
    func hides(_ header: Columns.Header) -> Bool {
        header.span.start + header.span.width > textEnd && header.column != .node
    }
}

/// Words for the chains of a call site.
enum GroupText {
    static func name(of site: CodeLocation) -> String { site.fileID.isEmpty ? "unknown call site" : site.description }

    /// Returns the common beginning of the chains' labels: `order` for `order 17` and `order 18`; nil if they have no
    /// common beginning. Without statistics, compares the first and the last chain only.
    static func label(of site: CodeLocation, in program: Program) -> String? {
        let forest = program.forest
        if let label = program.insight.chains.figures?[site]?.label { return label.isEmpty ? nil : label }
        guard let group = program.outline.group(of: site, in: forest) else { return nil }
        let labels = [group.first, group.last].compactMap { $0.map { forest.label(of: $0) ?? "" } }
        guard let first = labels.first, let last = labels.last, !first.isEmpty, !last.isEmpty else { return nil }
        if first == last { return first }
        var common = zip(first, last).prefix { $0 == $1 }.map { $0.0 }
        while let end = common.last, !end.isLetter { common.removeLast() }
        return common.isEmpty ? nil : String(common)
    }

    /// Returns the number of chains, and a count for each status except fulfilled.
    static func counts(of group: ChainGroup, _ glyphs: Glyphs) -> [(text: String, style: Style)] {
        let count = group.chainCount
        var parts = [(CountText.counted(count, "chain"), Style.dim)]
        for (status, count) in group.statuses where status != .fulfilled {
            parts.append(
                (
                    "\(glyphs.state(status.role)) \(CountText.grouped(count)) \(status.word)",
                    Style(status.role)
                ))
        }
        return parts
    }

    /// Returns a group as one line of text, for the clipboard.
    static func line(of site: CodeLocation, in program: Program, _ glyphs: Glyphs) -> String? {
        let forest = program.forest
        guard let group = program.outline.group(of: site, in: forest) else { return nil }
        var text = NodeText.safe(name(of: site))
        if let label = label(of: site, in: program) { text += " " + NodeText.safe(label) }
        let counts = counts(of: group, glyphs).map(\.text)
        return text + ": " + counts.joined(separator: ", ")
    }

    /// Returns the details of a group, for the detail pane.
    static func lines(of site: CodeLocation, in program: Program, _ state: borrowing State, width: Int) -> [DetailLine]
    {
        let glyphs = state.options.glyphs
        var text = DetailWriter(width: width, glyphs: glyphs)
        let forest = program.forest
        guard let group = program.outline.group(of: site, in: forest) else {
            return text.lines
        }
        text.add(DetailLine("chains from one call site", .dim))
        text.gap()
        if site.fileID.isEmpty { text.field("made at", "unknown") } else { text.field(site) }
        if let label = label(of: site, in: program) { text.field("label", label) }
        text.field("chains", CountText.grouped(group.chainCount))
        for (status, count) in group.statuses {
            text.field("", "\(glyphs.state(status.role)) \(CountText.grouped(count)) \(status.word)")
        }
        if let flow = program.insight.chains.figures?[site] { add(flow, of: program, to: &text) }
        return text.lines
    }

    private static func add(_ flow: FlowFigures, of program: Program, to text: inout DetailWriter) {
        let forest = program.forest
        if let newest = forest.index(of: flow.newestNode) {
            text.field("newest", NodeText.name(of: newest, in: forest))
        }
        if let oldest = forest.index(of: flow.oldestNode), let age = program.oldestAge(of: flow) {
            let name = NodeText.name(of: oldest, in: forest)
            let isLeast = program.isOldestLeast(of: flow)
            let duration = DurationText.atLeast(DurationText.coarse(age), text.glyphs, if: isLeast)
            text.field("oldest", "\(name), in flight for \(duration)")
        }
        guard flow.ended > 0 else { return }
        text.gap()
        text.field("rate", "\(Int(flow.history.perMinute(at: program.shownNow).rounded())) settled in the last minute")
        if !forest.isReadFromOutside {
            let share = FigureText.percent(flow.failedShare)
            text.field("failed", share.isEmpty ? "none of \(CountText.grouped(flow.ended))" : share)
        }
        let times = [("p50", flow.time.p50), ("p99", flow.time.p99), ("max", flow.time.max)]
        text.field("total", times.map { "\($0.0) \(DurationText.settled($0.1))" }.joined(separator: ", "))
    }
}

extension Program {
    /// Returns the age of the oldest chain in flight as of the last count; nil if none was, or if it was evicted since.
    /// The age ends where the chain has settled.
    fileprivate func oldestAge(of flow: FlowFigures) -> UInt64? {
        guard let root = forest.index(of: flow.oldestNode) else { return nil }
        return flow.oldestAge(at: min(shownNow, forest.chain(of: root).settled ?? .max))
    }

    /// Whether the age of the oldest node in flight is a lower bound, because the node was seen first when it was live
    /// already.
    func isOldestLeast(of flow: FlowFigures) -> Bool {
        forest.index(of: flow.oldestNode).map { forest.lowerBounds(of: $0).total } ?? false
    }
}
