import ChainEvents

/// How nodes come to be known, and where their creation time puts them.
extension ChainForest {
    /// Every changing entry point begins with this; see ``Slab``.
    mutating func makeUnique() {
        nodes.makeUnique()
        chains.makeUnique()
        extras.makeUnique()
        links.makeUnique()
        evictedCounts.makeUnique()
        childCounts.makeUnique()
        ids.makeUnique()
    }

    @inline(__always)
    func isTaken(_ slot: UInt32) -> Bool { nodes.hasSegment(of: slot) && nodes[slot].pointee.id != 0 }

    /// The slot of a node that is there.
    func slot(of id: NodeID) -> UInt32? {
        let slot = ids.find(id)
        return slot < goneSlot ? slot : nil
    }

    mutating func hasRoom() -> Bool {
        if nodes.count < limits.nodeLimit { return true }
        totals.refusedCount += 1
        return false
    }

    /// The slot of a node that something is told of, new or known; nil where it is gone or there is no room.
    @inline(__always)
    mutating func told(_ id: NodeID, at time: UInt64) -> UInt32? {
        let slot = ids.look(up: id)
        guard slot < goneSlot else {
            guard slot == noSlot, id != .none, hasRoom() else { return nil }
            var record = NodeRecord(id: id.rawValue, created: time)
            record.bits = .told
            record.resync = resyncGeneration
            record.state = .pending
            return insert(record, origin: .none, at: time)
        }
        let node = nodes[slot]
        node.pointee.resync = resyncGeneration
        if !node.pointee.has(.createdKnown) {
            node.pointee.bits.insert(.told)
            if time < node.pointee.created { rebase(slot, to: time) }
        }
        return slot
    }

    /// The slot of a node that another one names; nil as in ``told(_:at:)``.
    mutating func mention(_ id: NodeID, at time: UInt64) -> UInt32? {
        let slot = ids.look(up: id)
        guard slot < goneSlot else {
            guard slot == noSlot, id != .none, hasRoom() else { return nil }
            mentioned.append(id)
            return insert(NodeRecord(id: id.rawValue, created: time), origin: .none, at: time)
        }
        if !nodes[slot].pointee.has(.createdKnown), time < nodes[slot].pointee.created { rebase(slot, to: time) }
        return slot
    }

    /// Enters a node that is not there yet and puts it in its place.
    @discardableResult
    mutating func insert(_ record: NodeRecord, origin: NodeID, at time: UInt64) -> UInt32 {
        let slot = nodes.allocate(record)
        ids.insert(NodeID(record.id), slot)
        totals.counts.add(record.state)
        note(slot, [.created, .moved, .state, .facts])
        // After itself: there may be room for one more only.
        if origin != .none, let above = mention(origin, at: time) {
            nodes[slot].pointee.bits.insert(.underOrigin)
            appendFresh(slot, under: above)
        } else {
            addRoot(slot)
            if origin != .none { keepOrigin(origin, of: slot) }
        }
        return slot
    }

    mutating func setCreated(_ slot: UInt32, _ time: UInt64) {
        let node = nodes[slot]
        if node.pointee.has(.createdKnown) {
            if time < node.pointee.created { rebase(slot, to: time) }
        } else {
            node.pointee.bits.insert(.createdKnown)
            if time != node.pointee.created { rebase(slot, to: time) }
        }
    }

    /// Changes a node's creation time, and with it its place among its siblings.
    private mutating func rebase(_ slot: UInt32, to time: UInt64) {
        let node = nodes[slot]
        note(slot, [.moved, .facts])
        weigh(slot, node.pointee.state, isAdded: false)
        defer { weigh(slot, node.pointee.state, isAdded: true) }
        if node.pointee.has(.isRoot) {
            roots.remove(slot, nodes)
            node.pointee.rebase(to: time)
            roots.insert(slot, nodes)
        } else {
            let above = node.pointee.treeParent
            unlinkSibling(slot)
            node.pointee.rebase(to: time)
            linkSibling(slot, under: above)
        }
        if node.pointee.settlement != .pending { rejectionMoved(slot) }
    }

    /// The slot of a node's ``NodeExtra``, made if it has none.
    mutating func extra(of slot: UInt32) -> UInt32 {
        let known = nodes[slot].pointee.extra
        guard known == noSlot else { return known }
        let new = extras.allocate(NodeExtra())
        nodes[slot].pointee.extra = new
        return new
    }
}
