// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

extension ThreadsView {
    func drawRows(_ context: ViewContext, into painter: inout Painter) { painter.paintThreads(self, context) }
}

extension Painter {
    fileprivate mutating func paintThreads(_ view: ThreadsView, _ context: ViewContext) {
        let columns = ThreadColumns(width: layout.content.columns)
        paintThreadHeads(columns, view.sort, row: layout.content.row - 1)
        let rows = view.rows
        guard !rows.isEmpty else { return paintMessage("no thread has run a handler since the dashboard attached") }
        let cursor = view.cursor
        // The program is copied only for a row of another program than the row before, because a copy costs as much as
        // drawing a row.
        var program: Program?
        for (line, number) in cursor.window(height: layout.content.rows).clamped(to: rows.indices).enumerated() {
            let row = layout.content.row + line
            if program?.source != rows[number].source {
                program = context.programIndex(of: rows[number].source).map { context.programs[$0] }
            }
            if program != nil { paint(rows[number], of: program!, columns, view, context, row: row) }
            if number == cursor.selected { markSelected(row: row) }
        }
        if columns.strip.isShown { paintLegend(threadLegend, below: rows.count) }
    }

    /// The legend of the strip.
    private var threadLegend: [LegendEntry] {
        let cells: [(ThreadStatistics.Cell, String)] = [
            (.busy(8), "busy"), (.busy(2), "partly busy"), (.waiting(8), "waiting"),
            (.idle, "idle"),
        ]
        return cells.map { cell, word in
            let (sign, style) = glyphs.cell(cell)
            return LegendEntry(sign, style, word)
        }
    }

    private mutating func paint(
        _ shown: ThreadsView.Row, of program: Program, _ columns: ThreadColumns, _ view: ThreadsView,
        _ context: ViewContext, row: Int
    ) {
        switch shown {
        case .program: paintProgram(program, row: row)
        case .lane(_, let thread):
            guard let lane = program.insight.threads.lane(of: thread) else { break }
            LanePainter(lane, columns, of: program, context.options.warnings, row: row).paint(into: &self, program)
        case .executors: paintExecutorHeads(columns, row: row)
        case .executor(let source, let executor):
            let key = ThreadsView.ExecutorKey(source: source, executor: executor)
            paint(executor, of: program, columns, isUnfolded: view.queues[key] != nil, row: row)
        case .idle(let source, let count):
            let isFolded = !view.showsIdle.contains(source)
            frame.write(isFolded ? glyphs.folded : glyphs.unfolded, row: row, column: Columns.glyph, style: .guide)
            let start = columns.word.isShown ? columns.word.start : columns.thread.start
            frame.write("\(count) idle threads", row: row, column: start, style: .dim)
        case .idleExecutors(_, let count):
            let words = "\(CountText.grouped(count)) idle executors"
            write(words, row: row, in: ExecutorColumns(columns).name, style: .dim)
        case .queued(_, _, let id): paint(queued: id, of: program, columns, row: row)
        case .moreQueued(let source, let executor):
            let key = ThreadsView.ExecutorKey(source: source, executor: executor)
            let listed = view.queues[key]?.queuedNodes(in: program.forest).count ?? 0
            let rest = max(0, program.forest.load(of: executor).queuedCount - listed)
            let words = "\(glyphs.ellipsis) \(CountText.grouped(rest)) more"
            write(words, row: row, in: ExecutorColumns(columns).name, offset: 2, style: .dim)
        }
    }

    private mutating func paintThreadHeads(_ columns: ThreadColumns, _ sort: ThreadSort, row: Int) {
        func head(_ text: String, _ column: ThreadSort.Column?, _ span: ColumnSpan, isRightAligned: Bool = false) {
            write(text, row: row, in: span, style: .title, isRightAligned: isRightAligned)
            guard span.isShown, let column, sort.column == column else { return }
            let mark = sort.isDescending ? glyphs.descending : glyphs.ascending
            let end = isRightAligned ? span.start + span.width : span.start + text.count
            frame.write(mark, row: row, column: end, style: .key)
        }
        head("state", nil, columns.word)
        head("thread", .name, columns.thread)
        head("runs now", nil, columns.node)
        head("since", .longest, columns.since, isRightAligned: true)
        head("last \(columns.strip.width)s", nil, columns.strip)
        head("busy", .busy, columns.recent, isRightAligned: true)
        head("total", nil, columns.total, isRightAligned: true)
    }

    /// Draws a program's own row, which exists only if there are several programs.
    mutating func paintProgram(_ program: Program, row: Int) {
        let style: Style =
            program.connection.isLive ? .running : program.connection.disconnection != nil ? .warning : .dim
        frame.write(glyphs.link(of: program), row: row, column: Columns.glyph, style: style)
        let end = layout.content.columns - 1
        var column = Columns.glyph + 2
        column += frame.write(
            program.shownName, row: row, column: column, maxColumns: max(8, end - column - 24), style: .label.bold,
            ellipsis: glyphs.ellipsis)
        let pid = program.info.map { "  \($0.pid)" } ?? ""
        column += frame.write(pid, row: row, column: column, maxColumns: end - column, style: .dim)
        guard !program.connection.isLive || program.reading != nil else { return }
        frame.write(
            "  " + ProgramText.shortWord(program), row: row, column: column, maxColumns: end - column,
            style: style
        )
    }
}

/// The painter of one thread. It is passed the program with each call, because a stored program would be a copy.
private struct LanePainter {
    let lane: ThreadLane
    let columns: ThreadColumns
    let row: Int
    private let activity: ThreadActivity
    private let isDimmed: Bool

    init(_ lane: ThreadLane, _ columns: ThreadColumns, of program: Program, _ options: WarningOptions, row: Int) {
        self.lane = lane
        self.columns = columns
        self.row = row
        activity = ThreadActivity(lane, of: program, options)
        isDimmed = program.isDimmed(activity)
    }

    private func style(_ style: Style) -> Style { isDimmed ? .dim : style }

    func paint(into painter: inout Painter, _ program: Program) {
        let glyphs = painter.glyphs
        let (glyph, word, baseStyle): (String, String, Style) =
            switch activity.doing {
            case .idle: (glyphs.dot, "idle", .dim)
            case .running: (glyphs.running, "running", .running)
            case .waiting: (glyphs.state(.pending), "waiting", .pending)
            case .blocked: (glyphs.blocked, "blocked", .warning)
            }
        painter.frame.write(glyph, row: row, column: Columns.glyph, style: style(baseStyle))
        painter.write(word, row: row, in: columns.word, style: style(baseStyle))
        if let node = activity.node.flatMap({ program.forest.index(of: $0) }), program.outline.isTagged(node) {
            painter.frame.write(glyphs.tagged, row: row, column: 1, style: .warning)
        }
        paintName(into: &painter, program)
        let figures = ThreadStatistics(lane, activity, at: program.shownNow, seconds: columns.strip.width)
        paintActivity(into: &painter, figures, program.forest)
        if let age = figures.age {
            painter.write(
                DurationText.running(age), row: row, in: columns.since,
                style: style(activity.doing == .blocked ? .warning : .number), isRightAligned: true)
        }
        if columns.strip.isShown {
            for (index, cell) in figures.cells.suffix(columns.strip.width).enumerated() {
                let (text, baseStyle) = glyphs.cell(cell)
                painter.frame.write(text, row: row, column: columns.strip.start + index, style: style(baseStyle))
            }
        }
        paint(figures.recent, in: columns.recent, &painter)
        paint(figures.total, in: columns.total, &painter)
    }

    private func paint(_ share: Int?, in span: ColumnSpan, _ painter: inout Painter) {
        guard let share else { return }
        painter.write("\(share)%", row: row, in: span, style: style(share == 0 ? .dim : .number), isRightAligned: true)
    }

    private func paintName(into painter: inout Painter, _ program: Program) {
        let span = columns.thread
        let used = painter.frame.write(
            painter.threadName(program.threadName(lane.thread), columns: span.width), row: row, column: span.start,
            style: style(.thread))
        guard let name = program.forest.threads[lane.thread], !name.isEmpty else { return }
        let number = " \(lane.thread)"
        // The number is drawn whole or not at all.
        guard used + number.count <= span.width else { return }
        painter.frame.write(number, row: row, column: span.start + used, style: .dim)
    }

    /// Draws the node that runs, the node that it runs on top of, and the node that is waited for.
    private func paintActivity(
        into painter: inout Painter, _ figures: ThreadStatistics, _ forest: borrowing ChainForest
    ) {
        let end = columns.node.start + columns.node.width
        var column = columns.node.start
        for (text, baseStyle) in parts(painter.glyphs, figures, forest) where column < end {
            column += painter.write(text, row: row, column: column, end: end, style: style(baseStyle))
        }
    }

    private func parts(
        _ glyphs: Glyphs, _ figures: ThreadStatistics, _ forest: borrowing ChainForest
    ) -> [(text: String, style: Style)] {
        var parts: [(text: String, style: Style)] = []
        if let handler = activity.handler {
            let (kind, label) = name(of: handler, forest)
            if let kind { parts.append((kind + " ", .kind)) }
            parts.append((label + " ", .label))
            if activity.doing != .running, let wait = activity.systemWait {
                parts.append(("blocked\(wait.words) ", activity.doing == .blocked ? .warning : .dim))
            }
        }
        if activity.doing == .running, let outer = activity.outer {
            parts.append(("on top of ", .dim))
            parts.append((name(of: outer, forest).label + " ", .label))
            if activity.wait != nil { parts.append(("which ", .dim)) }
        }
        if let wait = activity.wait {
            parts.append(("waits for ", activity.doing == .blocked ? .warning : .dim))
            if let node = forest.index(of: wait.node) {
                let role = forest.state(of: node).role
                parts.append((glyphs.state(role) + " ", Style(role)))
            }
            parts.append((name(of: wait.node, forest).label + " ", .label))
            // While the thread itself waits, the column `since` has the age.
            if activity.doing == .running, let age = figures.waitAge {
                parts.append((DurationText.running(age) + " ", .number))
            }
        }
        if activity.doing != .running, let outer = activity.outer {
            parts.append(("on top of ", .dim))
            parts.append((name(of: outer, forest).label, .label))
        }
        return parts
    }

    /// Returns the kind and label of a node; for an evicted node, only its id as the label.
    private func name(of id: NodeID, _ forest: borrowing ChainForest) -> (kind: String?, label: String) {
        guard let node = forest.index(of: id) else { return (nil, "\(id)") }
        return (forest.node(node).kind.word, NodeText.label(of: node, in: forest).text)
    }
}
