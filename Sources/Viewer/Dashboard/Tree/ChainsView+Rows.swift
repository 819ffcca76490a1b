// SPDX-License-Identifier: MIT

import ChainRows

// Which rows are on the screen.
extension ChainsView {
    /// Finds the rows of the window. The selection stays on its node, and the node stays on its line, where possible.
    mutating func updateRows(_ context: inout ViewContext) {
        let height = context.layout.content.rows
        rowCount = context.world.countRows()
        guard rowCount > 0 else { return clear(&context) }
        resolveSelection(&context)
        let wanted = resolveTop(&context)
        top = min(max(0, wanted), max(0, rowCount - height))
        if following != .first, anchor?.rowID == context.selection {
            // The anchor is the selected row, which has to stay in sight.
            if selectedRow < top { top = selectedRow }
            if height > 0, selectedRow >= top + height { top = selectedRow - height + 1 }
        }
        fillWindow(height, &context)
        if following == .first, let first = window.first, first.rowID != context.selection {
            context.selectInTree(first.rowID)
        }
        let selection = context.selection
        selectedLine = window.firstIndex { $0.rowID == selection }
        findLinesWithTags(&context)
        linesWithPins = Set(context.rowsWithPins().map { $0 - top })
        isMeasured = false
    }

    /// Shows that there are no rows.
    private mutating func clear(_ context: inout ViewContext) {
        (anchor, top, window, selectedLine, isMeasured) = (nil, 0, [], nil, true)
        (linesWithTags, linesWithPins) = ([], [])
        drawn = (nil, nil)
        if !context.filter.isActive, context.selection != nil { context.selectInTree(nil) }
    }

    /// Finds the lines with rows that hide tagged nodes. Looks up the first ``markedTagLimit`` tags only.
    private mutating func findLinesWithTags(_ context: inout ViewContext) {
        linesWithTags = []
        guard window.contains(where: { $0.tree?.flags.contains(.folded) != false }) else { return }
        for tag in context.presentTags.prefix(Self.markedTagLimit) {
            guard let row = context.row(of: tag) else { continue }
            let line = row - top
            if window.indices.contains(line), window[line].rowID != tag { linesWithTags.insert(line) }
        }
    }

    private static let markedTagLimit = 1_000

    /// Reads the rows of the window, and anchors the selection if it is in sight, else the first row.
    private mutating func fillWindow(_ height: Int, _ context: inout ViewContext) {
        window = context.rows(from: top, count: height)
        let selection = context.selection
        if let selection, let line = window.firstIndex(where: { $0.rowID == selection }) {
            anchor = Anchor(rowID: selection, line: line)
        } else if let first = window.first {
            anchor = Anchor(rowID: first.rowID, line: 0)
        }
    }

    /// Selects the row that ``following`` asks for. If the selected row is gone, selects the nearest remaining row.
    private mutating func resolveSelection(_ context: inout ViewContext) {
        switch following {
        case .first:
            selectedRow = 0
            return
        case .newest: selectNewestChain(&context)
        case .selected: keepSelectionShown(&context)
        case .nothing: break
        }
        if let selection = context.selection, let row = context.row(of: selection) {
            selectedRow = row
            return select(row: row, &context)
        }
        // The selected row was evicted or filtered out: select the nearest remaining row that was below it, else above
        // it.
        let line = selectedLine ?? 0
        for candidate in window.dropFirst(line) + window.prefix(line).reversed() {
            guard let row = context.row(of: candidate.rowID) else { continue }
            selectedRow = row
            if let anchor, anchor.rowID == context.selection {
                self.anchor = Anchor(rowID: candidate.rowID, line: anchor.line)
            }
            return select(row: row, &context)
        }
        selectedRow = min(selectedRow, rowCount - 1)
        anchor = nil
        select(row: selectedRow, &context)
    }

    /// Selects the newest chain, on the line of the previous selection. If the selected row hides that chain, as the
    /// row of a folded group does, the selection stays.
    private mutating func selectNewestChain(_ context: inout ViewContext) {
        guard let newest = context.world.newestChain(), newest != context.selection else { return }
        if let row = context.row(of: newest), context.row(at: row)?.rowID == context.selection { return }
        anchor = Anchor(rowID: newest, line: selectedLine ?? 0)
        context.selectInTree(newest)
    }

    /// Unfolds what hides the followed node; stops following if that node was evicted or filtered out.
    private mutating func keepSelectionShown(_ context: inout ViewContext) {
        guard let selection = context.selection, let (programIndex, node) = context.find(selection),
            let row = context.row(of: selection)
        else {
            following = .nothing
            return context.notify("the node that was followed is gone; nothing is followed", .warning)
        }
        guard context.row(at: row)?.rowID != selection else { return }
        context.unfold(to: node, in: programIndex)
        rowCount = context.world.countRows()
    }

    private mutating func select(row: Int, _ context: inout ViewContext) {
        guard let rowID = context.row(at: row)?.rowID else { return }
        if anchor?.rowID == context.selection { anchor?.rowID = rowID }
        if rowID != context.selection { context.selectInTree(rowID) }
    }

    /// Returns the number of the row that should be the first in the window; the number may be out of range.
    private mutating func resolveTop(_ context: inout ViewContext) -> Int {
        if following == .first { return 0 }
        guard let anchor else { return min(top, selectedRow) }
        if anchor.rowID == context.selection { return selectedRow - anchor.line }
        guard let row = context.row(of: anchor.rowID) else { return top }
        return row - anchor.line
    }
}
