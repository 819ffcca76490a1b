// SPDX-License-Identifier: MIT

import ChainRows

/// The view of chains: the tree of all programs, which rows of it are on the screen, and where the selection is.
///
/// Keys of all views and other views lead to nodes of the tree, so the dashboard reaches this view even while another one
/// is shown.
struct ChainsView {
    /// How the selection moves by itself.
    enum Following {
        /// Selects whichever row is the first, until the user moves.
        case first
        /// Selects whichever chain is the newest.
        case newest
        /// Keeps the selected node selected and on its line, and unfolds what hides it.
        case selected
        /// Keeps the selected node selected.
        case nothing
    }

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

    /// The chosen columns, from left to right; columns without room are not shown.
    var columns = TreeColumn.usual
    /// The order of the chains.
    var order = TreeOrder()
    var following = Following.first
    /// The node that was selected before the newest chain was followed.
    var selectedBefore: RowID?
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
    /// The lines with a pinned node, or with a row that hides a pinned node. Some may be outside the window.
    var linesWithPins: Set<Int> = []
    /// The selected row and the row below it as last drawn, because rows may move before a key is handled.
    var drawn: (selected: RowID?, below: RowID?)
    /// The widths that the cells on the screen need.
    var needs = ColumnNeeds()
    /// Whether ``needs`` was updated from the present window.
    var isMeasured = true
}

/// The selection of the tree, and how it moves.
struct TreePosition {
    var selection: RowID?
    var following: ChainsView.Following
    var anchor: ChainsView.Anchor?
}

extension ChainsView: DashboardView {
    static let name = "chains"
    static let keyText = "the tree of all chains"
    static let acting: Set<Intent> = [
        .left, .right, .unfoldAll, .foldAll, .foldLess, .foldMore, .group, .sort, .invertSort, .follow, .previousChain,
        .nextChain,
    ]

    var lineCount: Int { rowCount }
    func scrollPosition(in context: ViewContext) -> (count: Int, top: Int) { (rowCount, top) }

    func position(_ selection: RowID?) -> TreePosition {
        TreePosition(selection: selection, following: following, anchor: anchor)
    }

    mutating func didAppear(_ context: inout ViewContext) {
        if following == .nothing, let (programIndex, node) = context.selectedNode {
            context.reveal(node, in: programIndex)
        }
    }

    mutating func handle(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        let page = max(1, context.layout.content.rows - 1)
        switch intent {
        case .up: step(by: -1, orSay: "this is the first row", &context)
        case .down: step(by: 1, orSay: "this is the last row", &context)
        case .pageUp: step(by: -page, orSay: "this is the first row", &context)
        case .pageDown: step(by: page, orSay: "this is the last row", &context)
        case .halfUp: step(by: -max(1, page / 2), orSay: "this is the first row", &context)
        case .halfDown: step(by: max(1, page / 2), orSay: "this is the last row", &context)
        case .windowTop, .windowMiddle, .windowBottom: move(toWindow: WindowPart(intent)!, &context)
        case .centre: centreSelection(&context)
        case .chainStart, .chainEnd: goToEndOfChain(intent == .chainEnd, &context)
        case .previousChain, .nextChain: goToChain(forward: intent == .nextChain, &context)
        case .home: goToTop(&context)
        case .end: step(to: rowCount - 1, &context)
        case .left: foldOrLeave(&context)
        case .right: unfoldOrEnter(&context)
        case .unfoldAll: foldAll(false, &context)
        case .foldAll: foldAll(true, &context)
        case .follow: toggleFollow(&context)
        case .foldLess: fold(byLevels: 1, &context)
        case .foldMore: fold(byLevels: -1, &context)
        case .group: toggleGroups(&context)
        case .sort: sort(by: order.column.next, siblings: order.sortsSiblings, &context)
        case .invertSort: invertSort(&context)
        default: return false
        }
        return true
    }

    mutating func selectNextRow(_ context: inout ViewContext) {
        if let below = drawn.below, let row = context.row(of: below), context.row(at: row)?.rowID == below {
            return move(to: row, &context)
        }
        let row = currentRow(&context)
        if row + 1 < rowCount { move(to: row + 1, &context) }
    }

    // MARK: The mouse

    mutating func willClick(line: Int, _ context: inout ViewContext) -> RowID? {
        window.indices.contains(line) ? window[line].rowID : nil
    }

    /// Selects the clicked row. A click on the row's marker folds or unfolds the row; a double click beside the marker
    /// shows details.
    mutating func handleClick(_ click: RowClick, _ context: inout ViewContext) {
        let line = click.rowID.flatMap { rowID in window.firstIndex { $0.rowID == rowID } } ?? click.line
        guard window.indices.contains(line) else { return }
        let isOnMarker = select(line: line, column: click.column, &context)
        if click.count == 2, !isOnMarker, context.layout.detail == nil { context.request(.toggleDetail) }
    }

    /// Selects a clicked row; if its marker was hit, folds or unfolds the row and returns true.
    private mutating func select(line: Int, column: Int, _ context: inout ViewContext) -> Bool {
        let row = window[line]
        guard row.tree == nil || context.find(row.rowID)?.node == row.tree?.node else { return false }
        let node = columns(in: context.layout.content.columns, indent: context.indent(of: row)).node
        move(to: top + line, &context)
        let marker = node.start + (row.tree.map { TreeLines.marker($0, width: node.width) } ?? 0)
        guard column == marker || column == marker + 1 else { return false }
        if let tree = row.tree {
            if tree.flags.contains(.foldable) { fold(row, !tree.flags.contains(.folded), &context) }
        } else if context.world.programs[row.programIndex].outline.rowCount > 0 {
            fold(row, !context.world.isFolded(row), &context)
        }
        return true
    }

    mutating func handleHeaderClick(column: Int, _ context: inout ViewContext) {
        let figures = groupColumns(context)
        if let figures, !figures.spans.isEmpty, column >= figures.textEnd {
            return context.notify("chains are not sorted by the figures of a group; s sorts")
        }
        let headers = columns(in: context.layout.content.columns).headers
        guard let header = headers.first(where: { $0.contains(column) && figures?.hides($0) != true }) else { return }
        guard let sort = header.column.sort else {
            return context.notify("there is no order by \(header.column.rawValue)")
        }
        if order.column == sort { return invertSort(&context) }
        self.sort(by: sort, siblings: order.sortsSiblings, &context)
    }

    mutating func scroll(by lines: Int, _ context: inout ViewContext) {
        guard rowCount > 0 else { return }
        following = .nothing
        let target = min(max(0, top + lines), max(0, rowCount - context.layout.content.rows))
        guard target != top, let first = context.row(at: target) else { return }
        anchor = Anchor(rowID: first.rowID, line: 0)
        updateRows(&context)
    }

    // MARK: Time

    var redrawKeyCoversDetail: Bool { selectedLine != nil }

    func redrawKey(in context: ViewContext) -> UInt64 {
        // Running times under ten seconds show tenths and start at different moments,
        // so the clock's tenths are the key for them all.
        let tenthsLimit: UInt64 = 11_000_000_000
        var isInSeconds = window.contains { $0.tree == nil }
        for programIndex in context.world.programs.indices {
            let age = context.world.programs[programIndex].growingAge(
                of: window, at: programIndex, limit: tenthsLimit)
            guard let age else { continue }
            if age < tenthsLimit { return 1 << 62 | context.wall / 100_000_000 }
            isInSeconds = true
        }
        return isInSeconds ? 1 << 61 | context.wall / 1_000_000_000 : 0
    }
}
