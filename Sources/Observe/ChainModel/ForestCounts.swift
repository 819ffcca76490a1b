// SPDX-License-Identifier: MIT

/// Counts of chains, updated by each change.
extension ForestData {
    @inline(__always)
    func rootSlot(of slot: UInt32) -> UInt32 {
        let chain = nodes[slot].pointee.chain
        return chain == noSlot ? slot : chains[chain].pointee.root
    }

    /// Updates the counts of a node's chain and the totals after its state changed.
    @inline(__always)
    func count(_ slot: UInt32, from old: NodeState, to new: NodeState) {
        totals.counts.subtract(old)
        totals.counts.add(new)
        countLoad(slot, old, isAdded: false)
        countLoad(slot, new, isAdded: true)
        childStateChanged(slot, from: old, to: new)
        let chain = nodes[slot].pointee.chain
        guard chain != noSlot else {
            if old.isLive != new.isLive { singleNodeStateChanged(slot, isLive: new.isLive) }
            return recordChange(slot, .chainCounts)
        }
        let record = chains[chain]
        record.pointee.counts.subtract(old)
        record.pointee.counts.add(new)
        let root = record.pointee.root
        if old.isLive != new.isLive {
            if new.isLive {
                if record.pointee.counts.liveCount == 1 {
                    chainBecameLive(root, nodeCount: record.pointee.nodeCount)
                    refreshOutcome(of: chain)
                }
            } else {
                let isOver = !record.pointee.isLive
                // A settled leaf of a live or revived chain (``NodeBits/evictsLeaves``) is evicted on its own; any
                // other leaf is evicted with its chain.
                if slot != root, nodes[slot].pointee.childCount == 0, !isOver || nodes[root].pointee.has(.evictsLeaves)
                {
                    enqueueLeaf(slot)
                }
                if isOver {
                    chainBecameSettled(root, nodeCount: record.pointee.nodeCount)
                    refreshOutcome(of: chain)
                }
            }
        } else if !new.isLive, !record.pointee.isLive {
            refreshOutcome(of: chain)
        }
        if new == .rejected || new == .abandoned { considerRejected(slot, record) }
        if old == .rejected || old == .abandoned { rejectionChanged(slot) }
        recordChange(root, .chainCounts)
    }

    private func singleNodeStateChanged(_ slot: UInt32, isLive: Bool) {
        if isLive { chainBecameLive(slot, nodeCount: 1) } else { chainBecameSettled(slot, nodeCount: 1) }
        // A node that becomes live was unknown before, because only a reference to it had been applied.
        let outcome = ChainOutcome(of: nodes[slot].pointee)
        count(isLive ? .unknown : .live, as: outcome, of: slot)
    }

    /// Updates counts when a settled chain gets a live node.
    func chainBecameLive(_ root: UInt32, nodeCount: UInt32) {
        totals.liveChainCount += 1
        settledChainNodeCount -= Int(nodeCount)
        noteLive(root)
        guard nodeCount > 1, !nodes[root].pointee.has(.evictsLeaves) else { return }
        nodes[root].pointee.bits.insert(.evictsLeaves)
        enqueueLeaves(under: root)
    }

    /// Updates counts when a chain's last live node settles.
    func chainBecameSettled(_ root: UInt32, nodeCount: UInt32) {
        totals.liveChainCount -= 1
        settledChainNodeCount += Int(nodeCount)
        enqueueRoot(root)
    }

    /// The maximum number of nodes in a chain that is searched for its latest settlement.
    private static let settledSearchLimit = 512

    /// Updates the settlement time of a node's chain after the node's own settlement time changed.
    ///
    /// In a chain of more than ``settledSearchLimit`` nodes, the chain's time never moves back.
    func settlementChanged(_ slot: UInt32, from old: UInt64) {
        let (chain, new) = (nodes[slot].pointee.chain, nodes[slot].pointee.settled ?? old)
        guard chain != noSlot else { return }
        let record = chains[chain]
        if new >= record.pointee.settled {
            record.pointee.settled = new
        } else if old == record.pointee.settled {
            searchSettled(record)
        }
        recordChange(record.pointee.root, .chainCounts)
    }

    /// Searches a chain for its latest settlement. Called after the node with the latest settlement got another time,
    /// or left the chain.
    func searchSettled(_ record: UnsafeMutablePointer<ChainRecord>) {
        guard record.pointee.nodeCount <= Self.settledSearchLimit else { return }
        record.pointee.settled = 0
        var cursor = record.pointee.root
        while cursor != noSlot {
            record.pointee.settled = max(record.pointee.settled, nodes[cursor].pointee.settled ?? 0)
            cursor = nextInPreOrder(cursor, within: record.pointee.root)
        }
    }

    // MARK: The first rejection

    @inline(__always)
    func isRejected(_ slot: UInt32) -> Bool {
        let state = nodes[slot].pointee.state
        return state == .rejected || state == .abandoned
    }

    private func rejectionPrecedes(_ left: UInt32, _ right: UInt32) -> Bool {
        let (left, right) = (nodes[left], nodes[right])
        // A rounded time of an old node counts as the latest time that it may stand for. So a younger node with an
        // exact time comes first, because the old node may follow it. A younger `then` of the old node is skipped, not
        // rejected.
        let times = (left.pointee.latestSettled ?? 0, right.pointee.latestSettled ?? 0)
        return times.0 != times.1 ? times.0 < times.1 : left.pointee.id < right.pointee.id
    }

    /// Makes a rejected node the first rejection of its chain if it precedes the known first rejection.
    func considerRejected(_ slot: UInt32, _ record: UnsafeMutablePointer<ChainRecord>) {
        let first = record.pointee.firstRejected
        if first == noSlot || (first != slot && rejectionPrecedes(slot, first)) { record.pointee.firstRejected = slot }
    }

    /// Updates a chain's first rejection after the rank or time of a known settlement changed, which is rare. O(chain).
    func rejectionChanged(_ slot: UInt32) {
        let chain = nodes[slot].pointee.chain
        guard chain != noSlot else { return }
        let record = chains[chain]
        if record.pointee.firstRejected == slot {
            searchRejected(record)
        } else if isRejected(slot) {
            considerRejected(slot, record)
        }
    }

    /// Searches a chain's first `limit` nodes in pre-order for its first rejection.
    func searchRejected(_ record: UnsafeMutablePointer<ChainRecord>, limit: Int = .max) {
        record.pointee.firstRejected = noSlot
        var cursor = record.pointee.root
        var rest = limit
        while cursor != noSlot, rest > 0 {
            rest -= 1
            if isRejected(cursor) { considerRejected(cursor, record) }
            cursor = nextInPreOrder(cursor, within: record.pointee.root)
        }
    }

    /// Replaces a chain's evicted first rejection. Searches only 256 nodes, because chains settle from the beginning.
    func replaceFirstRejected(of record: UnsafeMutablePointer<ChainRecord>) {
        record.pointee.firstRejected = noSlot
        guard record.pointee.counts.rejectedCount > 0 else { return }
        searchRejected(record, limit: 256)
    }

    // MARK: Walking

    /// Returns the next node of the tree under `top` in pre-order, or ``noSlot``.
    @inline(__always)
    func nextInPreOrder(_ slot: UInt32, within top: UInt32) -> UInt32 {
        var depth = 0
        return nextInPreOrder(slot, within: top, depth: &depth)
    }

    /// Returns the same as ``nextInPreOrder(_:within:)``. `depth` is the depth of `slot` on entry, and the depth of the
    /// next node on return.
    @inline(__always)
    func nextInPreOrder(_ slot: UInt32, within top: UInt32, depth: inout Int) -> UInt32 {
        let first = nodes[slot].pointee.firstChild
        guard first != noSlot else { return nextAfterSubtree(slot, within: top, depth: &depth) }
        depth += 1
        return first
    }

    /// Returns the next node in pre-order after the subtree of `slot`, or ``noSlot``.
    func nextAfterSubtree(_ slot: UInt32, within top: UInt32, depth: inout Int) -> UInt32 {
        var cursor = slot
        while cursor != top {
            let node = nodes[cursor]
            if node.pointee.next != noSlot { return node.pointee.next }
            cursor = node.pointee.treeParent
            depth -= 1
        }
        return noSlot
    }

    /// Returns whether the children of a node are indented; see ``ChainForest/indentsChildren(of:)``.
    func indents(_ slot: UInt32) -> Bool {
        let node = nodes[slot]
        guard node.pointee.childCount == 1 else { return node.pointee.childCount > 1 }
        if node.pointee.extra != noSlot, extras[node.pointee.extra].pointee.evictedCount != 0 { return true }
        let child = nodes[node.pointee.firstChild]
        return !(child.pointee.has(.underOrigin) && child.pointee.has(.hasParent) && child.pointee.kind.role == .link)
    }
}
