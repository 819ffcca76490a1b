// SPDX-License-Identifier: MIT

/// Changes of chains as a whole: growing, merging and splitting.
extension ForestData {
    /// Returns whether a node of the chain of a root is live.
    @inline(__always)
    func isLive(root: UInt32) -> Bool {
        let chain = nodes[root].pointee.chain
        return chain == noSlot ? nodes[root].pointee.state.isLive : chains[chain].pointee.isLive
    }

    /// Returns how many nodes the chain of a root has.
    @inline(__always)
    func nodeCount(root: UInt32) -> Int {
        let chain = nodes[root].pointee.chain
        return chain == noSlot ? 1 : Int(chains[chain].pointee.nodeCount)
    }

    /// Turns a new node that has no tree parent into a root.
    func addRoot(_ slot: UInt32) {
        let node = nodes[slot]
        node.pointee.bits.insert(.isRoot)
        roots.insert(slot, nodes.elements)
        totals.chainCount += 1
        totals.outcomes[ChainOutcome(of: node.pointee)] += 1
        if node.pointee.state.isLive {
            totals.liveChainCount += 1
            noteLive(slot)
        } else {
            settledChainNodeCount += 1
            if ChainOutcome(of: node.pointee).isCounted { changedOutcomes.append(slot) }
            if node.pointee.has(.reported) { enqueueRoot(slot) }
        }
        recordChange(slot, .chainCounts)
    }

    /// Adds a new node under a parent.
    @inline(__always)
    func appendFresh(_ slot: UInt32, under parent: UInt32) {
        let chain = ensureChain(parent)
        let record = chains[chain]
        let node = nodes[slot]
        node.pointee.chain = chain
        linkSibling(slot, under: parent)
        let (wasLive, nodeCount) = (record.pointee.isLive, record.pointee.nodeCount)
        record.pointee.add(node.pointee.state)
        if !wasLive {
            if node.pointee.state.isLive {
                chainBecameLive(record.pointee.root, nodeCount: nodeCount)
            } else {
                settledChainNodeCount += 1
            }
            refreshOutcome(of: chain)
        }
        enqueueIfLong(of: chain)
        recordChange(record.pointee.root, .chainCounts)
    }

    /// Returns the slot of the record of a node's chain; makes the record for a root without children.
    private func ensureChain(_ slot: UInt32) -> UInt32 {
        let node = nodes[slot]
        guard node.pointee.chain == noSlot else { return node.pointee.chain }
        var record = ChainRecord(root: slot)
        record.add(node.pointee.state)
        if isRejected(slot) { record.firstRejected = slot }
        record.settled = node.pointee.settled ?? 0
        record.outcome = ChainOutcome(of: node.pointee)
        record.hasFault = node.pointee.hasFault
        let chain = chains.allocate(record)
        node.pointee.chain = chain
        return chain
    }

    /// Adds a chain's share to the totals (`sign` 1), or subtracts it (-1). The share is subtracted before a change of
    /// a whole chain, and added after it.
    func tally(_ record: ChainRecord, _ sign: Int) {
        totals.outcomes[record.outcome] += sign
        if record.isLive {
            totals.liveChainCount += sign
        } else {
            settledChainNodeCount += sign * Int(record.nodeCount)
        }
    }

    /// Moves the root `slot` with its subtree under `parent`, which is in another chain. Costs the size of the smaller
    /// chain. If a settled chain has leaves that are not enqueued for eviction yet, the move also costs the size of
    /// that chain.
    func merge(_ slot: UInt32, under parent: UInt32) {
        let (upper, lower) = (ensureChain(parent), ensureChain(slot))
        let (above, below) = (chains[upper].pointee, chains[lower].pointee)
        let root = above.root
        let evictedLeaves = (nodes[root].pointee.has(.evictsLeaves), nodes[slot].pointee.has(.evictsLeaves))
        tally(above, -1)
        tally(below, -1)
        roots.remove(slot, nodes.elements)
        totals.chainCount -= 1
        // An entry for the node in the eviction queue of chains is stale from here on.
        nodes[slot].pointee.bits.subtract([.isRoot, .evictsLeaves, .cut, .isQueuedForEviction])

        let (kept, gone) = below.nodeCount <= above.nodeCount ? (upper, lower) : (lower, upper)
        let top = gone == lower ? slot : root
        var cursor = top
        while cursor != noSlot {
            nodes[cursor].pointee.chain = kept
            cursor = nextInPreOrder(cursor, within: top)
        }
        let record = chains[kept]
        record.pointee.root = root
        record.pointee.settled = max(above.settled, below.settled)
        record.pointee.add(chains[gone].pointee)
        if chains[gone].pointee.firstRejected != noSlot { considerRejected(chains[gone].pointee.firstRejected, record) }
        forgetLineEnd(of: kept)
        forgetLineEnd(of: gone)
        chains.free(gone)

        if !above.isLive, !evictedLeaves.0 { enqueueLeaves(under: root) }
        if !below.isLive {
            // With `.evictsLeaves`, the leaves of the lower chain are enqueued already, but not its former root.
            if evictedLeaves.1 { enqueueIfEvictable(slot) } else { enqueueLeaves(under: slot) }
        }
        linkSibling(slot, under: parent)
        if record.pointee.nodeCount > 2 { nodes[root].pointee.bits.insert(.evictsLeaves) }
        decideOutcome(of: kept)
        tally(record.pointee, 1)
        changedOutcomes.append(root)
        if record.pointee.isLive { noteLive(root) } else { enqueueRoot(root) }
        enqueueIfLong(of: kept)
        recordChange(slot, [.moved, .chainCounts])
        recordChange(root, .chainCounts)
    }

    /// Makes a node with a tree parent the root of its own chain. Costs the size of the node's subtree. If that subtree
    /// has the old chain's first rejected node or latest settlement, the split also costs the size of the old chain.
    func split(_ slot: UInt32) {
        let old = nodes[slot].pointee.chain
        let (root, above) = (chains[old].pointee.root, nodes[slot].pointee.treeParent)
        tally(chains[old].pointee, -1)
        saveOrigin(slot)
        unlinkSibling(slot)
        var record = ChainRecord(root: slot)
        let new = nodes[slot].pointee.firstChild == noSlot ? noSlot : chains.allocate(record)
        var cursor = slot
        var tookRejected = false
        while cursor != noSlot {
            let state = nodes[cursor].pointee.state
            chains[old].pointee.subtract(state)
            record.add(state)
            record.settled = max(record.settled, nodes[cursor].pointee.settled ?? 0)
            record.hasFault = record.hasFault || nodes[cursor].pointee.hasFault
            nodes[cursor].pointee.chain = new
            if cursor == chains[old].pointee.firstRejected { tookRejected = true }
            if isRejected(cursor), new != noSlot { considerRejected(cursor, chains[new]) }
            cursor = nextInPreOrder(cursor, within: slot)
        }
        if new != noSlot {
            record.firstRejected = chains[new].pointee.firstRejected
            chains[new].pointee = record
        }
        if tookRejected { searchRejected(chains[old]) }
        if record.settled != 0, record.settled == chains[old].pointee.settled { searchSettled(chains[old]) }
        forgetLineEnd(of: old)
        decideOutcome(of: old)
        tally(chains[old].pointee, 1)
        if new == noSlot {
            record.outcome = ChainOutcome(of: nodes[slot].pointee)
        } else {
            decideOutcome(of: new)
            record.outcome = chains[new].pointee.outcome
        }
        tally(record, 1)
        // An entry for the node in the eviction queue of leaves is stale from here on.
        nodes[slot].pointee.bits.subtract(.isQueuedForEviction)
        nodes[slot].pointee.bits.formUnion([.isRoot, .evictsLeaves])
        nodes[slot].pointee.countedOutcome = .live
        changedOutcomes += [root, slot]
        roots.insert(slot, nodes.elements)
        totals.chainCount += 1
        if record.isLive { noteLive(slot) } else { enqueueRoot(slot) }
        enqueueIfEvictable(above)
        if !chains[old].pointee.isLive { enqueueRoot(root) }
        recordChange(slot, [.moved, .chainCounts])
        recordChange(root, .chainCounts)
    }
}
