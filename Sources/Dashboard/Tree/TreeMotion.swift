import ChainModel
import ChainRows

// Moving by chains and within the window.
extension State {
    /// Goes to the first row of the next chain, or of this chain or the one before it.
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

    /// Goes to the first or the last row of the selected chain.
    mutating func goToEndOfChain(_ isLast: Bool) {
        guard let row = selection.flatMap({ self.row(of: $0) }) else { return notify(emptyReason) }
        let chain = chainRows(around: row)
        let target = isLast ? chain.upperBound - 1 : chain.lowerBound
        if target == row {
            return notify(isLast ? "this is the last row of its chain" : "this is the top of its chain")
        }
        move(to: target)
    }

    /// The rows of the chain that a row is in; only the row itself for a program or a group. O(log chains).
    private mutating func chainRows(around row: Int) -> Range<Int> {
        guard let shown = self.row(at: row), let tree = shown.tree else { return row..<row + 1 }
        let root = programs[shown.programIndex].forest.root(of: tree.node)
        guard let first = self.row(of: rowID(of: root, in: shown.programIndex)), first <= row,
            let count = programs[shown.programIndex].rowModel.rowCount(
                ofChain: root, in: programs[shown.programIndex].forest)
        else { return row..<row + 1 }
        return first..<max(row + 1, first + count)
    }

    /// The row of the next chain after the rows of one. Under a caller in another program that is the next one there, else
    /// the one after the caller's.
    private mutating func nextChainRow(after chain: Range<Int>) -> Int {
        var (first, next) = (chain.lowerBound, chain.upperBound)
        while let shown = row(at: next)?.tree, !shown.flags.contains(.root), let own = row(at: first),
            let (index, node) = find(own.rowID), let caller = shownCaller(of: node, in: index),
            let around = row(of: rowID(of: caller.node, in: caller.programIndex))
        {
            (first, next) = (around, chainRows(around: around).upperBound)
        }
        return next
    }

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

    /// Brings the selected row to the middle of the screen, as far as there are rows around it.
    mutating func centreSelection() {
        guard let selection, row(of: selection) != nil else { return notify(emptyReason) }
        if following == .first { following = .nothing }
        tree.anchor = ChainsView.Anchor(rowID: selection, line: Layout(self).tree.rows / 2)
        updateViewport()
    }
}

/// A line of the rows that are shown, as `H`, `M` and `L` name them.
enum WindowPart {
    case top, middle, bottom

    /// Nil for other intents.
    init?(_ intent: Intent) {
        switch intent {
        case .windowTop: self = .top
        case .windowMiddle: self = .middle
        case .windowBottom: self = .bottom
        default: return nil
        }
    }

    func line(of count: Int) -> Int {
        switch self {
        case .top: 0
        case .middle: (count - 1) / 2
        case .bottom: count - 1
        }
    }
}
