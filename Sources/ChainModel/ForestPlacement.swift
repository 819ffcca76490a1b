import ChainEvents

/// Where a node stands: under its parent, else its first adopter or combinator, else its creator, else it is a root.
///
/// Who a node wants to stand under is a function of the facts, so a forest in which nobody stands below himself would
/// be one too. Where the wishes close a ring, the node whose wish comes from the latest link stands as a root: also a
/// function of the facts, whatever order they came in.
extension ChainForest {
    /// The parent or creator of a node, by id.
    func originID(of slot: UInt32) -> NodeID {
        let node = nodes[slot]
        if node.pointee.has(.underOrigin) { return NodeID(nodes[node.pointee.treeParent].pointee.id) }
        return node.pointee.extra == noSlot ? .none : NodeID(extras[node.pointee.extra].pointee.origin)
    }

    /// Keeps the id of who a node stands under as its parent or creator, before it stands elsewhere.
    mutating func rememberOrigin(_ slot: UInt32) {
        guard nodes[slot].pointee.has(.underOrigin) else { return }
        let origin = originID(of: slot)
        nodes[slot].pointee.bits.remove(.underOrigin)
        keepOrigin(origin, of: slot)
    }

    /// Keeps the id of the parent or creator of a node that does not stand under it.
    mutating func keepOrigin(_ origin: NodeID, of slot: UInt32) {
        // Not in one expression: the table of the extras would be read before a new one makes it grow.
        let extra = extra(of: slot)
        extras[extra].pointee.origin = origin.rawValue
    }

    /// Takes up who a node's parent or creator is, after all.
    mutating func setOrigin(_ slot: UInt32, _ origin: NodeID, at time: UInt64) {
        guard origin != .none else { return }
        // Also of one that is known: it may have been named later so far.
        _ = mention(origin, at: time)
        guard originID(of: slot) != origin else { return }
        rememberOrigin(slot)
        keepOrigin(origin, of: slot)
        place(slot)
    }

    /// Who a node wants to stand under, and whether that is its parent or creator.
    private func wish(of slot: UInt32) -> (slot: UInt32, isOrigin: Bool) {
        let node = nodes[slot]
        let origin = originID(of: slot)
        let originSlot = origin == .none ? nil : self.slot(of: origin)
        if node.pointee.has(.hasParent), let originSlot { return (originSlot, true) }
        if let link = firstLink(to: slot) { return (links[link].pointee.holder, false) }
        return (originSlot ?? noSlot, originSlot != nil)
    }

    /// The link that comes first of those that hold a node.
    func firstLink(to slot: UInt32) -> UInt32? {
        let extra = nodes[slot].pointee.extra
        guard extra != noSlot else { return nil }
        let first = extras[extra].pointee.firstIn
        return first == noSlot ? nil : first
    }

    /// Puts a node where its facts say, and whatever that sets free or holds up.
    mutating func place(_ slot: UInt32) {
        let (target, isOrigin) = wish(of: slot)
        let node = nodes[slot]
        if target == node.pointee.treeParent {
            if target == noSlot { return node.pointee.bits.subtract(.cut) }
            stand(slot, onOrigin: isOrigin)
            return restoreCut(rootSlot(of: slot))
        }
        if node.pointee.has(.isRoot) {
            node.pointee.bits.subtract(.cut)
            if target == noSlot { return }
            if rootSlot(of: target) == slot { return breakRing(slot, target, isOrigin) }
            merge(slot, under: target)
            return stand(slot, onOrigin: isOrigin)
        }
        let root = rootSlot(of: slot)
        if target != noSlot, rootSlot(of: target) == root, !isWithin(target, slot) {
            let above = node.pointee.treeParent
            rememberOrigin(slot)
            unlinkSibling(slot)
            linkSibling(slot, under: target)
            stand(slot, onOrigin: isOrigin)
            enqueueIfEvictable(above)
            note(slot, .moved)
        } else {
            split(slot)
            restoreCut(root)
            if target != noSlot { place(slot) }
            return
        }
        restoreCut(root)
    }

    private mutating func stand(_ slot: UInt32, onOrigin isOrigin: Bool) {
        guard isOrigin else { return rememberOrigin(slot) }
        nodes[slot].pointee.bits.insert(.underOrigin)
        trimExtra(slot)
    }

    /// A root that was cut from a ring tries again, the ring having changed.
    private mutating func restoreCut(_ root: UInt32) {
        if nodes[root].pointee.has(.cut) { place(root) }
    }

    /// The wishes close a ring through the root `slot`, which wants to stand under `target`, below it.
    private mutating func breakRing(_ slot: UInt32, _ target: UInt32, _ isOrigin: Bool) {
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

    /// Whether the wish of `left` is weaker than that of `right`: links are weaker than origins, late ones than early.
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

    /// Whether `slot` is `top` or stands somewhere under it. Costs the shorter of the way up and all under `top`.
    private func isWithin(_ slot: UInt32, _ top: UInt32) -> Bool {
        var (up, down) = (slot, top)
        while up != noSlot, down != noSlot {
            if up == top || down == slot { return true }
            up = nodes[up].pointee.treeParent
            down = following(down, within: top)
        }
        return false
    }

    /// Gives an extra back that says nothing more than where its node stands.
    private mutating func trimExtra(_ slot: UInt32) {
        let index = nodes[slot].pointee.extra
        guard index != noSlot else { return }
        let extra = extras[index].pointee
        guard extra.summary == noSlot, extra.evicted == noSlot, extra.canceller == noSlot, extra.cancelRequestedAt == 0,
            extra.firstOut == noSlot, extra.firstIn == noSlot, extra.childCounts == noSlot
        else { return }
        extras.free(index)
        nodes[slot].pointee.extra = noSlot
    }
}
