// SPDX-License-Identifier: MIT

import ChainModel

// Updates from the forest: nodes that were added, removed, moved or changed since the last update.
extension Outline {
    /// Updates the rows from the changes of a forest; rebuilds them if the changes were too many to list. Without a
    /// rebuild O(changes), plus the nodes under moved nodes and the nodes of changed chains that are unfolded.
    package mutating func update(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        if changes.includesBatch { filter.noteNames(of: forest) }
        if changes.isEverything { return rebuild(from: forest, now: now) }
        forgetEvicted(changes)
        var updatedRoot: NodeIndex?
        for (offset, entry) in changes.nodes.enumerated() {
            if offset.isMultiple(of: Self.prefetchCount) {
                for next in changes.nodes[offset...].prefix(Self.prefetchCount)
                where next.changes.contains(.chainCounts) {
                    chains.prefetch(next.index)
                }
            }
            update(entry, &updatedRoot, of: forest, now: now)
        }
        followCallers(in: forest, now: now)
        for slot in newRoots.values where chains[slot].id == 0 { chains.release(slot) }
        newRoots.removeAll()
        countMatches(in: forest)
    }

    /// How many chains are prefetched at once, before they are read one by one.
    private static let prefetchCount = 64

    /// Forgets evicted nodes. A chain that only lost its root keeps its slot, and so the counts of its matches.
    private mutating func forgetEvicted(_ changes: borrowing ForestChanges) {
        // By offset, because iteration would copy elements of 120 bytes.
        for offset in changes.evicted.indices {
            let (index, newRoot) = (changes.evicted[offset].index, changes.evicted[offset].newRoot)
            var slot = newRoots.removeValue(forKey: index)
            if let known = chains.slot(of: index) {
                remove(known)
                slot = known
            }
            if let slot, let newRoot, chains.slot(of: newRoot) == nil, newRoots[newRoot] == nil {
                newRoots[newRoot] = slot
            } else if let slot {
                chains.release(slot)
            }
            if !foreign.callers.isEmpty { noteForeign(evicted: changes.evicted[offset]) }
            folds.forget(index)
            filter.forget(index)
        }
    }

    /// Updates from one changed node. `updatedRoot` is the root that was updated last.
    private mutating func update(
        _ entry: ForestChanges.Entry, _ updatedRoot: inout NodeIndex?, of forest: borrowing ChainForest, now: UInt64
    ) {
        let (index, changes) = (entry.index, entry.changes)
        let isNewOrMoved = !changes.isDisjoint(with: [.created, .moved])
        let isMoved = changes.contains(.moved) && !changes.contains(.created)
        let isRoot = entry.traits.contains(.root)
        noteForeign(entry, in: forest)
        if isMoved, !foreign.callers.isEmpty, isRoot || chains.slot(of: index) == nil, newRoots[index] == nil {
            foreign.mayHaveMoved = true
        }
        if isNewOrMoved, !isRoot, let slot = chains.slot(of: index) {
            drop(slot)
            // The root is updated again, because it may have been weighed as folded before this node moved into its
            // chain.
            updatedRoot = nil
        }
        if filter.isActive {
            filter.noteChange(of: index, changes, in: forest)
            // If the query reads labels of roots, all nodes of a chain with another root are tested again.
            if isMoved, !isRoot || newRoots[index] == nil || filter.query.dependsOnRootLabels {
                filter.noteChange(ofAllBelow: index, in: forest)
            }
        }
        if isNewOrMoved {
            let root = forest.root(of: index)
            if root != updatedRoot { updateChain(root, in: forest, now: now) }
            updatedRoot = root
            if let slot = chains.slot(of: root) {
                noteShape(slot)
                noteMatches(slot)
            }
            if isMoved {
                mayHaveMoved = true
                noteInside(of: root, in: forest)
            }
        } else if changes.contains(.chainCounts), isRoot {
            updateChain(index, in: forest, now: now)
        } else if changes.contains(.facts), let slot = chains.slot(of: index) {
            markOutdated(slot)
        }
        if entry.traits.contains(.hasManyChildren), changes.contains(.facts), Folds.isLarge(index, in: forest) {
            noteInside(of: index, in: forest)
        }
    }

    /// Notes that a node may be folded, so that the rows of its chain are counted.
    mutating func noteInside(of node: NodeIndex, in forest: borrowing ChainForest) {
        guard let slot = chains.slot(of: forest.root(of: node)) else { return }
        chains.set(.isWalked, true, slot)
        weighLater(slot)
        noteMatches(slot)
    }

    /// Adds a root, or updates it after its counts changed.
    mutating func updateChain(_ root: NodeIndex, in forest: borrowing ChainForest, now: UInt64) {
        let chain = forest.chain(of: root)
        let slot = chains.slot(of: root) ?? add(root, chain, in: forest, now: now)
        let bits = chains[slot].bits
        if let settled = chain.settled, !foreign.isLive(root) {
            if !bits.contains(.settled) {
                chains.set(.settled, true, slot)
                if !bits.contains(.archived) {
                    if chain.nodeCount > 1, !bits.contains(.folded) { settledUnfolded.append(root) }
                    // A clock before its zero gives moments far away, which must not hold up the queue.
                    enqueueForArchive(slot, deadline: min(settled &+ Self.archiveDelay, now &+ Self.archiveDelay))
                }
            }
        } else {
            let isBack = bits.contains(.settled)
            if isBack { chains.set(.settled, false, slot) }
            // If it was archived, the chain is live again: a node was added to it, or a live chain of another program
            // is under it.
            if bits.contains(.archived) { setArchived(slot, false, in: forest) }
            if isBack || chain.firstRejected != nil, bits.contains(.folded), unfoldedCount < Self.unfoldedLimit {
                chains.set(.folded, false, slot)
                unfoldedCount += 1
                noteShape(slot)
            }
        }
        noteChange(slot, chain)
        // The rows of most folded chains need not be counted.
        let isOneRow =
            chain.nodeCount == 1 || isFolded(root, depth: 0, slot, isRoot: true, FinishedNodes(), in: forest)
        if !isOneRow, chain.nodeCount <= FinishedNodes.chainLimit { noteShape(slot) }
        if !isOneRow || chains[slot].rows != 1 || bits.contains(.elsewhere) { weighLater(slot) }
    }

    /// Adds a root; returns its slot.
    private mutating func add(
        _ root: NodeIndex, _ chain: ChainSummary, in forest: borrowing ChainForest, now: UInt64
    ) -> UInt32 {
        let slot = chains.add(root, id: forest.id(of: root), in: newRoots[root])
        if let settled = chain.settled, settled &+ Self.archiveDelay < now {
            chains[slot].bits = [.folded, .archived]
        } else if unfoldedCount >= Self.unfoldedLimit {
            chains[slot].bits = .folded
        } else {
            unfoldedCount += 1
        }
        if foreign.hasCallers(root) { chains.set(.isWalked, true, slot) }
        noteAdded(slot, in: forest)
        noteMatches(slot)
        return slot
    }

    /// Removes a chain of which the root was evicted or moved into another chain.
    mutating func drop(_ slot: UInt32) {
        remove(slot)
        chains.release(slot)
    }

    /// Removes a chain; its slot stays in use.
    private mutating func remove(_ slot: UInt32) {
        let root = chains.root(slot)
        let id = chains[slot].id
        inOrders { $0.remove(slot, id: id) }
        noteForeign(dropped: root, slot)
        if !chains.has(.folded, slot), !chains.has(.archived, slot) { unfoldedCount -= 1 }
        forgetRows(slot)
        chains.remove(slot)
    }
}
