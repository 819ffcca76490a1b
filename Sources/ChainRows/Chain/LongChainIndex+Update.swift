import ChainModel

// Updates from the forest. First, moved nodes are removed with all nodes under them, then evicted nodes, then
// continuations that changed. Last, new nodes, moved nodes and the removed continuations are inserted at their
// positions. Before that step, each list is as if these nodes were not in the forest.
extension LongChainIndex {
    /// Updates all lists from the changes of a forest.
    mutating func update(
        _ changes: ForestChanges, of forest: borrowing ChainForest, _ folds: borrowing Folds,
        _ filter: borrowing FilterScan
    ) {
        guard !listOf.isEmpty else { return }
        var hasNewOrMoved = false
        for entry in changes.nodes where !entry.changes.isDisjoint(with: [.created, .moved]) {
            hasNewOrMoved = true
            if has(entry.index) {
                removeMoved(entry.index, isNew: entry.changes.contains(.created), of: forest, changes)
            }
        }
        for eviction in changes.evicted where has(eviction.index) { removeEvicted(eviction.index) }
        var removed: [NodeIndex] = []
        for entry in changes.nodes where entry.changes.contains(.continuation) {
            removeChangedContinuations(of: entry.index, in: forest, &removed)
        }
        if hasNewOrMoved {
            for entry in changes.nodes where !entry.changes.isDisjoint(with: [.created, .moved]) {
                insert(entry.index, in: forest, folds, filter)
            }
        }
        for node in removed { insert(node, in: forest, folds, filter) }
    }

    /// Removes a moved node and all nodes under it, or the evicted node that had the index of a new node. Keeps a list
    /// if its root moved and is still a root, or if the moved node became its root.
    private mutating func removeMoved(
        _ node: NodeIndex, isNew: Bool, of forest: borrowing ChainForest, _ changes: borrowing ForestChanges
    ) {
        guard let (listIndex, position) = find(node) else { return }
        if lists[listIndex]!.root == node {
            if isNew || !forest.isRoot(node) { removeList(listIndex) }
            return
        }
        if !isNew, forest.isRoot(node), isPromoted(at: position, in: listIndex, changes) {
            return promote(node, at: position, in: listIndex)
        }
        removeTree(at: position, in: listIndex)
    }

    /// Removes an entry, its continuations and all entries under them.
    private mutating func removeTree(at position: Position, in listIndex: Int) {
        subtractFromParent(position, in: listIndex)
        remove(from: position, to: endOfTree(at: position, in: listIndex), in: listIndex)
    }

    /// Subtracts an entry from the shown count of its parent, if the entry is shown.
    private mutating func subtractFromParent(_ position: Position, in listIndex: Int) {
        if isFiltering, shownCount(at: position, in: listIndex) > 0,
            let parent = parent(at: position, in: listIndex)
        {
            changeShownCount(at: parent, in: listIndex, by: -1)
        }
    }

    /// Removes the entry of an evicted node. Removes the list if the node was its root, or if no entry is left.
    private mutating func removeEvicted(_ node: NodeIndex) {
        guard let (listIndex, position) = find(node) else { return }
        subtractFromParent(position, in: listIndex)
        remove(from: position, to: self.position(after: position, in: listIndex), in: listIndex)
        if lists[listIndex]!.count == 0 || lists[listIndex]!.root == node { removeList(listIndex) }
    }

    /// Returns whether an entry became the root of its list: it is a continuation of the root, all entries before it
    /// were evicted, and its tree reaches the list's end. O(entries before it and evicted nodes).
    private func isPromoted(at position: Position, in listIndex: Int, _ changes: borrowing ForestChanges) -> Bool {
        guard entry(at: position, in: listIndex).level == 1,
            endOfTree(at: position, in: listIndex) == end(of: listIndex)
        else { return false }
        let evicted = Set(changes.evicted.map(\.index.rawValue))
        var before = Position(ordinal: 0, offset: 0)
        while before < position {
            guard evicted.contains(entry(at: before, in: listIndex).node) else { return false }
            before = self.position(after: before, in: listIndex)
        }
        return true
    }

    /// Makes a node the root of its list; removes the entries before it.
    private mutating func promote(_ node: NodeIndex, at position: Position, in listIndex: Int) {
        listOf[lists[listIndex]!.root] = nil
        lists[listIndex]!.root = node
        listOf[node] = listIndex
        remove(from: Position(ordinal: 0, offset: 0), to: position, in: listIndex)
        makeFirstEntryRoot(in: listIndex)
    }

    /// Removes the child that is listed as a node's continuation if it no longer is the continuation. Removes the
    /// present continuation if it is listed as another kind of child. Each is removed with all nodes under it, and is
    /// added to `removed`, to be inserted again.
    private mutating func removeChangedContinuations(
        of node: NodeIndex, in forest: borrowing ChainForest, _ removed: inout [NodeIndex]
    ) {
        guard let (listIndex, position) = find(node) else { return }
        let continuation = forest.continuation(of: node)
        if let end = endOfInside(at: position, in: listIndex), case let old = entry(at: end, in: listIndex),
            old.level == entry(at: position, in: listIndex).continuationLevel, continuation?.rawValue != old.node
        {
            removeTree(at: end, in: listIndex)
            removed.append(NodeIndex(rawValue: old.node))
        }
        if let continuation, let (list, position) = find(continuation),
            !entry(at: position, in: list).isContinuation
        {
            removeTree(at: position, in: list)
            removed.append(continuation)
        }
    }

    /// Inserts a node, the siblings around it that are in no list, and all nodes under them.
    ///
    /// Does nothing if the node is in a list, if its parent is in none, or if the list is not read up to its position.
    private mutating func insert(
        _ node: NodeIndex, in forest: borrowing ChainForest, _ folds: borrowing Folds, _ filter: borrowing FilterScan
    ) {
        guard !has(node), let above = forest.treeParent(of: node), let (listIndex, parent) = find(above) else { return }
        let parentLevel = entry(at: parent, in: listIndex).level
        let inside = endOfInside(at: parent, in: listIndex)
        let isUnfinished = inside == nil && !lists[listIndex]!.isComplete
        var maker = EntryMaker(level: parentLevel)
        maker.setFolds(self.folds(at: parent, in: listIndex), at: parentLevel)
        var entries: [Entry] = []
        let target: Position
        if forest.isContinuation(node) {
            if isUnfinished { return }
            append(node, parentLevel | 1, to: &entries, &maker, of: listIndex, in: forest, folds)
            target = inside ?? end(of: listIndex)
        } else {
            let level = (parentLevel & ~1) + 2
            if isUnfinished, !isBeforeLastRead(node, parent, level, in: listIndex, forest) { return }
            let foldsInside = foldsInside(at: parent, in: listIndex)
            let (first, sibling) = firstUnlisted(before: node, in: forest)
            if let sibling, let (_, position) = find(sibling) {
                target = end(ofTreeOf: sibling, position, in: listIndex, forest)
            } else {
                target = position(after: parent, in: listIndex)
            }
            var next: NodeIndex? = first
            while let current = next {
                next = forest.nextSibling(of: current)
                if forest.isContinuation(current) { continue }
                if has(current) { break }
                maker.setFolds(foldsInside, at: level)
                append(current, level, to: &entries, &maker, of: listIndex, in: forest, folds)
            }
        }
        insert(entries, at: target, in: listIndex)
        noteMatches(of: entries, in: forest, filter)
    }

    /// Returns the same as ``endOfTree(at:in:)``, but does not search if the node has no children.
    private func end(ofTreeOf node: NodeIndex, _ position: Position, in listIndex: Int, _ forest: borrowing ChainForest)
        -> Position
    {
        forest.childCount(of: node) == 0
            ? self.position(after: position, in: listIndex) : endOfTree(at: position, in: listIndex)
    }

    /// Returns the first of the siblings directly before a node that are in no list, or the node itself if there are
    /// none. Also returns the listed sibling before that first one, if there is one. Continuations do not end the
    /// search, so `first` may be a continuation.
    private func firstUnlisted(
        before node: NodeIndex, in forest: borrowing ChainForest
    ) -> (first: NodeIndex, listed: NodeIndex?) {
        var first = node
        while let previous = forest.previousSibling(of: first) {
            if has(previous), !forest.isContinuation(previous) { return (first, previous) }
            first = previous
        }
        return (first, nil)
    }

    /// Returns whether a child of `parent` comes before the last child of `parent` that an unfinished list has. `level`
    /// is the level of the children.
    private func isBeforeLastRead(
        _ node: NodeIndex, _ parent: Position, _ level: UInt32, in listIndex: Int, _ forest: borrowing ChainForest
    ) -> Bool {
        guard let last = lastAtMost(level, before: end(of: listIndex), in: listIndex), last > parent else {
            return false
        }
        let read = forest.node(NodeIndex(rawValue: entry(at: last, in: listIndex).node))
        let own = forest.node(node)
        return own.created != read.created ? own.created < read.created : own.id.rawValue < read.id.rawValue
    }

    /// Appends the entries of a node and of all nodes under it to `entries`; the maker must have the folds at `level`.
    private mutating func append(
        _ top: NodeIndex, _ level: UInt32, to entries: inout [Entry], _ maker: inout EntryMaker, of listIndex: Int,
        in forest: borrowing ChainForest, _ folds: borrowing Folds
    ) {
        var next: (node: NodeIndex, level: UInt32)? = (top, level)
        while let (node, level) = next {
            let flags = folds.flags(of: node, depth: Int(level >> 1))
            entries.append(maker.make(node, level, flags: flags))
            noteLarge(node, in: forest)
            next = step(from: node, level, within: top, in: forest)
        }
    }

    /// Returns the node that follows another one in pre-order, and its ``Entry/level``; nil after the last node under
    /// `top`.
    private func step(
        from node: NodeIndex, _ level: UInt32, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> (node: NodeIndex, level: UInt32)? {
        PreorderSteps.next(after: node, within: top, in: forest).map { step in
            (step.node, UInt32(Int(level & ~1) + 2 * step.levels) + (step.isContinuation ? 1 : 0))
        }
    }

    /// Notes a node with many children in ``large``.
    private mutating func noteLarge(_ node: NodeIndex, in forest: borrowing ChainForest) {
        if Folds.isLarge(node, in: forest) { large.append(node) }
    }

    private mutating func noteMatches(
        of entries: [Entry], in forest: borrowing ChainForest, _ filter: borrowing FilterScan
    ) {
        guard isFiltering else { return }
        setMatches(of: entries.lazy.map { NodeIndex(rawValue: $0.node) }, in: forest, filter)
    }

    // MARK: Reading a chain

    /// Reads at most `budget` nodes into a list, from where the last call ended; returns how many were read.
    @discardableResult
    mutating func build(
        _ listIndex: Int, budget: Int, in forest: borrowing ChainForest, _ folds: borrowing Folds,
        _ filter: borrowing FilterScan
    ) -> Int {
        guard !lists[listIndex]!.isComplete else { return 0 }
        let root = lists[listIndex]!.root
        var maker = EntryMaker(level: 0)
        var next: (node: NodeIndex, level: UInt32)? = (root, 0)
        if let last = lists[listIndex]!.chunks.last.map({ chunks[Int($0)].entries.last! }) {
            next = step(from: NodeIndex(rawValue: last.node), last.level, within: root, in: forest)
        }
        var entries: [Entry] = []
        entries.reserveCapacity(min(budget, forest.chain(of: root).nodeCount))
        while let (node, level) = next, entries.count < budget {
            // The folds are unknown if the parent was read by an earlier call.
            if node != root, maker.folds(at: level) == nil, let above = forest.treeParent(of: node),
                let (_, parent) = find(above)
            {
                let isInside = level & 1 == 0
                maker.setFolds(
                    isInside ? foldsInside(at: parent, in: listIndex) : self.folds(at: parent, in: listIndex),
                    at: level)
            }
            let flags: Flags = node == root ? [] : folds.flags(of: node, depth: Int(level >> 1))
            entries.append(maker.make(node, level, flags: flags))
            noteLarge(node, in: forest)
            next = step(from: node, level, within: root, in: forest)
        }
        insert(entries, at: end(of: listIndex), in: listIndex)
        if next == nil { lists[listIndex]!.isComplete = true }
        noteMatches(of: entries, in: forest, filter)
        return entries.count
    }
}
