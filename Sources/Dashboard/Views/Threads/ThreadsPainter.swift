import ChainEvents
import ChainInsight
import ChainModel
import ChainText
import Frames

extension ThreadsView {
    static func drawRows(_ state: borrowing State, into painter: inout Painter) { painter.paintThreads(state) }
}

extension Painter {
    fileprivate mutating func paintThreads(_ state: borrowing State) {
        let columns = ThreadColumns(width: layout.tree.columns)
        paintThreadHeads(columns, row: layout.tree.row - 1)
        let rows = state.threads.rows
        guard !rows.isEmpty else { return paintMessage("no thread has run a handler since this dashboard looks") }
        let cursor = state.threads.cursor
        // Once for all rows of it: a copy of all parts of a program costs as much as a row.
        var program: Program?
        for (line, number) in cursor.window(height: layout.tree.rows).clamped(to: rows.indices).enumerated() {
            let row = layout.tree.row + line
            if program?.source != rows[number].source {
                program = state.programIndex(of: rows[number].source).map { state.programs[$0] }
            }
            if program != nil { paint(rows[number], of: program!, columns, row: row) }
            if number == cursor.selected { markSelected(row: row) }
        }
    }

    private mutating func paint(
        _ shown: ThreadsView.Row, of program: Program, _ columns: ThreadColumns, row: Int
    ) {
        switch shown {
        case .program: paintProgram(program, row: row)
        case .lane(_, let thread):
            guard let lane = program.insight.threads.lane(of: thread) else { break }
            LanePainter(lane, columns, of: program, row: row).paint(into: &self, program)
        case .executors: paintExecutorHeads(columns, row: row)
        case .executor(_, let executor): paint(executor, of: program, columns, row: row)
        }
    }

    private mutating func paintThreadHeads(_ columns: ThreadColumns, row: Int) {
        write("state", row: row, in: columns.word, style: .title)
        write("thread", row: row, in: columns.thread, style: .title)
        write("runs now", row: row, in: columns.node, style: .title)
        write("since", row: row, in: columns.since, style: .title, isRight: true)
        write("last \(columns.strip.width)s", row: row, in: columns.strip, style: .title)
        if columns.strip.width >= 28 {
            var column = columns.strip.start + 10
            for (cell, word) in [(ThreadStatistics.Cell.busy(5), "busy"), (.blocked(5), "blocked")] {
                let (text, style) = glyphs.cell(cell)
                column += frame.write(text, row: row, column: column, style: style) + 1
                column += frame.write(word, row: row, column: column, style: .dim) + 2
            }
        }
        write("busy", row: row, in: columns.recent, style: .title, isRight: true)
        write("ever", row: row, in: columns.ever, style: .title, isRight: true)
    }

    /// A program's own row, where there are several.
    mutating func paintProgram(_ program: Program, row: Int) {
        let style: Style = program.connection.isLive ? .running : program.connection.outage != nil ? .warning : .dim
        frame.write(glyphs.link(program.connection), row: row, column: Columns.glyph, style: style)
        let end = layout.tree.columns - 1
        var column = Columns.glyph + 2
        column += frame.write(
            program.shownName, row: row, column: column, maxColumns: max(8, end - column - 24), style: .label.bold,
            ellipsis: glyphs.ellipsis)
        let pid = program.info.map { "  \($0.pid)" } ?? ""
        column += frame.write(pid, row: row, column: column, maxColumns: end - column, style: .dim)
        guard !program.connection.isLive else { return }
        frame.write(
            "  " + ProgramText.shortWord(program.connection), row: row, column: column, maxColumns: end - column,
            style: style
        )
    }

    private mutating func paintExecutorHeads(_ columns: ThreadColumns, row: Int) {
        let spans = ExecutorColumns(columns)
        write("executor", row: row, in: spans.name, style: .title)
        write("queued", row: row, in: spans.queued, style: .title, isRight: true)
        write("longest", row: row, in: spans.longest, style: .title, isRight: true)
        write("running", row: row, in: spans.running, style: .title, isRight: true)
    }

    private mutating func paint(_ executor: ExecutorID, of program: Program, _ columns: ThreadColumns, row: Int) {
        let spans = ExecutorColumns(columns)
        let load = program.forest.load(of: executor)
        let isDimmed = program.connection.outage != nil
        let glyph = load.queuedCount > 0 ? glyphs.queued : load.runningCount > 0 ? glyphs.running : glyphs.dot
        let role: Style = load.queuedCount > 0 ? .queued : load.runningCount > 0 ? .running : .guide
        frame.write(glyph, row: row, column: Columns.glyph, style: isDimmed ? .dim : role)
        write(program.executorName(executor), row: row, in: spans.name, style: isDimmed ? .dim : .thread)
        func put(_ text: String, _ span: ColumnSpan, isQuiet: Bool) {
            write(text, row: row, in: span, style: isDimmed || isQuiet ? .dim : .number, isRight: true)
        }
        put(CountText.grouped(load.queuedCount), spans.queued, isQuiet: load.queuedCount == 0)
        if let oldest = load.oldestQueued {
            let now = program.shownNow
            put(DurationText.running(now &- min(now, oldest)), spans.longest, isQuiet: false)
        }
        put(CountText.grouped(load.runningCount), spans.running, isQuiet: load.runningCount == 0)
    }
}

/// Where the executors' columns are, below those of the threads.
private struct ExecutorColumns {
    let name: ColumnSpan
    let queued: ColumnSpan
    let longest: ColumnSpan
    let running: ColumnSpan

    init(_ columns: ThreadColumns) {
        let start = columns.word.isShown ? columns.word.start : columns.thread.start
        let end = columns.thread.start + columns.thread.width
        let widths: [ColumnLayout.Width] = [.fixed(end - start), .fixed(9), .fixed(DurationText.width), .fixed(9)]
        let spans = ColumnLayout.spans(from: start, to: end, widths)
        (name, queued, longest, running) = (spans[0], spans[1], spans[2], spans[3])
    }
}

/// Draws one thread. It gets the program with each call, because a stored one would be a copy.
private struct LanePainter {
    let lane: ThreadLane
    let columns: ThreadColumns
    let row: Int
    private let now: ThreadActivity
    private let isDimmed: Bool

    init(_ lane: ThreadLane, _ columns: ThreadColumns, of program: Program, row: Int) {
        self.lane = lane
        self.columns = columns
        self.row = row
        now = ThreadActivity(lane, in: program.forest)
        isDimmed = program.isDimmed(now)
    }

    private func style(_ style: Style) -> Style { isDimmed ? .dim : style }

    func paint(into painter: inout Painter, _ program: Program) {
        let glyphs = painter.glyphs
        let (glyph, word, look): (String, String, Style) =
            switch now.doing {
            case .idle: (glyphs.dot, "idle", .dim)
            case .running: (glyphs.running, "running", .running)
            case .blocked: (glyphs.blocked, "blocked", .warning)
            }
        painter.frame.write(glyph, row: row, column: Columns.glyph, style: style(look))
        painter.write(word, row: row, in: columns.word, style: style(look))
        if let node = now.node.flatMap({ program.forest.index(of: $0) }), program.rowModel.isTagged(node) {
            painter.frame.write(glyphs.tagged, row: row, column: 1, style: .warning)
        }
        paintName(into: &painter, program)
        let figures = ThreadStatistics(lane, now, at: program.shownNow, seconds: columns.strip.width)
        paintNow(into: &painter, figures, program.forest)
        if let age = figures.age {
            painter.write(
                DurationText.running(age), row: row, in: columns.since,
                style: style(now.doing == .blocked ? .warning : .number), isRight: true)
        }
        if columns.strip.isShown {
            for (index, cell) in figures.cells.suffix(columns.strip.width).enumerated() {
                let (text, look) = glyphs.cell(cell)
                painter.frame.write(text, row: row, column: columns.strip.start + index, style: style(look))
            }
        }
        paint(figures.recent, in: columns.recent, &painter)
        paint(figures.ever, in: columns.ever, &painter)
    }

    private func paint(_ share: Int?, in span: ColumnSpan, _ painter: inout Painter) {
        guard let share else { return }
        painter.write("\(share)%", row: row, in: span, style: style(share == 0 ? .dim : .number), isRight: true)
    }

    private func paintName(into painter: inout Painter, _ program: Program) {
        let span = columns.thread
        let used = painter.frame.write(
            program.threadName(lane.thread), row: row, column: span.start, maxColumns: span.width,
            style: style(.thread), ellipsis: painter.glyphs.ellipsis)
        guard let name = program.forest.threads[lane.thread], !name.isEmpty else { return }
        let number = " \(lane.thread)"
        // Whole or not at all.
        guard used + number.count <= span.width else { return }
        painter.frame.write(number, row: row, column: span.start + used, style: .dim)
    }

    /// Draws the node that runs, the one below it on the thread, and the one that is waited for.
    private func paintNow(into painter: inout Painter, _ figures: ThreadStatistics, _ forest: borrowing ChainForest) {
        let end = columns.node.start + columns.node.width
        var column = columns.node.start
        for (text, look) in parts(painter.glyphs, figures, forest) where column < end {
            column += painter.frame.write(
                text, row: row, column: column, maxColumns: end - column, style: style(look),
                ellipsis: painter.glyphs.ellipsis)
        }
    }

    private func parts(
        _ glyphs: Glyphs, _ figures: ThreadStatistics, _ forest: borrowing ChainForest
    ) -> [(text: String, style: Style)] {
        var parts: [(text: String, style: Style)] = []
        if let handler = now.handler {
            let (kind, label) = name(of: handler, forest)
            if let kind { parts.append((kind + " ", .kind)) }
            parts.append((label + " ", .label))
            let node = forest.index(of: handler)
            if let node, forest.node(node).marks.contains(.hasBlocked) {
                parts.append(("has blocked its worker ", .warning))
            }
        }
        if now.doing == .running, let outer = now.outer {
            parts.append(("on top of ", .dim))
            parts.append((name(of: outer, forest).label + " ", .label))
            if now.wait != nil { parts.append(("which ", .dim)) }
        }
        if let wait = now.wait {
            parts.append(("waits for ", .warning))
            if let node = forest.index(of: wait.node) {
                let role = forest.state(of: node).role
                parts.append((glyphs.state(role) + " ", Style(role)))
            }
            parts.append((name(of: wait.node, forest).label + " ", .label))
            // A blocked thread has its age in a column.
            if now.doing == .running, let age = figures.waitAge {
                parts.append((DurationText.running(age) + " ", .warning))
            }
        }
        if now.doing == .blocked, let outer = now.outer {
            parts.append(("on top of ", .dim))
            parts.append((name(of: outer, forest).label, .label))
        }
        return parts
    }

    /// Kind and label of a node, which may be kept no longer.
    private func name(of id: NodeID, _ forest: borrowing ChainForest) -> (kind: String?, label: String) {
        guard let node = forest.index(of: id) else { return (nil, "\(id)") }
        return (forest.node(node).kind.word, NodeText.label(of: node, in: forest).text)
    }
}
