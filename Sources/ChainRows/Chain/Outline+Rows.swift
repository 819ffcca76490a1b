// SPDX-License-Identifier: MIT

import ChainModel

// The rows of chains: their number, the rows themselves, and the row of a node.
extension Outline {
    // MARK: The number of rows

    /// Counts the rows of a chain, and updates the lists; `countsMatches`: also those while a filter hides nodes.
    mutating func weigh(_ slot: UInt32, countsMatches: Bool = true, in forest: borrowing ChainForest) {
        let root = chains.root(slot)
        let rows = max(1, rowCount(of: root, slot, in: forest))
        if chains.has(.elsewhere, slot) { noteForeignWeight(root, slot, rows: rows, in: forest) }
        if chains[slot].rows != rows {
            chains[slot].rows = UInt32(clamping: rows)
            showRows(slot)
        }
        if countsMatches, filter.isActive { weighMatches(slot, in: forest) }
    }

    /// Updates the lists after the number of a chain's rows changed, or whether it is drawn in another program's tree.
    mutating func showRows(_ slot: UInt32) {
        let (rows, id) = (listedRows(chains[slot]), chains[slot].id)
        sorted.setRows(rows, of: slot, id: id)
        pending?.chains.setRows(rows, of: slot, id: id)
    }

    /// Counts the rows of a chain with the next ``weighNoted(in:)``.
    mutating func weighLater(_ slot: UInt32) {
        guard !chains.has(.isNoted, slot) else { return }
        chains.set(.isNoted, true, slot)
        toWeigh.append(slot)
    }

    /// Counts the rows of changed chains. Call it after the last of several updates, before rows are read; the
    /// functions that change the outline call it, too. Returns whether the number of any chain's rows changed.
    @discardableResult
    package mutating func weighNoted(in forest: borrowing ChainForest) -> Bool {
        guard !toWeigh.isEmpty else { return false }
        var isChanged = false
        while let slot = toWeigh.popLast() {
            guard chains.has(.isNoted, slot) else { continue }
            chains.set(.isNoted, false, slot)
            guard chains.isCurrent(slot, in: forest) else { continue }
            let old = chains[slot].rows
            weigh(slot, countsMatches: false, in: forest)
            if chains[slot].rows != old { isChanged = true }
        }
        return isChanged
    }

    /// Returns whether the number of a chain's rows may differ from the number of its nodes.
    func mayFoldInside(_ slot: UInt32, in forest: borrowing ChainForest) -> Bool {
        if chains.has(.isWalked, slot) { return true }
        guard let level = folds.level, level != 0 else {
            return forest.nodeCount(ofRoot: chains.root(slot)) <= FinishedNodes.chainLimit
        }
        return level != Folds.everything
    }

    /// Returns the number of rows that a chain has while no filter hides nodes.
    private mutating func rowCount(of root: NodeIndex, _ slot: UInt32, in forest: borrowing ChainForest) -> Int {
        let count = forest.nodeCount(ofRoot: root)
        if count == 1 && !foreign.hasCallers(root) || isRootFolded(root, slot, isFiltered: false, in: forest) {
            forgetRows(slot)
            return 1
        }
        foldDeadlines[slot] = nil
        guard count > WalkedChains.wholeLimit || mayFoldInside(slot, in: forest) else { return count }
        return walk(root, slot, isFiltered: false, in: forest).height
    }

    /// Returns the number of rows that a chain has while a filter hides nodes; `matchCount` is its number of matches.
    mutating func matchRowCount(
        of root: NodeIndex, _ slot: UInt32, matchCount: Int, in forest: borrowing ChainForest
    ) -> Int {
        if hasOwnFold(root) { return 1 }
        let count = forest.nodeCount(ofRoot: root)
        // Automatically folded nodes are shown open while a filter hides nodes.
        if count <= WalkedChains.wholeLimit, folds.marks.isEmpty || !chains.has(.isWalked, slot) {
            return matchCount == count ? count : filter.shownCount(of: root, in: forest)
        }
        return walk(root, slot, isFiltered: true, in: forest).height
    }

    // MARK: Walks

    /// Notes that nodes of a chain were added, removed, moved or folded.
    mutating func noteShape(_ slot: UInt32) {
        if chains.has(.mayHaveRows, slot) { walked.noteChange(chains.root(slot)) }
    }

    /// Forgets the rows of a chain.
    mutating func forgetRows(_ slot: UInt32) {
        guard chains.has(.mayHaveRows, slot) else { return }
        chains.set(.mayHaveRows, false, slot)
        walked.remove(chains.root(slot))
        foldDeadlines[slot] = nil
    }

    /// Returns the rows of a chain: as of now or, if the chain is walked in slices, as of the last walk. Before such a
    /// walk is complete, at least the first `count` rows.
    private mutating func walk(
        _ root: NodeIndex, _ slot: UInt32, isFiltered: Bool, rows count: Int = 0, in forest: borrowing ChainForest
    ) -> WalkedChains.Rows {
        let key = WalkedChains.Key(root: root, isFiltered: isFiltered)
        let nodeCount = forest.nodeCount(ofRoot: root)
        if let known = walked[key], !known.isStale, known.walk == nil, known.nodeCount == nodeCount {
            if let deadline = known.deadline { foldDeadlines[slot] = deadline }
            return known
        }
        let isSliced = nodeCount > WalkedChains.wholeLimit
        chains.set(.mayHaveRows, true, slot)
        var chain = walked.take(key)
        if chain.nodeCount != nodeCount { chain.isStale = true }
        let isNew = !chain.isComplete && chain.walk == nil
        if isNew || chain.isStale && !isSliced {
            chain.begin(root, in: forest)
            walkOn(&chain, key, slot, in: forest)
        }
        while chain.walk != nil, !isSliced || !chain.isComplete && chain.rows.count < count {
            walkOn(&chain, key, slot, in: forest)
        }
        walked.put(chain, key)
        return chain
    }

    /// Does a slice of the walks over long chains, if any is due.
    mutating func continueWalks(in forest: borrowing ChainForest) -> Bool {
        guard let key = walked.work(at: wall) else { return false }
        guard let slot = chains.slot(of: key.root), chains.isCurrent(slot, in: forest) else {
            walked.remove(key.root)
            return true
        }
        var chain = walked.take(key)
        if chain.walk == nil { chain.begin(key.root, in: forest) }
        walkOn(&chain, key, slot, in: forest)
        let isDone = chain.walk == nil
        walked.put(chain, key)
        if isDone { weigh(slot, in: forest) }
        return true
    }

    /// Walks the next nodes of a chain.
    private mutating func walkOn(
        _ chain: inout WalkedChains.Rows, _ key: WalkedChains.Key, _ slot: UInt32, in forest: borrowing ChainForest
    ) {
        walkCount += 1
        let (root, count) = (key.root, forest.nodeCount(ofRoot: key.root))
        let isSliced = count > WalkedChains.wholeLimit
        // The siblings of long chains stay in program order, because a step sorts all siblings at once.
        let siblings = count <= Self.longestSorted ? siblingOrder : nil
        guard var walk = chain.walk else { return }
        // Taken out, because a second reference to its rows would copy them.
        chain.walk = nil
        if key.isFiltered {
            var shown = chain.shown ?? ShownNodes(of: root, in: forest)
            chain.shown = nil
            if shown.isDone {
                walk.step(
                    WalkedChains.slice, in: forest, isFolded: { node, _ in hasOwnFold(node) },
                    isHidden: { !shown.contains($0) }, siblings: siblings)
            } else {
                shown.step(WalkedChains.slice, within: root, in: forest) { filter.isMatch($0) }
            }
            chain.shown = shown
        } else {
            let finished = finishedNodes(of: root, in: forest)
            if let deadline = finished.deadline { foldDeadlines[slot] = deadline }
            walk.step(
                WalkedChains.slice, in: forest,
                isFolded: { isFolded($0, depth: $1, slot, isRoot: $0 == root, finished, in: forest) },
                foreignRows: foreignRows(in: root), siblings: siblings)
            chain.deadline = finished.deadline
        }
        if walk.isDone {
            chain.height =
                key.isFiltered || walked.foreignRows.isEmpty
                ? walk.rows.count : walk.rows.reduce(0) { $0 + unfilteredHeight(of: $1) }
            return chain.finish(walk, isSliced: isSliced, wall: wall)
        }
        // Before the first walk is complete, the number of rows is not known.
        if !chain.isComplete { chain.height = max(walk.rows.count, key.isFiltered ? 1 : count) }
        chain.walk = walk
    }

    private static let longestSorted = 4_096

    /// Returns the numbers of rows of other programs' chains under the nodes of a chain.
    private func foreignRows(in root: NodeIndex) -> [UInt32: Int] {
        foreign.hasCallers(root) ? walked.foreignRows : [:]
    }

    // MARK: Rows

    // Inlined, because a call would copy the outline.
    @inline(__always)
    private func isRootFolded(
        _ root: NodeIndex, _ slot: UInt32, isFiltered: Bool, in forest: borrowing ChainForest
    ) -> Bool {
        isFiltered
            ? hasOwnFold(root) : isFolded(root, depth: 0, slot, isRoot: true, FinishedNodes(), in: forest)
    }

    /// Appends at most `count` rows of a chain, from its row `first` on. Returns how many rows were appended.
    @discardableResult
    mutating func append(
        rowsOf root: NodeIndex, from first: Int, count: Int, in forest: borrowing ChainForest,
        to outlineRows: inout [OutlineRow]
    ) -> Int {
        guard let slot = chains.slot(of: root) else { return 0 }
        let hides = filter.hidesUnmatched
        let isSingle = forest.nodeCount(ofRoot: root) == 1 && !foreign.hasCallers(root)
        if isSingle || !hides && isRootFolded(root, slot, isFiltered: false, in: forest) {
            guard first == 0 else { return 0 }
            // Folded, so that the walk ends after the root.
            let rows = ChainWalk.rows(
                of: root, in: forest, limit: 1, isFolded: { _, _ in true }, foreignRows: foreignRows(in: root))
            outlineRows.append(.tree(rows[0]))
            return 1
        }
        let limit = first > .max - count ? .max : first + count
        let chain = walk(root, slot, isFiltered: hides, rows: limit, in: forest)
        guard chain.height != chain.rows.count || chain.isStale else {
            let rows = chain.rows.dropFirst(first).prefix(count)
            for row in rows { outlineRows.append(.tree(row)) }
            return rows.count
        }
        // Rows of other programs' chains are between them, or nodes were evicted since they were made.
        let skipped = walked.foreignRows.isEmpty || hides ? min(first, chain.rows.count) : 0
        var rows: [TreeRow] = []
        for index in skipped..<chain.rows.count where chain.isCurrent(index, in: forest) {
            rows.append(chain.rows[index])
            if rows.count >= limit - skipped { break }
        }
        return append(rows, skipping: first - skipped, count: count, to: &outlineRows)
    }

    /// Returns at most `count` rows of a group's chains, from row `first` of the chains on.
    mutating func rows(
        ofGroup group: UInt32 = 0, from first: Int, count: Int, in forest: borrowing ChainForest
    ) -> [OutlineRow] {
        weighNoted(in: forest)
        var result: [OutlineRow] = []
        result.reserveCapacity(max(0, min(count, lists[group].rowCount - first)))
        var left = count
        var row = first
        while left > 0, let (place, offset) = lists[group].select(row: row) {
            let line = lists[group][place]
            guard isCurrent(line, in: forest) else {
                dropIfEvicted(line.slot, in: forest)
                continue
            }
            let taken = append(rowsOf: chains.root(line.slot), from: offset, count: left, in: forest, to: &result)
            left -= taken
            row += max(taken, Int(line.rows) - offset)
        }
        return result
    }

    /// Returns whether a line has the number of rows that its chain has; corrects it otherwise while all chains are
    /// read or weighed.
    private mutating func isCurrent(_ line: ChainList.Line, in forest: borrowing ChainForest) -> Bool {
        guard pass != nil else { return true }
        guard chains.isCurrent(line.slot, in: forest) else { return false }
        weigh(line.slot, in: forest)
        return lists.rows(of: sorted.key(line.slot, id: line.key.id)) == Int(line.rows)
    }

    /// Returns the number of rows of a chain; nil if the chain is not shown.
    package mutating func rowCount(ofChain root: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        guard let slot = chains.slot(of: root) else { return nil }
        if isPending(slot) { weigh(slot, in: forest) }
        weighNoted(in: forest)
        return isElsewhere(root) ? foreign.elsewhere[root]?.rows : lists.rows(of: sorted.key(slot, id: chains[slot].id))
    }

    /// Returns the row of a node, or the row of the nearest node that hides it; nil if the node's chain is not shown.
    package mutating func row(of node: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        let root = forest.root(of: node)
        guard let slot = chains.slot(of: root) else { return nil }
        if isPending(slot) { weigh(slot, in: forest) }
        weighNoted(in: forest)
        guard let (first, isHidden) = firstRow(of: sorted.key(slot, id: chains[slot].id)) else { return nil }
        return isHidden || node == root ? first : first + row(of: node, inChain: root, in: forest)
    }

    /// Returns the row of a node, or the row of the nearest node that hides it, counted from the first row of its
    /// chain.
    package mutating func row(of node: NodeIndex, inChain root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        guard let slot = chains.slot(of: root),
            !isRootFolded(root, slot, isFiltered: filter.hidesUnmatched, in: forest)
        else { return 0 }
        let hides = filter.hidesUnmatched
        _ = walk(root, slot, isFiltered: hides, rows: .max, in: forest)
        var current: NodeIndex? = node
        while let target = current {
            if let index = walked.index(of: target, WalkedChains.Key(root: root, isFiltered: hides)) {
                guard !walked.foreignRows.isEmpty, !hides else { return index }
                return walked[.init(root: root, isFiltered: false)]!.rows[..<index].reduce(0) { $0 + height(of: $1) }
            }
            current = outer(of: target, in: forest)
        }
        return 0
    }

    // MARK: Around a node

    /// Returns the key of a root; nil for a node that is not a root, or whose chain was not added yet.
    func key(ofRoot root: NodeIndex) -> GroupedKey? {
        chains.slot(of: root).map { sorted.key($0, id: chains[$0].id) }
    }

    /// Returns the nearest node that, when folded, hides a node; nil for a root. O(steps up).
    package func outer(of node: NodeIndex, in forest: borrowing ChainForest) -> NodeIndex? { forest.outer(of: node) }

    /// Returns the level of a node; 0 for a root and its continuations.
    func depth(of node: NodeIndex, in forest: borrowing ChainForest) -> Int {
        var depth = 0
        var current = node
        while let above = forest.treeParent(of: current) {
            if !forest.isContinuation(current) { depth += 1 }
            current = above
        }
        return depth
    }
}
