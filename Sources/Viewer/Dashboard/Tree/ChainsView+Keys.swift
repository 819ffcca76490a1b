// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRows
import ChainText

// Folding, following, sorting and grouping.
extension ChainsView {
    /// Returns the selected row and its number; shows `message` if no row is selected.
    private func selectedRow(
        orSay message: String, _ context: inout ViewContext
    ) -> (number: Int, row: WindowRow)? {
        guard let selection = context.selection, let number = context.row(of: selection),
            let row = context.row(at: number)
        else {
            context.notify(message)
            return nil
        }
        return (number, row)
    }

    /// Folds the selected row. If there is nothing to fold, goes to the row that the selected row is under: the row of
    /// the outer node, the caller, the group or the program.
    mutating func foldOrLeave(_ context: inout ViewContext) {
        guard let (_, row) = selectedRow(orSay: "there is nothing to fold", &context) else { return }
        let (programIndex, source) = (row.programIndex, row.rowID.source)
        guard let tree = row.tree else {
            if !context.world.isFolded(row) { return fold(row, true, &context) }
            guard row.rowID.site != nil, context.showsPrograms, let number = context.row(of: RowID(source: source))
            else { return context.notify("this is the top") }
            return move(to: number, &context)
        }
        if tree.flags.contains(.foldable), !tree.flags.contains(.folded) { return fold(row, true, &context) }
        if let outer = context.world.programs[programIndex].forest.outer(of: tree.node),
            let number = context.row(of: context.rowID(of: outer, in: programIndex))
        {
            return move(to: number, &context)
        }
        if let caller = context.caller(of: tree.node, in: programIndex) {
            return context.reveal(caller.node, in: caller.programIndex)
        }
        if let site = context.world.programs[programIndex].outline.site(ofChain: tree.node),
            let number = context.row(of: RowID(source: source, site: site))
        {
            return move(to: number, &context)
        }
        if context.showsPrograms, let number = context.row(of: RowID(source: source)) {
            return move(to: number, &context)
        }
        context.notify("this is the top of its chain")
    }

    /// Unfolds the selected row. From an unfolded row, goes to the first row inside it.
    mutating func unfoldOrEnter(_ context: inout ViewContext) {
        guard let (number, row) = selectedRow(orSay: "there is nothing to unfold", &context) else { return }
        if context.world.isFolded(row) { return fold(row, false, &context) }
        let outline = context.world.programs[row.programIndex].outline
        if row.tree?.flags.contains(.foldable) ?? (outline.rowCount > 0) { return move(to: number + 1, &context) }
        let nothing =
            outline.elsewhereCount > 0 ? "its chains are shown under their callers" : "it has no chains yet"
        context.notify(row.tree == nil ? nothing : "nothing is folded in here")
    }

    mutating func fold(_ row: WindowRow, _ isFolded: Bool, _ context: inout ViewContext) {
        following = .nothing
        context.request(.fold(row, isFolded))
    }

    /// Folds every chain to one row, or unfolds everything.
    func foldAll(_ isFolded: Bool, _ context: inout ViewContext) {
        if canFoldAll(&context) { context.request(.foldAll(isFolded)) }
    }

    /// Shows `levels` more levels of every chain, or fewer levels if `levels` is negative. Counts from the level in
    /// force, else from the deepest row on the screen.
    mutating func fold(byLevels levels: Int, _ context: inout ViewContext) {
        guard canFoldAll(&context) else { return }
        let deepest = window.reduce(0) { max($0, Int($1.tree?.depth ?? 0)) }
        let level = context.world.programs.first(where: \.wasReached)?.outline.foldLevel
        guard let level else { return fold(toLevel: deepest + levels, &context) }
        if levels > 0, deepest < level {
            return context.notify("nothing on the screen is deeper than level \(level)")
        }
        if levels < 0, level == 0 { return context.notify("every chain is one row") }
        fold(toLevel: level + levels, &context)
    }

    /// Folds every chain so that nodes up to `level` levels in are shown; 0 leaves one row for each chain. Drops the
    /// folds of single nodes; nodes with very many children stay folded.
    mutating func fold(toLevel level: Int, _ context: inout ViewContext) {
        guard canFoldAll(&context) else { return }
        let level = max(0, level)
        following = .nothing
        context.request(.foldToLevel(level))
        let levels = level == 1 ? "1 level" : "\(level) levels"
        context.notify(
            level == 0 ? "every chain is one row; } shows a level more" : "\(levels) of every chain; * shows all")
    }

    /// Returns whether chains can be folded to a level; if not, shows why.
    private func canFoldAll(_ context: inout ViewContext) -> Bool {
        let why =
            rowCount == 0
            ? context.emptyReason : context.filter.hidesUnmatched ? "a filter unfolds what matches; Esc drops it" : nil
        if let why { context.notify(why) }
        return why == nil
    }

    // MARK: Following

    /// Follows in turn the newest chain, the selected node, and nothing.
    mutating func toggleFollow(_ context: inout ViewContext) {
        switch following {
        case .first, .nothing:
            selectedBefore = following == .nothing ? context.selection : nil
            following = .newest
            context.notify("following the newest chain; f again: the selected node")
        case .newest:
            followSelected(&context)
            guard following == .selected, let (programIndex, node) = context.selectedNode else {
                return context.notify("following nothing")
            }
            let name = NodeText.safe(NodeText.name(of: node, in: context.world.programs[programIndex].forest))
            context.notify("following \(name): it stays on its line; any move stops that")
        case .selected:
            following = .nothing
            context.notify("following nothing")
        }
    }

    /// Follows the node that was selected before the newest chain was followed, else the selected node.
    private mutating func followSelected(_ context: inout ViewContext) {
        if let old = selectedBefore, context.find(old) != nil, let row = context.row(of: old) {
            move(to: old, row: row, &context)
            following = .selected
        } else {
            following = context.selectedNode == nil ? .nothing : .selected
        }
    }

    // MARK: Order

    /// Sorts the chains; with `siblings`, also the nodes under the same node.
    mutating func sort(
        by column: SortColumn, inverted: Bool = false, siblings: Bool = false, _ context: inout ViewContext
    ) {
        var wanted = order
        (wanted.column, wanted.isInverted, wanted.sortsSiblings) = (column, inverted, siblings)
        if following == .nothing { following = .first }
        context.request(.setOrder(wanted))
        context.notify(wanted.words)
    }

    mutating func invertSort(_ context: inout ViewContext) {
        sort(by: order.column, inverted: !order.isInverted, siblings: order.sortsSiblings, &context)
    }

    /// Groups the chains by call site, or ends the grouping.
    mutating func toggleGroups(_ context: inout ViewContext) {
        // When the grouping ends, the first chain of a selected group is selected in its place.
        if order.isGrouped, let selection = context.selection, let site = selection.site,
            let programIndex = context.programIndex(of: selection.source),
            let first = context.world.programs[programIndex].firstChain(of: site)
        {
            context.selectInTree(first)
            anchor = Anchor(rowID: first, line: selectedLine ?? 0)
        }
        var wanted = order
        wanted.isGrouped.toggle()
        context.request(.setOrder(wanted))
        context.notify(wanted.isGrouped ? "grouped by call site; t ungroups" : "not grouped; t groups by call site")
    }
}

extension Program {
    fileprivate func firstChain(of site: CodeLocation) -> RowID? {
        guard wasReached else { return nil }
        return outline.group(of: site, in: forest)?.first.map(rowID)
    }
}
