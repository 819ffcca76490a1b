// SPDX-License-Identifier: MIT

import ChainModel

// The rows of chains: their number, the rows themselves, and the row of a node.
extension Outline {
    // MARK: The number of rows

    /// Counts the rows of a chain, and updates the lists.
    mutating func weigh(_ slot: UInt32, in forest: borrowing ChainForest) {
        let rows = max(1, rowCount(slot, in: forest))
        if chains.has(.elsewhere, slot) { noteForeignWeight(slot, rows: rows, in: forest) }
        if chains[slot].rows != rows {
            chains[slot].rows = UInt32(clamping: rows)
            showRows(slot)
        }
        weighMatches(slot, in: forest)
    }

    /// Updates the lists after the number of a chain's rows changed, or whether it is drawn in another program's tree.
    mutating func showRows(_ slot: UInt32) {
        let (rows, id) = (listedRows(chains[slot]), chains[slot].id)
        inOrders { $0.setRows(rows, isFiltered: false, of: slot, id: id) }
    }

    /// Counts the rows of a chain with the next ``weighNoted(in:)``, or only those while a filter hides nodes.
    mutating func weighLater(_ slot: UInt32, _ bit: ChainTable.Bits = .isNoted) {
        if chains[slot].bits.isDisjoint(with: [.isNoted, .hasNewMatches]) { toWeigh.append(slot) }
        chains[slot].bits.insert(bit)
    }

    /// Notes that a chain may have other rows while a filter hides nodes.
    mutating func noteMatches(_ slot: UInt32) {
        guard filter.matchCount(slot) > 0 || chains.has(.isListedMatch, slot) else { return }
        if chains.has(.mayHaveRows, slot) {
            walked.rows[.init(root: chains.root(slot), isFiltered: true)]?.isStale = true
        }
        weighLater(slot, .hasNewMatches)
    }

    /// Counts the rows of changed chains. Call it after the last of several updates, before rows are read; the
    /// functions that change the outline call it, too. Returns whether the number of any chain's rows changed.
    @discardableResult
    package mutating func weighNoted(in forest: borrowing ChainForest) -> Bool {
        var isChanged = false
        while let slot = toWeigh.popLast() {
            let chain = chains[slot]
            chains[slot].bits.subtract([.isNoted, .hasNewMatches])
            guard !chain.bits.isDisjoint(with: [.isNoted, .hasNewMatches]), chains.isCurrent(slot, in: forest) else {
                continue
            }
            if chain.bits.contains(.isNoted) { weigh(slot, in: forest) } else { weighMatches(slot, in: forest) }
            if chains[slot].rows != chain.rows { isChanged = true }
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
    private mutating func rowCount(_ slot: UInt32, in forest: borrowing ChainForest) -> Int {
        let root = chains.root(slot)
        let count = forest.nodeCount(ofRoot: root)
        let isOneRow = count == 1 && !foreign.hasCallers(root) || isRootFolded(slot, isFiltered: false, in: forest)
        if chains.has(.mayHaveRows, slot) {
            foldDeadlines[slot] = nil
            if isOneRow { walked.rows[.init(root: root, isFiltered: false)] = nil }
        }
        if isOneRow { return 1 }
        guard count > WalkedChains.wholeLimit || mayFoldInside(slot, in: forest) else { return count }
        return walk(slot, isFiltered: false, in: forest).height
    }

    /// Returns the number of rows that a chain has while a filter hides nodes; `matchCount` is its number of matches.
    mutating func matchRowCount(_ slot: UInt32, _ matchCount: Int, in forest: borrowing ChainForest) -> Int {
        let root = chains.root(slot)
        let count = forest.nodeCount(ofRoot: root)
        // Automatically folded nodes are shown open while a filter hides nodes.
        if folds.hasOwnFold(root) { return 1 }
        guard count > WalkedChains.wholeLimit || !folds.marks.isEmpty && chains.has(.isWalked, slot) else {
            return matchCount == count ? count : shownCount(of: root, in: forest)
        }
        return walk(slot, isFiltered: true, in: forest).height
    }

    /// Returns how many nodes of a chain match or are above a match; the root is always counted. O(its nodes).
    private func shownCount(of root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        var count = 0
        // The number of counted nodes on the path from the root to the current node.
        var counted = 0
        var depth = 0
        var next: NodeIndex? = root
        while let node = next {
            counted = min(counted, depth)
            if filter.isMatch(node) {
                count += depth + 1 - counted
                counted = depth + 1
            }
            next = forest.next(after: node, within: root, depth: &depth)
        }
        return max(1, count)
    }

    // MARK: Walks

    /// Notes that nodes of a chain were added, removed, moved or folded.
    mutating func noteShape(_ slot: UInt32) {
        if chains.has(.mayHaveRows, slot) { walked.change(chains.root(slot)) { $0?.isStale = true } }
    }

    /// Forgets the rows of a chain.
    mutating func forgetRows(_ slot: UInt32) {
        guard chains.has(.mayHaveRows, slot) else { return }
        chains.set(.mayHaveRows, false, slot)
        walked.change(chains.root(slot)) { $0 = nil }
        foldDeadlines[slot] = nil
    }

    /// Returns the rows of a chain: as of now or, if the chain is walked in slices, as of the last walk. Before such a
    /// walk is complete, at least the first `count` rows.
    private mutating func walk(
        _ slot: UInt32, isFiltered: Bool, rows count: Int = 0, in forest: borrowing ChainForest
    ) -> WalkedChains.Rows {
        let key = WalkedChains.Key(root: chains.root(slot), isFiltered: isFiltered)
        let nodeCount = forest.nodeCount(ofRoot: key.root)
        if let known = walked.rows[key], !known.isStale, known.walk == nil, known.nodeCount == nodeCount {
            if let deadline = known.deadline { foldDeadlines[slot] = deadline }
            return known
        }
        let isSliced = nodeCount > WalkedChains.wholeLimit
        chains.set(.mayHaveRows, true, slot)
        var chain = walked.take(key)
        if chain.nodeCount != nodeCount { chain.isStale = true }
        let isNew = !chain.isComplete && chain.walk == nil
        if isNew || chain.isStale && !isSliced {
            chain.begin(key.root, in: forest)
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
            walked.rows[key] = nil
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
                    WalkedChains.slice, in: forest, isFolded: { node, _ in folds.hasOwnFold(node) },
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
                callers: foreign.hasCallers(root) ? foreign.callers : [:], siblings: siblings)
            chain.deadline = finished.deadline
        }
        if walk.isDone {
            chain.height =
                key.isFiltered || foreign.callers.isEmpty
                ? walk.rows.count : walk.rows.reduce(0) { $0 + unfilteredHeight(of: $1) }
            return chain.finish(walk, isSliced: isSliced, wall: wall)
        }
        // Before the first walk is complete, the number of rows is not known.
        if !chain.isComplete { chain.height = max(walk.rows.count, key.isFiltered ? 1 : count) }
        chain.walk = walk
    }

    private static let longestSorted = 4_096

    // MARK: Rows

    // Inlined, because a call would copy the outline.
    @inline(__always)
    private func isRootFolded(_ slot: UInt32, isFiltered: Bool, in forest: borrowing ChainForest) -> Bool {
        let root = chains.root(slot)
        return isFiltered
            ? folds.hasOwnFold(root) : isFolded(root, depth: 0, slot, isRoot: true, FinishedNodes(), in: forest)
    }

    /// Appends at most `count` rows of a chain, from its row `first` on. Returns how many rows were appended.
    @discardableResult
    mutating func append(
        rowsOf slot: UInt32, from first: Int, count: Int, in forest: borrowing ChainForest,
        to outlineRows: inout [OutlineRow]
    ) -> Int {
        let (root, hides) = (chains.root(slot), filter.hidesUnmatched)
        let isSingle = forest.nodeCount(ofRoot: root) == 1 && !foreign.hasCallers(root)
        if isSingle || !hides && isRootFolded(slot, isFiltered: false, in: forest) {
            guard first == 0 else { return 0 }
            // Folded, so that the walk ends after the root.
            var walk = ChainWalk(of: root, in: forest)
            walk.step(1, in: forest, isFolded: { _, _ in true }, callers: foreign.callers)
            outlineRows.append(.tree(walk.rows[0]))
            return 1
        }
        let limit = first > .max - count ? .max : first + count
        let chain = walk(slot, isFiltered: hides, rows: limit, in: forest)
        // Rows of other programs' chains are between the rows, and nodes may have been evicted since they were made.
        let skipped = foreign.callers.isEmpty || hides ? min(first, chain.rows.count) : 0
        var rows: [TreeRow] = []
        for index in skipped..<chain.rows.count where chain.isCurrent(index, in: forest) {
            rows.append(chain.rows[index])
            if rows.count >= limit - skipped { break }
        }
        return append(rows, skipping: first - skipped, count: count, to: &outlineRows)
    }

    /// Appends at most `count` rows of a group's chains, from row `first` of the chains on; returns how many.
    mutating func append(
        rowsOfGroup group: UInt32, from first: Int, count: Int, in forest: borrowing ChainForest,
        to outlineRows: inout [OutlineRow]
    ) -> Int {
        var left = count
        var row = first
        while left > 0,
            let (line, offset) = sorted.groups[group].list.select(row: row, isFiltered: filter.hidesUnmatched)
        {
            let slot = line.slot
            if pass != nil {
                // The chain may have been evicted, or have another number of rows, while all chains are read or weighed.
                guard chains.isCurrent(slot, in: forest) else {
                    drop(slot)
                    continue
                }
                weigh(slot, in: forest)
                guard sorted.rows(of: slot, id: line.key.id) == line.rows else { continue }
            }
            let taken = append(rowsOf: slot, from: offset, count: left, in: forest, to: &outlineRows)
            left -= taken
            row += max(taken, line.rows[filter.hidesUnmatched] - offset)
        }
        return count - left
    }

    /// Returns the number of rows of a chain; nil if the chain is not shown.
    package mutating func rowCount(ofChain root: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        guard let slot = shownSlot(of: root, in: forest) else { return nil }
        if isElsewhere(root) { return foreign.elsewhere[root]?.rows }
        let rows = sorted.rows(of: slot, id: chains[slot].id)[filter.hidesUnmatched]
        return rows > 0 ? rows : nil
    }

    /// Returns the slot of a root, with its rows counted.
    private mutating func shownSlot(of root: NodeIndex, in forest: borrowing ChainForest) -> UInt32? {
        guard let slot = chains.slot(of: root) else { return nil }
        if let pass, pass.cursor.isAhead(pass.isRebuild ? root.rawValue : slot) { weigh(slot, in: forest) }
        weighNoted(in: forest)
        return slot
    }

    /// Returns the row of a node, or the row of the nearest node that hides it; nil if the node's chain is not shown.
    package mutating func row(of node: NodeIndex, in forest: borrowing ChainForest) -> Int? {
        let root = forest.root(of: node)
        guard let slot = shownSlot(of: root, in: forest) else { return nil }
        guard let (first, isHidden) = firstRow(of: sorted.key(slot, id: chains[slot].id)) else { return nil }
        return isHidden || node == root ? first : first + row(of: node, inChain: root, in: forest)
    }

    /// Returns the row of a node, or the row of the nearest node that hides it, counted from the first row of its
    /// chain.
    package mutating func row(of node: NodeIndex, inChain root: NodeIndex, in forest: borrowing ChainForest) -> Int {
        let hides = filter.hidesUnmatched
        guard let slot = chains.slot(of: root), !isRootFolded(slot, isFiltered: hides, in: forest) else { return 0 }
        _ = walk(slot, isFiltered: hides, rows: .max, in: forest)
        let key = WalkedChains.Key(root: root, isFiltered: hides)
        var current: NodeIndex? = node
        while let target = current {
            if let index = walked.rows[key]?.index(of: target) {
                guard !foreign.callers.isEmpty, !hides else { return index }
                return walked.rows[key]!.rows[..<index].reduce(0) { $0 + height(of: $1) }
            }
            current = forest.outer(of: target)
        }
        return 0
    }
}
