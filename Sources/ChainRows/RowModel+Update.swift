import ChainModel

// Updates from the forest: nodes that were added, removed, moved or changed since the last update.
extension RowModel {
    /// Updates the rows from the changes of a forest; rebuilds them if the changes were too many to list. Without a
    /// rebuild O(changes), plus the nodes under moved nodes and the nodes of changed chains with folds.
    package mutating func update(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        if changes.includesBatch, filter.isActive { filter.noteNames(of: forest) }
        if changes.isEverything {
            rebuild(from: forest, now: now)
            return
        }
        let newRoots = forgetEvicted(changes)
        longChains.update(changes, of: forest, folds, filter)
        noteListedLarge(in: forest)
        openedAround = nil
        var updatedRoot: NodeIndex?
        for (offset, entry) in changes.nodes.enumerated() {
            if offset.isMultiple(of: Self.prefetchCount) {
                for next in changes.nodes[offset...].prefix(Self.prefetchCount)
                where next.changes.contains(.chainCounts) {
                    // Only marks are prefetched, because the forest has just read the nodes and chains.
                    let number = slotOf[next.index.rawValue]
                    if number != 0 { slots.prefetchMarks(number - 1) }
                }
            }
            update(entry, &updatedRoot, newRoots, of: forest, now: now)
        }
        followCallers(in: forest, now: now)
        refreshMatches(in: forest)
    }

    /// Forgets evicted nodes; returns the new roots of the chains that lost their root but kept their matches.
    private mutating func forgetEvicted(_ changes: borrowing ForestChanges) -> Set<NodeIndex> {
        var newRoots: Set<NodeIndex> = []
        // By offset, because iteration would copy elements of 120 bytes.
        for offset in changes.evicted.indices {
            if offset.isMultiple(of: Self.prefetchCount) { prefetch(changes.evicted[offset...]) }
            let index = changes.evicted[offset].index
            if slotOf[index.rawValue] != 0 { drop(index) }
            if !foreign.callers.isEmpty { noteForeign(evicted: changes.evicted[offset]) }
            folds.forget(index)
            filter.forget(index)
            if filter.isActive, let root = changes.evicted[offset].newRoot, filter.inherit(from: index, by: root) {
                // If the query reads labels of roots, all nodes of the chain are tested again, because the chain has
                // another root.
                if !filter.dependsOnRootLabels { newRoots.insert(root) }
            }
        }
        return newRoots
    }

    /// Updates from one changed node. `updatedRoot` is the root that was updated last; `newRoots` are the result of
    /// `forgetEvicted`.
    private mutating func update(
        _ entry: ForestChanges.Entry, _ updatedRoot: inout NodeIndex?, _ newRoots: borrowing Set<NodeIndex>,
        of forest: borrowing ChainForest, now: UInt64
    ) {
        let (index, changes) = (entry.index, entry.changes)
        let isNewOrMoved = !changes.isDisjoint(with: [.created, .moved])
        let isMoved = changes.contains(.moved) && !changes.contains(.created)
        noteForeign(entry, in: forest)
        if isMoved, !foreign.callers.isEmpty, entry.traits.contains(.root) || slotOf[index.rawValue] == 0 {
            foreign.noteMoved(index)
        }
        if isNewOrMoved, !entry.traits.contains(.root), slotOf[index.rawValue] != 0 {
            drop(index)
            // The root is updated again, because it may have been weighed as folded before this node moved into its
            // chain.
            updatedRoot = nil
        }
        if filter.isActive {
            filter.noteChange(of: index, changes, in: forest)
            if isMoved, !(entry.traits.contains(.root) && newRoots.contains(index)) {
                filter.noteChange(ofAllBelow: index, in: forest)
            }
        }
        if isNewOrMoved {
            let root = forest.root(of: index)
            if slotOf[root.rawValue] != 0 { dropCachedRows(root, Int(slotOf[root.rawValue] - 1)) }
            if root != updatedRoot { updateChain(root, in: forest, now: now, matches: .soon) }
            updatedRoot = root
            // A new node cannot be folded, or hold folded nodes.
            if isMoved, folds.mayHoldAny { noteFolds(in: root, forest) }
        } else if changes.contains(.chainCounts), entry.traits.contains(.root) {
            updateChain(index, in: forest, now: now, matches: .unchanged)
        } else if changes.contains(.facts), slotOf[index.rawValue] != 0 {
            markOutdated(index)
        }
        if isNewOrMoved || changes.contains(.state) { noteState(entry, in: forest, now: now) }
        if entry.traits.contains(.hasManyChildren), changes.contains(.facts), Folds.isLarge(index, in: forest) {
            noteLarge(index, in: forest)
        }
    }

    /// Prefetches the slots of the next evicted roots: saves 6 % of `screen.fold-with-view.1M`.
    private func prefetch(_ evicted: ArraySlice<ForestChanges.Eviction>) {
        for offset in evicted.indices.prefix(Self.prefetchCount) {
            let number = slotOf[evicted[offset].index.rawValue]
            if number != 0 { slots.prefetch(number - 1) }
        }
    }

    /// How many chains or nodes are prefetched at once, before they are read one by one.
    static let prefetchCount = 64

    /// Prefetches a node, and its slot if it is a root.
    func prefetch(_ node: NodeIndex, in forest: borrowing ChainForest) {
        let number = slotOf[node.rawValue]
        if number != 0 { slots.prefetch(number - 1) }
        forest.prefetch(node)
    }

    /// Notes that nodes of a chain may be folded, and counts the chain's rows. Does nothing if this is noted already.
    mutating func noteFolds(in root: NodeIndex, _ forest: borrowing ChainForest) {
        let slot = Int(slotOf[root.rawValue]) - 1
        guard slot >= 0, !slots.has(.mayHoldFolds, slot) else { return }
        slots.set(.mayHoldFolds, true, slot)
        updateWeight(root, in: forest)
    }

    /// Adds a root, or updates it after its counts changed.
    mutating func updateChain(
        _ root: NodeIndex, in forest: borrowing ChainForest, now: UInt64, matches: MatchWeightUpdate = .now
    ) {
        let chain = forest.chain(of: root)
        let number = slotOf[root.rawValue]
        let slot = number == 0 ? add(root, chain, in: forest, now: now) : Int(number - 1)
        let bits = slots.bits(slot)
        if let settled = chain.settled, !foreign.isLive(root) {
            if !bits.contains(.settled) {
                slots.set(.settled, true, slot)
                if !bits.contains(.archived) {
                    if chain.nodeCount > 1, !bits.contains(.folded) { settledUnfolded.append(root) }
                    enqueueForArchive(root, slot, deadline: settled &+ ArchiveDelay.settled, in: forest)
                }
            }
        } else {
            let isBack = bits.contains(.settled)
            if isBack { slots.set(.settled, false, slot) }
            // If it was archived, the chain is live again: a node was added to it, or a live chain of another program
            // is under it.
            if bits.contains(.archived) { setArchived(root, false, in: forest) }
            if isBack || chain.firstRejected != nil, bits.contains(.folded), unfoldedCount < Self.unfoldedLimit {
                slots.set(.folded, false, slot)
                unfoldedCount += 1
                dropCachedRows(root, slot)
            }
        }
        noteChange(of: root, chain, slot)
        updateWeight(root, in: forest, matches: matches)
    }

    /// Adds a root; returns its slot.
    private mutating func add(
        _ root: NodeIndex, _ chain: ChainSummary, in forest: borrowing ChainForest, now: UInt64
    ) -> Int {
        var bits: ChainTable.Bits = unfoldedCount >= Self.unfoldedLimit ? .folded : []
        if let settled = chain.settled, settled &+ ArchiveDelay.settled < now { bits = [.folded, .archived] }
        if !bits.contains(.folded) { unfoldedCount += 1 }
        let id = forest.id(of: root).rawValue
        if foreign.hasCallers(root) { bits.insert(.mayHoldFolds) }
        let key = order.key(of: root, id: id, isArchived: bits.contains(.archived), in: forest)
        let slot = slots.take(key, bits)
        slotOf[root.rawValue] = UInt32(slot) + 1
        list.insert(key, weight: 1)
        noteAdded(root, chain, slot)
        return slot
    }

    /// Removes a root that was evicted or moved into another chain.
    mutating func drop(_ root: NodeIndex) {
        let slot = Int(slotOf[root.rawValue] - 1)
        noteDropped(slot)
        noteForeign(dropped: root, slot)
        let key = slots.key(slot)
        list.remove(key)
        if slots.matchWeight(slot) != 0 { matchList.remove(key) }
        if !slots.has(.folded, slot), !slots.has(.archived, slot) { unfoldedCount -= 1 }
        slotOf[root.rawValue] = 0
        dropCachedRows(root, slot)
        slots.release(slot)
    }

    /// Moves a chain to a new key in the list of all chains and, if the chain has a match, in the list of matches.
    mutating func move(_ root: NodeIndex, to key: RootKey) {
        let slot = Int(slotOf[root.rawValue] - 1)
        let old = slots.key(slot)
        guard old != key else { return }
        slots.setKey(key, of: slot)
        if let weight = slots.weight(slot) ?? list.weight(of: old), list.remove(old) {
            list.insert(key, weight: weight)
        }
        guard slots.matchWeight(slot) != 0 else { return }
        guard let weight = slots.matchWeight(slot) ?? matchList.weight(of: old) else { return }
        if !isListed(slot) {
            listMatch(key, slot, weight: weight)
        } else if matchList.remove(old) {
            matchList.insert(key, weight: weight)
        }
    }
}
