// SPDX-License-Identifier: MIT

/// A view of a list with a cursor: moving, scrolling and clicking are the same in all such views.
protocol ListView: DashboardView {
    var cursor: ListCursor { get set }
    /// The number of lines that show something else below the rows.
    static var infoLineCount: Int { get }
    /// Returns the number of lines that show something else between the column headers and the rows.
    func topLineCount(_ context: ViewContext) -> Int
    /// Handles a key of all views that has a meaning of its own in this view; returns false for a key that means the
    /// same as in other lists and views.
    mutating func handleShared(_ intent: Intent, _ context: inout ViewContext) -> Bool
    /// Selects what the row under the cursor stands for, after the cursor was moved.
    mutating func didMoveCursor(_ context: inout ViewContext)
    /// Updates what depends on the window, after it was scrolled.
    mutating func didScroll(_ context: ViewContext)
    /// Acts on a click on a row, after the click moved the cursor to that row.
    mutating func handleClickOnCursor(_ click: RowClick, _ context: inout ViewContext)
    /// Draws the column headers and the rows, without the scroll bar.
    func drawRows(_ context: ViewContext, into painter: inout Painter)
}

extension ListView {
    static var infoLineCount: Int { 0 }
    func topLineCount(_ context: ViewContext) -> Int { 0 }
    mutating func didScroll(_ context: ViewContext) {}
    func scrollPosition(in context: ViewContext) -> (count: Int, top: Int) {
        // The lines above and below the rows count, too, because the scroll bar is as long as all lines.
        (cursor.count + Self.infoLineCount + topLineCount(context), cursor.top)
    }
    var lineCount: Int { cursor.count + Self.infoLineCount }

    /// Returns the number of lines for rows.
    func height(in context: ViewContext) -> Int {
        max(0, context.layout.content.rows - Self.infoLineCount - topLineCount(context))
    }

    mutating func handle(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        if case .own(let name) = intent {
            guard let own = Own(rawValue: name) else { return false }
            perform(own, &context)
            return true
        }
        if handleShared(intent, &context) { return true }
        let page = max(1, height(in: context) - 1)
        switch intent {
        case .up: moveCursor(by: -1, &context)
        case .down: moveCursor(by: 1, &context)
        case .pageUp: moveCursor(by: -page, &context)
        case .pageDown: moveCursor(by: page, &context)
        case .halfUp: moveCursor(by: -max(1, page / 2), &context)
        case .halfDown: moveCursor(by: max(1, page / 2), &context)
        case .home, .chainStart: moveCursor(to: 0, &context)
        case .end, .chainEnd: moveCursor(to: cursor.count - 1, &context)
        case .windowTop, .windowMiddle, .windowBottom:
            let window = cursor.window(height: height(in: context))
            moveCursor(to: window.lowerBound + WindowPart(intent)!.line(of: window.count), &context)
        case .centre: scroll(by: cursor.selected - cursor.top - height(in: context) / 2, &context)
        case .previousChain, .nextChain, .left, .right, .unfoldAll, .foldAll, .foldLess, .foldMore, .group, .sort,
            .invertSort, .follow:
            context.notify(ViewID.words(forViewsWith: intent))
        default: return false
        }
        return true
    }

    private mutating func moveCursor(by rows: Int, _ context: inout ViewContext) {
        moveCursor(to: cursor.selected + rows, orSay: "this is the \(rows < 0 ? "first" : "last") row", &context)
    }

    /// Moves the cursor to a row; shows `edge` if the cursor cannot move.
    mutating func moveCursor(to row: Int, orSay edge: String? = nil, _ context: inout ViewContext) {
        guard cursor.count > 0 else { return context.notify(context.emptyReason) }
        let old = cursor.selected
        cursor.select(row, height: height(in: context))
        if cursor.selected == old, let edge { context.notify(edge) }
        didMoveCursor(&context)
    }

    /// Goes to the next or previous row that matches, and wraps at the ends. O(rows).
    mutating func goToMatch(
        forward: Bool, _ context: inout ViewContext, where isMatch: (_ row: Int, Self, ViewContext) -> Bool
    ) {
        let (view, seen) = (self, context)
        let (count, start) = (cursor.count, min(max(0, cursor.selected), cursor.count))
        let (row, message) = seen.nextMatch(forward: forward, from: start) { wraps in
            let rows = wraps ? 0..<count : forward ? min(start + 1, count)..<count : 0..<start
            return forward
                ? rows.first { isMatch($0, view, seen) } : rows.last { isMatch($0, view, seen) }
        }
        if let row { moveCursor(to: row, &context) }
        if let message { context.notify(message) }
    }

    mutating func selectNextRow(_ context: inout ViewContext) {
        if cursor.selected + 1 < cursor.count { moveCursor(to: cursor.selected + 1, &context) }
    }

    mutating func handleClick(_ click: RowClick, _ context: inout ViewContext) {
        let line = click.line - topLineCount(context)
        guard line >= 0, line < height(in: context), cursor.top + line < cursor.count else { return }
        cursor.selected = cursor.top + line
        didMoveCursor(&context)
        handleClickOnCursor(click, &context)
    }

    mutating func scroll(by lines: Int, _ context: inout ViewContext) {
        cursor.scroll(by: lines, height: height(in: context))
        didScroll(context)
    }

    func draw(_ context: ViewContext, into painter: inout Painter) {
        drawRows(context, into: &painter)
        let (count, top) = scrollPosition(in: context)
        painter.paintScrollBar(count: count, top: top)
    }
}
