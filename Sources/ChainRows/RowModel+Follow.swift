import ChainEvents
import ChainModel

// Updates from the forest: what came, went, moved or changed since the last time.
extension RowModel {
    /// Updates all rows from the changes of a forest. O(changes), but for the nodes under one that moved.
    package mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        if changes.tables, filter.isActive { filter.noteNames(of: forest) }
        if changes.isEverything {
            rebuild(from: forest, now: now)
            return
        }
        let newRoots = forgetEvicted(changes)
        lists.follow(changes, of: forest, folds, filter)
        noteLarge(in: forest)
        var touched: NodeIndex?
        for (offset, entry) in changes.nodes.enumerated() {
            if offset.isMultiple(of: Self.warmCount) {
                for next in changes.nodes[offset...].prefix(Self.warmCount) where next.changes.contains(.summary) {
                    warmed ^= warmth(of: next.index)
                }
            }
            follow(entry, &touched, newRoots, of: forest, now: now)
        }
        refreshMatches(in: forest)
    }

    /// Forgets evicted nodes; returns the roots that took over all nodes of an evicted root, matches included.
    private mutating func forgetEvicted(_ changes: borrowing ForestChanges) -> Set<NodeIndex> {
        var newRoots: Set<NodeIndex> = []
        for (offset, eviction) in changes.evicted.enumerated() {
            if offset.isMultiple(of: Self.warmCount) {
                let next = changes.evicted[offset...].prefix(Self.warmCount)
                for eviction in next { warmed ^= warmth(of: eviction.index) ^ (filter.isMatch(eviction.index) ? 1 : 0) }
                for eviction in next { warmed ^= placeWarmth(of: eviction.index) }
            }
            if slotOf[eviction.index.rawValue] != 0 { drop(eviction.index) }
            folds.forget(eviction.index)
            filter.forget(eviction.index)
            if filter.isActive, let root = eviction.newRoot, filter.inherit(from: eviction.index, by: root) {
                newRoots.insert(root)
            }
        }
        return newRoots
    }

    /// Updates from one changed node; `touched` is the root that was updated last.
    private mutating func follow(
        _ entry: ForestChanges.Entry, _ touched: inout NodeIndex?, _ newRoots: borrowing Set<NodeIndex>,
        of forest: borrowing ChainForest, now: UInt64
    ) {
        let (index, changes) = (entry.index, entry.changes)
        let isNewOrMoved = !changes.isDisjoint(with: [.created, .moved])
        let isMoved = changes.contains(.moved) && !changes.contains(.created)
        if isNewOrMoved, !entry.traits.contains(.root), slotOf[index.rawValue] != 0 {
            drop(index)
            // Updated again, because a root may have been weighed as folded before this node moved into its chain.
            touched = nil
        }
        if filter.isActive {
            filter.noteChange(of: index, changes, in: forest)
            if isMoved, !(entry.traits.contains(.root) && newRoots.contains(index)) {
                filter.noteChange(ofAllBelow: index, in: forest)
            }
        }
        if isNewOrMoved {
            let root = forest.root(of: index)
            if slotOf[root.rawValue] != 0 { forgetShape(root, Int(slotOf[root.rawValue] - 1)) }
            if root != touched { touch(root, in: forest, now: now, matches: .soon) }
            touched = root
            // Only a moved node can be folded, or hold folded ones.
            if isMoved, folds.mayHoldAny { noteFolds(in: root, forest) }
        } else if changes.contains(.summary), entry.traits.contains(.root) {
            touch(index, in: forest, now: now, matches: .asBefore)
        } else if changes.contains(.facts), slotOf[index.rawValue] != 0 {
            noteFacts(of: index)
        }
        if isNewOrMoved || changes.contains(.state) { noteState(of: index, entry.state, in: forest, now: now) }
        if changes.contains(.facts), Folds.isLarge(index, in: forest) { noteLarge(index, in: forest) }
    }

    /// Changes and chains that are read ahead.
    static let warmCount = 64

    /// Something of what is known of a chain and of where it stands; 0 for who is no root. Asked of many before they are
    /// looked at one by one, so that one wait is for all of them.
    func warmth(of root: NodeIndex) -> UInt64 {
        let number = slotOf[root.rawValue]
        return number == 0 ? 0 : slots.warmth(Int(number - 1))
    }

    /// Something of where a chain stands in the list of all; asked of many after ``warmth(of:)`` was.
    func placeWarmth(of root: NodeIndex) -> UInt64 {
        let number = slotOf[root.rawValue]
        return number == 0 ? 0 : list.warmth(of: slots.key(Int(number - 1)))
    }

    /// What is known of chains in the order in which they are looked at next, and of their nodes.
    mutating func warm(_ roots: ArraySlice<NodeIndex>, in forest: borrowing ChainForest) {
        for root in roots { warmed ^= warmth(of: root) ^ forest.warmth(of: root) }
    }

    /// From now on a chain's rows are counted, for something in it may be folded.
    mutating func noteFolds(in root: NodeIndex, _ forest: borrowing ChainForest) {
        let place = Int(slotOf[root.rawValue]) - 1
        guard place >= 0, !slots.has(.mayHoldFolds, place) else { return }
        slots.set(.mayHoldFolds, true, place)
        reweigh(root, in: forest)
    }

    /// Takes up a root, or what changed of its counts.
    mutating func touch(
        _ root: NodeIndex, in forest: borrowing ChainForest, now: UInt64, matches: MatchCount = .now
    ) {
        let chain = forest.chain(of: root)
        let number = slotOf[root.rawValue]
        let place = number == 0 ? add(root, chain, in: forest, now: now) : Int(number - 1)
        if let settled = chain.settled {
            if !slots.has(.retired, place), !slots.has(.due, place) {
                slots.set(.due, true, place)
                let linger =
                    slots.has(.folded, place) || chain.nodeCount == 1
                    ? Linger.folded : chain.firstRejected == nil ? Linger.settled : Linger.rejected
                let entry = NodeQueue.Entry(deadline: settled &+ linger, node: root, id: NodeID(slots.id(place)))
                enqueue(entry, linger, in: forest)
            }
        } else if slots.has(.retired, place) {
            // It lives again: something was hung on it.
            setRetired(root, false, in: forest)
        }
        if chain.firstRejected != nil, slots.has(.folded, place), !slots.has(.retired, place),
            openCount < Self.openLimit
        {
            slots.set(.folded, false, place)
            openCount += 1
            forgetShape(root, place)
        }
        noteChange(of: root, chain, place)
        reweigh(root, in: forest, matches: matches)
    }

    /// Takes up a new root; gives its place among the slots.
    private mutating func add(
        _ root: NodeIndex, _ chain: ChainSummary, in forest: borrowing ChainForest, now: UInt64
    ) -> Int {
        var bits: ChainTable.Bits = openCount >= Self.openLimit ? .folded : []
        if let settled = chain.settled, settled &+ Linger.rejected < now { bits = [.folded, .retired] }
        if !bits.contains(.folded) { openCount += 1 }
        let id = forest.id(of: root).rawValue
        let key = order.key(of: root, id: id, isRetired: bits.contains(.retired), in: forest)
        let place = slots.take(key, bits)
        slotOf[root.rawValue] = UInt32(place) + 1
        list.insert(key, weight: 1)
        noteAdded(root, chain, place)
        return place
    }

    /// A root that is gone or stands under another now.
    mutating func drop(_ root: NodeIndex) {
        let place = Int(slotOf[root.rawValue] - 1)
        noteDropped(place)
        let key = slots.key(place)
        list.remove(key)
        if slots.matchWeight(place) != 0 { matchList.remove(key) }
        if !slots.has(.folded, place), !slots.has(.retired, place) { openCount -= 1 }
        slotOf[root.rawValue] = 0
        forgetShape(root, place)
        slots.release(place)
    }

    mutating func move(_ root: NodeIndex, to key: RootKey) {
        let place = Int(slotOf[root.rawValue] - 1)
        let old = slots.key(place)
        guard old != key else { return }
        slots.setKey(key, of: place)
        if let weight = slots.weight(place) ?? list.weight(of: old), list.remove(old) {
            list.insert(key, weight: weight)
        }
        guard slots.matchWeight(place) != 0 else { return }
        if let weight = slots.matchWeight(place) ?? matchList.weight(of: old), matchList.remove(old) {
            matchList.insert(key, weight: weight)
        }
    }
}
