import ChainEvents

/// The counts of chains, kept up by each change.
extension ChainForest {
    @inline(__always)
    func rootSlot(of slot: UInt32) -> UInt32 {
        let chain = nodes[slot].pointee.chain
        return chain == noSlot ? slot : chains[chain].pointee.root
    }

    /// Carries a node's new word into its chain and the totals.
    @inline(__always)
    mutating func count(_ slot: UInt32, from old: NodeState, to new: NodeState) {
        totals.counts.subtract(old)
        totals.counts.add(new)
        weigh(slot, old, isAdded: false)
        weigh(slot, new, isAdded: true)
        childTurned(slot, from: old, to: new)
        let chain = nodes[slot].pointee.chain
        guard chain != noSlot else {
            if old.isLive != new.isLive { singleTurned(slot, isLive: new.isLive) }
            return note(slot, .summary)
        }
        let record = chains[chain]
        record.pointee.counts.subtract(old)
        record.pointee.counts.add(new)
        let root = record.pointee.root
        if old.isLive != new.isLive {
            if new.isLive {
                if record.pointee.counts.liveCount == 1 { turnedLive(root, nodeCount: record.pointee.nodeCount) }
            } else {
                let isOver = !record.pointee.isLive
                record.pointee.settled = max(record.pointee.settled, nodes[slot].pointee.settled ?? now)
                // A leaf of a chain that has settled once and for all goes with it.
                if slot != root, nodes[slot].pointee.childCount == 0, !isOver || nodes[root].pointee.has(.revived) {
                    enqueueLeaf(slot)
                }
                if isOver { turnedSettled(root, nodeCount: record.pointee.nodeCount) }
            }
        }
        if new == .rejected || new == .abandoned { considerRejected(slot, record) }
        if old == .rejected || old == .abandoned { rejectionMoved(slot) }
        note(root, .summary)
    }

    private mutating func singleTurned(_ slot: UInt32, isLive: Bool) {
        if isLive { turnedLive(slot, nodeCount: 1) } else { turnedSettled(slot, nodeCount: 1) }
    }

    /// A chain whose nodes were all settled has a live one.
    mutating func turnedLive(_ root: UInt32, nodeCount: UInt32) {
        totals.liveChainCount += 1
        settledChainNodeCount -= Int(nodeCount)
        guard nodeCount > 1, !nodes[root].pointee.has(.revived) else { return }
        nodes[root].pointee.bits.insert(.revived)
        enqueueLeaves(under: root)
    }

    /// A chain's last live node settled.
    mutating func turnedSettled(_ root: UInt32, nodeCount: UInt32) {
        totals.liveChainCount -= 1
        settledChainNodeCount += Int(nodeCount)
        enqueueRoot(root)
    }

    /// How many nodes of a chain are looked at to find when the last of them settled.
    private static let settledSearchLimit = 512

    /// A settlement that was known already got another time: so may that of its chain have, which is the latest of all.
    /// In a chain of many nodes a time that is earlier than it was is not made good.
    mutating func settlementMoved(_ slot: UInt32, from old: UInt64) {
        let (chain, new) = (nodes[slot].pointee.chain, nodes[slot].pointee.settled ?? old)
        guard chain != noSlot else { return }
        let record = chains[chain]
        if new >= record.pointee.settled {
            record.pointee.settled = new
        } else if old == record.pointee.settled, record.pointee.nodeCount <= Self.settledSearchLimit {
            record.pointee.settled = new
            var cursor = record.pointee.root
            while cursor != noSlot {
                record.pointee.settled = max(record.pointee.settled, nodes[cursor].pointee.settled ?? 0)
                cursor = following(cursor, within: record.pointee.root)
            }
        }
        note(record.pointee.root, .summary)
    }

    // MARK: The first rejection

    @inline(__always)
    func isRejected(_ slot: UInt32) -> Bool {
        let state = nodes[slot].pointee.state
        return state == .rejected || state == .abandoned
    }

    private func rejectionPrecedes(_ left: UInt32, _ right: UInt32) -> Bool {
        let (left, right) = (nodes[left], nodes[right])
        let times = (left.pointee.settled ?? 0, right.pointee.settled ?? 0)
        return times.0 != times.1 ? times.0 < times.1 : left.pointee.id < right.pointee.id
    }

    mutating func considerRejected(_ slot: UInt32, _ record: UnsafeMutablePointer<ChainRecord>) {
        let first = record.pointee.firstRejected
        if first == noSlot || (first != slot && rejectionPrecedes(slot, first)) { record.pointee.firstRejected = slot }
    }

    /// A settlement that was known already got another rank or time, which hardly ever happens: the chain is searched.
    mutating func rejectionMoved(_ slot: UInt32) {
        let chain = nodes[slot].pointee.chain
        guard chain != noSlot else { return }
        let record = chains[chain]
        if record.pointee.firstRejected == slot {
            searchRejected(record)
        } else if isRejected(slot) {
            considerRejected(slot, record)
        }
    }

    /// Finds a chain's first rejection by looking at all of it, or at so many nodes from its beginning.
    mutating func searchRejected(_ record: UnsafeMutablePointer<ChainRecord>, limit: Int = .max) {
        record.pointee.firstRejected = noSlot
        var cursor = record.pointee.root
        var rest = limit
        while cursor != noSlot, rest > 0 {
            rest -= 1
            if isRejected(cursor) { considerRejected(cursor, record) }
            cursor = following(cursor, within: record.pointee.root)
        }
    }

    /// A chain's first rejection is gone: looks for the next one where that is as a rule, for a chain settles from its
    /// beginning on.
    mutating func forgetRejected(of record: UnsafeMutablePointer<ChainRecord>) {
        record.pointee.firstRejected = noSlot
        guard record.pointee.counts[.rejected] + record.pointee.counts[.abandoned] > 0 else { return }
        searchRejected(record, limit: 256)
    }

    // MARK: Walking

    /// The next node of the tree under `top` in pre-order, or none.
    @inline(__always)
    func following(_ slot: UInt32, within top: UInt32) -> UInt32 {
        var depth = 0
        return following(slot, within: top, depth: &depth)
    }

    /// The same; `depth`, that of the node, becomes that of the next one.
    @inline(__always)
    func following(_ slot: UInt32, within top: UInt32, depth: inout Int) -> UInt32 {
        let first = nodes[slot].pointee.firstChild
        guard first != noSlot else { return followingSubtree(slot, within: top, depth: &depth) }
        depth += 1
        return first
    }

    /// The same, leaving out those under `slot`.
    func followingSubtree(_ slot: UInt32, within top: UInt32, depth: inout Int) -> UInt32 {
        var cursor = slot
        while cursor != top {
            let node = nodes[cursor]
            if node.pointee.next != noSlot { return node.pointee.next }
            cursor = node.pointee.treeParent
            depth -= 1
        }
        return noSlot
    }
}
