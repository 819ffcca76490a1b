import ChainEvents
import ChainModel
import Frames

/// Which rows are on the screen, and where the selection is among them: made anew after whatever may have moved them.
extension State {
    /// Finds the rows to show; the selection stays on its node and that node on its line, if it can.
    mutating func updateViewport() {
        revision += 1
        guard view == .chains else {
            arrangeView()
            runningStep = currentStep()
            return
        }
        let height = Layout(self).tree.rows
        rowCount = countRows()
        guard rowCount > 0 else {
            (top, window, selectedLine, anchor) = (0, [], nil, nil)
            if !filter.isActive { selection = nil }
            return
        }
        resolveSelection()
        let wanted = resolveTop()
        top = min(max(0, wanted), max(0, rowCount - height))
        if following != .first, anchor?.rowID == selection {
            // The anchor is the selection: never out of sight.
            if selectedRow < top { top = selectedRow }
            if height > 0, selectedRow >= top + height { top = selectedRow - height + 1 }
        }
        fillWindow(height)
        if following == .first, let first = window.first { selection = first.rowID }
        selectedLine = window.firstIndex { $0.rowID == selection }
        countSitesIfSeen()
        runningStep = currentStep()
    }

    private mutating func fillWindow(_ height: Int) {
        window = rows(from: top, count: height)
        if let selection, let line = window.firstIndex(where: { $0.rowID == selection }) {
            anchor = Anchor(rowID: selection, line: line)
        } else if let first = window.first {
            anchor = Anchor(rowID: first.rowID, line: 0)
        }
    }

    /// What is selected, or the nearest that is still there, and its row.
    private mutating func resolveSelection() {
        switch following {
        case .first:
            selectedRow = 0
            return
        case .newest:
            if let newest = newestChain(), newest != selection {
                // It takes the place of the one before on the screen.
                anchor = Anchor(rowID: newest, line: selectedLine ?? 0)
                selection = newest
                detailScroll = 0
            }
        case .selected: keepSelectedInSight()
        case .nobody: break
        }
        if let selection, let row = row(of: selection) {
            selectedRow = row
            select(row: row)
            return
        }
        // It was evicted, or the filter took it: the nearest below it that was on the screen, then above.
        let line = selectedLine ?? 0
        let near = window.dropFirst(line) + window.prefix(line).reversed()
        for candidate in near {
            guard let row = row(of: candidate.rowID) else { continue }
            selectedRow = row
            if anchor?.rowID == selection { anchor = Anchor(rowID: candidate.rowID, line: anchor?.line ?? 0) }
            select(row: row)
            return
        }
        selectedRow = min(selectedRow, rowCount - 1)
        anchor = nil
        select(row: selectedRow)
    }

    /// The followed node is folded away by nothing; where it is gone or filtered out nothing is followed.
    private mutating func keepSelectedInSight() {
        guard let selection, let (programIndex, node) = find(selection), let row = row(of: selection) else {
            following = .nobody
            return say("the node that was followed is gone; nothing is followed", .warning)
        }
        guard self.row(at: row)?.rowID != selection else { return }
        programs[programIndex].isFolded = false
        programs[programIndex].unfoldAround(node)
        rowCount = countRows()
    }

    /// Follows who was selected before the newest chain was, else who is now.
    mutating func followSelected() {
        if let old = selectedBefore, find(old) != nil, let row = row(of: old) {
            following = .selected
            moveSelection(to: old, row: row)
        } else {
            following = selectedNode == nil ? .nobody : .selected
            updateViewport()
        }
    }

    private mutating func select(row number: Int) {
        guard let rowID = row(at: number)?.rowID else { return }
        if anchor?.rowID == selection { anchor?.rowID = rowID }
        if selection != rowID { detailScroll = 0 }
        selection = rowID
    }

    private mutating func resolveTop() -> Int {
        if following == .first { return 0 }
        guard let anchor else { return min(top, selectedRow) }
        if anchor.rowID == selection { return selectedRow - anchor.line }
        guard let row = row(of: anchor.rowID) else { return top }
        return row - anchor.line
    }

    /// The chain that began last, of all programs.
    private func newestChain() -> RowID? {
        var newest: (rowID: RowID, isLive: Bool, time: UInt64)?
        for program in programs {
            guard let (node, isLive) = program.newestRoot() else { continue }
            let time = program.forest!.node(node).created &+ program.wallOffset
            if let best = newest, (best.isLive ? 1 : 0, best.time) >= (isLive ? 1 : 0, time) { continue }
            newest = (program.rowID(of: node), isLive, time)
        }
        return newest?.rowID
    }

    // MARK: Moving

    /// Selects the row with a number, as far as there is one, and brings it into sight.
    mutating func move(to row: Int) {
        guard rowCount > 0 else { return }
        following = .nobody
        let target = min(max(0, row), rowCount - 1)
        guard let found = self.row(at: target) else { return }
        moveSelection(to: found.rowID, row: target)
    }

    private mutating func moveSelection(to rowID: RowID, row: Int) {
        if selection != rowID { detailScroll = 0 }
        selection = rowID
        selectedRow = row
        let height = max(1, Layout(self).tree.rows)
        // Its line if it is in sight, else the nearest edge.
        anchor = Anchor(rowID: rowID, line: min(max(0, row - top), height - 1))
        updateViewport()
    }

    /// Where the selection is now; moves start from there.
    mutating func currentRow() -> Int { selection.flatMap { row(of: $0) } ?? selectedRow }

    /// Goes to a node, unfolding what hides it.
    mutating func reveal(_ node: NodeIndex, in programIndex: Int) {
        view = .chains
        let rowID = self.rowID(of: node, in: programIndex)
        var row = unfold(to: node, rowID, in: programIndex)
        if row == nil, filter.hidesRest {
            let text = filter.text
            dropFilter()
            say("“\(text)” hid this: the filter is dropped")
            row = unfold(to: node, rowID, in: programIndex)
        }
        guard let row else { return }
        following = .nobody
        moveSelection(to: rowID, row: row)
    }

    /// Unfolds what hides a node; its own row then, nil where it has none.
    private mutating func unfold(to node: NodeIndex, _ rowID: RowID, in programIndex: Int) -> Int? {
        programs[programIndex].isFolded = false
        programs[programIndex].unfoldAround(node)
        rowCount = countRows()
        guard let row = row(of: rowID), self.row(at: row)?.rowID == rowID else { return nil }
        return row
    }

    /// Moves the picture, not the selection.
    mutating func scroll(by lines: Int) {
        guard rowCount > 0 else { return }
        if following != .nobody { following = .nobody }
        let height = Layout(self).tree.rows
        let target = min(max(0, top + lines), max(0, rowCount - height))
        guard target != top, let first = row(at: target) else { return }
        anchor = Anchor(rowID: first.rowID, line: 0)
        updateViewport()
    }
}

extension Program {
    /// The chain that began last, among the live ones if there are any.
    fileprivate func newestRoot() -> (node: NodeIndex, isLive: Bool)? {
        guard let forest else { return nil }
        return outline.newestChain(in: forest).map { ($0.root, $0.isLive) }
    }

    fileprivate mutating func unfoldAround(_ node: NodeIndex) { outline.unfold(around: node, in: forest!) }
}
