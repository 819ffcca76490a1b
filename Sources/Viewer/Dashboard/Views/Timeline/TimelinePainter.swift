// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

extension TimelineView {
    func drawRows(_ context: ViewContext, into painter: inout Painter) { painter.paintTimeline(self, context) }
}

extension Painter {
    fileprivate mutating func paintTimeline(_ view: TimelineView, _ context: ViewContext) {
        let rows = view.window(context)
        guard !rows.isEmpty else { return paintMessage("no chains yet: they appear here as the program makes them") }
        let columns = TimelineColumns(width: layout.content.columns)
        let top = layout.content.row + view.topLineCount(context)
        let (axis, begin) = view.axis(of: rows, context)
        paintAxis(axis, columns, begin: begin, view, context)
        let chain = view.shownChain(context)
        let critical = view.chain?.critical ?? []
        for (programIndex, lines) in rows.programs {
            let program = context.programs[programIndex]
            for line in lines {
                let isCritical = rows[line].node.map { critical.contains($0) } ?? false
                paint(
                    rows[line], axis, columns, program, row: top + line, isChain: chain == nil, isCritical: isCritical)
            }
        }
        if let (programIndex, _) = chain { paintLinks(rows, axis, columns, context.programs[programIndex], top: top) }
        paintNow(axis, columns, rows, context, top: top)
        if let line = view.cursor.line(height: rows.count) { markSelected(row: top + line) }
        if top > layout.content.row { paintOverview(view, context, axis, columns, row: layout.content.row) }
        paintTimelineLegend(rows.count, showsOneChain: chain != nil, hasCritical: !critical.isEmpty, view, context)
        paintInfo(view, context, axis, begin: begin)
    }

    // MARK: Rows

    private mutating func paint(
        _ shown: TimelineRow, _ axis: TimeAxis, _ columns: TimelineColumns, _ program: Program, row: Int,
        isChain: Bool, isCritical: Bool
    ) {
        guard let node = shown.node else { return paintProgram(program, row: row) }
        paintName(of: node, shown, columns, program, row: row, isChain: isChain, isCritical: isCritical)
        if isCritical {
            let style: Style = program.isDimmed(node, isChain: isChain) ? .dim : Style.key.bold
            frame.write(glyphs.critical, row: row, column: columns.bars.start - 1, style: style)
        }
        let ends = paintBar(of: node, axis, columns, program, row: row, isChain: isChain)
        if let ends { paintDuration(of: node, ends, axis, columns, program, row: row, isChain: isChain) }
    }

    private mutating func paintName(
        of node: NodeIndex, _ shown: TimelineRow, _ columns: TimelineColumns, _ program: Program, row: Int,
        isChain: Bool, isCritical: Bool
    ) {
        let forest = program.forest
        let view = forest.node(node)
        let isDimmed = program.isDimmed(node, isChain: isChain)
        let role = isChain ? forest.chain(of: node).status.role : view.state.role
        frame.write(glyphs.state(role), row: row, column: Columns.glyph, style: isDimmed ? .dim : Style(role))
        if program.outline.isTagged(node) { frame.write(glyphs.tagged, row: row, column: 1, style: .warning) }
        let end = columns.name.start + columns.name.width
        var column = columns.name.start + min(shown.depth, Self.indentLimit) * TreeLines.level
        let (text, isLabel) = NodeText.label(of: node, in: forest)
        if shown.hiddenCount > 0 {
            column += frame.write(
                glyphs.folded + " ", row: row, column: column, maxColumns: end - column, style: .guide)
        }
        if !forest.isRoot(node) || !isLabel {
            column += frame.write(
                view.kind.word + " ", row: row, column: column, maxColumns: end - column, style: isDimmed ? .dim : .kind
            )
        }
        let style: Style =
            isCritical
            ? Style.key.bold
            : forest.isRoot(node) ? Style.label.bold : view.state == .waiting || !isLabel ? .dim : .label
        column += write(text, row: row, column: column, end: end, style: isDimmed ? .dim : style)
        guard shown.hiddenCount > 0 else { return }
        frame.write("  +\(shown.hiddenCount)", row: row, column: column, maxColumns: end - column, style: .dim)
    }

    /// The maximum number of levels by which names are indented.
    private static let indentLimit = 5

    /// Draws a bar; returns its first and its last column, which may be outside the axis. Returns nil for a bar without
    /// any phase or end.
    private mutating func paintBar(
        of node: NodeIndex, _ axis: TimeAxis, _ columns: TimelineColumns, _ program: Program, row: Int, isChain: Bool
    ) -> ClosedRange<Int>? {
        let forest = program.forest
        let bar =
            isChain
            ? NodeBar(ofChain: node, in: forest, now: program.shownNow)
            : NodeBar(of: node, in: forest, now: program.shownNow)
        let isDimmed = program.isDimmed(node, isChain: isChain)
        let offset = program.wallOffset
        var (first, last) = (Int.max, Int.min)
        // Draw phases in rising importance, because in a shared column the phase that is drawn last is seen.
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
        // Draw an arrow to a bar that is out of sight.
        if last < 0, first != .max {
            frame.write(glyphs.left, row: row, column: columns.bars.start, style: .dim)
        } else if first >= axis.columns, first != .max {
            frame.write(glyphs.right, row: row, column: columns.bars.start + axis.columns - 1, style: .dim)
        }
        return first <= last ? first...last : nil
    }

    /// Writes the duration after the end of a bar; if there is no room after the bar, writes the duration before it.
    /// Writes nothing if there is no room there either, or if the end is out of sight.
    private mutating func paintDuration(
        of node: NodeIndex, _ ends: ClosedRange<Int>, _ axis: TimeAxis, _ columns: TimelineColumns,
        _ program: Program, row: Int, isChain: Bool
    ) {
        guard let (time, isRunning) = TimelineText.duration(of: node, isChain: isChain, program),
            (0..<axis.columns).contains(ends.upperBound)
        else { return }
        let text = DurationText.atLeast(
            isRunning ? DurationText.running(time) : DurationText.settled(time), glyphs,
            if: program.forest.lowerBounds(of: node).total)
        var column = ends.upperBound + 2
        if column + text.count > axis.columns { column = ends.lowerBound - 1 - text.count }
        guard column >= 0 else { return }
        let isDimmed = program.isDimmed(node, isChain: isChain)
        let style: Style = isDimmed ? .dim : isRunning ? .number : Style.number.dimmed
        frame.write(text, row: row, column: columns.bars.start + column, style: style)
    }

    // MARK: Lines over the rows

    /// Draws lines from the end of a member or an adopted node to its holder, where both nodes are on the screen.
    private mutating func paintLinks(
        _ rows: [TimelineRow], _ axis: TimeAxis, _ columns: TimelineColumns, _ program: Program, top: Int
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
                paintLink(from: top + line, to: top + other, column: columns.bars.start + column)
            }
        }
    }

    /// The maximum number of holders to which lines from one node are drawn.
    private static let linkLimit = 4

    private mutating func paintLink(from row: Int, to other: Int, column: Int) {
        for between in min(row, other) + 1..<max(row, other) where isFree(between, column) {
            frame.write(glyphs.guideLine, row: between, column: column, style: .guide)
        }
        let cell = frame[other, column]
        guard cell.style.role == .pending, cell.text == String(glyphs.bar(.pending)) else { return }
        let joint = glyphs.charset == .ascii ? "+" : other < row ? "┬" : "┴"
        frame.write(joint, row: other, column: column, style: .pending)
    }

    /// Returns whether a line may be drawn over a cell, because the cell is blank or shows a node that waits.
    private func isFree(_ row: Int, _ column: Int) -> Bool {
        let text = frame[row, column].text
        return text == " " || text == String(glyphs.bar(.waiting))
    }

    /// Draws a line at the present moment while a chain on the screen is live.
    private mutating func paintNow(
        _ axis: TimeAxis, _ columns: TimelineColumns, _ rows: [TimelineRow], _ context: ViewContext, top: Int
    ) {
        var live: Program?
        for (programIndex, lines) in rows.programs {
            let program = context.programs[programIndex]
            let isLive = rows[lines].contains { $0.node.map { program.forest.chain(of: $0).settled == nil } ?? false }
            guard isLive else { continue }
            live = program
            break
        }
        guard let program = live else { return }
        let column = axis.column(of: program.shownNow &+ program.wallOffset)
        guard (0..<axis.columns).contains(column) else { return }
        let screenColumn = columns.bars.start + column
        for line in rows.indices where isFree(top + line, screenColumn) && rows[line].node != nil {
            frame.write(glyphs.vertical, row: top + line, column: screenColumn, style: .dim)
        }
    }
}
