import ChainModel
import ChainRows

// The rows of the timeline by number.
extension TimelineView {
    /// Returns the chain that is shown; nil where all chains are shown.
    static func shownChain(_ state: borrowing State) -> (programIndex: Int, root: NodeIndex)? {
        guard state.timeline.scope == .chain, let (programIndex, node) = state.selectedNode else { return nil }
        return (programIndex, state.programs[programIndex].forest.root(of: node))
    }

    /// Returns the rows on the screen.
    static func window(_ state: borrowing State) -> [TimelineRow] {
        let cursor = state.timeline.cursor
        return cursor.count == 0 ? [] : rows(from: cursor.top, count: height(in: state), state)
    }

    /// Returns at most `count` rows, from row number `first` on; in a long chain, at least one row. O(rows); in a long
    /// chain, also O(distance of the rows from the selected row).
    static func rows(from first: Int, count: Int, _ state: borrowing State) -> [TimelineRow] {
        guard let (programIndex, root) = shownChain(state) else { return chainRows(from: first, count: count, state) }
        if let chain = state.timeline.chain {
            let first = min(max(0, first), chain.rows.count)
            return Array(chain.rows[first..<min(chain.rows.count, first + max(0, count))])
        }
        let forest = state.programs[programIndex].forest
        let total = state.timeline.cursor.count
        var node = state.selectedNode!.node
        if first == 0 {
            node = root
        } else if first == total - 1, count == 1 {
            node = PreorderSteps.last(under: root, in: forest)
        } else {
            let anchor = state.timeline.anchor
            let number = anchor?.rowID == state.selection ? anchor!.number : state.timeline.cursor.selected
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
    static func rowCount(of programIndex: Int, _ state: borrowing State) -> Int {
        (state.showsPrograms ? 1 : 0) + state.programs[programIndex].forest.roots.count
    }

    /// Returns the row of a program, or of a node's chain, where all chains are shown.
    static func chainRow(of rowID: RowID, _ state: borrowing State) -> Int? {
        guard let programIndex = state.programIndex(of: rowID.source) else { return nil }
        var first = 0
        for before in 0..<programIndex { first += rowCount(of: before, state) }
        guard rowID.node != nil else { return state.showsPrograms ? first : nil }
        guard let (_, node) = state.find(rowID) else { return nil }
        return first + (state.showsPrograms ? 1 : 0) + state.programs[programIndex].forest.rootNumber(of: node)
    }

    private static func chainRows(from first: Int, count: Int, _ state: borrowing State) -> [TimelineRow] {
        var rows: [TimelineRow] = []
        var skipped = max(0, first)
        for programIndex in state.programs.indices where rows.count < count {
            let total = rowCount(of: programIndex, state)
            guard skipped < total else {
                skipped -= total
                continue
            }
            if state.showsPrograms {
                if skipped == 0 { rows.append(TimelineRow(programIndex: programIndex)) } else { skipped -= 1 }
            }
            let roots = state.programs[programIndex].forest.roots
            for root in roots[roots.index(at: skipped)...].prefix(count - rows.count) {
                rows.append(TimelineRow(programIndex: programIndex, node: root))
            }
            skipped = 0
        }
        return rows
    }

    /// Shows the next or the previous chain in the order of the tree. Where all chains are shown, selects the next or
    /// the previous row.
    static func goToChain(forward: Bool, _ state: inout State) {
        guard state.timeline.scope == .all else { return state.goToChain(forward: forward) }
        let row = state.timeline.cursor.selected + (forward ? 1 : -1)
        moveCursor(to: row, orSay: forward ? "this is the last chain" : "this is the first chain", &state)
    }

    // MARK: Matches

    /// Goes to the next or previous match: a node of the chain that is shown or, if all chains are shown, a chain.
    /// O(rows in between).
    static func goToMatch(forward: Bool, _ state: inout State) {
        let isChain = shownChain(state) != nil
        let row = isChain ? nil : rows(from: state.timeline.cursor.selected, count: 1, state).first
        let root = row.flatMap { row in row.node.map { state.rowID(of: $0, in: row.programIndex) } }
        state.goToMatch(forward: forward, from: isChain ? state.selection : root) { found, state in
            state.select(found)
            state.updateViewport()
        } find: { state, wraps in
            isChain ? matchInChain(forward, wraps, state) : chainWithMatch(forward, from: wraps ? nil : row, state)
        }
    }

    private static func matchInChain(_ forward: Bool, _ wraps: Bool, _ state: borrowing State) -> RowID? {
        guard let (programIndex, root) = shownChain(state), var start = state.selectedNode?.node else { return nil }
        let forest = state.programs[programIndex].forest
        let outline = state.programs[programIndex].outline
        if wraps {
            start = forward ? root : PreorderSteps.last(under: root, in: forest)
            if outline.isMatch(start) { return state.rowID(of: start, in: programIndex) }
        }
        return outline.match(from: start, forward: forward, staysInChain: true, in: forest)
            .map { state.rowID(of: $0, in: programIndex) }
    }

    /// Returns the nearest chain with a match beyond a row; without a row, the first or the last such chain.
    private static func chainWithMatch(_ forward: Bool, from row: TimelineRow?, _ state: borrowing State) -> RowID? {
        let all = state.programs.indices
        var indices = Array(all)
        if let row { indices = Array(forward ? all[row.programIndex...] : all[...row.programIndex]) }
        for programIndex in forward ? indices : indices.reversed() {
            let forest = state.programs[programIndex].forest
            let outline = state.programs[programIndex].outline
            var roots = forest.roots[...]
            if let row, programIndex == row.programIndex {
                // A program's own row is above its chains.
                let number = row.node.map { forest.rootNumber(of: $0) } ?? -1
                roots = forward ? roots[roots.base.index(at: number + 1)...] : roots[..<roots.base.index(at: number)]
            }
            let hasMatch = { (root: NodeIndex) in outline.matchCount(of: root) > 0 }
            if let found = forward ? roots.first(where: hasMatch) : roots.last(where: hasMatch) {
                return state.rowID(of: found, in: programIndex)
            }
        }
        return nil
    }
}
