// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

// The rows of the timeline by number.
extension TimelineView {
    /// Returns the chain that is shown; nil where all chains are shown.
    func shownChain(_ context: ViewContext) -> (programIndex: Int, root: NodeIndex)? {
        guard scope == .chain, let (programIndex, node) = context.selectedNode else { return nil }
        return (programIndex, context.programs[programIndex].forest.root(of: node))
    }

    /// Returns the rows on the screen.
    func window(_ context: ViewContext) -> [TimelineRow] {
        cursor.count == 0 ? [] : rows(from: cursor.top, count: height(in: context), context)
    }

    /// Returns at most `count` rows, from row number `first` on; in a long chain, at least one row. O(rows); in a long
    /// chain, also O(distance of the rows from the selected row).
    func rows(from first: Int, count: Int, _ context: ViewContext) -> [TimelineRow] {
        guard let (programIndex, root) = shownChain(context) else {
            return chainRows(from: first, count: count, context)
        }
        if let chain {
            let first = min(max(0, first), chain.rows.count)
            return Array(chain.rows[first..<min(chain.rows.count, first + max(0, count))])
        }
        let forest = context.programs[programIndex].forest
        let total = cursor.count
        var node = context.selectedNode!.node
        if first == 0 {
            node = root
        } else if first == total - 1, count == 1 {
            node = PreorderSteps.last(under: root, in: forest)
        } else {
            let number = anchor?.rowID == context.selection ? anchor!.number : cursor.selected
            node = PreorderSteps.step(from: node, by: first - number, within: root, in: forest).node
        }
        let depth = PreorderSteps.depth(of: node, within: root, in: forest)
        var rows = [TimelineRow(programIndex: programIndex, node: node, depth: depth)]
        while rows.count < count {
            let climbs = first + rows.count < total
            guard let next = PreorderSteps.next(after: node, within: root, climbs: climbs, in: forest) else { break }
            let depth = max(0, rows.last!.depth + next.levels)
            rows.append(TimelineRow(programIndex: programIndex, node: next.node, depth: depth))
            node = next.node
        }
        return rows
    }

    /// Returns the number of rows of one program where all chains are shown.
    func rowCount(of programIndex: Int, _ context: ViewContext) -> Int {
        (context.showsPrograms ? 1 : 0) + context.programs[programIndex].forest.roots.count
    }

    /// Returns the row of a program, or of a node's chain, where all chains are shown.
    func chainRow(of rowID: RowID, _ context: ViewContext) -> Int? {
        guard let programIndex = context.programIndex(of: rowID.source) else { return nil }
        var first = 0
        for before in 0..<programIndex { first += rowCount(of: before, context) }
        guard rowID.node != nil else { return context.showsPrograms ? first : nil }
        guard let (_, node) = context.find(rowID) else { return nil }
        return first + (context.showsPrograms ? 1 : 0) + context.programs[programIndex].forest.rootNumber(of: node)
    }

    private func chainRows(from first: Int, count: Int, _ context: ViewContext) -> [TimelineRow] {
        var rows: [TimelineRow] = []
        var skipped = max(0, first)
        for programIndex in context.programs.indices where rows.count < count {
            let total = rowCount(of: programIndex, context)
            guard skipped < total else {
                skipped -= total
                continue
            }
            if context.showsPrograms {
                if skipped == 0 { rows.append(TimelineRow(programIndex: programIndex)) } else { skipped -= 1 }
            }
            let roots = context.programs[programIndex].forest.roots
            for root in roots[roots.index(at: skipped)...].prefix(count - rows.count) {
                rows.append(TimelineRow(programIndex: programIndex, node: root))
            }
            skipped = 0
        }
        return rows
    }

    /// Shows the next or the previous chain in the order of the tree. Where all chains are shown, selects the next or
    /// the previous row.
    mutating func goToChain(forward: Bool, _ context: inout ViewContext) {
        guard scope == .all else { return context.request(.goToChain(forward: forward)) }
        let row = cursor.selected + (forward ? 1 : -1)
        moveCursor(to: row, orSay: forward ? "this is the last chain" : "this is the first chain", &context)
    }

    // MARK: Matches

    /// Goes to the next or previous match: a node of the chain that is shown or, if all chains are shown, a chain.
    /// O(rows in between).
    func goToMatch(forward: Bool, _ context: inout ViewContext) {
        let isChain = shownChain(context) != nil
        let row = isChain ? nil : rows(from: cursor.selected, count: 1, context).first
        let root = row.flatMap { row in row.node.map { context.rowID(of: $0, in: row.programIndex) } }
        let (found, message) = context.nextMatch(forward: forward, from: isChain ? context.selection : root) { wraps in
            isChain
                ? matchInChain(forward, wraps, context)
                : Self.chainWithMatch(forward, from: wraps ? nil : row, context)
        }
        if let found { context.select(found) }
        if let message { context.notify(message) }
    }

    private func matchInChain(_ forward: Bool, _ wraps: Bool, _ context: ViewContext) -> RowID? {
        guard let (programIndex, root) = shownChain(context), var start = context.selectedNode?.node else { return nil }
        let forest = context.programs[programIndex].forest
        let outline = context.programs[programIndex].outline
        if wraps {
            start = forward ? root : PreorderSteps.last(under: root, in: forest)
            if outline.isMatch(start) { return context.rowID(of: start, in: programIndex) }
        }
        return outline.match(from: start, forward: forward, staysInChain: true, in: forest)
            .map { context.rowID(of: $0, in: programIndex) }
    }

    /// Returns the nearest chain with a match beyond a row; without a row, the first or the last such chain.
    private static func chainWithMatch(_ forward: Bool, from row: TimelineRow?, _ context: ViewContext) -> RowID? {
        let all = context.programs.indices
        var indices = Array(all)
        if let row { indices = Array(forward ? all[row.programIndex...] : all[...row.programIndex]) }
        for programIndex in forward ? indices : indices.reversed() {
            let forest = context.programs[programIndex].forest
            let outline = context.programs[programIndex].outline
            var roots = forest.roots[...]
            if let row, programIndex == row.programIndex {
                // A program's own row is above its chains.
                let number = row.node.map { forest.rootNumber(of: $0) } ?? -1
                roots = forward ? roots[roots.base.index(at: number + 1)...] : roots[..<roots.base.index(at: number)]
            }
            let hasMatch = { (root: NodeIndex) in outline.matchCount(of: root) > 0 }
            if let found = forward ? roots.first(where: hasMatch) : roots.last(where: hasMatch) {
                return context.rowID(of: found, in: programIndex)
            }
        }
        return nil
    }
}
