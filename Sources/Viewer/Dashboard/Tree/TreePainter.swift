// SPDX-License-Identifier: MIT

import Frames

extension ChainsView {
    func draw(_ context: ViewContext, into painter: inout Painter) { painter.paint(self, context) }
}

extension Painter {
    fileprivate mutating func paint(_ view: ChainsView, _ context: ViewContext) {
        let area = layout.content
        let columns = view.columns(in: area.columns)
        paintHeaders(columns, row: area.row - 1, view, context)
        guard !view.window.isEmpty else { return paintEmpty(context) }
        let lines = view.window.prefix(area.rows)
        var line = 0
        while line < lines.endIndex {
            let programIndex = lines[line].programIndex
            let end = lines[line...].firstIndex { $0.programIndex != programIndex } ?? lines.endIndex
            paintRows(lines[line..<end], columns, of: context.world.programs[programIndex], view, context)
            line = end
        }
        paintScrollBar(count: view.rowCount, top: view.top)
    }

    /// Draws rows of one program.
    private mutating func paintRows(
        _ lines: ArraySlice<ChainsView.WindowRow>, _ columns: Columns, of program: Program, _ view: ChainsView,
        _ context: ViewContext
    ) {
        let area = layout.content
        let indented = lines.first { $0.tree != nil }.map {
            view.columns(in: area.columns, indent: context.indent(of: $0))
        }
        for (line, shown) in zip(lines.indices, lines) {
            let row = area.row + line
            if view.linesWithPins.contains(line) {
                frame.write(glyphs.pinned, row: row, column: 1, style: .warning)
            }
            if let tree = shown.tree {
                // Between a batch and the next tick, a row's node may be gone.
                guard let indented, context.find(shown.rowID)?.node == tree.node else { continue }
                let calledFrom = context.callerWords(of: tree.node, in: shown.programIndex)
                RowPainter(row: row, tree: tree, columns: indented, of: program, calledFrom: calledFrom)
                    .paint(into: &self)
            } else if let site = shown.rowID.site {
                let indented = view.columns(in: area.columns, indent: context.indent(of: shown))
                GroupPainter(row: row, columns: indented, site: site, program: program).paint(into: &self)
            } else {
                ProgramPainter(row: row, columns: columns, program: program, wall: context.wall).paint(into: &self)
            }
            if view.linesWithTags.contains(line) {
                frame.write(glyphs.taggedInside, row: row, column: 1, style: .warning)
            }
            if line == view.selectedLine { markSelected(row: row) }
        }
    }

    /// Draws the column headers. The sorted column has an arrow, or an ellipsis while a new order is made. The titles
    /// of a selected group's figures replace the headers at their place.
    private mutating func paintHeaders(_ columns: Columns, row: Int, _ view: ChainsView, _ context: ViewContext) {
        let order = view.order
        let isSorting = context.world.programs.contains { $0.outline.isSorting }
        let figures = view.groupColumns(context)
        for (column, span) in figures?.spans ?? [] {
            write(column.title, row: row, in: span, style: .title, isRightAligned: true)
        }
        for header in columns.headers {
            if figures?.hides(header) == true { continue }
            var text = header.column.title
            var style = Style.title
            if header.column.sort == order.column {
                let mark = isSorting ? glyphs.ellipsis : order.isDescending ? glyphs.descending : glyphs.ascending
                text += " " + mark
                style = .title.bold
            }
            write(text, row: row, in: header.span, style: style, isRightAligned: header.isRightAligned)
        }
    }

    private mutating func paintEmpty(_ context: ViewContext) {
        let text: String
        if context.world.programs.isEmpty {
            text = "waiting for a program"
        } else if context.filter.isActive {
            text = context.isScanning ? "looking for \(context.filter.text)" : context.nothingMatches
        } else if case .ended(let reason) = context.world.programs[0].connection {
            text = "ended: \(reason)"
        } else if case .absent(let attempt, let failure) = context.world.programs[0].connection {
            text = ProgramText.connecting(to: context.world.programs[0].shownName, attempt, failure)
        } else {
            text = "no chains yet: they appear here as the program makes them"
        }
        paintMessage(text)
    }

    /// Draws the scroll bar at the right edge, if there are more rows than lines.
    mutating func paintScrollBar(count: Int, top: Int) {
        let area = layout.content
        guard let bar = ScrollBar(area: area, count: count, top: top) else { return }
        // The border of a detail pane beside the rows serves as the track.
        let isBordered = area.columns < frame.size.columns
        for line in 0..<area.rows {
            let isThumb = bar.isThumb(line)
            guard isThumb || !isBordered else { continue }
            frame.write(
                isThumb ? glyphs.scrollThumb : glyphs.scrollTrack, row: area.row + line,
                column: area.column + area.columns - 1, style: isThumb ? .dim : .guide)
        }
    }
}
