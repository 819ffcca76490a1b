// SPDX-License-Identifier: MIT

import ChainText

/// The columns of the tree that are shown in a pane of one width, and where each of them is.
///
/// Columns that do not fit are left out, in the order of ``TreeColumn/givingWay``. Then each remaining column gets the
/// width that its cells need. The column of the names gets it first, so that names are cut last; then come the other
/// columns, of a long value only a part. Then the column of the names gets cells for the summaries that follow the
/// names in it. If the value column is the last column, it gets the cells that are left.
struct Columns: Equatable {
    /// The cell of the state's glyph, after the cell of the selection and the cell of the tag.
    static let glyph = 2
    /// The width of the widest word of a state.
    static let wordWidth = 9
    static let durationWidth = DurationText.width

    /// A column that is shown.
    struct Shown: Equatable {
        var column: TreeColumn
        var span: ColumnSpan
    }

    /// The columns that are shown, from left to right.
    private(set) var shown: [Shown] = []
    /// The cell of marks on a state; 0 if the state is not shown.
    private(set) var mark = 0
    /// The first cell after all columns, which is the cell of the scroll bar.
    let end: Int

    var word: ColumnSpan { self[.state] }
    var node: ColumnSpan { self[.node] }
    var thread: ColumnSpan { self[.thread] }
    var wait: ColumnSpan { self[.wait] }
    var run: ColumnSpan { self[.run] }
    var total: ColumnSpan { self[.total] }
    var value: ColumnSpan { self[.value] }

    /// The span of a column; empty if the column is not shown.
    subscript(column: TreeColumn) -> ColumnSpan {
        for found in shown where found.column == column { return found.span }
        return ColumnSpan()
    }

    /// The header of a column.
    struct Header {
        var column: TreeColumn
        var span: ColumnSpan
        /// Whether the title is right-aligned.
        var isRightAligned = false

        /// Returns whether a click at a column of the pane hits this header: its title, or the blank on either side of
        /// the title.
        func contains(_ column: Int) -> Bool { column >= span.start - 1 && column <= span.start + span.width }
    }

    /// The headers that are shown, from left to right.
    var headers: [Header] {
        shown.compactMap { shown in
            var span = shown.span
            if shown.column == .state {
                // The header begins at the glyph if the word is beside the glyph.
                if span.start == Self.glyph + 2 { span.start = Self.glyph }
                span.width = Self.wordWidth
            } else if shown.column == .node {
                span.start += 2
                span.width = max(0, span.width - 2)
            }
            return span.isShown
                ? Header(column: shown.column, span: span, isRightAligned: shown.column.isRightAligned) : nil
        }
    }

    /// Lays out the columns of a pane.
    ///
    /// - Parameters:
    ///   - indent: the cells by which the names are indented, under a program or a group.
    ///   - chosen: the columns to show, from left to right.
    ///   - needs: the widths that the cells on the screen need.
    init(
        width: Int, indent: Int = 0, chosen: [TreeColumn] = TreeColumn.usual, needs: ColumnNeeds = ColumnNeeds()
    ) {
        // One column at the right is for the scroll bar.
        end = max(0, width - 1)
        let room = end - Self.glyph - 2
        let fitting = Self.fitting(chosen, into: room)
        let widths = Self.widths(of: fitting, in: room, needs)
        var start = Self.glyph + 2
        for (column, width) in zip(fitting, widths) {
            var span = ColumnSpan(start: start, width: width)
            start += width + ColumnLayout.gap
            if column == .state {
                // The mark takes the first cell of the gap, because the column is a cell wider than the widest word.
                mark = span.start + Self.wordWidth + 1
                span.width = Self.wordWidth
            } else if column == .node {
                let indent = min(indent, span.width)
                span = ColumnSpan(start: span.start + indent, width: span.width - indent)
            }
            shown.append(Shown(column: column, span: span))
        }
    }

    /// Returns the chosen columns that have room.
    private static func fitting(_ chosen: [TreeColumn], into room: Int) -> [TreeColumn] {
        var columns = chosen
        func least() -> Int {
            let names = columns.contains(where: TreeColumn.extras.contains) ? 34 : TreeColumn.node.widths.lowerBound
            return columns.reduce(-ColumnLayout.gap) {
                $0 + ColumnLayout.gap + ($1 == .node ? names : $1.widths.lowerBound)
            }
        }
        for column in TreeColumn.givingWay where least() > room { columns.removeAll { $0 == column } }
        return columns
    }

    /// The width that values get before the summaries that follow the names.
    private static let shortValue = 28

    /// Returns the widths of columns in `room` cells, which include the gaps between the columns.
    private static func widths(of columns: [TreeColumn], in room: Int, _ needs: ColumnNeeds) -> [Int] {
        var widths = columns.map { column -> Int in
            let least = column.widths.lowerBound
            if column.isFixed { return least }
            if column == .node { return min(room, least) }
            // With room for an arrow, except after the long title of the values.
            let titleWidth = column.title.count + (column == .value ? 0 : 2)
            return min(least, max(titleWidth, needs[column]))
        }
        var rest = room - widths.reduce(0, +) - ColumnLayout.gap * max(0, columns.count - 1)
        func grow(_ index: Int, to wanted: Int) {
            let more = max(0, min(rest, wanted - widths[index]))
            widths[index] += more
            rest -= more
        }
        if let node = columns.firstIndex(of: .node) {
            // Limited, so that long names leave room for the other columns.
            grow(node, to: min(needs[.node], max(40, room * 3 / 5)))
        }
        for (index, column) in columns.enumerated() where column != .node {
            grow(index, to: min(needs[column], column == .value ? shortValue : column.widths.upperBound))
        }
        if let node = columns.firstIndex(of: .node) { grow(node, to: min(needs.nameWithTexts, max(40, room * 3 / 5))) }
        if let value = columns.firstIndex(of: .value) {
            grow(value, to: min(needs[.value], TreeColumn.value.widths.upperBound))
        }
        if columns.last == .value { grow(columns.count - 1, to: .max) }
        return widths
    }
}

/// The widths that the cells on the screen need, by column. A width grows at once, and shrinks once no cell has needed
/// it for 5 s, so that columns rarely move.
struct ColumnNeeds: Equatable {
    /// The width that a column needs.
    private struct Width: Equatable {
        var shown = 0
        /// The greatest width that was needed since ``since``.
        private var peak = 0
        /// When ``shown`` was last needed or set, in nanoseconds since 1970.
        private var since: UInt64 = 0

        /// Widths are multiples of this number.
        private static let step = 4
        /// How long a column keeps a width that no cell needs, in nanoseconds.
        private static let delay: UInt64 = 5_000_000_000

        init(shown: Int = 0, since: UInt64 = 0) { (self.shown, self.since) = (shown, since) }

        /// Updates the width from the widest cell; `wall` is nanoseconds since 1970.
        mutating func update(to widest: Int, at wall: UInt64) {
            let needed = (widest + Self.step - 1) / Self.step * Self.step
            if needed >= shown {
                self = Width(shown: needed, since: wall)
            } else {
                peak = max(peak, needed)
                if wall &- min(wall, since) > Self.delay { self = Width(shown: peak, since: wall) }
            }
        }
    }

    private var cells: [TreeColumn: Width] = [.node: Width(shown: 24)]
    private var nameWithTextsWidth = Width()

    /// The width that the names need with the texts after them.
    var nameWithTexts: Int { nameWithTextsWidth.shown }

    subscript(column: TreeColumn) -> Int { cells[column]?.shown ?? 0 }

    /// Updates a column's width from its widest cell; `wall` is nanoseconds since 1970.
    mutating func update(_ column: TreeColumn, to widest: Int, at wall: UInt64) {
        cells[column, default: Width()].update(to: widest, at: wall)
    }

    /// Updates ``nameWithTexts`` from the widest name with the texts after it; `wall` is nanoseconds since 1970.
    mutating func updateNameWithTexts(to widest: Int, at wall: UInt64) {
        nameWithTextsWidth.update(to: widest, at: wall)
    }
}
