import ChainInsight
import ChainModel
import ChainText
import Frames

// The page of failures in the view of warnings: why chains failed, since the program was first seen.
extension WarningsView {
    /// Shows the failures, or the warnings again.
    static func toggleFailures(_ state: inout State) {
        state.warnings.showsFailures.toggle()
        state.warnings.selected = nil
        state.warnings.cursor = ListCursor()
        state.detailScroll = 0
        state.notify(
            state.warnings.showsFailures
                ? "failed chains by their cause, the latest first; E shows the warnings again" : "the warnings again")
        state.updateViewport()
    }

    /// Returns a row for each cause of failures that the filter does not exclude, the latest failure first, and the
    /// number of failures of further causes.
    static func failureRows(_ state: borrowing State) -> [WarningRow] {
        let query = state.filter.query
        var rows: [(age: UInt64, row: WarningRow)] = []
        var omittedCount = 0
        for programIndex in state.programs.indices {
            let program = state.programs[programIndex]
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
    static func noFailuresWords(_ state: borrowing State) -> String {
        if state.filter.isActive { return "no failure matches \(state.filter.text)" }
        return state.programs.isEmpty ? "waiting for a program" : "no chain has failed"
    }

    /// Shows the kept nodes in which the failures of a row began, in the tree, by a filter.
    static func visit(_ failure: FailureTable.Group, _ state: inout State) {
        let text = Query.text(site: failure.cause.site, kind: failure.cause.kind, error: failure.cause.error)
        state.show(.chains)
        do {
            try state.filter(by: text)
            if state.matchCount == 0, !state.isScanning {
                state.notify("none of its nodes is kept any more; Esc clears the filter")
            }
        } catch {
            state.notify("\(NodeText.safe(text)): \(error)", .warning)
        }
    }

    static func failureDetail(_ failure: FailureTable.Group, _ program: Program, _ state: borrowing State, width: Int)
        -> ViewDetail
    {
        var text = DetailWriter(width: width, glyphs: state.options.glyphs)
        text.wrap(failure.name, style: Style.label.bold)
        text.wrap(failure.cause.error, style: .rejected)
        text.gap()
        if let site = failure.cause.site, !site.fileID.isEmpty { text.field("made at", "\(site.fileID):\(site.line)") }
        text.field("kind", failure.cause.kind.word)
        text.field("failed", CountText.counted(failure.count, "chain"))
        func clock(_ time: UInt64) -> String { program.timeText(time, clockOffset: state.options.clockOffset) }
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

extension Painter {
    mutating func paintFailureHeads(_ columns: WarningColumns, row: Int) {
        write("failure", row: row, in: columns.kind, style: .title)
        write("call site", row: row, in: columns.site, style: .title)
        write("node and error", row: row, in: columns.node, style: .title)
        write("program", row: row, in: columns.program, style: .title)
        write("count", row: row, in: columns.count, style: .title, isRightAligned: true)
        write("first", row: row, in: columns.first, style: .title, isRightAligned: true)
        write("last", row: row, in: columns.last, style: .title, isRightAligned: true)
    }

    mutating func paint(_ failure: FailureTable.Group, _ program: Program, _ columns: WarningColumns, _ line: Int) {
        let site = failure.cause.site.map(\.description) ?? ""
        var parts: [(String, Style)] = [(failure.name, .label), ("  " + failure.cause.error, .rejected)]
        var span = columns.node
        if span.isShown {
            write(failure.stateWord, row: line, in: columns.kind, style: .rejected)
            write(site, row: line, in: columns.site, style: .dim)
        } else {
            // Without a column of its own, the error follows the call site.
            let last = columns.site.isShown ? columns.site : columns.kind
            span = ColumnSpan(start: columns.kind.start, width: last.start + last.width - columns.kind.start)
            parts = [(site, .dim), ("  " + failure.cause.error, .rejected)]
        }
        var column = span.start
        let end = span.start + span.width
        for (text, style) in parts where column < end {
            column += write(text, row: line, column: column, end: end, style: style)
        }
        write(program.shownName, row: line, in: columns.program, style: .thread)
        write(CountText.short(failure.count), row: line, in: columns.count, style: .number, isRightAligned: true)
        paintAges(from: failure.first, to: failure.last, program, columns, line) { $0 }
    }
}
