import ChainEvents
import ChainModel

// Following a forest. What has another place is taken out with all under it; then who went; then it is put where it
// stands now. In between a list is that of a forest without these nodes.
extension LongChainIndex {
    /// Takes in what changed.
    mutating func follow(
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
        guard let (l, at) = find(node) else { return }
        if lists[l]!.root == node {
            if isNew || !forest.isRoot(node) { removeList(l) }
            return
        }
        if !isNew, forest.isRoot(node), isPromoted(at, in: l, changes) { return promote(node, at, in: l) }
        takeOutTree(at, in: l)
    }

    private mutating func takeOutTree(_ at: Position, in l: Int) {
        lower(at, in: l)
        remove(from: at, to: endOfTree(at: at, in: l), in: l)
    }

    /// What is shown of an entry is shown no longer of the one above it.
    private mutating func lower(_ at: Position, in l: Int) {
        if isFiltering, shown(at: at, in: l) > 0, let above = parent(at: at, in: l) { raise(at: above, in: l, by: -1) }
    }

    private mutating func takeOut(evicted node: NodeIndex) {
        guard let (l, at) = find(node) else { return }
        lower(at, in: l)
        remove(from: at, to: position(after: at, in: l), in: l)
        if lists[l]!.count == 0 || lists[l]!.root == node { removeList(l) }
    }

    /// Whether all before an entry went: the beginning of its chain was shed, and it is the root now.
    private func isPromoted(_ at: Position, in l: Int, _ changes: borrowing ForestChanges) -> Bool {
        guard entry(at: at, in: l).level == 1, endOfTree(at: at, in: l) == end(of: l) else { return false }
        let gone = Set(changes.evicted.map(\.index.rawValue))
        var before = Position(place: 0, offset: 0)
        while before < at {
            guard gone.contains(entry(at: before, in: l).node) else { return false }
            before = position(after: before, in: l)
        }
        return true
    }

    private mutating func promote(_ node: NodeIndex, _ at: Position, in l: Int) {
        listOf[lists[l]!.root] = nil
        lists[l]!.root = node
        listOf[node] = l
        remove(from: Position(place: 0, offset: 0), to: at, in: l)
        unfoldRoot(in: l)
    }

    /// Makes sure that a node goes on with the one that it goes on with by now.
    private mutating func reconcile(_ node: NodeIndex, in forest: borrowing ChainForest, _ moved: inout [NodeIndex]) {
        guard let (l, at) = find(node) else { return }
        let tail = forest.continuation(of: node)
        if let end = endOfInside(at: at, in: l), case let old = entry(at: end, in: l),
            old.level == entry(at: at, in: l).level | 1, tail?.rawValue != old.node
        {
            takeOutTree(end, in: l)
            moved.append(NodeIndex(rawValue: old.node))
        }
        if let tail, let (other, place) = find(tail), entry(at: place, in: other).level & 1 == 0 {
            takeOutTree(place, in: other)
            moved.append(tail)
        }
    }

    /// Puts a node, its siblings that are not there either, and all under them, where they stand.
    private mutating func put(
        _ node: NodeIndex, in forest: borrowing ChainForest, _ folds: borrowing Folds, _ filter: borrowing FilterScan
    ) {
        guard !has(node), let above = forest.treeParent(of: node), let (l, parent) = find(above) else { return }
        let parentLevel = entry(at: parent, in: l).level
        let inside = endOfInside(at: parent, in: l)
        let isUnfinished = inside == nil && !lists[l]!.isComplete
        var maker = EntryMaker(level: parentLevel)
        let around = self.folds(at: parent, in: l)
        maker.setFolds(around, at: parentLevel)
        var entries: [Entry] = []
        let target: Position
        if forest.isContinuation(node) {
            if isUnfinished { return }
            append(node, parentLevel | 1, to: &entries, &maker, of: l, in: forest, folds)
            target = inside ?? end(of: l)
        } else {
            let level = parentLevel & ~1 + 2
            if isUnfinished, !isBehind(node, parent, level, in: l, forest) { return }
            let flags = entry(at: parent, in: l).flags
            let own: (all: UInt32, user: UInt16) = (
                around.all + (flags.contains(.folded) ? 1 : 0), around.user + (flags.contains(.userFolded) ? 1 : 0)
            )
            let (first, before) = run(before: node, in: forest)
            target =
                before.flatMap { find($0) }.map { end(ofTreeOf: before!, $0.at, in: l, forest) }
                ?? position(after: parent, in: l)
            var next: NodeIndex? = first
            while let current = next {
                next = forest.nextSibling(of: current)
                if forest.isContinuation(current) { continue }
                if has(current) { break }
                maker.setFolds(own, at: level)
                append(current, level, to: &entries, &maker, of: l, in: forest, folds)
            }
        }
        insert(entries, at: target, in: l)
        noteMatches(of: entries, in: forest, filter)
    }

    private func end(ofTreeOf node: NodeIndex, _ at: Position, in l: Int, _ forest: borrowing ChainForest) -> Position {
        forest.childCount(of: node) == 0 ? position(after: at, in: l) : endOfTree(at: at, in: l)
    }

    /// The first of those beside a node that are not there, and the one before it that is.
    private func run(before node: NodeIndex, in forest: borrowing ChainForest) -> (first: NodeIndex, before: NodeIndex?)
    {
        var first = node
        while let before = forest.previousSibling(of: first) {
            if has(before), !forest.isContinuation(before) { return (first, before) }
            first = before
        }
        return (first, nil)
    }

    /// Whether a node under a parent that is still read comes before where reading is.
    private func isBehind(
        _ node: NodeIndex, _ parent: Position, _ level: UInt32, in l: Int, _ forest: borrowing ChainForest
    ) -> Bool {
        guard let last = lastAtMost(level, before: end(of: l), in: l), last > parent else { return false }
        let reached = forest.node(NodeIndex(rawValue: entry(at: last, in: l).node))
        let own = forest.node(node)
        return own.created != reached.created ? own.created < reached.created : own.id.rawValue < reached.id.rawValue
    }

    private mutating func append(
        _ top: NodeIndex, _ level: UInt32, to entries: inout [Entry], _ maker: inout EntryMaker, of l: Int,
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

    /// Reads on in a chain, at most so many nodes; gives how many it read.
    @discardableResult
    mutating func build(
        _ l: Int, budget: Int, in forest: borrowing ChainForest, _ folds: borrowing Folds,
        _ filter: borrowing FilterScan
    ) -> Int {
        guard !lists[l]!.isComplete else { return 0 }
        let root = lists[l]!.root
        var maker = EntryMaker(level: 0)
        var next: (node: NodeIndex, level: UInt32)? = (root, 0)
        if let last = lists[l]!.chunks.last.map({ chunks[Int($0)].entries.last! }) {
            next = step(from: NodeIndex(rawValue: last.node), last.level, within: root, in: forest)
        }
        var entries: [Entry] = []
        entries.reserveCapacity(min(budget, forest.chain(of: root).nodeCount))
        while let (node, level) = next, entries.count < budget {
            if node != root, maker.folds(at: level) == nil, let above = forest.treeParent(of: node),
                let (_, at) = find(above)
            {
                var around = self.folds(at: at, in: l)
                let flags = entry(at: at, in: l).flags
                if level & 1 == 0, flags.contains(.folded) { around.all += 1 }
                if level & 1 == 0, flags.contains(.userFolded) { around.user += 1 }
                maker.setFolds(around, at: level)
            }
            let flags: Flags = node == root ? [] : folds.flags(of: node, depth: Int(level >> 1))
            entries.append(maker.make(node, level, flags: flags))
            noteLarge(node, in: forest)
            next = step(from: node, level, within: root, in: forest)
        }
        insert(entries, at: end(of: l), in: l)
        if next == nil { lists[l]!.isComplete = true }
        noteMatches(of: entries, in: forest, filter)
        return entries.count
    }
}
