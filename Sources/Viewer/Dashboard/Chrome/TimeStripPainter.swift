// SPDX-License-Identifier: MIT

import Frames

extension Painter {
    /// Draws the whole time of the recording above the footer. Each column has a bar for running handlers, and at most
    /// one sign: for a mark, rejections, warnings or the shown moment. With two rows, the signs are below the bars;
    /// with one row, a sign replaces the bar.
    mutating func paintTimeStrip(_ state: borrowing State) {
        guard let area = layout.strip, let position = state.replayPosition else { return }
        let columns = TimeStripLayout(columns: area.columns)
        if columns.hasLabels { paintEnds(state, position, columns, row: area.row) }
        let strip = state.timeStrip
        let current = TimeStrip.column(of: position.time, in: position.range, columns.width)
        let highest = strip.columns.reduce(1) { max($0, $1.running) }
        for column in 0..<columns.width {
            let content = strip.columns.indices.contains(column) ? strip.columns[column] : TimeStrip.Column()
            var sign = sign(of: content)
            var bar = bar(of: content, highest: highest)
            if column == current {
                let shown = sign ?? (area.rows > 1 ? glyphs.ascending : glyphs.vertical, .label)
                sign = (shown.text, shown.style.bold.reversed)
                bar.style = bar.style.reversed
            }
            let x = columns.start + column
            if area.rows > 1 {
                frame.write(bar.text, row: area.row, column: x, style: bar.style)
                if let sign { frame.write(sign.text, row: area.row + 1, column: x, style: sign.style) }
            } else {
                let shown = sign ?? bar
                frame.write(shown.text, row: area.row, column: x, style: shown.style)
            }
        }
    }

    private func bar(of column: TimeStrip.Column, highest: Int) -> (text: String, style: Style) {
        guard column.running > 0 else { return (glyphs.charset == .ascii ? " " : glyphs.dot, .guide) }
        let level = (column.running * glyphs.bars.count + highest - 1) / highest
        let style: Style = column.rejected > 0 ? .rejected : column.warnings > 0 ? .warning : .running
        return (glyphs.bars[min(level, glyphs.bars.count) - 1], style)
    }

    private func sign(of column: TimeStrip.Column) -> (text: String, style: Style)? {
        if column.isMarked { return (glyphs.pinned, .match) }
        if column.rejected > 0 { return (glyphs.rejected, .rejected) }
        return column.warnings > 0 ? ("!", .warning) : nil
    }

    /// Writes the times of the recording's two ends.
    private mutating func paintEnds(
        _ state: borrowing State, _ position: ReplayPosition, _ columns: TimeStripLayout, row: Int
    ) {
        let (range, clockOffset) = (position.range, state.options.clockOffset)
        guard let program = state.replayedProgram else { return }
        frame.write(
            program.timeText(range.lowerBound, clockOffset: clockOffset), row: row, column: 1,
            maxColumns: TimeStripLayout.labelWidth - 1, style: .dim)
        frame.write(
            program.timeText(range.upperBound, clockOffset: clockOffset), row: row,
            column: columns.start + columns.width + 1, maxColumns: TimeStripLayout.labelWidth - 1, style: .dim)
    }
}
