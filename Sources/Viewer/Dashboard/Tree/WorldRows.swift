// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows

// The rows of all programs. Where there are several programs, each has a row of its own, with its chains' rows below
// it, unless the filter hides all these rows. A row is found by adding up the row counts of the programs, which are
// few; within a program, its outline finds the row.

extension Program {
    // MARK: The rows of the chains, numbered from 0

    var wasReached: Bool { info != nil }

    /// Sets the filter. A small forest is searched immediately, a large forest in several steps.
    mutating func setFilter(_ filter: Filter, divisor: Int = 1) {
        outline.dimsUnmatched = filter.dims
        outline.setFilter(filter.query, in: forest, now: shownNow, divisor: divisor)
        filterWarningsRevision = nil
        updateFilterWarnings()
    }

    /// Passes changed warnings on to the outline, if its filter reads them.
    mutating func updateFilterWarnings() {
        guard wasReached, filterWarningsRevision != insight.warnings.revision, outline.filterState.readsWarnings else {
            return
        }
        filterWarningsRevision = insight.warnings.revision
        outline.setWarnings(insight.warnings.kindsByNode, in: forest)
    }

    /// Whether the scan for matches of the filter is still running.
    var isScanning: Bool { wasReached && outline.filterState.isScanning }

    /// Returns the row of a node, or of the nearest node that hides it; nil if the node's chain is not shown.
    mutating func row(of node: NodeIndex) -> Int? { outline.row(of: node, in: forest) }

    /// Returns the node or group in a row.
    mutating func rowID(at row: Int) -> RowID? {
        outline.outlineRows(from: row, count: 1, in: forest).first.map(rowID)
    }

    fileprivate func rowID(of row: OutlineRow) -> RowID {
        switch row {
        case .tree(let tree): rowID(of: tree.node)
        case .group(let site): RowID(source: source, site: site)
        case .foreign(let rows): rowID(of: rows.caller.node)
        }
    }

    mutating func fold(_ node: NodeIndex, _ isFolded: Bool) { outline.fold(node, isFolded, in: forest) }

    /// Folds every chain to one row, or unfolds everything.
    mutating func foldAll(_ isFolded: Bool) {
        if !isFolded { self.isFolded = false }
        guard wasReached else { return }
        outline.fold(toLevel: isFolded ? 0 : nil, in: forest)
    }

    mutating func tag(_ node: NodeIndex, _ isTagged: Bool) { outline.tag(node, isTagged, in: forest) }
}

extension World {
    /// Returns whether a program has a row of its own.
    func hasOwnRow(_ programIndex: Int) -> Bool {
        showsPrograms && !(hidesUnmatched && programs[programIndex].outline.rowCount == 0)
    }

    private func showsChains(_ programIndex: Int) -> Bool { !(showsPrograms && programs[programIndex].isFolded) }

    private func rowCount(of programIndex: Int) -> Int {
        (hasOwnRow(programIndex) ? 1 : 0)
            + (showsChains(programIndex) ? programs[programIndex].outline.rowCount : 0)
    }

    func countRows() -> Int { programs.indices.reduce(0) { $0 + rowCount(of: $1) } }

    /// Returns the row of a program, group or node, or of what hides it; nil if no such row is shown.
    mutating func row(of rowID: RowID) -> Int? {
        guard let programIndex = programIndex(of: rowID.source) else { return nil }
        var first = 0
        for before in 0..<programIndex { first += rowCount(of: before) }
        guard !rowID.isProgram else { return hasOwnRow(programIndex) ? first : nil }
        let found = find(rowID)
        guard found != nil || rowID.site != nil else { return nil }
        if let found, let row = rowUnderCaller(of: found.node, in: programIndex) { return row }
        guard showsChains(programIndex) else { return hasOwnRow(programIndex) ? first : nil }
        let row: Int? =
            if let site = rowID.site {
                programs[programIndex].outline.row(ofGroup: site)
            } else {
                found.flatMap { programs[programIndex].row(of: $0.node) }
            }
        return row.map { first + (hasOwnRow(programIndex) ? 1 : 0) + $0 }
    }

    /// Returns at most `count` rows from the row `first` on.
    mutating func rows(from first: Int, count: Int) -> [ChainsView.WindowRow] {
        var result: [ChainsView.WindowRow] = []
        var skipped = max(0, first)
        for programIndex in programs.indices where result.count < count {
            let total = rowCount(of: programIndex)
            guard skipped < total else {
                skipped -= total
                continue
            }
            append(from: skipped, count: count - result.count, of: programIndex, to: &result)
            skipped = 0
        }
        return result
    }

    private mutating func append(
        from first: Int, count: Int, of programIndex: Int, to result: inout [ChainsView.WindowRow]
    ) {
        var (first, count) = (first, count)
        if hasOwnRow(programIndex) {
            if first == 0 {
                result.append(
                    ChainsView.WindowRow(
                        rowID: RowID(source: programs[programIndex].source), programIndex: programIndex))
                count -= 1
            } else {
                first -= 1
            }
        }
        guard count > 0, showsChains(programIndex), programs[programIndex].wasReached else { return }
        let rows = programs[programIndex].outlineRows(from: first, count: count)
        append(rows, of: programIndex, under: nil, to: &result)
    }

    /// Appends rows of a program, with the rows of other programs' chains between them. `place` is where the rows are
    /// drawn in the tree of another program; nil if they are drawn in their own program.
    private mutating func append(
        _ rows: [OutlineRow], of programIndex: Int, under place: ForeignPlace?,
        to result: inout [ChainsView.WindowRow]
    ) {
        for row in rows {
            var tree: TreeRow?
            switch row {
            case .tree(let own): tree = place?.row(own) ?? own
            case .group: break
            case .foreign(let foreign):
                let caller = place?.row(foreign.caller) ?? foreign.caller
                append(foreign, under: caller, of: programIndex, to: &result)
                continue
            }
            result.append(
                ChainsView.WindowRow(
                    rowID: programs[programIndex].rowID(of: row), programIndex: programIndex, tree: tree))
        }
    }

    /// Appends rows of the chains of other programs that are drawn under a node.
    private mutating func append(
        _ rows: ForeignRows, under caller: TreeRow, of programIndex: Int, to result: inout [ChainsView.WindowRow]
    ) {
        let chains = calledChains.chains(under: rowID(of: caller.node, in: programIndex))
        var (skipped, remaining) = (rows.first, rows.count)
        for (offset, chain) in chains.enumerated() where remaining > 0 {
            guard skipped < chain.weight.rows else {
                skipped -= chain.weight.rows
                continue
            }
            let count = min(remaining, chain.weight.rows - skipped)
            if let (index, root) = find(chain.root) {
                let place = ForeignPlace(caller: caller, isLast: offset + 1 == chains.count)
                let rows = programs[index].outline.outlineRows(
                    ofChain: root, from: skipped, count: count, in: programs[index].forest)
                append(rows, of: index, under: place, to: &result)
            }
            remaining -= count
            skipped = 0
        }
    }

    mutating func row(at number: Int) -> ChainsView.WindowRow? { rows(from: number, count: 1).first }
}

extension Program {
    fileprivate mutating func outlineRows(from row: Int, count: Int) -> [OutlineRow] {
        outline.outlineRows(from: row, count: count, in: forest)
    }
}
