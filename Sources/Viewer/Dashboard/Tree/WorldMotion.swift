// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

// Chains among the rows, and what folds, unfolds and orders them.
extension World {
    /// Returns the newest shown chain of all programs that is not archived, else their newest shown chain. A chain is
    /// archived a while after it has settled.
    func newestChain() -> RowID? {
        var newest: (rowID: RowID, isUnarchived: Bool, time: UInt64)?
        for program in programs where program.wasReached {
            guard let (node, isUnarchived) = program.outline.newestChain(in: program.forest) else { continue }
            let time = program.forest.node(node).created &+ program.wallOffset
            if let best = newest, (best.isUnarchived ? 1 : 0, best.time) >= (isUnarchived ? 1 : 0, time) { continue }
            newest = (program.rowID(of: node), isUnarchived, time)
        }
        return newest?.rowID
    }

    /// Returns the rows of the chain that a row is in; for a program's or a group's row, that row alone. O(log chains).
    mutating func chainRows(around row: Int) -> Range<Int> {
        guard let shown = self.row(at: row), let tree = shown.tree else { return row..<row + 1 }
        let root = programs[shown.programIndex].forest.root(of: tree.node)
        guard let first = self.row(of: rowID(of: root, in: shown.programIndex)), first <= row,
            let count = programs[shown.programIndex].outline.rowCount(
                ofChain: root, in: programs[shown.programIndex].forest)
        else { return row..<row + 1 }
        return first..<max(row + 1, first + count)
    }

    /// Returns the first row of the chain after the chain with the rows `chain`. After the last chain under a caller in
    /// another program comes the chain after the caller's chain.
    mutating func nextChainRow(after chain: Range<Int>) -> Int {
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

    /// Unfolds what hides a node; returns the node's row; nil if the node has no row of its own.
    mutating func unfoldedRow(of node: NodeIndex, in programIndex: Int) -> Int? {
        unfold(to: node, in: programIndex)
        let rowID = rowID(of: node, in: programIndex)
        guard let row = row(of: rowID), self.row(at: row)?.rowID == rowID else { return nil }
        return row
    }

    /// Returns whether what a row stands for is folded.
    func isFolded(_ row: ChainsView.WindowRow) -> Bool {
        if let site = row.rowID.site {
            let program = programs[row.programIndex]
            return program.outline.group(of: site, in: program.forest)?.isUnfolded != true
        }
        return row.tree?.flags.contains(.folded) ?? programs[row.programIndex].isFolded
    }

    /// Folds or unfolds a node, a group or a program.
    mutating func fold(_ row: ChainsView.WindowRow, _ isFolded: Bool) {
        if let tree = row.tree {
            programs[row.programIndex].fold(tree.node, isFolded)
        } else if let site = row.rowID.site {
            programs[row.programIndex].outline.setUnfolded(site, !isFolded)
        } else {
            programs[row.programIndex].isFolded = isFolded
        }
    }

    /// More programs than this are folded while they are idle.
    private static let unfoldedProgramCount = 4

    /// With many programs, folds those in which nothing was in flight and nothing failed for a minute, so that the busy
    /// ones are on the screen. Returns whether a program was folded or unfolded.
    mutating func foldIdlePrograms() -> Bool {
        let isCrowded = programs.count > Self.unfoldedProgramCount
        var isChanged = false
        for programIndex in programs.indices {
            let program = programs[programIndex]
            let isIdle = isCrowded && program.wasReached && program.liveCount == 0 && !program.loadHistory.hasLoad
            guard isIdle != program.isIdleFolded else { continue }
            programs[programIndex].isIdleFolded = isIdle
            isChanged = true
        }
        return isChanged
    }

    /// Sets the order of the chains in all programs.
    mutating func setOrder(_ order: TreeOrder) {
        let isGrouping = isGrouped != order.isGrouped
        isGrouped = order.isGrouped
        if isGrouping { relinkPrograms() }
        for programIndex in programs.indices { programs[programIndex].setOrder(order) }
    }

    /// Returns the numbers of the rows with a pinned node, or that hide a pinned node. O(pins).
    mutating func rowsWithPins() -> Set<Int> {
        var rows: Set<Int> = []
        for programIndex in programs.indices where programs[programIndex].wasReached {
            for id in programs[programIndex].forest.pins {
                guard let node = programs[programIndex].forest.index(of: id),
                    let row = row(of: rowID(of: node, in: programIndex))
                else { continue }
                rows.insert(row)
            }
        }
        return rows
    }
}

extension Program {
    /// Unfolds everything that hides a node.
    mutating func unfold(to node: NodeIndex) {
        outline.unfold(around: node, in: forest)
        if !outline.isElsewhere(forest.root(of: node)) { isFolded = false }
    }

    mutating func setOrder(_ order: TreeOrder) { outline.setOrder(order, in: forest, now: shownNow) }

    /// Shows `level` levels of each chain.
    mutating func fold(toLevel level: Int) { if wasReached { outline.fold(toLevel: level, in: forest) } }
}
