// SPDX-License-Identifier: MIT

import Frames

/// What the state keeps of the mouse between two actions.
struct Pointer: Equatable {
    /// What is dragged with the left button held down.
    enum Drag {
        /// The border of the detail pane.
        case divider
        case scrollBar
        /// The shown moment, along the time strip.
        case strip
    }

    var drag: Drag?
    /// Whether the last click closed a box, such as a question or the help.
    var hasClosedBox = false
}

// Mouse dispatch: the wheel scrolls the pane under the pointer, a click selects, a click on a marker folds, a double
// click shows details. The border of the detail pane, the scroll bar and the time strip can be dragged.
extension State {
    private static let wheelLines = 3
    /// What covers the rows while it is shown.
    private static let boxes: [KeyMap.Context] = [.confirm, .help, .marks]

    mutating func handle(_ mouse: Mouse) -> [Effect] {
        guard !Layout.isTooSmall(size) else { return [] }
        let isClick = mouse.action == .press && mouse.button == .left
        // If the first click of a double click closed a box, the second click is not meant for what was under the box.
        if isClick, mouse.clickCount > 1, pointer.hasClosedBox { return [] }
        let before = context
        let effects = handleWithMode(mouse, isClick: isClick)
        if isClick { pointer.hasClosedBox = Self.boxes.contains(before) && context != before }
        return effects
    }

    /// Handles an action of the mouse in the current mode.
    private mutating func handleWithMode(_ mouse: Mouse, isClick: Bool) -> [Effect] {
        // The footer is still as it was drawn; handling its key then applies the programs' changes.
        if isClick, mouse.row == Layout(self).footerRow { return clickFooter(at: mouse.column) }
        let content = Layout(self).content
        var clicked: RowID?
        if isClick, content.contains(row: mouse.row, column: mouse.column), !Self.boxes.contains(context) {
            clicked = callView { $0.willClick(line: mouse.row - content.row, &$1) }.result
        }
        if !isFrozen, applyForestChanges() { updateViewport() }
        switch mode {
        case .help(var help):
            if let lines = Self.wheelLines(mouse) {
                help.scroll(by: lines, in: HelpBox(self))
                mode = .help(help)
            } else if isClick {
                mode = .normal
            }
            revision += 1
        case .confirm(let question):
            guard isClick else { return [] }
            let box = ConfirmBox(question, size: size, glyphs: options.glyphs)
            if box.yes.contains(row: mouse.row, column: mouse.column) { return answer(.yes, to: question) }
            if box.no.contains(row: mouse.row, column: mouse.column) { return answer(.no, to: question) }
        case .marks(let selected):
            if let lines = Self.wheelLines(mouse) { return handleInMarks(lines < 0 ? .up : .down, selected) }
            guard isClick else { return [] }
            if let index = MarksBox(self, selected: selected).index(row: mouse.row, column: mouse.column) {
                return goToMark(index)
            }
            return handleInMarks(.back, selected)
        case .normal, .filter, .command: return handleInRows(mouse, clicked)
        }
        return []
    }

    /// Scrolls the rows without moving the selection.
    private mutating func scroll(by lines: Int) {
        callView { $0.scroll(by: lines, &$1) }
        revision += 1
    }

    /// Handles an action of the mouse while the rows are shown; `clicked` is the row that was under the pointer.
    private mutating func handleInRows(_ mouse: Mouse, _ clicked: RowID?) -> [Effect] {
        let layout = Layout(self)
        let isClick = mouse.action == .press && mouse.button == .left
        if isClick { endMessage() }
        if mouse.action == .press || layout.strip == nil && pointer.drag == .strip { pointer.drag = nil }
        if mouse.action == .release, pointer.drag != nil {
            pointer.drag = nil
            return []
        }
        if let effects = dragTime(mouse, layout) { return effects }
        if dragScrollBar(mouse, layout) || dragDivider(mouse, layout) { return [] }
        if isClick, let tabs = layout.tabs, tabs.contains(row: mouse.row, column: mouse.column) {
            if let view = TabLine(self).view(at: mouse.column) { show(view) }
            return []
        }
        let lines = Self.wheelLines(mouse)
        if let area = layout.detail, area.contains(row: mouse.row, column: mouse.column) {
            if let lines {
                scrollDetail(by: lines)
            } else if isClick {
                let (line, column) = (mouse.row - area.row - 1, mouse.column - area.column - 2)
                return callDetail { $0.click(line: line, column: column, $1, &$2) }.effects
            }
        } else if let lines {
            scroll(by: lines)
        } else if isClick, layout.content.contains(row: mouse.row, column: mouse.column) {
            let click = RowClick(
                rowID: clicked, line: mouse.row - layout.content.row, column: mouse.column, count: mouse.clickCount)
            let effects = callView { $0.handleClick(click, &$1) }.effects
            updateViewport()
            return effects
        } else if isClick, mouse.row == layout.content.row - 1, mouse.column < layout.content.columns {
            callView { $0.handleHeaderClick(column: mouse.column, &$1) }
            updateViewport()
        }
        return []
    }

    /// Performs the key that the footer shows at a column; a click on a message closes the message.
    private mutating func clickFooter(at column: Int) -> [Effect] {
        var painter = Painter(self)
        painter.paintFooter(self)
        let row = painter.layout.footerRow
        if let hit = painter.clickAreas.first(where: { $0.area.contains(row: row, column: column) }) {
            return handle(hit.intent)
        }
        if status != nil, context.isView {
            status = nil
            revision += 1
        }
        return []
    }

    /// Scrolls to where the scroll bar is clicked or its thumb is dragged; returns false for other actions of the
    /// mouse.
    private mutating func dragScrollBar(_ mouse: Mouse, _ layout: Layout) -> Bool {
        let (count, top) = views[view].scrollPosition(in: ViewContext(self))
        guard !layout.isCovering, let bar = ScrollBar(area: layout.content, count: count, top: top) else {
            if pointer.drag == .scrollBar { pointer.drag = nil }
            return false
        }
        let line = mouse.row - layout.content.row
        switch mouse.action {
        case .press where mouse.button == .left:
            let isOnBar =
                mouse.column == layout.content.columns - 1 && line >= 0 && line < layout.content.rows
                // If the details are beside the rows, the bar is also their border: its thumb scrolls, its other cells
                // drag the border.
                && (!layout.isBeside || bar.isThumb(line))
            if isOnBar { pointer.drag = .scrollBar }
            if isOnBar, !bar.isThumb(line) { scroll(by: bar.top(at: line) - top) }
            return isOnBar
        case .drag where pointer.drag == .scrollBar:
            scroll(by: bar.top(at: line) - top)
            return true
        default: return false
        }
    }

    /// Returns the lines that the wheel scrolls down, negative for up; nil for other actions of the mouse.
    private static func wheelLines(_ mouse: Mouse) -> Int? {
        switch mouse.action {
        case .wheelUp: -wheelLines
        case .wheelDown: wheelLines
        default: nil
        }
    }

    /// Drags the border of the detail pane; returns false for other actions of the mouse.
    private mutating func dragDivider(_ mouse: Mouse, _ layout: Layout) -> Bool {
        switch mouse.action {
        case .press where mouse.button == .left && layout.isDivider(row: mouse.row, column: mouse.column):
            pointer.drag = .divider
        case .drag where pointer.drag == .divider:
            if layout.isBeside {
                detail.columns = max(Layout.leastDetailColumns, size.columns - mouse.column)
            } else if let area = layout.detail {
                detail.rows = max(Layout.leastDetailRows, area.row + area.rows - mouse.row)
            }
            updateViewport()
        default: return false
        }
        return true
    }
}
