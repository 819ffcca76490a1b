// SPDX-License-Identifier: MIT

/// Look-up and insertion of nodes, and changes of their creation time.
extension ForestData {
    /// Replaces the storage that a copy of the data still shares with the original by storage of its own. Called on the
    /// copy.
    func detach() {
        nodes.detach()
        chains.detach()
        extras.detach()
        links.detach()
        childCounts.detach()
        ids.detach()
    }

    @inline(__always)
    func isOccupied(_ slot: UInt32) -> Bool { nodes.hasPage(of: slot) && nodes[slot].pointee.id != 0 }

    /// Returns the slot of a node; nil if it is unknown or evicted.
    func slot(of id: NodeID) -> UInt32? {
        let slot = ids.find(id)
        return slot < evictedSlot ? slot : nil
    }

    /// Returns whether a node can be added, and counts the refusal if not.
    func hasRoom() -> Bool {
        if nodes.count < limits.nodeLimit { return true }
        totals.refusedCount += 1
        return false
    }

    /// Returns the slot of a node that an event reports on, and inserts the node if it is unknown; nil if it was
    /// evicted or there is no room.
    ///
    /// - Parameters:
    ///   - found: the node's slot if the caller knows it.
    ///   - isLive: whether the node is known to be pending, so that it cannot have been evicted.
    @inline(__always)
    func ensureReportedSlot(
        of id: NodeID, at time: UInt64, found: UInt32 = noSlot, isLive: Bool = false
    ) -> UInt32? {
        let slot = found == noSlot ? ids.findCachingPage(id) : found
        guard slot < evictedSlot else {
            guard slot == noSlot || isLive && ids.isForgotten(id), id != .none, hasRoom() else { return nil }
            var record = NodeRecord(id: id.rawValue, created: time)
            record.bits = .reported
            record.resync = resyncGeneration
            record.state = .pending
            return insert(record, origin: .none, at: time)
        }
        let node = nodes[slot]
        node.pointee.resync = resyncGeneration
        if !node.pointee.has(.createdKnown) {
            node.pointee.bits.insert(.reported)
            if time < node.pointee.created { rebase(slot, to: time) }
        }
        return slot
    }

    /// Returns the slot of a node that another node refers to. Inserts the node as
    /// ``ensureReportedSlot(of:at:found:isLive:)`` does.
    func ensureReferencedSlot(
        of id: NodeID, at time: UInt64, found: UInt32 = noSlot, isLive: Bool = false
    ) -> UInt32? {
        let slot = found == noSlot ? ids.findCachingPage(id) : found
        guard slot < evictedSlot else {
            guard slot == noSlot || isLive && ids.isForgotten(id), id != .none, hasRoom() else { return nil }
            referenced.append(id)
            return insert(NodeRecord(id: id.rawValue, created: time), origin: .none, at: time)
        }
        if !nodes[slot].pointee.has(.createdKnown), time < nodes[slot].pointee.created { rebase(slot, to: time) }
        return slot
    }

    /// Inserts a new node and links it into the tree.
    ///
    /// - Parameters:
    ///   - origin: the id of the node's parent or creator.
    ///   - parent: the slot of the origin if the caller knows it.
    @discardableResult
    func insert(_ record: NodeRecord, origin: NodeID, at time: UInt64, parent: UInt32 = noSlot) -> UInt32 {
        let slot = nodes.allocate(record)
        ids.insert(NodeID(record.id), slot)
        totals.counts.add(record.state)
        recordChange(slot, [.created, .moved, .state, .facts])
        if record.handlerFlags.contains(.isSeparate) {
            separateCount += 1
            addRoot(slot)
            if origin != .none { storeOrigin(origin, of: slot) }
            return slot
        }
        // The origin is inserted after the node, because there may be room for one node only.
        if origin != .none, let above = ensureReferencedSlot(of: origin, at: time, found: parent) {
            nodes[slot].pointee.bits.insert(.underOrigin)
            appendFresh(slot, under: above)
        } else {
            addRoot(slot)
            if origin != .none { storeOrigin(origin, of: slot) }
        }
        return slot
    }

    /// Applies a creation time. It replaces the time at which the node was first seen; of several creation times the
    /// earliest wins.
    func setCreated(_ slot: UInt32, _ time: UInt64) {
        let node = nodes[slot]
        if node.pointee.has(.createdKnown) {
            if time < node.pointee.created { rebase(slot, to: time) }
        } else {
            node.pointee.bits.insert(.createdKnown)
            if time != node.pointee.created { rebase(slot, to: time) }
        }
    }

    /// Changes a node's creation time, and with it the node's position among its siblings or the roots.
    private func rebase(_ slot: UInt32, to time: UInt64) {
        let node = nodes[slot]
        let settled = node.pointee.settled
        recordChange(slot, [.moved, .facts])
        countLoad(slot, node.pointee.state, isAdded: false)
        defer { countLoad(slot, node.pointee.state, isAdded: true) }
        if node.pointee.has(.isRoot) {
            roots.remove(slot, nodes.elements)
            node.pointee.rebase(to: time)
            roots.insert(slot, nodes.elements)
            let chain = node.pointee.chain
            if chain == noSlot ? node.pointee.state.isLive : chains[chain].pointee.isLive { noteLive(slot) }
        } else {
            let above = node.pointee.treeParent
            unlinkSibling(slot)
            node.pointee.rebase(to: time)
            linkSibling(slot, under: above)
            refreshOutcome(ofChainOf: slot)
        }
        guard let settled else { return }
        rejectionChanged(slot)
        // If the node had settled before its new creation time, it now counts as settled at that time.
        if settled != node.pointee.settled { settlementChanged(slot, from: settled) }
    }

    /// Returns the slot of a node's ``NodeExtra``, which is made if the node has none.
    func ensureExtra(of slot: UInt32) -> UInt32 {
        let known = nodes[slot].pointee.extra
        guard known == noSlot else { return known }
        let new = extras.allocate(NodeExtra())
        nodes[slot].pointee.extra = new
        return new
    }
}
