// SPDX-License-Identifier: MIT

import ChainModel

// Updates from the forest: nodes that were added, removed, moved or changed since the last update.
extension Outline {
    /// Updates the rows from the changes of a forest; rebuilds them if the changes were too many to list. Without a
    /// rebuild O(changes), plus the nodes under moved nodes and the nodes of changed chains that are unfolded.
    package mutating func update(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        if changes.includesBatch, filter.isActive { filter.noteNames(of: forest) }
        if changes.isEverything {
            rebuild(from: forest, now: now)
            return
        }
        let newRoots = forgetEvicted(changes, in: forest)
        var updatedRoot: NodeIndex?
        for (offset, entry) in changes.nodes.enumerated() {
            if offset.isMultiple(of: Self.prefetchCount) {
                for next in changes.nodes[offset...].prefix(Self.prefetchCount)
                where next.changes.contains(.chainCounts) {
                    chains.prefetch(next.index)
                }
            }
            update(entry, &updatedRoot, newRoots, of: forest, now: now)
        }
        followCallers(in: forest, now: now)
        refreshMatches(in: forest)
    }

    /// How many chains are prefetched at once, before they are read one by one.
    private static let prefetchCount = 64

    /// Forgets evicted nodes; returns the new roots of the chains that lost their root but kept their matches.
    private mutating func forgetEvicted(
        _ changes: borrowing ForestChanges, in forest: borrowing ChainForest
    ) -> Set<NodeIndex> {
        var newRoots: Set<NodeIndex> = []
        // By offset, because iteration would copy elements of 120 bytes.
        for offset in changes.evicted.indices {
            let index = changes.evicted[offset].index
            if let slot = chains.slot(of: index) { drop(slot) }
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
        let isRoot = entry.traits.contains(.root)
        noteForeign(entry, in: forest)
        if isMoved, !foreign.callers.isEmpty, isRoot || chains.slot(of: index) == nil { foreign.noteMoved(index) }
        if isNewOrMoved, !isRoot, let slot = chains.slot(of: index) {
            drop(slot)
            // The root is updated again, because it may have been weighed as folded before this node moved into its
            // chain.
            updatedRoot = nil
        }
        if filter.isActive {
            filter.noteChange(of: index, changes, in: forest)
            if isMoved, !(isRoot && newRoots.contains(index)) { filter.noteChange(ofAllBelow: index, in: forest) }
        }
        if isNewOrMoved {
            let root = forest.root(of: index)
            if filter.isActive { filter.noteStructure(of: root) }
            if root != updatedRoot { updateChain(root, in: forest, now: now) }
            updatedRoot = root
            if let slot = chains.slot(of: root) { noteShape(slot) }
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
        if filter.isActive { filter.noteStructure(of: chains.root(slot)) }
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
                    enqueueForArchive(slot, deadline: settled &+ Self.archiveDelay)
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
        let isElsewhere = bits.contains(.elsewhere)
        if chain.nodeCount == 1 || isFolded(root, depth: 0, slot, isRoot: true, FinishedNodes(), in: forest) {
            if chains[slot].rows != 1 || isElsewhere { weigh(slot, countsMatches: false, in: forest) }
        } else {
            if chain.nodeCount <= FinishedNodes.chainLimit { noteShape(slot) }
            if isElsewhere { weigh(slot, countsMatches: false, in: forest) } else { weighLater(slot) }
        }
    }

    /// Adds a root; returns its slot.
    private mutating func add(
        _ root: NodeIndex, _ chain: ChainSummary, in forest: borrowing ChainForest, now: UInt64
    ) -> UInt32 {
        let slot = chains.add(root, id: forest.id(of: root))
        if let settled = chain.settled, settled &+ Self.archiveDelay < now {
            chains[slot].bits = [.folded, .archived]
        } else if unfoldedCount >= Self.unfoldedLimit {
            chains[slot].bits = .folded
        } else {
            unfoldedCount += 1
        }
        if foreign.hasCallers(root) { chains.set(.isWalked, true, slot) }
        noteAdded(slot, in: forest)
        if filter.isActive { filter.noteStructure(of: root) }
        return slot
    }

    /// Removes a chain of which the root was evicted or moved into another chain.
    mutating func drop(_ slot: UInt32) {
        let root = chains.root(slot)
        noteDropped(slot)
        noteForeign(dropped: root, slot)
        if !chains.has(.folded, slot), !chains.has(.archived, slot) { unfoldedCount -= 1 }
        forgetRows(slot)
        chains.remove(slot)
    }
}
