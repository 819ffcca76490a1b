// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

// Moving by chains and within the window.
extension State {
    /// Goes forward to the first row of the next chain, or back to the first row of the selected chain. If that row is
    /// selected already, goes back to the first row of the previous chain.
    mutating func goToChain(forward: Bool) {
        let count = countRows()
        guard count > 0 else { return notify(emptyReason) }
        let row = selection.flatMap { self.row(of: $0) } ?? 0
        let chain = chainRows(around: row)
        if forward {
            let next = nextChainRow(after: chain)
            guard next < count else { return notify("this is the last chain") }
            selectRow(next)
        } else if row > chain.lowerBound {
            selectRow(chain.lowerBound)
        } else {
            guard row > 0 else { return notify("this is the first chain") }
            selectRow(chainRows(around: row - 1).lowerBound)
        }
    }

    /// Goes to the last row of the selected chain if `isLast`, else to the chain's first row.
    mutating func goToEndOfChain(_ isLast: Bool) {
        guard let row = selection.flatMap({ self.row(of: $0) }) else { return notify(emptyReason) }
        let chain = chainRows(around: row)
        let target = isLast ? chain.upperBound - 1 : chain.lowerBound
        if target == row {
            return notify(isLast ? "this is the last row of its chain" : "this is the top of its chain")
        }
        move(to: target)
    }

    /// Returns the rows of the chain that a row is in; for a program's or a group's row, that row alone. O(log chains).
    private mutating func chainRows(around row: Int) -> Range<Int> {
        guard let shown = self.row(at: row), let tree = shown.tree else { return row..<row + 1 }
        let root = world.programs[shown.programIndex].forest.root(of: tree.node)
        guard let first = self.row(of: rowID(of: root, in: shown.programIndex)), first <= row,
            let count = world.programs[shown.programIndex].outline.rowCount(
                ofChain: root, in: world.programs[shown.programIndex].forest)
        else { return row..<row + 1 }
        return first..<max(row + 1, first + count)
    }

    /// Returns the first row of the chain after the chain with the rows `chain`. After the last chain under a caller in
    /// another program comes the chain after the caller's chain.
    private mutating func nextChainRow(after chain: Range<Int>) -> Int {
        var (member, next) = (chain.lowerBound, chain.upperBound)
        // If the next row is not a root, it continues the caller's chain.
        while let shown = row(at: next)?.tree, !shown.flags.contains(.root), let memberRow = row(at: member),
            let (index, node) = find(memberRow.rowID), let caller = shownCaller(of: node, in: index),
            let callerRow = row(of: rowID(of: caller.node, in: caller.programIndex))
        {
            (member, next) = (callerRow, chainRows(around: callerRow).upperBound)
        }
        return next
    }

    /// Selects a row of the tree, even while another view is shown.
    private mutating func selectRow(_ row: Int) {
        if view == .chains { return move(to: row) }
        guard let rowID = self.row(at: row)?.rowID else { return }
        select(rowID)
        updateViewport()
    }

    /// Selects the first, the middle or the last row on the screen.
    mutating func move(toWindow part: WindowPart) {
        guard !tree.window.isEmpty else { return notify(emptyReason) }
        move(to: tree.top + part.line(of: tree.window.count))
    }

    /// Brings the selected row to the middle of the screen, as far as the rows above and below it allow.
    mutating func centreSelection() {
        guard let selection, row(of: selection) != nil else { return notify(emptyReason) }
        if following == .first { following = .nothing }
        tree.anchor = ChainsView.Anchor(rowID: selection, line: Layout(self).content.rows / 2)
        updateViewport()
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
