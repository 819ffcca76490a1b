// SPDX-License-Identifier: MIT

/// Tree parents: a node is under its promise's parent, else its first adopter or combinator, else its creator, else it
/// is a root. A separate chain (``HandlerFlags/isSeparate``) is always a root.
///
/// The desired parent is a function of the facts, so the order of events does not matter. Where desired parents form a
/// cycle, it is cut at the node with the latest link, which becomes a root. The choice of this node is a function of
/// the facts, too.
extension ForestData {
    /// Returns the id of a node's parent or creator.
    func originID(of slot: UInt32) -> NodeID {
        let node = nodes[slot]
        if node.pointee.has(.underOrigin) { return NodeID(nodes[node.pointee.treeParent].pointee.id) }
        return node.pointee.extra == noSlot ? .none : NodeID(extras[node.pointee.extra].pointee.origin)
    }

    /// Stores the id of a node's origin (its parent or creator) before the node moves away from it in the tree.
    func saveOrigin(_ slot: UInt32) {
        guard nodes[slot].pointee.has(.underOrigin) else { return }
        let origin = originID(of: slot)
        nodes[slot].pointee.bits.remove(.underOrigin)
        storeOrigin(origin, of: slot)
    }

    /// Stores the id of a node's parent or creator, for a node that is not under its parent or creator in the tree.
    func storeOrigin(_ origin: NodeID, of slot: UInt32) {
        // In two statements, because ensureExtra(of:) may move the table that the left side refers to.
        let extra = ensureExtra(of: slot)
        extras[extra].pointee.origin = origin.rawValue
    }

    /// Applies the parent or creator that an event or a snapshot names for a node.
    func setOrigin(_ slot: UInt32, _ origin: NodeID, at time: UInt64) {
        guard origin != .none else { return }
        if nodes[slot].pointee.handlerFlags.contains(.isSeparate) { return storeOrigin(origin, of: slot) }
        // Called even if the origin is known: `time` may be earlier than the creation time noted for the origin so far.
        _ = ensureReferencedSlot(of: origin, at: time)
        guard originID(of: slot) != origin else { return }
        saveOrigin(slot)
        storeOrigin(origin, of: slot)
        place(slot)
    }

    /// Returns the tree parent that follows from a node's facts, and whether this tree parent is the node's parent or
    /// creator.
    private func desiredParent(of slot: UInt32) -> (slot: UInt32, isOrigin: Bool) {
        let node = nodes[slot]
        if node.pointee.handlerFlags.contains(.isSeparate) { return (noSlot, false) }
        let origin = originID(of: slot)
        let originSlot = origin == .none ? nil : self.slot(of: origin)
        if node.pointee.has(.hasParent), let originSlot { return (originSlot, true) }
        if let link = firstLink(to: slot) { return (links[link].pointee.holder, false) }
        return (originSlot ?? noSlot, originSlot != nil)
    }

    /// Returns the first link to a node.
    func firstLink(to slot: UInt32) -> UInt32? {
        let extra = nodes[slot].pointee.extra
        guard extra != noSlot else { return nil }
        let first = extras[extra].pointee.firstIn
        return first == noSlot ? nil : first
    }

    /// Moves a node under its desired parent. Cuts a cycle that this would close, and tries to undo an earlier cut in
    /// the chain.
    func place(_ slot: UInt32) {
        let (target, isOrigin) = desiredParent(of: slot)
        let node = nodes[slot]
        if target == node.pointee.treeParent {
            if target == noSlot { return node.pointee.bits.subtract(.cut) }
            setUnderOrigin(slot, isOrigin)
            return retryCut(rootSlot(of: slot))
        }
        if node.pointee.has(.isRoot) {
            node.pointee.bits.subtract(.cut)
            if target == noSlot { return }
            if rootSlot(of: target) == slot { return breakCycle(slot, target, isOrigin) }
            merge(slot, under: target)
            return setUnderOrigin(slot, isOrigin)
        }
        let root = rootSlot(of: slot)
        if target != noSlot, rootSlot(of: target) == root, !isWithin(target, slot) {
            let above = node.pointee.treeParent
            saveOrigin(slot)
            unlinkSibling(slot)
            linkSibling(slot, under: target)
            setUnderOrigin(slot, isOrigin)
            enqueueIfEvictable(above)
            refreshOutcome(ofChainOf: slot)
            recordChange(slot, .moved)
        } else {
            split(slot)
            retryCut(root)
            if target != noSlot { place(slot) }
            return
        }
        retryCut(root)
    }

    private func setUnderOrigin(_ slot: UInt32, _ isOrigin: Bool) {
        guard isOrigin else { return saveOrigin(slot) }
        nodes[slot].pointee.bits.insert(.underOrigin)
        trimExtra(slot)
    }

    /// Moves a root that was cut from a cycle under its desired parent, if this no longer closes a cycle.
    private func retryCut(_ root: UInt32) {
        if nodes[root].pointee.has(.cut) { place(root) }
    }

    /// Cuts the cycle that would arise if the root `slot` moved under `target`, which is below it.
    private func breakCycle(_ slot: UInt32, _ target: UInt32, _ isOrigin: Bool) {
        var latest = slot
        var cursor = target
        while cursor != slot {
            if edgeFollows(cursor, latest, isTop: latest == slot, topIsOrigin: isOrigin) { latest = cursor }
            cursor = nodes[cursor].pointee.treeParent
        }
        if latest == slot { return nodes[slot].pointee.bits.formUnion(.cut) }
        split(latest)
        nodes[latest].pointee.bits.insert(.cut)
        place(slot)
    }

    /// Returns whether to cut the edge from `left` to its tree parent rather than the edge from `right`. A link is cut
    /// rather than an origin, and a late link rather than an early link.
    ///
    /// If `isTop`, `right` is the root, which is under no node yet: `topIsOrigin` says whether its desired parent is
    /// its origin.
    private func edgeFollows(_ left: UInt32, _ right: UInt32, isTop: Bool, topIsOrigin: Bool) -> Bool {
        let leftIsLink = !nodes[left].pointee.has(.underOrigin)
        let rightIsLink = isTop ? !topIsOrigin : !nodes[right].pointee.has(.underOrigin)
        if leftIsLink != rightIsLink { return leftIsLink }
        let ids = (nodes[left].pointee.id, nodes[right].pointee.id)
        guard leftIsLink, let leftLink = firstLink(to: left), let rightLink = firstLink(to: right) else {
            return ids.0 > ids.1
        }
        let times = (links[leftLink].pointee.time, links[rightLink].pointee.time)
        return times.0 != times.1 ? times.0 > times.1 : ids.0 > ids.1
    }

    /// Returns whether `slot` is `top` or below it. O(the shorter of the path up and the subtree under `top`).
    private func isWithin(_ slot: UInt32, _ top: UInt32) -> Bool {
        var (up, down) = (slot, top)
        while up != noSlot, down != noSlot {
            if up == top || down == slot { return true }
            up = nodes[up].pointee.treeParent
            down = nextInPreOrder(down, within: top)
        }
        return false
    }

    /// Frees a node's ``NodeExtra`` if it has nothing but the origin, which the node's position in the tree shows.
    private func trimExtra(_ slot: UInt32) {
        let index = nodes[slot].pointee.extra
        guard index != noSlot else { return }
        let extra = extras[index].pointee
        guard extra.summary == noSlot, extra.evictedCount == 0, extra.canceller == noSlot, extra.cancelRequestedAt == 0,
            extra.renameCount == 0, extra.switched == 0, extra.firstOut == noSlot, extra.firstIn == noSlot,
            extra.childCounts == noSlot
        else { return }
        extras.free(index)
        nodes[slot].pointee.extra = noSlot
    }
}
