import ChainModel
import Frames

/// What the mouse does: the wheel scrolls what it is over, a click selects, a click on a marker folds, a double click
/// shows details, and the border of the detail pane can be dragged.
extension State {
    private static let wheelLines = 3

    mutating func handle(_ mouse: Mouse) -> [Effect] {
        if !isFrozen, follow() { updateViewport() }
        let isWheel = mouse.action == .wheelUp || mouse.action == .wheelDown
        let lines = mouse.action == .wheelUp ? -Self.wheelLines : Self.wheelLines
        let isClick = mouse.action == .press && mouse.button == .left
        switch mode {
        case .help(let scroll):
            if isWheel {
                let limit = HelpBox(size: size, glyphs: options.glyphs).scrollLimit
                mode = .help(scroll: min(max(0, scroll + lines), limit))
            } else if isClick {
                mode = .tree
            }
            revision += 1
        case .confirm(let question):
            guard isClick else { return [] }
            let box = ConfirmBox(question, size: size, glyphs: options.glyphs)
            if box.yes.contains(row: mouse.row, column: mouse.column) { return answer(.yes, question) }
            if box.no.contains(row: mouse.row, column: mouse.column) { return answer(.no, question) }
        case .tree, .filter, .command:
            let layout = Layout(self)
            if drag(mouse, layout) { return [] }
            if isClick, let tabs = layout.tabs, tabs.contains(row: mouse.row, column: mouse.column) {
                if let view = TabLine(self).view(at: mouse.column) { show(view) }
                return []
            }
            if let detail = layout.detail, detail.contains(row: mouse.row, column: mouse.column) {
                if isWheel { scrollDetail(by: lines) }
            } else if isWheel {
                view == .chains ? scroll(by: lines) : scrollView(by: lines)
            } else if isClick, view == .chains, mouse.row == layout.tree.row - 1 {
                let heads = Columns(width: layout.tree.columns).heads
                if let head = heads.first(where: { $0.contains(mouse.column) }) { sort(byClickOn: head.column) }
            } else if isClick, layout.tree.contains(row: mouse.row, column: mouse.column) {
                guard view == .chains else {
                    clickInView(
                        line: mouse.row - layout.tree.row, column: mouse.column, isDouble: mouse.clickCount > 1)
                    return []
                }
                let isOnMarker = click(
                    line: mouse.row - layout.tree.row, column: mouse.column, width: layout.tree.columns)
                if mouse.clickCount == 2, !isOnMarker { return perform(.detail) }
            } else if isClick, view == .sites, mouse.row == layout.tree.row - 1, mouse.column < layout.tree.columns {
                clickSiteHead(column: mouse.column)
            }
        }
        return []
    }

    private mutating func scrollView(by lines: Int) {
        cursor.scroll(by: lines, height: viewHeight)
        if view == .events { events.didScroll() }
        revision += 1
    }

    /// Moves the border of the detail pane; false where that is not what the mouse does.
    private mutating func drag(_ mouse: Mouse, _ layout: Layout) -> Bool {
        switch mouse.action {
        case .press where mouse.button == .left && layout.isDivider(row: mouse.row, column: mouse.column):
            isDraggingDivider = true
        case .drag where isDraggingDivider:
            if layout.isBeside {
                detailColumns = max(Layout.leastDetailColumns, size.columns - mouse.column)
            } else if let detail = layout.detail {
                detailRows = max(Layout.leastDetailRows, detail.row + detail.rows - mouse.row)
            }
            updateViewport()
        case .release where isDraggingDivider: isDraggingDivider = false
        case .press, .wheelUp, .wheelDown:
            isDraggingDivider = false
            return false
        case .drag, .release: return false
        }
        return true
    }

    /// Selects the row, and folds it where its marker was hit; true if it was.
    private mutating func click(line: Int, column: Int, width: Int) -> Bool {
        guard window.indices.contains(line) else { return false }
        let row = window[line]
        guard row.tree == nil || find(row.rowID)?.node == row.tree?.node else { return false }
        move(to: top + line)
        let node = Columns(width: width, indent: indent(of: row)).node
        let marker = node.start + (row.tree.map { TreeLines.marker($0, width: node.width) } ?? 0)
        guard column == marker || column == marker + 1 else { return false }
        if let tree = row.tree {
            if tree.flags.contains(.foldable) { fold(row, !tree.flags.contains(.folded)) }
        } else if programs[row.programIndex].outline.rowCount > 0 {
            fold(row, !isFolded(row))
        }
        return true
    }
}
