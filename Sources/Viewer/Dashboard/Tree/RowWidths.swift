// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows
import ChainText
import Frames

extension ChainsView {
    /// Returns the columns in a pane; `indent` is the indentation of the rows, in cells.
    func columns(in width: Int, indent: Int = 0) -> Columns {
        Columns(width: width, indent: indent, chosen: columns, needs: needs)
    }

    /// The columns of figures in the rows of groups, while such a row is selected: then the figures have headings. Nil
    /// while no such row is selected.
    func groupColumns(_ context: ViewContext) -> GroupColumns? {
        guard context.selection?.site != nil else { return nil }
        // The columns are indented like the rows of groups.
        let indent = context.showsPrograms ? TreeLines.level : 0
        return GroupColumns(columns(in: context.layout.content.columns, indent: indent))
    }

    /// Updates, from the cells on the screen, the widths that the columns need. O(rows on the screen).
    mutating func measureColumns(_ context: ViewContext) {
        isMeasured = true
        var widths = RowWidths(of: columns, glyphs: context.options.glyphs)
        widths.isBesideState = columns(in: context.layout.content.columns).word.isShown
        for programIndex in context.world.programs.indices {
            // Only the forest is copied, because a copy of a program retains a hundred references.
            let forest = context.world.programs[programIndex].forest
            guard let first = window.first(where: { $0.programIndex == programIndex && $0.tree != nil }) else {
                continue
            }
            let indent = context.indent(of: first)
            let now = context.world.programs[programIndex].shownNow
            for shown in window where shown.programIndex == programIndex {
                guard let row = shown.tree, forest.contains(row.node) else { continue }
                let calledFrom = context.callerWords(of: row.node, in: programIndex)
                let name = context.world.programs[programIndex].shownName
                widths.add(RowText(row, in: forest, of: name, calledFrom: calledFrom, now: now), indent: indent)
            }
        }
        guard widths.isMeasured else { return }
        for (column, width) in zip(columns, widths.widest) { needs.update(column, to: width, at: context.wall) }
        needs.updateNameWithTexts(to: widths.nameWithTexts, at: context.wall)
    }
}

/// The widths of the widest cells of some rows.
private struct RowWidths {
    let columns: [TreeColumn]
    let glyphs: Glyphs
    /// Whether the word of the state is shown.
    var isBesideState = false
    /// The width of the widest cell of each of ``columns``; 0 for columns of a fixed width.
    private(set) var widest: [Int]
    /// The width of the widest name together with the texts after it.
    private(set) var nameWithTexts = 0
    /// Whether a row was measured.
    private(set) var isMeasured = false

    /// Cells reserved for a combinator's progress such as `12/40`, because counting its members costs too much.
    private static let progressWidth = 7
    /// The width at which measuring a cell stops.
    private static let limit = 120

    init(of columns: [TreeColumn], glyphs: Glyphs) {
        self.columns = columns
        self.glyphs = glyphs
        widest = [Int](repeating: 0, count: columns.count)
    }

    mutating func add(_ row: RowText, indent: Int) {
        isMeasured = true
        for (index, column) in columns.enumerated() where !column.isFixed {
            let width = column == .node ? addNode(row, indent) : width(column.cell(of: row, glyphs)?.text ?? "")
            widest[index] = max(widest[index], width)
        }
    }

    private func width(_ text: String) -> Int { TextWidth.of(text, charset: glyphs.charset, limit: Self.limit) }

    /// Returns the width of the tree's lines and the name; raises ``nameWithTexts`` to that width plus the texts
    /// after the name.
    private mutating func addNode(_ row: RowText, _ indent: Int) -> Int {
        let isRoot = row.tree.flags.contains(.root)
        let (text, isLabel) = row.label
        var name = indent + TreeLines.marker(row.tree, width: .max) + 2 + width(row.program) + width(text)
        if !isRoot || !isLabel { name += RowText.kindWidth(row.view.kind.word) }
        var whole = name
        if isRoot {
            for extra in row.extras(glyphs, isBesideState: isBesideState) { whole += width(extra.text) }
        } else {
            if row.view.kind.role == .combinator { whole += Self.progressWidth }
            if row.tree.flags.contains(.folded) {
                for extra in NodeText.children(of: row.tree.node, in: row.forest) { whole += width(extra.text) }
            }
        }
        nameWithTexts = max(nameWithTexts, whole)
        return name
    }
}
