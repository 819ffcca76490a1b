import ChainModel

// Which entries of a list are shown: folding, and the counts of what the filter shows.
extension LongChainIndex {
    // MARK: Folding

    /// Sets whether a node is folded, and whether it has a fold of its own. Does nothing for a root: the row model
    /// folds it.
    mutating func setFolded(_ node: NodeIndex, _ isFolded: Bool, hasOwnFold: Bool) {
        guard let (listIndex, position) = find(node), lists[listIndex]!.root != node else { return }
        setFolded(at: position, isFolded, hasOwnFold: hasOwnFold, in: listIndex)
    }

    /// Turns the first entry into the entry of a root: unfolded, and at level 0.
    mutating func makeFirstEntryRoot(in listIndex: Int) {
        setFolded(at: Position(ordinal: 0, offset: 0), false, hasOwnFold: false, in: listIndex)
        chunks[indexOfChunk(0, of: listIndex)].entries[0].level = 0
        lists[listIndex]!.leastLevels[0] = 0
    }

    /// Sets the folding flags of an entry, and updates the counts of the entries inside it. O(entries inside).
    private mutating func setFolded(at position: Position, _ isFolded: Bool, hasOwnFold: Bool, in listIndex: Int) {
        let chunkIndex = indexOfChunk(position.ordinal, of: listIndex)
        var flags = chunks[chunkIndex].entries[position.offset].flags
        let change = (isFolded ? 1 : 0) - (flags.contains(.folded) ? 1 : 0)
        let ownChange = (hasOwnFold ? 1 : 0) - (flags.contains(.ownFolded) ? 1 : 0)
        guard change != 0 || ownChange != 0 else { return }
        flags.subtract([.folded, .ownFolded])
        if isFolded { flags.insert(.folded) }
        if hasOwnFold { flags.insert(.ownFolded) }
        chunks[chunkIndex].entries[position.offset].flags = flags
        // Recounted, because a folded node hides the foreign rows under it.
        if foreignRows[chunks[chunkIndex].entries[position.offset].node] != nil {
            recount(position.ordinal, of: listIndex)
        }
        let start = self.position(after: position, in: listIndex)
        let end = endOfInside(at: position, in: listIndex) ?? end(of: listIndex)
        guard start < end else { return }
        for ordinal in start.ordinal...min(end.ordinal, lists[listIndex]!.chunks.count - 1) {
            let chunkIndex = indexOfChunk(ordinal, of: listIndex)
            let count = chunks[chunkIndex].entries.count
            let from = ordinal == start.ordinal ? start.offset : 0
            let to = ordinal == end.ordinal ? end.offset : count
            guard from < to else { continue }
            let folds = Int(chunks[chunkIndex].folds) + change
            let ownFolds = Int(chunks[chunkIndex].ownFolds) + ownChange
            // A sum is negative where the entries, not the chunk, count the fold.
            if from == 0, to == count, folds >= 0, ownFolds >= 0 {
                (chunks[chunkIndex].folds, chunks[chunkIndex].ownFolds) = (UInt32(folds), UInt16(ownFolds))
            } else {
                pushDownFolds(chunkIndex)
                for offset in from..<to {
                    let entry = chunks[chunkIndex].entries[offset]
                    chunks[chunkIndex].entries[offset].folds = UInt32(Int(entry.folds) + change)
                    chunks[chunkIndex].entries[offset].ownFolds = UInt16(Int(entry.ownFolds) + ownChange)
                }
            }
            recount(ordinal, of: listIndex)
        }
    }

    /// Returns how many folded nodes an entry is inside of, and how many of these have a fold of their own.
    func folds(at position: Position, in listIndex: Int) -> (all: UInt32, own: UInt16) {
        let chunkIndex = indexOfChunk(position.ordinal, of: listIndex)
        let entry = chunks[chunkIndex].entries[position.offset]
        return (entry.folds + chunks[chunkIndex].folds, entry.ownFolds + chunks[chunkIndex].ownFolds)
    }

    /// Returns ``folds(at:in:)`` with the entry's own fold added: the counts of the nodes inside it.
    func foldsInside(at position: Position, in listIndex: Int) -> (all: UInt32, own: UInt16) {
        let (all, own) = folds(at: position, in: listIndex)
        let flags = entry(at: position, in: listIndex).flags
        return (all + (flags.contains(.folded) ? 1 : 0), own + (flags.contains(.ownFolded) ? 1 : 0))
    }

    // MARK: The filter

    /// Begins a filter round, which lasts until the filter is changed again; forgets all matches.
    mutating func restartFilter(isActive: Bool) {
        isFiltering = isActive
        round += 1
        for listIndex in lists.indices where lists[listIndex] != nil {
            lists[listIndex]!.filteredRowCount = 0
            for ordinal in lists[listIndex]!.filteredRowCounts.indices {
                lists[listIndex]!.filteredRowCounts[ordinal] = 0
            }
        }
    }

    /// Updates whether nodes match, and the shown counts (``Entry/shownCount``) of these nodes and of the nodes above
    /// them. Changes of siblings are summed before they are added to the parent's count.
    mutating func setMatches(
        of nodes: some Sequence<NodeIndex>, in forest: borrowing ChainForest, _ filter: borrowing FilterScan
    ) {
        var changes: [NodeIndex: Int] = [:]
        // The parent of the last nodes, and the change of its shown count.
        var run: (parent: NodeIndex, change: Int)?
        var (lastChunk, lastOffset) = (-1, 0)
        for node in nodes {
            let chunkIndex = Int(chunkOf[node.rawValue]) - 1
            guard chunkIndex >= 0 else { continue }
            resetOldMatches(chunkIndex)
            // A node that follows the last node, as in a new list, is found without a search.
            let next = lastOffset + 1
            let follows =
                chunkIndex == lastChunk && next < chunks[chunkIndex].entries.count
                && chunks[chunkIndex].entries[next].node == node.rawValue
            let offset = follows ? next : find(node)!.position.offset
            (lastChunk, lastOffset) = (chunkIndex, offset)
            let isMatch = filter.isMatch(node)
            guard chunks[chunkIndex].entries[offset].flags.contains(.match) != isMatch else { continue }
            chunks[chunkIndex].entries[offset].flags.formSymmetricDifference(.match)
            let change = changeShownCount(chunkIndex, offset, by: isMatch ? 1 : -1)
            guard change != 0, let parent = forest.treeParent(of: node) else { continue }
            if let last = run, last.parent == parent {
                run = (parent, last.change + change)
            } else {
                if let last = run { changes[last.parent, default: 0] += last.change }
                run = (parent, change)
            }
        }
        if let last = run { changes[last.parent, default: 0] += last.change }
        while let (node, change) = changes.popFirst() {
            guard let (listIndex, position) = find(node) else { continue }
            let chunkIndex = indexOfChunk(position.ordinal, of: listIndex)
            let parentChange = changeShownCount(chunkIndex, position.offset, by: change)
            if parentChange != 0, let parent = forest.treeParent(of: node) {
                changes[parent, default: 0] += parentChange
            }
        }
    }

    /// Adds to the shown count of an entry; returns what to add to the shown count of its parent: 1 if the count was 0,
    /// -1 if it became 0, else 0.
    private mutating func changeShownCount(_ chunkIndex: Int, _ offset: Int, by change: Int) -> Int {
        resetOldMatches(chunkIndex)
        let old = Int(chunks[chunkIndex].entries[offset].shownCount)
        chunks[chunkIndex].entries[offset].shownCount = UInt32(old + change)
        guard (old == 0) != (old + change == 0) else { return 0 }
        let parentChange = old == 0 ? 1 : -1
        if chunks[chunkIndex].entries[offset].ownFolds == 0, chunks[chunkIndex].ownFolds == 0 {
            let (listIndex, ordinal) = (chunks[chunkIndex].list, chunks[chunkIndex].ordinal)
            lists[listIndex]!.filteredRowCounts[ordinal] += parentChange
            lists[listIndex]!.filteredRowCount += parentChange
        }
        return parentChange
    }

    /// Returns the ``Entry/shownCount`` of an entry in this filter round.
    func shownCount(at position: Position, in listIndex: Int) -> UInt32 {
        let chunkIndex = indexOfChunk(position.ordinal, of: listIndex)
        return chunks[chunkIndex].round == round ? chunks[chunkIndex].entries[position.offset].shownCount : 0
    }

    /// Adds to the shown count of an entry, and updates the shown counts of the entries above it. Stops at a count that
    /// neither was nor became 0, because the counts above it stay the same.
    mutating func changeShownCount(at position: Position, in listIndex: Int, by change: Int) {
        var next: Position? = position
        while let current = next {
            let chunkIndex = indexOfChunk(current.ordinal, of: listIndex)
            guard changeShownCount(chunkIndex, current.offset, by: change) != 0 else { return }
            next = parent(at: current, in: listIndex)
        }
    }
}
