// SPDX-License-Identifier: MIT

import ChainText
import Frames

/// The box with the list of marks, one in each row.
struct MarksBox {
    let area: Area
    /// The index of the first mark that is shown.
    let first: Int
    /// The texts of the marks that are shown, from ``first`` on.
    let lines: [String]
    private let count: Int
    private let selected: Int

    /// Lays out the box, with the selected mark in the middle of the marks that are shown if possible.
    ///
    /// - Parameter when: returns the text for the time of a mark.
    init(_ marks: [ReplayMark], selected: Int, size: Size, glyphs: Glyphs, when: (UInt64) -> String) {
        let visible = min(marks.count, max(1, size.rows - 5))
        let first = min(max(0, selected - visible / 2), marks.count - visible)
        let texts = marks[first..<first + visible].map { "\(when($0.time))   \(NodeText.safe($0.name))" }
        let width = texts.map { glyphs.width(of: $0) }.max() ?? 0
        let columns = min(size.columns - 2, max(36, width + 6))
        lines = texts.map { glyphs.cut($0, to: columns - 4) }
        (self.first, self.selected, count) = (first, selected, marks.count)
        area = Area(
            row: max(0, (size.rows - 1 - visible - 2) / 2), column: (size.columns - columns) / 2, rows: visible + 2,
            columns: columns)
    }

    /// Returns the index of the mark at a cell of the screen; nil outside the marks.
    func index(row: Int, column: Int) -> Int? {
        let line = row - area.row - 1
        return lines.indices.contains(line) && area.contains(row: row, column: column) ? first + line : nil
    }
}

extension MarksBox {
    /// Lays out the list of the marks of what is shown.
    init(_ state: borrowing State, selected: Int) {
        let process = (state.replayedProgram ?? state.world.programs.first { $0.wasReached })?.info
        let start = (state.replayPosition ?? state.presentPosition)?.range.lowerBound ?? 0
        let (offset, isReplaying) = (state.options.clockOffset, state.isReplaying)
        self.init(state.timeStrip.marks, selected: selected, size: state.size, glyphs: state.options.glyphs) { moment in
            let passed = ReplayTime.exact(moment.subtractingClamped(start))
            guard let process, process.wallOffset != 0 else { return passed }
            let time = ClockText.seconds(moment &+ process.wallOffset, offset: offset)
            // A live program has no beginning but the start of its clock, which means nothing to a user.
            return isReplaying ? time + "   " + passed : time
        }
    }

    /// Returns the index of the mark that is selected after a key.
    func selection(after intent: Intent) -> Int {
        let page = max(1, lines.count)
        let target =
            switch intent {
            case .up: selected - 1
            case .down: selected + 1
            case .pageUp: selected - page
            case .pageDown: selected + page
            case .home: 0
            case .end: count - 1
            default: selected
            }
        return min(max(0, target), count - 1)
    }
}

extension Painter {
    mutating func paintMarks(_ state: borrowing State, _ selected: Int) {
        let box = MarksBox(state, selected: selected)
        paintBox(box.area, title: state.timeStrip.marks.count == 1 ? "1 mark" : "\(state.timeStrip.marks.count) marks")
        for (line, text) in box.lines.enumerated() {
            let row = box.area.row + 1 + line
            let style: Style = box.first + line == selected ? .overlay.reversed : .overlay
            frame.fill(row: row, column: box.area.column + 1, rows: 1, columns: box.area.columns - 2, style: style)
            frame.write(text, row: row, column: box.area.column + 2, maxColumns: box.area.columns - 4, style: style)
        }
    }
}
