import ChainModel

// Updates from the forest: moved nodes are removed with all under them, then evicted ones, then the moved ones are
// inserted at their new position. In between a list is that of a forest without these nodes.
extension LongChainIndex {
    /// Updates all lists from the changes of a forest.
    mutating func update(
        _ changes: ForestChanges, of forest: borrowing ChainForest, _ folds: borrowing Folds,
        _ filter: borrowing FilterScan
    ) {
        guard !listOf.isEmpty else { return }
        var hasNew = false
        for entry in changes.nodes where !entry.changes.isDisjoint(with: [.created, .moved]) {
            hasNew = true
            if has(entry.index) {
                takeOut(entry.index, isNew: entry.changes.contains(.created), of: forest, changes)
            }
        }
        for eviction in changes.evicted where has(eviction.index) { takeOut(evicted: eviction.index) }
        var moved: [NodeIndex] = []
        for entry in changes.nodes where entry.changes.contains(.continuation) {
            reconcile(entry.index, in: forest, &moved)
        }
        if hasNew {
            for entry in changes.nodes where !entry.changes.isDisjoint(with: [.created, .moved]) {
                put(entry.index, in: forest, folds, filter)
            }
        }
        for node in moved { put(node, in: forest, folds, filter) }
    }

    private mutating func takeOut(
        _ node: NodeIndex, isNew: Bool, of forest: borrowing ChainForest, _ changes: borrowing ForestChanges
    ) {
        guard let (listIndex, at) = find(node) else { return }
        if lists[listIndex]!.root == node {
            if isNew || !forest.isRoot(node) { removeList(listIndex) }
            return
        }
        if !isNew, forest.isRoot(node), isPromoted(at, in: listIndex, changes) {
            return promote(node, at, in: listIndex)
        }
        takeOutTree(at, in: listIndex)
    }

    private mutating func takeOutTree(_ at: Position, in listIndex: Int) {
        lower(at, in: listIndex)
        remove(from: at, to: endOfTree(at: at, in: listIndex), in: listIndex)
    }

    /// Takes what is shown of an entry from the shown count of its parent.
    private mutating func lower(_ at: Position, in listIndex: Int) {
        if isFiltering, shown(at: at, in: listIndex) > 0, let above = parent(at: at, in: listIndex) {
            raise(at: above, in: listIndex, by: -1)
        }
    }

    private mutating func takeOut(evicted node: NodeIndex) {
        guard let (listIndex, at) = find(node) else { return }
        lower(at, in: listIndex)
        remove(from: at, to: position(after: at, in: listIndex), in: listIndex)
        if lists[listIndex]!.count == 0 || lists[listIndex]!.root == node { removeList(listIndex) }
    }

    /// Returns whether all entries before one were evicted, so that it is the root now.
    private func isPromoted(_ at: Position, in listIndex: Int, _ changes: borrowing ForestChanges) -> Bool {
        guard entry(at: at, in: listIndex).level == 1, endOfTree(at: at, in: listIndex) == end(of: listIndex) else {
            return false
        }
        let gone = Set(changes.evicted.map(\.index.rawValue))
        var before = Position(ordinal: 0, offset: 0)
        while before < at {
            guard gone.contains(entry(at: before, in: listIndex).node) else { return false }
            before = position(after: before, in: listIndex)
        }
        return true
    }

    private mutating func promote(_ node: NodeIndex, _ at: Position, in listIndex: Int) {
        listOf[lists[listIndex]!.root] = nil
        lists[listIndex]!.root = node
        listOf[node] = listIndex
        remove(from: Position(ordinal: 0, offset: 0), to: at, in: listIndex)
        unfoldRoot(in: listIndex)
    }

    /// Updates a node's continuation after its only child changed.
    private mutating func reconcile(_ node: NodeIndex, in forest: borrowing ChainForest, _ moved: inout [NodeIndex]) {
        guard let (listIndex, at) = find(node) else { return }
        let tail = forest.continuation(of: node)
        if let end = endOfInside(at: at, in: listIndex), case let old = entry(at: end, in: listIndex),
            old.level == entry(at: at, in: listIndex).level | 1, tail?.rawValue != old.node
        {
            takeOutTree(end, in: listIndex)
            moved.append(NodeIndex(rawValue: old.node))
        }
        if let tail, let (other, ordinal) = find(tail), entry(at: ordinal, in: other).level & 1 == 0 {
            takeOutTree(ordinal, in: other)
            moved.append(tail)
        }
    }

    /// Inserts a node, its siblings that are in no list either, and all under them.
    private mutating func put(
        _ node: NodeIndex, in forest: borrowing ChainForest, _ folds: borrowing Folds, _ filter: borrowing FilterScan
    ) {
        guard !has(node), let above = forest.treeParent(of: node), let (listIndex, parent) = find(above) else { return }
        let parentLevel = entry(at: parent, in: listIndex).level
        let inside = endOfInside(at: parent, in: listIndex)
        let isUnfinished = inside == nil && !lists[listIndex]!.isComplete
        var maker = EntryMaker(level: parentLevel)
        let around = self.folds(at: parent, in: listIndex)
        maker.setFolds(around, at: parentLevel)
        var entries: [Entry] = []
        let target: Position
        if forest.isContinuation(node) {
            if isUnfinished { return }
            append(node, parentLevel | 1, to: &entries, &maker, of: listIndex, in: forest, folds)
            target = inside ?? end(of: listIndex)
        } else {
            let level = parentLevel & ~1 + 2
            if isUnfinished, !isBehind(node, parent, level, in: listIndex, forest) { return }
            let flags = entry(at: parent, in: listIndex).flags
            let own: (all: UInt32, user: UInt16) = (
                around.all + (flags.contains(.folded) ? 1 : 0), around.user + (flags.contains(.userFolded) ? 1 : 0)
            )
            let (first, before) = run(before: node, in: forest)
            target =
                before.flatMap { find($0) }.map { end(ofTreeOf: before!, $0.at, in: listIndex, forest) }
                ?? position(after: parent, in: listIndex)
            var next: NodeIndex? = first
            while let current = next {
                next = forest.nextSibling(of: current)
                if forest.isContinuation(current) { continue }
                if has(current) { break }
                maker.setFolds(own, at: level)
                append(current, level, to: &entries, &maker, of: listIndex, in: forest, folds)
            }
        }
        insert(entries, at: target, in: listIndex)
        noteMatches(of: entries, in: forest, filter)
    }

    private func end(ofTreeOf node: NodeIndex, _ at: Position, in listIndex: Int, _ forest: borrowing ChainForest)
        -> Position
    {
        forest.childCount(of: node) == 0 ? position(after: at, in: listIndex) : endOfTree(at: at, in: listIndex)
    }

    /// Returns the first of a node's preceding siblings that are in no list, and the one before them that is.
    private func run(before node: NodeIndex, in forest: borrowing ChainForest) -> (first: NodeIndex, before: NodeIndex?)
    {
        var first = node
        while let before = forest.previousSibling(of: first) {
            if has(before), !forest.isContinuation(before) { return (first, before) }
            first = before
        }
        return (first, nil)
    }

    /// Returns whether a node comes before the position up to which its unfinished list was read.
    private func isBehind(
        _ node: NodeIndex, _ parent: Position, _ level: UInt32, in listIndex: Int, _ forest: borrowing ChainForest
    ) -> Bool {
        guard let last = lastAtMost(level, before: end(of: listIndex), in: listIndex), last > parent else {
            return false
        }
        let reached = forest.node(NodeIndex(rawValue: entry(at: last, in: listIndex).node))
        let own = forest.node(node)
        return own.created != reached.created ? own.created < reached.created : own.id.rawValue < reached.id.rawValue
    }

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

    /// Returns the node below another one and its level, see ``Entry/level``.
    private func step(
        from node: NodeIndex, _ level: UInt32, within top: NodeIndex, in forest: borrowing ChainForest
    ) -> (node: NodeIndex, level: UInt32)? {
        RowOrder.next(after: node, within: top, in: forest).map { step in
            (step.node, UInt32(Int(level & ~1) + 2 * step.levels) + (step.isContinuation ? 1 : 0))
        }
    }

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

    /// Reads at most `budget` nodes into a list; returns how many were read.
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
            if node != root, maker.folds(at: level) == nil, let above = forest.treeParent(of: node),
                let (_, at) = find(above)
            {
                var around = self.folds(at: at, in: listIndex)
                let flags = entry(at: at, in: listIndex).flags
                if level & 1 == 0, flags.contains(.folded) { around.all += 1 }
                if level & 1 == 0, flags.contains(.userFolded) { around.user += 1 }
                maker.setFolds(around, at: level)
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
