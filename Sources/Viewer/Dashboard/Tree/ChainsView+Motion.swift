// SPDX-License-Identifier: MIT

import ChainRows

// Moving the selection.
extension ChainsView {
    /// Selects a row and brings it into sight; a number outside the rows stands for the first or last row.
    mutating func move(to row: Int, _ context: inout ViewContext) {
        guard rowCount > 0 else { return }
        let target = min(max(0, row), rowCount - 1)
        if let found = context.row(at: target) { move(to: found.rowID, row: target, &context) }
    }

    /// Selects a row, of which the number is known, and stops following. A row in sight keeps its line; any other row is
    /// anchored at the nearest edge.
    mutating func move(to rowID: RowID, row: Int, _ context: inout ViewContext) {
        following = .nothing
        context.selectInTree(rowID)
        selectedRow = row
        anchor = Anchor(rowID: rowID, line: min(max(0, row - top), max(1, context.layout.content.rows) - 1))
    }

    /// Shows the top, and keeps showing it until the user moves.
    mutating func goToTop(_ context: inout ViewContext) {
        guard rowCount > 0 else { return context.notify(context.emptyReason) }
        following = .first
        anchor = nil
        context.scrollDetailToTop()
    }

    /// Returns the row from which a movement starts: the selected row, else the row that was selected last.
    func currentRow(_ context: inout ViewContext) -> Int {
        if let selection = context.selection, let row = context.row(of: selection) { return row }
        return selectedRow
    }

    /// Moves the selection by some rows; shows the message `edge` if the selection is at the first or last row already.
    mutating func step(by rows: Int, orSay edge: String, _ context: inout ViewContext) {
        let row = currentRow(&context)
        let target = min(max(0, row + rows), rowCount - 1)
        if rowCount > 0, target == row, following == .nothing || following == .first { context.notify(edge) }
        step(to: target, &context)
    }

    mutating func step(to row: Int, _ context: inout ViewContext) {
        if rowCount > 0 { move(to: row, &context) } else { context.notify(context.emptyReason) }
    }

    /// Goes forward to the first row of the next chain, or back to the first row of the selected chain. If that row is
    /// selected already, goes back to the first row of the previous chain. While another view is shown, only selects.
    mutating func goToChain(forward: Bool, _ context: inout ViewContext) {
        let count = context.world.countRows()
        guard count > 0 else { return context.notify(context.emptyReason) }
        let selected = context.selection
        let row = selected.flatMap { context.row(of: $0) } ?? 0
        let chain = context.chainRows(around: row)
        if forward {
            let next = context.nextChainRow(after: chain)
            guard next < count else { return context.notify("this is the last chain") }
            selectRow(next, &context)
        } else if row > chain.lowerBound {
            selectRow(chain.lowerBound, &context)
        } else {
            guard row > 0 else { return context.notify("this is the first chain") }
            selectRow(context.chainRows(around: row - 1).lowerBound, &context)
        }
    }

    private mutating func selectRow(_ row: Int, _ context: inout ViewContext) {
        if context.view == .chains { return move(to: row, &context) }
        if let rowID = context.row(at: row)?.rowID { context.select(rowID) }
    }

    /// Goes to the last row of the selected chain if `isLast`, else to the chain's first row.
    mutating func goToEndOfChain(_ isLast: Bool, _ context: inout ViewContext) {
        guard let selection = context.selection, let row = context.row(of: selection) else {
            return context.notify(context.emptyReason)
        }
        let chain = context.chainRows(around: row)
        let target = isLast ? chain.upperBound - 1 : chain.lowerBound
        if target == row {
            return context.notify(isLast ? "this is the last row of its chain" : "this is the top of its chain")
        }
        move(to: target, &context)
    }

    /// Selects the first, the middle or the last row on the screen.
    mutating func move(toWindow part: WindowPart, _ context: inout ViewContext) {
        guard !window.isEmpty else { return context.notify(context.emptyReason) }
        move(to: top + part.line(of: window.count), &context)
    }

    /// Brings the selected row to the middle of the screen, as far as the rows above and below it allow.
    mutating func centreSelection(_ context: inout ViewContext) {
        guard let selection = context.selection, context.row(of: selection) != nil else {
            return context.notify(context.emptyReason)
        }
        if following == .first { following = .nothing }
        anchor = Anchor(rowID: selection, line: context.layout.content.rows / 2)
    }
}

/// A line of the window: the target of the keys `H`, `M` and `L`.
enum WindowPart {
    case top, middle, bottom

    /// Makes the part for an intent; nil for other intents.
    init?(_ intent: Intent) {
        switch intent {
        case .windowTop: self = .top
        case .windowMiddle: self = .middle
        case .windowBottom: self = .bottom
        default: return nil
        }
    }

    /// Returns the line in a window of `count` lines.
    func line(of count: Int) -> Int {
        switch self {
        case .top: 0
        case .middle: (count - 1) / 2
        case .bottom: count - 1
        }
    }
}
