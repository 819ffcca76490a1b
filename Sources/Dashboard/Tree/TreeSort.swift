// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRows

// Sorting and grouping: what keys, clicks and the command line ask for.
extension State {
    /// Sorts the chains of the tree; with `siblings`, also the nodes under the same node.
    mutating func sort(by column: SortColumn, inverted: Bool = false, siblings: Bool = false) {
        var wanted = order
        (wanted.column, wanted.isInverted, wanted.sortsSiblings) = (column, inverted, siblings)
        if following == .nothing { following = .first }
        setOrder(wanted)
        notify(order.words)
    }

    /// Sets the order of the tree in all programs.
    mutating func setOrder(_ wanted: TreeOrder) {
        let isGrouping = wanted.isGrouped != order.isGrouped
        order = wanted
        world.isGrouped = wanted.isGrouped
        if isGrouping { world.relinkPrograms() }
        for programIndex in world.programs.indices { world.programs[programIndex].setOrder(wanted) }
        updateViewport()
    }

    mutating func sortByNext() { sort(by: order.column.next, siblings: order.sortsSiblings) }

    mutating func invertSort() { sort(by: order.column, inverted: !order.isInverted, siblings: order.sortsSiblings) }

    /// Sorts by the column of a clicked header; inverts the order if the tree is sorted by that column already.
    mutating func sort(byClickOn column: SortColumn) {
        if order.column == column { return invertSort() }
        sort(by: column, siblings: order.sortsSiblings)
    }

    /// Groups the chains by call site, or ends the grouping.
    mutating func toggleGroups() {
        // When the grouping ends, the first chain of a selected group is selected in its place.
        var firstChain: RowID?
        if order.isGrouped, let selection, let site = selection.site,
            let programIndex = programIndex(of: selection.source)
        {
            firstChain = world.programs[programIndex].firstChain(of: site)
        }
        let line = tree.selectedLine
        var wanted = order
        wanted.isGrouped.toggle()
        if let firstChain {
            selection = firstChain
            tree.anchor = ChainsView.Anchor(rowID: firstChain, line: line ?? 0)
        }
        setOrder(wanted)
        notify(wanted.isGrouped ? "grouped by call site; t ungroups" : "not grouped; t groups by call site")
    }
}

extension Program {
    mutating func setOrder(_ order: TreeOrder) {
        outline.setOrder(order, in: forest, now: shownNow)
    }

    fileprivate func firstChain(of site: CodeLocation) -> RowID? {
        guard wasReached else { return nil }
        return outline.group(of: site, in: forest)?.first.map(rowID)
    }
}

extension TreeOrder {
    /// The order in a sentence.
    var words: String {
        let what: String
        switch column {
        case .start:
            what = "by start, live chains first, the \(isInverted ? "oldest" : "newest") of them at the top"
        case .state: what = isInverted ? "by state, fulfilled first" : "by state, live first"
        case .wait, .run, .total: what = "by \(column.title), the \(isInverted ? "shortest" : "longest") first"
        case .node, .thread: what = "by \(column.title), from \(isInverted ? "Z to A" : "A to Z")"
        case .value: what = "by value, errors first, from \(isInverted ? "Z to A" : "A to Z")"
        }
        return "sorted \(what)" + (sortsSiblings ? "; nodes under a node, too" : "")
    }
}
