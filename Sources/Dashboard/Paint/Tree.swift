import ChainEvents
import ChainModel
import Frames

extension Painter {
    /// The heads of the columns and the visible rows.
    mutating func paintTree(_ state: borrowing State) {
        let area = layout.tree
        let columns = Columns(width: area.columns)
        paintHeads(columns, row: area.row - 1)
        guard !state.window.isEmpty else { return paintEmpty(state) }
        let indented = Columns(width: area.columns, indent: state.indent)
        for (line, shown) in state.window.prefix(area.rows).enumerated() {
            let row = area.row + line
            if let tree = shown.tree {
                // Between a batch and the tick after it a row's node may be gone.
                guard state.find(shown.subject)?.node == tree.node else { continue }
                RowPainter(row: row, tree: tree, columns: indented, of: state.observed[shown.place])
                    .paint(into: &self, state)
            } else {
                ProgramPainter(row: row, columns: columns, process: state.observed[shown.place], wall: state.wall)
                    .paint(into: &self, isSelected: line == state.selectedLine)
            }
            if line == state.selectedLine {
                frame.restyle(row: area.row + line, column: 0, columns: area.columns - 1) { Self.selected($0) }
            }
        }
        paintScrollBar(state)
    }

    /// On the selected row what is dim is to be read, too.
    private static func selected(_ style: Style) -> Style {
        switch style.role {
        case .dim: Style(.normal, style.modifiers.union(.selected))
        case .guide: Style(.dim, style.modifiers.union(.selected))
        case .match: style
        default: style.selected
        }
    }

    private mutating func paintHeads(_ columns: Columns, row: Int) {
        if columns.word.isShown {
            frame.write("state", row: row, column: Columns.glyph, style: .title)
        }
        var node = columns.node
        node.start += 2
        node.width -= 2
        write("node", row: row, in: node, style: .title)
        write("thread", row: row, in: columns.thread, style: .title)
        write("wait", row: row, in: columns.wait, style: .title, isRight: true)
        write("run", row: row, in: columns.run, style: .title, isRight: true)
        write("total", row: row, in: columns.total, style: .title, isRight: true)
        write("value / error", row: row, in: columns.value, style: .title)
    }

    private mutating func paintEmpty(_ state: borrowing State) {
        let text: String
        if state.observed.isEmpty {
            text = "waiting for a program"
        } else if state.filter.isActive {
            text = (state.isScanning ? "looking for " : "nothing holds ") + state.filter.text
        } else if case .ended(let reason) = state.observed[0].link {
            text = "ended: \(reason)"
        } else if case .absent(let attempt, let failure) = state.observed[0].link {
            text = ProgramText.connecting(to: state.observed[0].shownName, attempt, failure)
        } else {
            text = "no chains yet: they appear here as the program makes them"
        }
        let area = layout.tree
        let shown = SafeText.cut(text, to: area.columns - 2, ellipsis: glyphs.ellipsis, charset: glyphs.charset)
        let column = max(1, (area.columns - TextWidth.of(shown, charset: glyphs.charset)) / 2)
        frame.write(shown, row: area.row + max(0, area.rows / 2 - 1), column: column, style: .dim)
    }

    private mutating func paintScrollBar(_ state: borrowing State) {
        let area = layout.tree
        guard state.rowCount > area.rows, area.rows > 1 else { return }
        let thumb = max(1, area.rows * area.rows / state.rowCount)
        let limit = state.rowCount - area.rows
        let isBordered = area.columns < frame.size.columns
        let start = (area.rows - thumb) * state.top / max(1, limit)
        for line in 0..<area.rows {
            let isThumb = line >= start && line < start + thumb
            guard isThumb || !isBordered else { continue }
            frame.write(
                isThumb ? glyphs.scrollThumb : glyphs.scrollTrack, row: area.row + line,
                column: area.column + area.columns - 1, style: isThumb ? .dim : .guide)
        }
    }
}
