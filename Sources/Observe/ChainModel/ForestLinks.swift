// SPDX-License-Identifier: MIT

/// Adoption and membership.
extension ForestData {
    /// Records that `holder` follows the node `id` or has it for a member. Of equal links the earliest wins.
    func link(_ holder: UInt32, _ id: NodeID, _ kind: LinkKind, _ time: UInt64) {
        // A promise that a live node follows is pending, whereas a member of a live node may have settled long ago.
        // `state` is not used, because a snapshot sets it after the links. Inserting a forgotten id has a price: the
        // other ids of its page no longer count as evicted.
        let isLive = kind == .adoption && nodes[holder].pointee.derivedState.isLive
        guard id.rawValue != nodes[holder].pointee.id,
            let target = ensureReferencedSlot(of: id, at: time, isLive: isLive)
        else { return }
        if let known = find(holder, target, kind) {
            guard time < links[known].pointee.time else { return }
            unlink(known)
        }
        if kind == .member { nodes[holder].pointee.bits.insert(.hasMembers) }
        let link = links.allocate(LinkRecord(time: time, holder: holder, target: target, kind: kind))
        addOut(link, ensureExtra(of: holder))
        let isFirst = addIn(link, ensureExtra(of: target))
        recordChange(target, .facts)
        if isFirst { place(target) }
    }

    /// Returns the known link of the same kind between two nodes. O(the shorter of their two lists).
    private func find(_ holder: UInt32, _ target: UInt32, _ kind: LinkKind) -> UInt32? {
        let (held, holding) = (nodes[holder].pointee.extra, nodes[target].pointee.extra)
        guard held != noSlot, holding != noSlot else { return nil }
        var (out, into) = (extras[held].pointee.firstOut, extras[holding].pointee.firstIn)
        while out != noSlot, into != noSlot {
            let (left, right) = (links[out].pointee, links[into].pointee)
            if left.target == target, left.kind == kind { return out }
            if right.holder == holder, right.kind == kind { return into }
            (out, into) = (left.nextOut, right.nextIn)
        }
        return nil
    }

    /// Inserts a link into its holder's list by time. Links of equal time keep their order of arrival, because they
    /// come from one thread.
    private func addOut(_ link: UInt32, _ extra: UInt32) {
        let time = links[link].pointee.time
        var before = extras[extra].pointee.lastOut
        while before != noSlot, links[before].pointee.time > time { before = links[before].pointee.previousOut }
        let after = before == noSlot ? extras[extra].pointee.firstOut : links[before].pointee.nextOut
        links[link].pointee.previousOut = before
        links[link].pointee.nextOut = after
        if before == noSlot { extras[extra].pointee.firstOut = link } else { links[before].pointee.nextOut = link }
        if after == noSlot { extras[extra].pointee.lastOut = link } else { links[after].pointee.previousOut = link }
    }

    /// Inserts a link into its target's list by time and the holder's id. Returns whether the link is the first in the
    /// list.
    private func addIn(_ link: UInt32, _ extra: UInt32) -> Bool {
        var before = extras[extra].pointee.lastIn
        while before != noSlot, linkPrecedes(link, before) { before = links[before].pointee.previousIn }
        let after = before == noSlot ? extras[extra].pointee.firstIn : links[before].pointee.nextIn
        links[link].pointee.previousIn = before
        links[link].pointee.nextIn = after
        if before == noSlot { extras[extra].pointee.firstIn = link } else { links[before].pointee.nextIn = link }
        if after == noSlot { extras[extra].pointee.lastIn = link } else { links[after].pointee.previousIn = link }
        return before == noSlot
    }

    private func linkPrecedes(_ left: UInt32, _ right: UInt32) -> Bool {
        let (left, right) = (links[left].pointee, links[right].pointee)
        if left.time != right.time { return left.time < right.time }
        return nodes[left.holder].pointee.id < nodes[right.holder].pointee.id
    }

    /// Removes a link from both lists, and frees it.
    private func unlink(_ link: UInt32) {
        let record = links[link].pointee
        let (holder, target) = (nodes[record.holder].pointee.extra, nodes[record.target].pointee.extra)
        if record.previousOut == noSlot {
            extras[holder].pointee.firstOut = record.nextOut
        } else {
            links[record.previousOut].pointee.nextOut = record.nextOut
        }
        if record.nextOut == noSlot {
            extras[holder].pointee.lastOut = record.previousOut
        } else {
            links[record.nextOut].pointee.previousOut = record.previousOut
        }
        if record.previousIn == noSlot {
            extras[target].pointee.firstIn = record.nextIn
        } else {
            links[record.previousIn].pointee.nextIn = record.nextIn
        }
        if record.nextIn == noSlot {
            extras[target].pointee.lastIn = record.previousIn
        } else {
            links[record.nextIn].pointee.previousIn = record.previousIn
        }
        links.free(link)
    }

    /// Returns whether a node is known by references only, and a live node follows it or has it for a member. A node
    /// that is referenced in this way may itself be pending. O(links to it).
    func isAwaited(_ slot: UInt32) -> Bool {
        let extra = nodes[slot].pointee.extra
        guard extra != noSlot, !nodes[slot].pointee.has(.reported) else { return false }
        // Begins with the newest link, because its holder is most likely to be live.
        var link = extras[extra].pointee.lastIn
        while link != noSlot {
            if nodes[links[link].pointee.holder].pointee.state.isLive { return true }
            link = links[link].pointee.previousIn
        }
        return false
    }

    /// Moves a node for which ``isAwaited(_:)`` holds out of a settled chain, under the first live node that links to
    /// it.
    func moveToLiveHolder(_ slot: UInt32) {
        var link = extras[nodes[slot].pointee.extra].pointee.firstIn
        while link != noSlot {
            let record = links[link].pointee
            if !nodes[record.holder].pointee.state.isLive {
                recordChange(record.holder, .facts)
                unlink(link)
            }
            link = record.nextIn
        }
        place(slot)
    }

    /// Removes all links of a node before its eviction. Where the node held the first link to another node, that other
    /// node may get another tree parent.
    func removeLinks(of slot: UInt32) {
        let extra = nodes[slot].pointee.extra
        while extras[extra].pointee.firstIn != noSlot {
            let link = extras[extra].pointee.firstIn
            recordChange(links[link].pointee.holder, .facts)
            unlink(link)
        }
        while extras[extra].pointee.firstOut != noSlot {
            let link = extras[extra].pointee.firstOut
            let target = links[link].pointee.target
            let wasFirst = links[link].pointee.previousIn == noSlot
            unlink(link)
            recordChange(target, .facts)
            if wasFirst { place(target) }
        }
    }
}

extension ChainForest {
    /// Returns the nodes that a node follows or has for members, by time, at most `limit`. O(limit).
    public func targets(of index: NodeIndex, limit: Int = .max) -> [NodeLink] {
        let extra = data.nodes[checked(index)].pointee.extra
        guard extra != noSlot else { return [] }
        var result: [NodeLink] = []
        var link = data.extras[extra].pointee.firstOut
        while link != noSlot, result.count < limit {
            let record = data.links[link].pointee
            let role = record.kind == .adoption ? NodeLink.Role.follows : .hasMember
            result.append(NodeLink(role: role, node: NodeIndex(rawValue: record.target), time: record.time))
            link = record.nextOut
        }
        return result
    }

    /// Returns the nodes that follow a node or have it for a member, by time, at most `limit`. O(limit).
    public func holders(of index: NodeIndex, limit: Int = .max) -> [NodeLink] {
        let extra = data.nodes[checked(index)].pointee.extra
        guard extra != noSlot else { return [] }
        var result: [NodeLink] = []
        var link = data.extras[extra].pointee.firstIn
        while link != noSlot, result.count < limit {
            let record = data.links[link].pointee
            let role = record.kind == .adoption ? NodeLink.Role.followedBy : .memberOf
            result.append(NodeLink(role: role, node: NodeIndex(rawValue: record.holder), time: record.time))
            link = record.nextIn
        }
        return result
    }

    /// Returns all links of a node: its ``targets(of:limit:)``, then its ``holders(of:limit:)``. O(links of the node).
    public func links(of index: NodeIndex) -> [NodeLink] { targets(of: index) + holders(of: index) }
}
