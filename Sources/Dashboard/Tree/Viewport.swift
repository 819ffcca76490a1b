// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

// Moving through the tree: what keys, commands and other views ask for.
extension State {
    /// Finds the rows of the shown view, and what depends on them. The selection stays on its row where possible.
    mutating func updateViewport() {
        revision += 1
        world.linkPrograms()
        let layout = Layout(self)
        updateTimeStrip(layout)
        let area = layout.content
        updateRows()
        // The details take the rows that the list leaves empty.
        if Layout(self).content != area { updateRows() }
        updateInsightDemand()
        drawnKey = redrawKey()
    }

    /// Selects a row and brings it into sight; a number outside the rows stands for the first or last row.
    mutating func move(to row: Int) {
        guard tree.rowCount > 0 else { return }
        following = .nothing
        let target = min(max(0, row), tree.rowCount - 1)
        guard let found = self.row(at: target) else { return }
        moveSelection(to: found.rowID, row: target)
    }

    /// Shows the top, and keeps showing it until the user moves.
    mutating func goToTop() {
        guard tree.rowCount > 0 else { return notify(emptyReason) }
        following = .first
        tree.anchor = nil
        detailScroll = 0
        updateViewport()
    }

    private mutating func moveSelection(to rowID: RowID, row: Int) {
        if selection != rowID { detailScroll = 0 }
        selection = rowID
        tree.selectedRow = row
        let height = max(1, Layout(self).content.rows)
        // A row in sight keeps its line; any other row is anchored at the nearest edge.
        tree.anchor = ChainsView.Anchor(rowID: rowID, line: min(max(0, row - tree.top), height - 1))
        updateViewport()
    }

    /// Returns the row from which a movement starts: the selected row, else the row that was selected last.
    mutating func currentRow() -> Int { selection.flatMap { row(of: $0) } ?? tree.selectedRow }

    /// Shows the tree and goes to a node there; unfolds what hides the node, and drops a filter that hides it.
    mutating func reveal(_ node: NodeIndex, in programIndex: Int) {
        if view != .chains { leaveView() }
        view = .chains
        let rowID = self.rowID(of: node, in: programIndex)
        var row = unfold(to: node, rowID, in: programIndex)
        if row == nil, filter.hidesUnmatched {
            let text = filter.text
            dropFilter()
            notify("“\(text)” hid this: the filter is dropped")
            row = unfold(to: node, rowID, in: programIndex)
        }
        guard let row else {
            updateViewport()
            return notify("its chain is still being read: try again")
        }
        noteVisited(before: rowID)
        following = .nothing
        moveSelection(to: rowID, row: row)
    }

    /// Unfolds what hides a node; returns the node's row; nil if the node has no row of its own.
    private mutating func unfold(to node: NodeIndex, _ rowID: RowID, in programIndex: Int) -> Int? {
        unfold(to: node, in: programIndex)
        tree.rowCount = countRows()
        guard let row = row(of: rowID), self.row(at: row)?.rowID == rowID else { return nil }
        return row
    }

    /// Follows the node that was selected before the newest chain was followed, else the selected node.
    mutating func followSelected() {
        if let old = selectedBefore, find(old) != nil, let row = row(of: old) {
            following = .selected
            moveSelection(to: old, row: row)
        } else {
            following = selectedNode == nil ? .nothing : .selected
            updateViewport()
        }
    }

    /// Returns the newest shown chain of all programs that is not archived, else their newest shown chain. A chain is
    /// archived a while after it has settled.
    func newestChain() -> RowID? {
        var newest: (rowID: RowID, isUnarchived: Bool, time: UInt64)?
        for program in world.programs {
            guard let (node, isUnarchived) = program.newestRoot() else { continue }
            let time = program.forest.node(node).created &+ program.wallOffset
            if let best = newest, (best.isUnarchived ? 1 : 0, best.time) >= (isUnarchived ? 1 : 0, time) { continue }
            newest = (program.rowID(of: node), isUnarchived, time)
        }
        return newest?.rowID
    }
}

extension Program {
    /// Returns the newest shown chain that is not archived, else the newest shown chain; see
    /// `Outline.newestChain(in:)`.
    fileprivate func newestRoot() -> (node: NodeIndex, isUnarchived: Bool)? {
        guard wasReached else { return nil }
        return outline.newestChain(in: forest).map { ($0.root, $0.isUnarchived) }
    }

    /// Unfolds everything that hides a node.
    mutating func unfold(to node: NodeIndex) {
        outline.unfold(around: node, in: forest)
        if !outline.isElsewhere(forest.root(of: node)) { isFolded = false }
    }
}

/// The selection of the tree, and how it moves.
struct TreePosition {
    var selection: RowID?
    var following: State.Following
    var anchor: ChainsView.Anchor?
}

// What other views need of the tree.
extension State {
    var treePosition: TreePosition {
        get { TreePosition(selection: selection, following: following, anchor: tree.anchor) }
        set {
            select(newValue.selection)
            (following, tree.anchor) = (newValue.following, newValue.anchor)
        }
    }

    /// Returns a row of a node near the selection, or near the first row; nil if no such row is found.
    mutating func nodeRowNearSelection() -> RowID? {
        let near = rows(from: tree.selectedRow, count: 2) + rows(from: 0, count: 2)
        return near.first { $0.tree != nil }?.rowID
    }
}
