import ChainModel
import Frames

/// What the mouse does: the wheel scrolls what it is over, a click selects, a click on a marker folds.
extension State {
    private static let wheelLines = 3

    mutating func handle(_ mouse: Mouse) -> [Effect] {
        if !isFrozen, follow() { arrange() }
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
        case .tree, .filter:
            let layout = Layout(self)
            if let detail = layout.detail, detail.contains(row: mouse.row, column: mouse.column) {
                if isWheel { scrollDetail(by: lines) }
            } else if isWheel {
                scroll(by: lines)
            } else if isClick, layout.tree.contains(row: mouse.row, column: mouse.column) {
                click(line: mouse.row - layout.tree.row, column: mouse.column, width: layout.tree.columns)
            }
        }
        return []
    }

    private mutating func click(line: Int, column: Int, width: Int) {
        guard window.indices.contains(line) else { return }
        let row = window[line]
        guard row.tree == nil || find(row.subject)?.node == row.tree?.node else { return }
        move(to: top + line)
        let node = Columns(width: width, indent: row.tree == nil ? 0 : indent).node
        let marker = node.start + (row.tree.map { TreeLines.marker($0, width: node.width) } ?? 0)
        guard column == marker || column == marker + 1 else { return }
        if let tree = row.tree {
            if tree.flags.contains(.foldable) { fold(row, !tree.flags.contains(.folded)) }
        } else if observed[row.place].outline.rowCount > 0 {
            fold(row, !observed[row.place].isFolded)
        }
    }
}
