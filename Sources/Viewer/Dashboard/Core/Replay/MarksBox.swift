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
        self.first = first
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

extension State {
    func marksBox(_ selected: Int) -> MarksBox {
        let process = (replayedProgram ?? world.programs.first { $0.wasReached })?.info
        let start = (replayPosition ?? presentPosition)?.range.lowerBound ?? 0
        return MarksBox(timeStrip.marks, selected: selected, size: size, glyphs: options.glyphs) { moment in
            let passed = ReplayTime.exact(moment.subtractingClamped(start))
            guard let process, process.wallOffset != 0 else { return passed }
            let time = ClockText.seconds(moment &+ process.wallOffset, offset: options.clockOffset)
            // A live program has no beginning but the start of its clock, which means nothing to a user.
            return isReplaying ? time + "   " + passed : time
        }
    }

    /// Opens the list of marks, and selects the last mark at or before the shown moment, or else the first mark.
    mutating func listMarks() {
        let marks = timeStrip.marks
        guard !marks.isEmpty else { return notify("no marks; M marks the moment, :mark NAME names it") }
        let moment = (replayPosition ?? presentPosition)?.time ?? 0
        mode = .marks(selected: max(0, (marks.firstIndex { $0.time > moment } ?? marks.count) - 1))
        revision += 1
    }

    /// Keeps the selected index within the marks after they have changed; closes the list if none is left.
    mutating func followMarks() {
        guard case .marks(let selected) = mode else { return }
        mode = timeStrip.marks.isEmpty ? .normal : .marks(selected: min(selected, timeStrip.marks.count - 1))
    }

    mutating func handleInMarks(_ intent: Intent, _ selected: Int) -> [Effect] {
        let marks = timeStrip.marks
        let page = max(1, marksBox(selected).lines.count)
        var target = selected
        switch intent {
        case .up: target -= 1
        case .down: target += 1
        case .pageUp: target -= page
        case .pageDown: target += page
        case .home: target = 0
        case .end: target = marks.count - 1
        case .accept: return goToMark(selected)
        case .remove: return replay(.unmark(marks[selected].name))
        case .back: mode = .normal
        case .quit: return [.quit]
        default: return []
        }
        if mode != .normal { mode = .marks(selected: min(max(0, target), marks.count - 1)) }
        revision += 1
        return []
    }

    mutating func goToMark(_ index: Int) -> [Effect] {
        mode = .normal
        revision += 1
        return replay(.seek(timeStrip.marks[index].time))
    }
}

extension Painter {
    mutating func paintMarks(_ state: borrowing State, _ selected: Int) {
        let box = state.marksBox(selected)
        paintBox(box.area, title: state.timeStrip.marks.count == 1 ? "1 mark" : "\(state.timeStrip.marks.count) marks")
        for (line, text) in box.lines.enumerated() {
            let row = box.area.row + 1 + line
            let style: Style = box.first + line == selected ? .overlay.reversed : .overlay
            frame.fill(row: row, column: box.area.column + 1, rows: 1, columns: box.area.columns - 2, style: style)
            frame.write(text, row: row, column: box.area.column + 2, maxColumns: box.area.columns - 4, style: style)
        }
    }
}
