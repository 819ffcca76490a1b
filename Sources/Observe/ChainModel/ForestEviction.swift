// SPDX-License-Identifier: MIT

/// Removal of the nodes that ``ForestData/evictSettled(now:budget:)`` chooses.
extension ForestData {
    /// Evicts a chain, except for nodes that move to another chain. Returns false if the budget ran out first.
    func evictChain(_ root: UInt32, _ budget: inout Int) -> Bool {
        var cursor = root
        while true {
            while nodes[cursor].pointee.firstChild != noSlot { cursor = nodes[cursor].pointee.firstChild }
            let above = nodes[cursor].pointee.treeParent
            let isLast = cursor == root
            if !isLast, isAwaited(cursor) {
                moveToLiveHolder(cursor)
            } else {
                evict(cursor, leavesCount: false)
            }
            budget -= 1
            if isLast { return true }
            // Removing links may have moved other nodes, so stop if the remaining nodes are in another chain, or if the
            // chain is live again.
            guard rootSlot(of: above) == root, !chains[nodes[root].pointee.chain].pointee.isLive else {
                return true
            }
            guard budget > 0 else { return false }
            cursor = above
        }
    }

    /// Evicts a whole chain in one step if it has at most 32 nodes, none of them with links. Returns false for any
    /// other chain.
    func evictSmallChain(_ root: UInt32, _ budget: inout Int) -> Bool {
        let chain = nodes[root].pointee.chain
        let count = nodeCount(root: root)
        guard count <= 32 else { return false }
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 32) { slots in
            var (cursor, end) = (root, 0)
            while cursor != noSlot {
                let extra = nodes[cursor].pointee.extra
                if extra != noSlot, extras[extra].pointee.hasLinks { return false }
                slots[end] = cursor
                end += 1
                cursor = nextInPreOrder(cursor, within: root)
            }
            roots.remove(root, nodes.elements)
            totals.chainCount -= 1
            settledChainNodeCount -= count
            countEvictedChain(chain == noSlot ? ChainOutcome(of: nodes[root].pointee) : chains[chain].pointee.outcome)
            // Begins with the last node, because children are evicted before their parent.
            for slot in slots[..<end].reversed() {
                removeID(of: slot)
                recordEviction(slot, nodes[slot].pointee)
                freeNode(slot)
            }
            if chain != noSlot { free(chain: chain) }
            budget -= count
            return true
        }
    }

    /// Evicts a root with one child. The child becomes the root, and is returned.
    func trimRoot(_ root: UInt32) -> UInt32 {
        let child = nodes[root].pointee.firstChild
        let chain = nodes[root].pointee.chain
        saveOrigin(child)
        let lineEnd = lineEnds[chain]
        unlinkSibling(child)
        nodes[child].pointee.bits.subtract(.isQueuedForEviction)
        nodes[child].pointee.bits.formUnion([.isRoot, .evictsLeaves])
        nodes[child].pointee.countedOutcome = nodes[root].pointee.countedOutcome
        roots.insert(child, nodes.elements)
        totals.chainCount += 1
        // The root leaves its chain first, because removing its links may move other nodes.
        tally(chains[chain].pointee, -1)
        // The stored end of the main line (see ``ChainOutcome``) is restored, because the line below the child has not
        // changed.
        if let lineEnd, lineEnd != root { lineEnds[chain] = lineEnd }
        chains[chain].pointee.root = child
        chains[chain].pointee.subtract(nodes[root].pointee.state)
        chains[chain].pointee.evictedCount &+= 1
        if chains[chain].pointee.firstRejected == root { replaceFirstRejected(of: chains[chain]) }
        tally(chains[chain].pointee, 1)
        if chains[chain].pointee.isLive { noteLive(child) }
        nodes[root].pointee.chain = noSlot
        settledChainNodeCount += 1
        recordChange(child, [.moved, .chainCounts])
        evict(root, leavesCount: true, newRoot: child)
        let rest = nodes[child].pointee.chain
        if nodes[child].pointee.has(.isRoot), rest == noSlot || !chains[rest].pointee.isLive { enqueueRoot(child) }
        return child
    }

    /// Evicts a settled node without children.
    ///
    /// - Parameters:
    ///   - leavesCount: whether the node's parent and chain count the node as evicted.
    ///   - newRoot: the root that takes the node's place, if the node is the root of a long chain.
    func evict(_ slot: UInt32, leavesCount: Bool, newRoot: UInt32? = nil) {
        // The id goes first, so that no node is placed under this node when the links are removed.
        removeID(of: slot)
        if nodes[slot].pointee.extra != noSlot { removeLinks(of: slot) }
        let record = nodes[slot].pointee
        recordEviction(slot, record, newRoot: newRoot)
        assert(!record.state.isLive, "a live node is part of an executor's load")
        if record.treeParent != noSlot {
            if leavesCount { countEvicted(slot, under: record.treeParent) }
            unlinkSibling(slot)
        } else {
            roots.remove(slot, nodes.elements)
            totals.chainCount -= 1
            if newRoot == nil {
                countEvictedChain(
                    record.chain == noSlot ? ChainOutcome(of: record) : chains[record.chain].pointee.outcome)
            }
        }
        if record.chain == noSlot {
            settledChainNodeCount -= 1
        } else {
            let chain = chains[record.chain]
            forgetLineEnd(of: record.chain, at: slot)
            chain.pointee.subtract(record.state)
            if leavesCount { chain.pointee.evictedCount &+= 1 }
            if !chain.pointee.isLive { settledChainNodeCount -= 1 }
            if chain.pointee.firstRejected == slot { replaceFirstRejected(of: chain) }
            if chain.pointee.nodeCount == 0 {
                free(chain: record.chain)
            } else {
                recordChange(chain.pointee.root, .chainCounts)
            }
        }
        freeNode(slot)
    }

    /// Removes a node's id: for good, unless the node is known by references only and may still be reported.
    private func removeID(of slot: UInt32) {
        let id = NodeID(nodes[slot].pointee.id)
        if nodes[slot].pointee.has(.reported) { ids.remove(id) } else { ids.withdraw(id) }
    }

    private func countEvictedChain(_ outcome: ChainOutcome) {
        totals.outcomes[outcome] -= 1
        history.evictedCount += 1
    }

    private func free(chain: UInt32) {
        forgetLineEnd(of: chain)
        chains.free(chain)
    }

    /// Frees what is stored of a node that has left the tree and is recorded as evicted.
    private func freeNode(_ slot: UInt32) {
        let node = nodes[slot]
        totals.counts.subtract(node.pointee.state)
        totals.evictedCount += 1
        texts.release(node.pointee.label)
        if node.pointee.extra != noSlot { freeExtra(node.pointee.extra) }
        remoteParents.remove(slot)
        if node.pointee.handlerFlags.contains(.isSeparate) { separateCount -= 1 }
        if let known = frames[slot] {
            texts.release(known.text)
            frames[slot] = nil
        }
        forgetTaskWaits(of: slot)
        node.pointee.id = 0
        nodes.free(slot)
    }

    private func freeExtra(_ index: UInt32) {
        let extra = extras[index].pointee
        texts.release(extra.summary)
        texts.release(extra.canceller)
        assert(extra.childCounts == noSlot, "an evicted node has no children")
        extras.free(index)
    }

    /// Adds a node, and the nodes evicted from under it, to its tree parent's count of evicted nodes. A node without a
    /// parent of its own was a member of its tree parent.
    private func countEvicted(_ slot: UInt32, under parent: UInt32) {
        let own = nodes[slot].pointee.extra
        let count = own == noSlot ? 1 : extras[own].pointee.evictedCount &+ 1
        let extra = ensureExtra(of: parent)
        extras[extra].pointee.evictedCount &+= count
        if !nodes[slot].pointee.has(.hasParent) { extras[extra].pointee.evictedMemberCount &+= 1 }
    }
}
