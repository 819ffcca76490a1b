// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows
import ChainText
import Frames

/// The painter of a row of the tree. It stores only what it needs of the ``Program``, because copying a program retains
/// a hundred references.
struct RowPainter {
    let row: Int
    let tree: TreeRow
    let columns: Columns
    private let texts: RowText
    /// Whether the node does not match the filter, or the connection to its program is lost.
    private let isDimmed: Bool
    private let isTagged: Bool
    /// Whether an alert rang for the node.
    private let hasRung: Bool
    /// The filter's texts to highlight in the name; empty if the node does not match.
    private let markedTexts: [Needle]

    /// `calledFrom` names the node of another program that called the row's node.
    init(row: Int, tree: TreeRow, columns: Columns, of program: borrowing Program, calledFrom: String?) {
        self.row = row
        self.tree = tree
        self.columns = columns
        texts = RowText(
            tree, in: program.forest, of: program.shownName, calledFrom: calledFrom, now: program.shownNow)
        let filter = program.outline.filterState
        let isMatch = filter.isActive && program.outline.isMatch(tree.node)
        isDimmed = filter.isActive && !isMatch || program.connection.disconnection != nil
        markedTexts = isMatch ? filter.markedTexts : []
        isTagged = program.outline.isTagged(tree.node)
        hasRung = program.alertWatches.hasRung(texts.view.id)
    }

    private func style(_ style: Style) -> Style { isDimmed ? .dim : style }

    func paint(into painter: inout Painter) {
        paintState(into: &painter)
        // Where the name has to end: a gap before the first non-empty cell after the node column.
        var nodeEnd: Int?
        var isAfterNode = false
        var hasValue = false
        for shown in columns.shown {
            if shown.column == .node { isAfterNode = true }
            guard let cell = shown.column.cell(of: texts, painter.glyphs), !cell.text.isEmpty else { continue }
            if shown.column == .thread {
                painter.writeThread(cell.text, row: row, in: shown.span, style: style(cell.style))
            } else {
                painter.write(
                    cell.text, row: row, in: shown.span, style: style(cell.style),
                    isRightAligned: shown.column.isRightAligned)
            }
            if shown.column == .value { hasValue = true }
            if isAfterNode, nodeEnd == nil { nodeEnd = shown.span.start - ColumnLayout.gap }
        }
        let node = paintNode(into: &painter, end: nodeEnd ?? columns.end)
        if !hasValue, node.end < columns.value.start { paintOverflow(node.overflow, into: &painter) }
    }

    /// Draws into the value column the states of a folded node's children that did not fit after the label.
    private func paintOverflow(_ overflow: ArraySlice<(text: String, style: Style)>, into painter: inout Painter) {
        var column = columns.value.start
        let end = column + columns.value.width
        for (index, extra) in overflow.enumerated() where column < end {
            let text = index == 0 ? String(extra.text.drop { $0 == " " || $0 == ":" || $0 == "," }) : extra.text
            column += painter.write(text, row: row, column: column, end: end, style: style(extra.style))
        }
    }

    private func paintState(into painter: inout Painter) {
        let glyphs = painter.glyphs
        if isTagged {
            painter.frame.write(glyphs.tagged, row: row, column: 1, style: .warning)
        } else if hasRung {
            painter.frame.write("!", row: row, column: 1, style: .error)
        }
        let state = NodeText.state(of: tree.node, isRoot: tree.flags.contains(.root), in: texts.forest, now: texts.now)
        painter.frame.write(glyphs.state(state.role), row: row, column: Columns.glyph, style: style(Style(state.role)))
        guard columns.word.isShown else { return }
        painter.write(state.word, row: row, in: columns.word, style: style(state.style))
        let marks = texts.view.marks
        if marks.contains(.cancelRequested) {
            painter.frame.write(glyphs.cancelRequested, row: row, column: columns.mark, style: .cancelled)
        } else if marks.contains(.stillOnThread) {
            painter.frame.write(glyphs.stillRunning, row: row, column: columns.mark, style: .warning)
        }
    }

    // MARK: The tree

    /// The least cells of a name that is cut to leave room for the summary of its chain.
    private static let leastName = 8

    /// Draws the node column. The name of a chain is cut before its summary is, because the summary in another column
    /// would be taken for a value. Returns the end of the text, and the states of a folded node's children that did not
    /// fit.
    private func paintNode(
        into painter: inout Painter, end: Int
    ) -> (end: Int, overflow: ArraySlice<(text: String, style: Style)>) {
        let glyphs = painter.glyphs
        paintLines(into: &painter)
        var column = columns.node.start + TreeLines.marker(tree, width: columns.node.width)
        if tree.flags.contains(.foldable) {
            let marker = tree.flags.contains(.folded) ? glyphs.folded : glyphs.unfolded
            painter.frame.write(marker, row: row, column: column, maxColumns: end - column, style: .guide)
        }
        column += 2
        if Int(tree.depth) > TreeLines.drawnDepth(tree, width: columns.node.width) {
            let depth = "\(tree.depth)" + painter.glyphs.dot + " "
            column += painter.frame.write(depth, row: row, column: column, maxColumns: end - column, style: .dim)
        }
        let isRoot = tree.flags.contains(.root)
        let (text, isLabel) = texts.label
        if !isRoot || !isLabel {
            let word = texts.view.kind.word
            let room = min(end - column, RowText.kindWidth(word))
            painter.frame.write(
                word, row: row, column: column, maxColumns: room, style: style(isNoise ? .dim : .kind))
            column += room
        }
        let extras = texts.extras(glyphs, isBesideState: columns.word.isShown)
        column += painter.write(texts.program, row: row, column: column, end: end, style: .dim)
        let start = column
        let wanted = extras.reduce(0) { $0 + glyphs.width(of: $1.text) }
        let isCut = isRoot && column + glyphs.width(of: text) + wanted > end
        let nameEnd = isCut && end - wanted - column >= Self.leastName ? end - wanted : end
        column += painter.write(text, row: row, column: column, end: nameEnd, style: style(labelStyle(isRoot, isLabel)))
        for marked in markedTexts { painter.highlight(marked, in: text, row: row, from: start, to: column) }
        for (index, extra) in extras.enumerated() {
            // A text is not cut, because a cut number misleads. A root's glyph is drawn only with the text after it.
            var width = glyphs.width(of: extra.text)
            if isRoot, index + 1 < extras.count, !extras[index + 1].text.hasPrefix("  ") {
                width += glyphs.width(of: extras[index + 1].text)
            }
            guard column + width <= end else { return (column, isRoot || extras.count == 1 ? [] : extras[index...]) }
            column += painter.frame.write(
                extra.text, row: row, column: column, maxColumns: end - column, style: style(extra.style))
        }
        return (column, [])
    }

    private func labelStyle(_ isRoot: Bool, _ isLabel: Bool) -> Style {
        if isRoot { return isLabel ? Style.label.bold : Style.dim }
        return !isLabel || texts.view.state == .waiting || isNoise ? .dim : .label
    }

    /// Whether the node was skipped, or is an `anyway` that was fulfilled. Such rows are dim.
    private var isNoise: Bool {
        let view = texts.view
        return view.state == .skipped || (view.kind == .anyway && view.state == .fulfilled)
    }
}
