/// A view of a list with a cursor: moving, scrolling and clicking are the same in all such views.
protocol ListView: DashboardView {
    /// The view's cursor.
    static func cursor(of state: borrowing State) -> ListCursor
    /// Stores the view's cursor.
    static func setCursor(_ cursor: ListCursor, _ state: inout State)
    /// The number of lines that show something else below the rows.
    static var infoLineCount: Int { get }
    /// Returns the number of lines that show something else between the column headers and the rows.
    static func topLineCount(_ state: borrowing State) -> Int
    /// Handles a key that has a meaning of its own in this view; returns nil for a key that means the same as in other
    /// lists and views.
    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]?
    /// Selects what the row under the cursor stands for, after the cursor was moved.
    static func didMoveCursor(_ state: inout State)
    /// Updates what depends on the window, after it was scrolled.
    static func didScroll(_ state: inout State)
    /// Acts on a click on a row, after the click moved the cursor to that row.
    static func handleClickOnCursor(_ click: RowClick, _ state: inout State)
    /// Draws the column headers and the rows, without the scroll bar.
    static func drawRows(_ state: borrowing State, into painter: inout Painter)
}

extension ListView {
    static var infoLineCount: Int { 0 }
    static func topLineCount(_ state: borrowing State) -> Int { 0 }
    static func didScroll(_ state: inout State) {}
    static func scrollPosition(of state: borrowing State) -> (count: Int, top: Int) {
        let cursor = cursor(of: state)
        // The lines above and below the rows count, too, because the scroll bar is as long as all lines.
        return (cursor.count + infoLineCount + topLineCount(state), cursor.top)
    }
    static func lineCount(of state: borrowing State) -> Int { cursor(of: state).count + infoLineCount }

    /// Returns the number of lines for rows.
    static func height(in state: borrowing State) -> Int {
        max(0, Layout(state).content.rows - infoLineCount - topLineCount(state))
    }

    static func handle(_ intent: Intent, _ state: inout State) -> [Effect]? {
        if let effects = handleOwn(intent, &state) { return effects }
        let cursor = cursor(of: state)
        let page = max(1, height(in: state) - 1)
        switch intent {
        case .up: moveCursor(to: cursor.selected - 1, orSay: "this is the first row", &state)
        case .down: moveCursor(to: cursor.selected + 1, orSay: "this is the last row", &state)
        case .pageUp: moveCursor(to: cursor.selected - page, orSay: "this is the first row", &state)
        case .pageDown: moveCursor(to: cursor.selected + page, orSay: "this is the last row", &state)
        case .halfUp: moveCursor(to: cursor.selected - max(1, page / 2), orSay: "this is the first row", &state)
        case .halfDown: moveCursor(to: cursor.selected + max(1, page / 2), orSay: "this is the last row", &state)
        case .home, .chainStart: moveCursor(to: 0, &state)
        case .end, .chainEnd: moveCursor(to: cursor.count - 1, &state)
        case .windowTop, .windowMiddle, .windowBottom:
            let window = cursor.window(height: height(in: state))
            moveCursor(to: window.lowerBound + WindowPart(intent)!.line(of: window.count), &state)
        case .centre: scroll(by: cursor.selected - cursor.top - height(in: state) / 2, &state)
        case .previousChain, .nextChain, .left, .right, .unfoldAll, .foldAll, .foldLess, .foldMore, .group, .sort,
            .invertSort, .follow:
            state.notify(ViewID.words(forViewsWith: intent))
        default: return nil
        }
        return []
    }

    /// Moves the cursor to a row; shows `edge` if the cursor cannot move.
    static func moveCursor(to row: Int, orSay edge: String? = nil, _ state: inout State) {
        var cursor = cursor(of: state)
        guard cursor.count > 0 else { return state.notify(state.emptyReason) }
        let old = cursor.selected
        cursor.select(row, height: height(in: state))
        setCursor(cursor, &state)
        if cursor.selected == old, let edge { state.notify(edge) }
        didMoveCursor(&state)
        state.updateViewport()
    }

    /// Goes to the next or previous row that matches, and wraps at the ends. O(rows).
    static func goToMatch(
        forward: Bool, _ state: inout State, where isMatch: (_ row: Int, _ state: borrowing State) -> Bool
    ) {
        let cursor = cursor(of: state)
        let start = min(max(0, cursor.selected), cursor.count)
        state.goToMatch(forward: forward, from: start) { row, state in
            moveCursor(to: row, &state)
        } find: { state, wraps in
            let rows = wraps ? 0..<cursor.count : forward ? min(start + 1, cursor.count)..<cursor.count : 0..<start
            var offset = 0
            while offset < rows.count {
                let row = forward ? rows.lowerBound + offset : rows.upperBound - 1 - offset
                if isMatch(row, state) { return row }
                offset += 1
            }
            return nil
        }
    }

    static func selectNextRow(_ state: inout State) {
        let cursor = cursor(of: state)
        if cursor.selected + 1 < cursor.count {
            moveCursor(to: cursor.selected + 1, &state)
        } else {
            state.updateViewport()
        }
    }

    static func handleClick(_ click: RowClick, _ state: inout State) -> [Effect] {
        var cursor = cursor(of: state)
        let line = click.line - topLineCount(state)
        guard line >= 0, line < height(in: state), cursor.top + line < cursor.count else { return [] }
        cursor.selected = cursor.top + line
        setCursor(cursor, &state)
        didMoveCursor(&state)
        handleClickOnCursor(click, &state)
        state.updateViewport()
        return []
    }

    static func scroll(by lines: Int, _ state: inout State) {
        var cursor = cursor(of: state)
        cursor.scroll(by: lines, height: height(in: state))
        setCursor(cursor, &state)
        didScroll(&state)
        state.revision += 1
    }

    static func draw(_ state: borrowing State, into painter: inout Painter) {
        drawRows(state, into: &painter)
        let (count, top) = scrollPosition(of: state)
        painter.paintScrollBar(count: count, top: top)
    }
}
