// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

// The page of failures in the view of warnings: why chains failed, since the program was first seen.
extension WarningsView {
    /// Shows the failures, or the warnings again.
    mutating func toggleFailures(_ context: inout ViewContext) {
        showsFailures.toggle()
        selected = nil
        cursor = ListCursor()
        context.scrollDetailToTop()
        context.notify(
            showsFailures
                ? "failed chains by their cause, the latest first; E shows the warnings again" : "the warnings again")
    }

    /// Returns a row for each cause of failures that the filter does not exclude, the latest failure first, and the
    /// number of failures of further causes.
    func failureRows(_ context: ViewContext) -> [WarningRow] {
        let query = context.filter.query
        var rows: [(age: UInt64, row: WarningRow)] = []
        var omittedCount = 0
        for programIndex in context.programs.indices {
            let program = context.programs[programIndex]
            let table = program.insight.failures
            omittedCount += table.omittedCount
            for group in table.groups {
                let cause = group.cause
                let isShown = query?.mayFind(
                    site: cause.site, kind: cause.kind, label: group.label, error: cause.error)
                guard isShown ?? true else { continue }
                // Compares ages, because each program has its own clock.
                let age = program.shownNow &- min(program.shownNow, group.last)
                rows.append((age, .failure(group, program.source, programIndex: programIndex)))
            }
        }
        rows.sort { left, right in
            guard left.age == right.age, case .failure(let one, _, _) = left.row,
                case .failure(let other, _, _) = right.row
            else { return left.age < right.age }
            return one.count != other.count
                ? one.count > other.count : (one.first, one.cause.error) < (other.first, other.cause.error)
        }
        return rows.map(\.row) + (omittedCount > 0 ? [.omittedFailures(omittedCount)] : [])
    }

    /// Returns the message for a page without failures.
    func noFailuresWords(_ context: ViewContext) -> String {
        if context.filter.isActive { return context.nothingMatches }
        return context.programs.isEmpty ? "waiting for a program" : "no chain has failed"
    }

    /// Shows the kept nodes in which the failures of a row began, in the tree, by a filter.
    func visit(_ failure: FailureTable.Group, _ context: inout ViewContext) {
        let cause = failure.cause
        context.showNodes(thatMatch: Query.text(site: cause.site, kind: cause.kind, error: cause.error))
    }

    func failureDetail(_ failure: FailureTable.Group, _ program: Program, _ context: ViewContext, width: Int)
        -> ViewDetail
    {
        var text = DetailWriter(width: width, glyphs: context.options.glyphs)
        text.wrap(failure.name, style: Style.label.bold)
        text.wrap(failure.cause.error, style: .rejected)
        text.gap()
        if let site = failure.cause.site, !site.fileID.isEmpty { text.field("made at", "\(site.fileID):\(site.line)") }
        text.field("kind", failure.cause.kind.word)
        text.field("failed", CountText.counted(failure.count, "chain"))
        func clock(_ time: UInt64) -> String { program.timeText(time, clockOffset: context.options.clockOffset) }
        text.field("first", clock(failure.first))
        text.field("last", clock(failure.last))
        text.gap()
        text.wrap("The failures began in this call. Enter shows its nodes, as far as they are kept.", style: .dim)
        return ViewDetail(title: "failure", lines: text.lines)
    }
}

extension FailureTable.Group {
    /// The name of the nodes: hostile until it is escaped.
    var name: String { label.flatMap { $0.isEmpty ? nil : $0 } ?? cause.kind.word }

    var stateWord: String { isAbandoned ? NodeState.abandoned.word : NodeState.rejected.word }
}

/// The column spans of the page of failures at one width.
struct FailureColumns {
    var state = ColumnSpan(), site = ColumnSpan(), error = ColumnSpan(), program = ColumnSpan()
    var count = ColumnSpan(), first = ColumnSpan(), last = ColumnSpan()
    /// Whether the name of the nodes stands before the error.
    let hasName: Bool

    init(width: Int, hasPrograms: Bool) {
        hasName = width >= 76
        let age = ColumnLayout.Width.fixed(DurationText.width)
        // The mark of the selection is at the left, the scroll bar at the right.
        let spans = ColumnLayout.spans(
            from: 2, to: width - 1,
            [
                width >= 96 ? .fixed(9) : nil,
                width >= 40 ? .fixed(width >= 110 ? 28 : width >= 56 ? 20 : 16) : nil,
                .rest,
                width >= 110 && hasPrograms ? .fixed(12) : nil,
                width >= 30 ? .fixed(5) : nil,
                width >= 76 ? age : nil,
                width >= 40 ? age : nil,
            ])
        (state, site, error, program) = (spans[0], spans[1], spans[2], spans[3])
        (count, first, last) = (spans[4], spans[5], spans[6])
    }
}

extension Painter {
    mutating func paintFailures(_ view: WarningsView, _ context: ViewContext) {
        let area = layout.content
        let columns = FailureColumns(width: area.columns, hasPrograms: context.showsPrograms)
        paintHeads(columns, row: area.row - 1)
        if view.rows.isEmpty { paintMessage(view.noFailuresWords(context)) }
        for index in view.cursor.window(height: area.rows) {
            let line = area.row + index - view.cursor.top
            switch view.rows[index] {
            case .failure(let failure, _, let programIndex):
                paint(failure, context.programs[programIndex], columns, line)
            case .omittedFailures(let count):
                let words = "\(CountText.grouped(count)) more of further causes, counted and not listed"
                write(words, row: line, column: 2, end: area.columns - 1, style: .dim)
            default: break
            }
        }
        if let line = view.cursor.line(height: area.rows) { markSelected(row: area.row + line) }
    }

    private mutating func paintHeads(_ columns: FailureColumns, row: Int) {
        write("state", row: row, in: columns.state, style: .title)
        write("call site", row: row, in: columns.site, style: .title)
        write(columns.hasName ? "node and error" : "error", row: row, in: columns.error, style: .title)
        write("program", row: row, in: columns.program, style: .title)
        write("count", row: row, in: columns.count, style: .title, isRightAligned: true)
        write("first", row: row, in: columns.first, style: .title, isRightAligned: true)
        write("last", row: row, in: columns.last, style: .title, isRightAligned: true)
    }

    private mutating func paint(
        _ failure: FailureTable.Group, _ program: Program, _ columns: FailureColumns, _ line: Int
    ) {
        write(failure.stateWord, row: line, in: columns.state, style: .rejected)
        write(failure.cause.site?.description ?? "unknown", row: line, in: columns.site, style: .dim)
        var parts: [(String, Style)] = [(failure.cause.error, .rejected)]
        if columns.hasName { parts.insert((failure.name + "  ", .label), at: 0) }
        var column = columns.error.start
        let end = columns.error.start + columns.error.width
        for (text, style) in parts where column < end {
            column += write(text, row: line, column: column, end: end, style: style)
        }
        write(program.shownName, row: line, in: columns.program, style: .thread)
        write(CountText.short(failure.count), row: line, in: columns.count, style: .number, isRightAligned: true)
        func age(_ time: UInt64) -> String { DurationText.coarse(program.shownNow &- min(program.shownNow, time)) }
        write(age(failure.first), row: line, in: columns.first, style: .number, isRightAligned: true)
        write(age(failure.last), row: line, in: columns.last, style: .number, isRightAligned: true)
    }
}
