import ChainModel

// What is shown of a list: folding, and counting what the filter shows.
extension LongChainIndex {
    // MARK: Folding

    /// Folds or unfolds a node, in general and by the user. Folding a root is not kept here.
    mutating func setFolded(_ node: NodeIndex, _ isFolded: Bool, byUser: Bool) {
        guard let (listIndex, at) = find(node), lists[listIndex]!.root != node else { return }
        setFolded(at, isFolded, byUser: byUser, in: listIndex)
    }

    /// Makes the first entry the root's.
    mutating func unfoldRoot(in listIndex: Int) {
        setFolded(Position(ordinal: 0, offset: 0), false, byUser: false, in: listIndex)
        chunks[chunk(0, of: listIndex)].entries[0].level = 0
        lists[listIndex]!.least[0] = 0
    }

    private mutating func setFolded(_ at: Position, _ isFolded: Bool, byUser: Bool, in listIndex: Int) {
        let number = chunk(at.ordinal, of: listIndex)
        var flags = chunks[number].entries[at.offset].flags
        let plain = (isFolded ? 1 : 0) - (flags.contains(.folded) ? 1 : 0)
        let user = (byUser ? 1 : 0) - (flags.contains(.userFolded) ? 1 : 0)
        guard plain != 0 || user != 0 else { return }
        flags.subtract([.folded, .userFolded])
        if isFolded { flags.insert(.folded) }
        if byUser { flags.insert(.userFolded) }
        chunks[number].entries[at.offset].flags = flags
        if foreignRows[chunks[number].entries[at.offset].node] != nil { recount(at.ordinal, of: listIndex) }
        let start = position(after: at, in: listIndex)
        let end = endOfInside(at: at, in: listIndex) ?? end(of: listIndex)
        guard start < end else { return }
        for ordinal in start.ordinal...min(end.ordinal, lists[listIndex]!.chunks.count - 1) {
            let number = chunk(ordinal, of: listIndex)
            let from = ordinal == start.ordinal ? start.offset : 0
            let to = ordinal == end.ordinal ? end.offset : chunks[number].entries.count
            guard from < to else { continue }
            if from == 0, to == chunks[number].entries.count, Int(chunks[number].folds) + plain >= 0,
                Int(chunks[number].userFolds) + user >= 0
            {
                chunks[number].folds = UInt32(Int(chunks[number].folds) + plain)
                chunks[number].userFolds = UInt16(Int(chunks[number].userFolds) + user)
            } else {
                pushDownFolds(number)
                for offset in from..<to {
                    let entry = chunks[number].entries[offset]
                    chunks[number].entries[offset].folds = UInt32(Int(entry.folds) + plain)
                    chunks[number].entries[offset].userFolds = UInt16(Int(entry.userFolds) + user)
                }
            }
            recount(ordinal, of: listIndex)
        }
    }

    /// Returns how many nodes around an entry are folded, and how many of these by the user.
    func folds(at position: Position, in listIndex: Int) -> (all: UInt32, user: UInt16) {
        let number = chunk(position.ordinal, of: listIndex)
        let entry = chunks[number].entries[position.offset]
        return (entry.folds + chunks[number].folds, entry.userFolds + chunks[number].userFolds)
    }

    // MARK: The filter

    /// Begins with another filter, or none: no match is known.
    mutating func restartFilter(isActive: Bool) {
        isFiltering = isActive
        round += 1
        for listIndex in lists.indices where lists[listIndex] != nil {
            lists[listIndex]!.foundCount = 0
            for ordinal in lists[listIndex]!.found.indices { lists[listIndex]!.found[ordinal] = 0 }
        }
    }

    /// Updates the matches of nodes. Changes of siblings are summed before they go to the parent.
    mutating func setMatches(
        of nodes: some Sequence<NodeIndex>, in forest: borrowing ChainForest, _ filter: borrowing FilterScan
    ) {
        var raised: [NodeIndex: Int] = [:]
        var run: (parent: NodeIndex, change: Int)?
        var (lastChunk, lastOffset) = (-1, 0)
        for node in nodes {
            let number = Int(chunkOf[node.rawValue]) - 1
            guard number >= 0 else { continue }
            resetOldMatches(number)
            let next = lastOffset + 1
            let follows =
                number == lastChunk && next < chunks[number].entries.count
                && chunks[number].entries[next].node == node.rawValue
            let offset = follows ? next : find(node)!.at.offset
            (lastChunk, lastOffset) = (number, offset)
            let isMatch = filter.isMatch(node)
            guard chunks[number].entries[offset].flags.contains(.match) != isMatch else { continue }
            chunks[number].entries[offset].flags.formSymmetricDifference(.match)
            let turned = raise(number, offset, by: isMatch ? 1 : -1)
            guard turned != 0, let parent = forest.treeParent(of: node) else { continue }
            if let last = run, last.parent == parent {
                run = (parent, last.change + turned)
            } else {
                if let last = run { raised[last.parent, default: 0] += last.change }
                run = (parent, turned)
            }
        }
        if let last = run { raised[last.parent, default: 0] += last.change }
        while let (node, change) = raised.popFirst() {
            guard let (listIndex, at) = find(node) else { continue }
            let turned = raise(chunk(at.ordinal, of: listIndex), at.offset, by: change)
            if turned != 0, let parent = forest.treeParent(of: node) { raised[parent, default: 0] += turned }
        }
    }

    /// Adds to the shown count of an entry; returns 1 if the entry becomes shown, -1 if hidden, else 0.
    private mutating func raise(_ number: Int, _ offset: Int, by change: Int) -> Int {
        resetOldMatches(number)
        let old = Int(chunks[number].entries[offset].shown)
        chunks[number].entries[offset].shown = UInt32(old + change)
        guard (old == 0) != (old + change == 0) else { return 0 }
        let turned = old == 0 ? 1 : -1
        if chunks[number].entries[offset].userFolds == 0, chunks[number].userFolds == 0 {
            let (listIndex, ordinal) = (chunks[number].list, chunks[number].ordinal)
            lists[listIndex]!.found[ordinal] += turned
            lists[listIndex]!.foundCount += turned
        }
        return turned
    }

    /// Returns the shown count of an entry.
    func shown(at position: Position, in listIndex: Int) -> UInt32 {
        let number = chunk(position.ordinal, of: listIndex)
        return chunks[number].round == round ? chunks[number].entries[position.offset].shown : 0
    }

    /// Adds to the shown count of an entry, and of those above it as far as they become shown or hidden.
    mutating func raise(at position: Position, in listIndex: Int, by change: Int) {
        var at: Position? = position
        while let current = at, raise(chunk(current.ordinal, of: listIndex), current.offset, by: change) != 0 {
            at = parent(at: current, in: listIndex)
        }
    }
}
