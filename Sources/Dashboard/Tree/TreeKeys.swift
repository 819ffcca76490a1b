// SPDX-License-Identifier: MIT

import ChainRows
import ChainText

// What the keys of the tree do: moving, folding and following.
extension State {
    /// Moves the selection by some rows; shows the message `edge` if the selection is at the first or last row already.
    mutating func step(by rows: Int, orSay edge: String) {
        let row = currentRow()
        let target = min(max(0, row + rows), tree.rowCount - 1)
        if tree.rowCount > 0, target == row, following == .nothing || following == .first { notify(edge) }
        step(to: target)
    }

    mutating func step(to row: Int) {
        if tree.rowCount > 0 { move(to: row) } else { notify(emptyReason) }
    }

    /// Returns the selected row and its number; shows `message` if no row is selected.
    private mutating func selectedRow(orSay message: String) -> (number: Int, row: ChainsView.WindowRow)? {
        guard let selection, let number = row(of: selection), let row = row(at: number) else {
            notify(message)
            return nil
        }
        return (number, row)
    }

    /// Folds the selected row. If there is nothing to fold, goes to the row that the selected row is under: the row of
    /// the outer node, the caller, the group or the program.
    mutating func foldOrLeave() {
        guard let (_, row) = selectedRow(orSay: "there is nothing to fold") else { return }
        guard let tree = row.tree else {
            if !isFolded(row) { return fold(row, true) }
            guard row.rowID.site != nil, showsPrograms,
                let number = self.row(of: RowID(source: row.rowID.source))
            else { return notify("this is the top") }
            return move(to: number)
        }
        if tree.flags.contains(.foldable), !tree.flags.contains(.folded) {
            fold(row, true)
        } else if let outer = world.programs[row.programIndex].outline.outer(
            of: tree.node, in: world.programs[row.programIndex].forest),
            let number = self.row(of: rowID(of: outer, in: row.programIndex))
        {
            move(to: number)
        } else if let caller = caller(of: tree.node, in: row.programIndex) {
            reveal(caller.node, in: caller.programIndex)
        } else if let site = world.programs[row.programIndex].outline.site(ofChain: tree.node),
            let number = self.row(of: RowID(source: row.rowID.source, site: site))
        {
            move(to: number)
        } else if showsPrograms, let number = self.row(of: RowID(source: row.rowID.source)) {
            move(to: number)
        } else {
            notify("this is the top of its chain")
        }
    }

    /// Unfolds the selected row. From an unfolded row, goes to the first row inside it.
    mutating func unfoldOrEnter() {
        guard let (number, row) = selectedRow(orSay: "there is nothing to unfold") else { return }
        if isFolded(row) {
            fold(row, false)
        } else if row.tree?.flags.contains(.foldable) ?? (world.programs[row.programIndex].outline.rowCount > 0) {
            move(to: number + 1)
        } else {
            let isElsewhere = world.programs[row.programIndex].outline.elsewhereCount > 0
            let nothing = isElsewhere ? "its chains are shown under their callers" : "it has no chains yet"
            notify(row.tree == nil ? nothing : "nothing is folded in here")
        }
    }

    func isFolded(_ row: ChainsView.WindowRow) -> Bool {
        if let site = row.rowID.site {
            let program = world.programs[row.programIndex]
            return program.outline.group(of: site, in: program.forest)?.isUnfolded != true
        }
        return row.tree?.flags.contains(.folded) ?? world.programs[row.programIndex].isFolded
    }

    /// Folds or unfolds a node, a group or a program.
    mutating func fold(_ row: ChainsView.WindowRow, _ isFolded: Bool) {
        if following != .nothing { following = .nothing }
        if let tree = row.tree {
            world.programs[row.programIndex].fold(tree.node, isFolded)
            rememberFold(of: tree.node, in: row.programIndex, isFolded)
        } else if let site = row.rowID.site {
            world.programs[row.programIndex].outline.setUnfolded(site, !isFolded)
        } else {
            world.programs[row.programIndex].isFolded = isFolded
        }
        updateViewport()
    }

    mutating func foldAll(_ isFolded: Bool) {
        if let why = whyNotFoldAll() { return notify(why) }
        for programIndex in world.programs.indices { world.programs[programIndex].foldAll(isFolded) }
        if !isFolded {
            foldedSites = []
            for programIndex in world.programs.indices { world.programs[programIndex].initialFolds = InitialFolds() }
        }
        updateViewport()
    }

    /// Follows in turn the newest chain, the selected node, and nothing.
    mutating func toggleFollow() {
        switch following {
        case .first, .nothing:
            selectedBefore = following == .nothing ? selection : nil
            following = .newest
            notify("following the newest chain; f again: the selected node")
        case .newest:
            followSelected()
            guard following == .selected, let (programIndex, node) = selectedNode else {
                return notify("following nothing")
            }
            let name = NodeText.safe(NodeText.name(of: node, in: world.programs[programIndex].forest))
            return notify("following \(name): it stays on its line; any move stops that")
        case .selected:
            following = .nothing
            notify("following nothing")
        }
        updateViewport()
    }
}
