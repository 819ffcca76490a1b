import ChainEvents
import ChainModel
import ChainText
import Frames

extension TimelineView {
    static func drawRows(_ state: borrowing State, into painter: inout Painter) { painter.paintTimeline(state) }
}

extension Painter {
    fileprivate mutating func paintTimeline(_ state: borrowing State) {
        let rows = TimelineView.window(state)
        guard !rows.isEmpty else { return paintMessage("no chains yet: they appear here as the program makes them") }
        let columns = TimelineColumns(width: layout.tree.columns)
        let (axis, begin) = TimelineView.axis(of: rows, state)
        paintAxis(axis, columns, begin: begin, state)
        let chain = TimelineView.shownChain(state)
        for (programIndex, lines) in rows.programs {
            let program = state.programs[programIndex]
            for line in lines { paint(rows[line], axis, columns, program, line: line, isChain: chain == nil) }
        }
        if let (programIndex, _) = chain { paintLinks(rows, axis, columns, state.programs[programIndex]) }
        paintNow(axis, columns, rows, state)
        if let line = state.timeline.cursor.line(height: rows.count) { markSelected(row: layout.tree.row + line) }
        paintInfo(state, axis, begin: begin)
    }

    // MARK: The axis

    private mutating func paintAxis(
        _ axis: TimeAxis, _ columns: TimelineColumns, begin: UInt64, _ state: borrowing State
    ) {
        let row = layout.tree.row - 1
        let isChain = TimelineView.shownChain(state) != nil
        write(isChain ? "node" : "chain", row: row, in: columns.name, style: .title)
        let distance = axis.tickDistance(columnsApart: isChain ? 10 : 15)
        let origin = isChain ? begin : begin / distance * distance
        var free = 0
        for tick in axis.ticks(every: distance, from: origin) {
            let column = axis.column(of: tick)
            guard column >= free, column < axis.columns else { continue }
            let label =
                isChain
                ? TimeAxis.label(tick.subtractingClamped(begin), distance: distance)
                : distance >= 1_000_000_000
                    ? ClockText.seconds(tick, offset: state.options.clockOffset)
                    : ClockText.milliseconds(tick, offset: state.options.clockOffset)
            // Whole or not at all: half a number would be a lie.
            guard column + 1 + label.count <= axis.columns else { break }
            frame.write(glyphs.vertical, row: row, column: columns.bars.start + column, style: .guide)
            frame.write(label, row: row, column: columns.bars.start + column + 1, style: .title)
            free = column + label.count + 2
        }
    }

    // MARK: Rows

    private mutating func paint(
        _ row: TimelineRow, _ axis: TimeAxis, _ columns: TimelineColumns, _ program: Program, line: Int, isChain: Bool
    ) {
        guard let node = row.node else { return paintProgram(program, row: layout.tree.row + line) }
        paintName(of: node, row, columns, program, line: line, isChain: isChain)
        paintBar(of: node, axis, columns, program, line: line, isChain: isChain)
    }

    private mutating func paintName(
        of node: NodeIndex, _ shown: TimelineRow, _ columns: TimelineColumns, _ program: Program, line: Int,
        isChain: Bool
    ) {
        let row = layout.tree.row + line
        let forest = program.forest
        let view = forest.node(node)
        let isDimmed = program.isDimmed(node, isChain: isChain)
        let role = isChain ? NodeText.role(of: forest.chain(of: node)) : view.state.role
        frame.write(glyphs.state(role), row: row, column: Columns.glyph, style: isDimmed ? .dim : Style(role))
        if program.rowModel.isTagged(node) { frame.write(glyphs.tagged, row: row, column: 1, style: .warning) }
        let end = columns.name.start + columns.name.width
        var column = columns.name.start + min(shown.depth, Self.indentLimit) * TreeLines.level
        let (text, isLabel) = NodeText.label(of: node, in: forest)
        if !forest.isRoot(node) || !isLabel {
            column += frame.write(
                view.kind.word + " ", row: row, column: column, maxColumns: end - column, style: isDimmed ? .dim : .kind
            )
        }
        let style: Style = forest.isRoot(node) ? Style.label.bold : view.state == .waiting || !isLabel ? .dim : .label
        frame.write(
            text, row: row, column: column, maxColumns: end - column, style: isDimmed ? .dim : style,
            ellipsis: glyphs.ellipsis)
    }

    /// Levels that names are drawn further in.
    private static let indentLimit = 5

    private mutating func paintBar(
        of node: NodeIndex, _ axis: TimeAxis, _ columns: TimelineColumns, _ program: Program, line: Int, isChain: Bool
    ) {
        let forest = program.forest
        let bar =
            isChain
            ? NodeBar(ofChain: node, in: forest, now: program.shownNow)
            : NodeBar(of: node, in: forest, now: program.shownNow)
        let row = layout.tree.row + line
        let isDimmed = program.isDimmed(node, isChain: isChain)
        let offset = program.wallOffset
        var (first, last) = (Int.max, Int.min)
        // What is more telling is drawn over what is less, where both are in one column.
        for phase in NodeBar.Phase.allCases {
            for stretch in bar.stretches where stretch.phase == phase {
                let from = axis.column(of: stretch.from &+ offset)
                let to = axis.column(of: stretch.to &+ offset &- 1)
                (first, last) = (min(first, from), max(last, to))
                let start = min(max(0, from), axis.columns)
                let shown = start..<max(start, min(axis.columns, to == .max ? to : to + 1))
                guard !shown.isEmpty else { continue }
                frame.fill(
                    row: row, column: columns.bars.start + shown.lowerBound, columns: shown.count,
                    with: glyphs.bar(phase), style: isDimmed ? .dim : phase.style)
            }
        }
        if let end = bar.end {
            let column = axis.column(of: end.time &+ offset)
            (first, last) = (min(first, column), max(last, column))
            if (0..<axis.columns).contains(column) {
                frame.write(
                    glyphs.state(end.role), row: row, column: columns.bars.start + column,
                    style: isDimmed ? .dim : Style(end.role))
            }
        }
        // Where it is, if it is out of sight.
        if last < 0, first != .max {
            frame.write(glyphs.left, row: row, column: columns.bars.start, style: .dim)
        } else if first >= axis.columns, first != .max {
            frame.write(glyphs.right, row: row, column: columns.bars.start + axis.columns - 1, style: .dim)
        }
    }

    // MARK: Lines over the rows

    /// Draws lines from the end of a member or an adopted node to its holder, where both are on the screen.
    private mutating func paintLinks(
        _ rows: [TimelineRow], _ axis: TimeAxis, _ columns: TimelineColumns, _ program: Program
    ) {
        let forest = program.forest
        var lines: [NodeIndex: Int] = [:]
        for (line, row) in rows.enumerated() { if let node = row.node { lines[node] = line } }
        for (line, row) in rows.enumerated() {
            guard let node = row.node, let settled = forest.node(node).settled else { continue }
            let column = axis.column(of: settled &+ program.wallOffset)
            guard (0..<axis.columns).contains(column) else { continue }
            for holder in forest.holders(of: node, limit: Self.linkLimit) {
                guard let other = lines[holder.node], other != line else { continue }
                paintLink(from: line, to: other, column: columns.bars.start + column)
            }
        }
    }

    private static let linkLimit = 4

    private mutating func paintLink(from line: Int, to other: Int, column: Int) {
        let top = layout.tree.row
        for between in min(line, other) + 1..<max(line, other) where isFree(top + between, column) {
            frame.write(glyphs.guideLine, row: top + between, column: column, style: .guide)
        }
        let cell = frame[top + other, column]
        guard cell.style.role == .pending, cell.text == String(glyphs.bar(.pending)) else { return }
        let joint = glyphs.charset == .ascii ? "+" : other < line ? "┬" : "┴"
        frame.write(joint, row: top + other, column: column, style: .pending)
    }

    private func isFree(_ row: Int, _ column: Int) -> Bool {
        let text = frame[row, column].text
        return text == " " || text == String(glyphs.bar(.waiting))
    }

    /// Draws a line at the present moment while a node on the screen is live.
    private mutating func paintNow(
        _ axis: TimeAxis, _ columns: TimelineColumns, _ rows: [TimelineRow], _ state: borrowing State
    ) {
        var live: Program?
        for (programIndex, lines) in rows.programs {
            let program = state.programs[programIndex]
            let goesOn = rows[lines].contains { $0.node.map { program.forest.chain(of: $0).settled == nil } ?? false }
            guard goesOn else { continue }
            live = program
            break
        }
        guard let program = live else { return }
        let column = axis.column(of: program.shownNow &+ program.wallOffset)
        guard (0..<axis.columns).contains(column) else { return }
        let at = columns.bars.start + column
        for line in rows.indices where isFree(layout.tree.row + line, at) && rows[line].node != nil {
            frame.write(glyphs.vertical, row: layout.tree.row + line, column: at, style: .dim)
        }
    }

    /// The exact times of what is selected, and how the picture is looked at.
    private mutating func paintInfo(_ state: borrowing State, _ axis: TimeAxis, begin: UInt64) {
        let row = layout.tree.row + layout.tree.rows - 1
        let end = layout.tree.columns - 1
        let way =
            state.timeline.left != nil ? "  f follows again" : state.timeline.scale == nil ? "" : "  follows"
        let scale = "\(TimelineText.scale(axis.scale)) a column\(way)"
        let room = scale.count + 3 < end / 2 ? end - scale.count - 2 : end
        var column = Columns.glyph
        for part in TimelineText.info(state, begin: begin) {
            guard column < room else { break }
            column += frame.write(
                part.text, row: row, column: column, maxColumns: room - column, style: part.style,
                ellipsis: glyphs.ellipsis)
        }
        guard room < end else { return }
        frame.write(scale, row: row, column: end - scale.count, style: .dim)
    }
}
