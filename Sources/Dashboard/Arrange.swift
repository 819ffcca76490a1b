import ChainEvents
import ChainModel
import Frames

/// Which rows are on the screen, and where the selection is among them: made anew after whatever may have moved them.
extension State {
    /// Finds the rows to show; the selection stays on its node and that node on its line, if it can.
    mutating func arrange() {
        revision += 1
        guard forest != nil else {
            window = []
            selectedLine = nil
            return
        }
        let height = Layout(self).tree.rows
        rowCount = outline.rowCount
        guard rowCount > 0 else {
            (top, window, selectedLine, anchor) = (0, [], nil, nil)
            if !outline.filter.isActive { selection = nil }
            return
        }
        resolveSelection()
        let wanted = resolveTop()
        top = min(max(0, wanted), max(0, rowCount - height))
        if following != .first, anchor?.id == selection {
            // The anchor is the selection: never out of sight.
            if selectedRow < top { top = selectedRow }
            if height > 0, selectedRow >= top + height { top = selectedRow - height + 1 }
        }
        fillWindow(height)
        if following == .first, let first = window.first { selection = first.id }
        selectedLine = window.firstIndex { $0.id == selection }
        runningStep = currentStep()
    }

    private mutating func fillWindow(_ height: Int) {
        let rows = outline.rows(from: top, count: height, in: forest!)
        window.removeAll(keepingCapacity: true)
        for row in rows { window.append(WindowRow(row: row, id: forest!.node(row.node).id)) }
        if let selection, let line = window.firstIndex(where: { $0.id == selection }) {
            anchor = Anchor(id: selection, line: line)
        } else if let first = window.first {
            anchor = Anchor(id: first.id, line: 0)
        }
    }

    /// The selected node, or the nearest that is still there, and its row.
    private mutating func resolveSelection() {
        switch following {
        case .first:
            selectedRow = 0
            return
        case .newest:
            if let root = newestRoot(), case let id = forest!.node(root).id, id != selection {
                // It takes the place of the one before on the screen.
                anchor = Anchor(id: id, line: selectedLine ?? 0)
                selection = id
                detailScroll = 0
            }
        case .nobody: break
        }
        if let index = selectedIndex, let row = outline.row(of: index, in: forest!) {
            selectedRow = row
            select(row: row)
            return
        }
        // It was evicted, or the filter took it: the nearest below it that was on the screen, then above.
        let line = selectedLine ?? 0
        let near = window.dropFirst(line) + window.prefix(line).reversed()
        for candidate in near {
            guard let index = forest!.index(of: candidate.id), let row = outline.row(of: index, in: forest!) else {
                continue
            }
            selectedRow = row
            if anchor?.id == selection { anchor = Anchor(id: candidate.id, line: anchor?.line ?? 0) }
            select(row: row)
            return
        }
        selectedRow = min(selectedRow, rowCount - 1)
        anchor = nil
        select(row: selectedRow)
    }

    private mutating func select(row: Int) {
        guard let found = outline.rows(from: row, count: 1, in: forest!).first else { return }
        let id = forest!.node(found.node).id
        if anchor?.id == selection { anchor?.id = id }
        if selection != id { detailScroll = 0 }
        selection = id
    }

    private mutating func resolveTop() -> Int {
        if following == .first { return 0 }
        guard let anchor else { return min(top, selectedRow) }
        if anchor.id == selection { return selectedRow - anchor.line }
        guard let index = forest!.index(of: anchor.id), let row = outline.row(of: index, in: forest!) else {
            return top
        }
        return row - anchor.line
    }

    func newestRoot() -> NodeIndex? {
        let border = RootKey(section: .settled, rank: .min, id: 0)
        let shown = outline.shown
        let key = shown.key(before: border) ?? shown.first
        return key.flatMap { forest?.index(of: NodeID($0.id)) }
    }

    // MARK: Moving

    /// Selects the row with a number, as far as there is one, and brings it into sight.
    mutating func move(to row: Int) {
        guard forest != nil, rowCount > 0 else { return }
        following = .nobody
        let target = min(max(0, row), rowCount - 1)
        guard let found = outline.rows(from: target, count: 1, in: forest!).first else { return }
        moveSelection(to: forest!.node(found.node).id, row: target)
    }

    private mutating func moveSelection(to id: NodeID, row: Int) {
        if selection != id { detailScroll = 0 }
        selection = id
        selectedRow = row
        let height = max(1, Layout(self).tree.rows)
        // Its line if it is in sight, else the nearest edge.
        anchor = Anchor(id: id, line: min(max(0, row - top), height - 1))
        arrange()
    }

    /// Where the selection is now; moves start from there.
    mutating func currentRow() -> Int {
        guard let index = selectedIndex, let row = outline.row(of: index, in: forest!) else { return selectedRow }
        return row
    }

    /// Goes to a node, unfolding what hides it.
    mutating func reveal(_ node: NodeIndex) {
        guard forest != nil else { return }
        if outline.filter.hidesRest, !outline.filter.isMatch(node) { dropFilter() }
        var current = ChainWalk.outer(of: node, in: forest!)
        while let outer = current {
            if outline.isFolded(outer) { outline.fold(outer, false, in: forest!) }
            current = ChainWalk.outer(of: outer, in: forest!)
        }
        rowCount = outline.rowCount
        guard let row = outline.row(of: node, in: forest!) else { return }
        following = .nobody
        moveSelection(to: forest!.node(node).id, row: row)
    }

    /// Moves the picture, not the selection.
    mutating func scroll(by lines: Int) {
        guard forest != nil, rowCount > 0 else { return }
        if following != .nobody { following = .nobody }
        let height = Layout(self).tree.rows
        let target = min(max(0, top + lines), max(0, rowCount - height))
        guard target != top, let first = outline.rows(from: target, count: 1, in: forest!).first else { return }
        anchor = Anchor(id: forest!.node(first.node).id, line: 0)
        arrange()
    }
}
