// SPDX-License-Identifier: MIT

import ChainRows

/// The view of chains: the tree of all programs, which rows of it are on the screen, and where the selection is.
struct ChainsView {
    /// A row on the screen, as of the last update.
    struct WindowRow: Equatable {
        var rowID: RowID
        var programIndex: Int
        /// How the node is drawn; nil for a program, and for a group.
        var tree: TreeRow?
    }

    /// A row, and the line of the pane on which the row is kept, so that changes above the row do not move it.
    struct Anchor: Equatable {
        var rowID: RowID
        var line: Int
    }

    var anchor: Anchor?
    /// The number of the first row on the screen among all rows.
    var top = 0
    /// The number of all rows.
    var rowCount = 0
    /// The rows on the screen.
    var window: [WindowRow] = []
    /// The line of the window with the selected row; nil when that row is out of sight.
    var selectedLine: Int?
    /// The number of the selected row as of the last update.
    var selectedRow = 0
    /// The lines of the window with a row that hides tagged nodes.
    var linesWithTags: Set<Int> = []
    /// The lines with a pinned node, or with a row that hides a pinned node; see ``State/linesWithPins()``.
    var linesWithPins: Set<Int> = []
    /// The selected row and the row below it as last drawn, because rows may move before a key is handled.
    var drawn: (selected: RowID?, below: RowID?)
    /// The widths that the cells on the screen need.
    var needs = ColumnNeeds()
    /// Whether ``needs`` was updated from the present window.
    var isMeasured = true
}

extension ChainsView: ViewFacts {
    static let name = "chains"
    static let keyText = "the tree of all chains"
    static let acting: Set<Intent> = [
        .left, .right, .unfoldAll, .foldAll, .foldLess, .foldMore, .group, .sort, .invertSort, .follow, .previousChain,
        .nextChain,
    ]

    static func handle(_ intent: Intent, _ state: inout State) -> [Effect]? {
        let page = max(1, Layout(state).content.rows - 1)
        switch intent {
        case .up: state.step(by: -1, orSay: "this is the first row")
        case .down: state.step(by: 1, orSay: "this is the last row")
        case .pageUp: state.step(by: -page, orSay: "this is the first row")
        case .pageDown: state.step(by: page, orSay: "this is the last row")
        case .halfUp: state.step(by: -max(1, page / 2), orSay: "this is the first row")
        case .halfDown: state.step(by: max(1, page / 2), orSay: "this is the last row")
        case .windowTop, .windowMiddle, .windowBottom: state.move(toWindow: WindowPart(intent)!)
        case .centre: state.centreSelection()
        case .chainStart, .chainEnd: state.goToEndOfChain(intent == .chainEnd)
        case .previousChain, .nextChain: state.goToChain(forward: intent == .nextChain)
        case .home: state.goToTop()
        case .end: state.step(to: state.tree.rowCount - 1)
        case .left: state.foldOrLeave()
        case .right: state.unfoldOrEnter()
        case .unfoldAll: state.foldAll(false)
        case .foldAll: state.foldAll(true)
        case .follow: state.toggleFollow()
        case .foldLess: state.fold(byLevels: 1)
        case .foldMore: state.fold(byLevels: -1)
        case .group: state.toggleGroups()
        case .sort: state.sortByNext()
        case .invertSort: state.invertSort()
        default: return nil
        }
        return []
    }

    static func selectNextRow(_ state: inout State) {
        if let below = state.tree.drawn.below, let row = state.row(of: below), state.row(at: row)?.rowID == below {
            return state.move(to: row)
        }
        let row = state.currentRow()
        if row + 1 < state.tree.rowCount { state.move(to: row + 1) }
    }

    /// Selects the clicked row. A click on the row's marker folds or unfolds the row; a double click beside the marker
    /// shows details.
    static func handleClick(_ click: RowClick, _ state: inout State) -> [Effect] {
        guard state.tree.window.indices.contains(click.line) else { return [] }
        let isOnMarker = select(click, &state)
        let opensDetail = click.count == 2 && !isOnMarker && Layout(state).detail == nil
        return opensDetail ? state.handle(.visit) : []
    }

    /// Selects the clicked row; if its marker was hit, folds or unfolds the row and returns true.
    private static func select(_ click: RowClick, _ state: inout State) -> Bool {
        let row = state.tree.window[click.line]
        guard row.tree == nil || state.find(row.rowID)?.node == row.tree?.node else { return false }
        state.move(to: state.tree.top + click.line)
        let node = state.columns(in: Layout(state).content.columns, indent: state.indent(of: row)).node
        let marker = node.start + (row.tree.map { TreeLines.marker($0, width: node.width) } ?? 0)
        guard click.column == marker || click.column == marker + 1 else { return false }
        if let tree = row.tree {
            if tree.flags.contains(.foldable) { state.fold(row, !tree.flags.contains(.folded)) }
        } else if state.world.programs[row.programIndex].outline.rowCount > 0 {
            state.fold(row, !state.isFolded(row))
        }
        return true
    }

    static func handleHeaderClick(column: Int, _ state: inout State) {
        let figures = state.shownGroupColumns
        if let figures, !figures.spans.isEmpty, column >= figures.textEnd {
            return state.notify("chains are not sorted by the figures of a group; s sorts")
        }
        let headers = state.columns(in: Layout(state).content.columns).headers
        guard let header = headers.first(where: { $0.contains(column) && figures?.hides($0) != true }) else {
            return
        }
        guard let sort = header.column.sort else {
            return state.notify("there is no order by \(header.column.rawValue)")
        }
        state.sort(byClickOn: sort)
    }

    static func scroll(by lines: Int, _ state: inout State) {
        guard state.tree.rowCount > 0 else { return }
        if state.following != .nothing { state.following = .nothing }
        let height = Layout(state).content.rows
        let target = min(max(0, state.tree.top + lines), max(0, state.tree.rowCount - height))
        guard target != state.tree.top, let first = state.row(at: target) else { return }
        state.tree.anchor = Anchor(rowID: first.rowID, line: 0)
        state.updateViewport()
    }

    static func scrollPosition(of state: borrowing State) -> (count: Int, top: Int) {
        (state.tree.rowCount, state.tree.top)
    }

    // MARK: Rows

    /// Finds the rows of the window. The selection stays on its node, and the node stays on its line, where possible.
    static func updateRows(_ state: inout State) {
        let height = Layout(state).content.rows
        state.tree.rowCount = state.countRows()
        guard state.tree.rowCount > 0 else {
            state.tree = ChainsView(selectedRow: state.tree.selectedRow, needs: state.tree.needs)
            if !state.filter.isActive { state.selection = nil }
            return
        }
        resolveSelection(&state)
        let wanted = resolveTop(&state)
        let selected = state.tree.selectedRow
        state.tree.top = min(max(0, wanted), max(0, state.tree.rowCount - height))
        if state.following != .first, state.tree.anchor?.rowID == state.selection {
            // The anchor is the selected row, which has to stay in sight.
            if selected < state.tree.top { state.tree.top = selected }
            if height > 0, selected >= state.tree.top + height { state.tree.top = selected - height + 1 }
        }
        fillWindow(height, &state)
        if state.following == .first, let first = state.tree.window.first { state.selection = first.rowID }
        let selection = state.selection
        state.tree.selectedLine = state.tree.window.firstIndex { $0.rowID == selection }
        findLinesWithTags(&state)
        state.tree.linesWithPins = state.linesWithPins()
        state.tree.isMeasured = false
    }

    /// Finds the lines with rows that hide tagged nodes. Looks up the first ``markedTagLimit`` tags only.
    private static func findLinesWithTags(_ state: inout State) {
        state.tree.linesWithTags = []
        guard state.tree.window.contains(where: { $0.tree?.flags.contains(.folded) != false }) else { return }
        for tag in state.presentTags.prefix(markedTagLimit) {
            guard let row = state.row(of: tag) else { continue }
            let line = row - state.tree.top
            if state.tree.window.indices.contains(line), state.tree.window[line].rowID != tag {
                state.tree.linesWithTags.insert(line)
            }
        }
    }

    private static let markedTagLimit = 1_000

    /// Reads the rows of the window, and anchors the selection if it is in sight, else the first row.
    private static func fillWindow(_ height: Int, _ state: inout State) {
        let (window, selection) = (state.rows(from: state.tree.top, count: height), state.selection)
        state.tree.window = window
        if let selection, let line = window.firstIndex(where: { $0.rowID == selection }) {
            state.tree.anchor = Anchor(rowID: selection, line: line)
        } else if let first = window.first {
            state.tree.anchor = Anchor(rowID: first.rowID, line: 0)
        }
    }

    /// Selects the row that ``State/following`` asks for. If the selected row is gone, selects the nearest remaining
    /// row.
    private static func resolveSelection(_ state: inout State) {
        switch state.following {
        case .first:
            state.tree.selectedRow = 0
            return
        case .newest: selectNewestChain(&state)
        case .selected: keepSelectionShown(&state)
        case .nothing: break
        }
        if let selection = state.selection, let row = state.row(of: selection) {
            state.tree.selectedRow = row
            return select(row: row, &state)
        }
        // The selected row was evicted or filtered out: select the nearest remaining row that was below it, else above
        // it.
        let (window, line) = (state.tree.window, state.tree.selectedLine ?? 0)
        for candidate in window.dropFirst(line) + window.prefix(line).reversed() {
            guard let row = state.row(of: candidate.rowID) else { continue }
            state.tree.selectedRow = row
            if let anchor = state.tree.anchor, anchor.rowID == state.selection {
                state.tree.anchor = Anchor(rowID: candidate.rowID, line: anchor.line)
            }
            return select(row: row, &state)
        }
        state.tree.selectedRow = min(state.tree.selectedRow, state.tree.rowCount - 1)
        state.tree.anchor = nil
        select(row: state.tree.selectedRow, &state)
    }

    /// Selects the newest chain, on the line of the previous selection. If the selected row hides that chain, as the
    /// row of a folded group does, the selection stays.
    private static func selectNewestChain(_ state: inout State) {
        guard let newest = state.newestChain(), newest != state.selection else { return }
        if let row = state.row(of: newest), state.row(at: row)?.rowID == state.selection { return }
        state.tree.anchor = Anchor(rowID: newest, line: state.tree.selectedLine ?? 0)
        state.selection = newest
        state.detailScroll = 0
    }

    /// Unfolds what hides the followed node; stops following if that node was evicted or filtered out.
    private static func keepSelectionShown(_ state: inout State) {
        guard let selection = state.selection, let (programIndex, node) = state.find(selection),
            let row = state.row(of: selection)
        else {
            state.following = .nothing
            return state.notify("the node that was followed is gone; nothing is followed", .warning)
        }
        guard state.row(at: row)?.rowID != selection else { return }
        state.unfold(to: node, in: programIndex)
        state.tree.rowCount = state.countRows()
    }

    private static func select(row: Int, _ state: inout State) {
        guard let rowID = state.row(at: row)?.rowID else { return }
        if state.tree.anchor?.rowID == state.selection { state.tree.anchor?.rowID = rowID }
        if state.selection != rowID { state.detailScroll = 0 }
        state.selection = rowID
    }

    /// Returns the number of the row that should be the first in the window; the number may be out of range.
    private static func resolveTop(_ state: inout State) -> Int {
        if state.following == .first { return 0 }
        guard let anchor = state.tree.anchor else { return min(state.tree.top, state.tree.selectedRow) }
        if anchor.rowID == state.selection { return state.tree.selectedRow - anchor.line }
        guard let row = state.row(of: anchor.rowID) else { return state.tree.top }
        return row - anchor.line
    }
}
