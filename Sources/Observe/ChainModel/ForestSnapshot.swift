// SPDX-License-Identifier: MIT

extension ChainForest {
    /// The most members that one snapshot lists; a node with more members has several snapshots.
    private static let memberLimit = 256
    /// The least and the greatest number of pages of ids (see ``IDTable``) that are looked up together.
    private static let pageLimits = 256...1 << 20

    /// Returns snapshots of nodes with ids from `first` on, by id, and the id to continue from (nil at the end).
    ///
    /// Stops after the node with which the number of snapshots reaches `limit`. A node with many members has several
    /// snapshots in a row.
    ///
    /// Applied in batches, in any order, the snapshots give the same forest, except for counts of evicted nodes.
    public func snapshot(from first: NodeID = .none, limit: Int) -> (nodes: [NodeSnapshot], next: NodeID?) {
        var result: [NodeSnapshot] = []
        var (ids, next) = reportedIDs(from: first, limit: limit)
        while !ids.isEmpty {
            for id in ids {
                guard result.count < limit else { return (result, id) }
                _ = appendSnapshot(of: id, to: &result)
            }
            guard let rest = next else { break }
            guard result.count < limit else { return (result, rest) }
            (ids, next) = reportedIDs(from: rest, limit: limit - result.count)
        }
        return (result, nil)
    }

    /// Returns the ids of at most `limit` nodes that were reported, by id from `first` on, and the id of the next such
    /// node; nil at the end.
    package func reportedIDs(from first: NodeID, limit: Int) -> (ids: [NodeID], next: NodeID?) {
        var result: [NodeID] = []
        // As many pages as ids are enough, because each page has a node of the forest. The loop fetches further pages
        // if nodes were not reported.
        let pageLimit = min(max(limit, Self.pageLimits.lowerBound), Self.pageLimits.upperBound)
        var keys = data.ids.keys(from: first.rawValue >> 8, limit: pageLimit)
        while let last = keys.last {
            for key in keys {
                for raw in max(first.rawValue, key << 8)...(key << 8 | 255) {
                    guard let slot = data.slot(of: NodeID(raw)), data.nodes[slot].pointee.has(.reported) else {
                        continue
                    }
                    guard result.count < limit else { return (result, NodeID(raw)) }
                    result.append(NodeID(raw))
                }
            }
            keys = keys.count < pageLimit ? [] : data.ids.keys(from: last + 1, limit: pageLimit)
        }
        return (result, nil)
    }

    /// Returns whether a node is live, or settled with a handler that runs; nil if the forest does not have the node.
    package func isInFlight(_ id: NodeID) -> Bool? {
        data.slot(of: id).map { slot in
            let node = data.nodes[slot]
            return node.pointee.state.isLive || node.pointee.activity == .running
        }
    }

    /// Calls `body` with each node that a viewer needs to place a node and its links: the origin, the parent in the
    /// tree, what the node follows, and its members. Some of them may be evicted.
    package func forEachNode(namedBy id: NodeID, _ body: (NodeID) -> Void) {
        guard let slot = data.slot(of: id) else { return }
        let record = data.nodes[slot].pointee
        body(data.originID(of: slot))
        if record.treeParent != noSlot { body(NodeID(data.nodes[record.treeParent].pointee.id)) }
        guard record.extra != noSlot else { return }
        var link = data.extras[record.extra].pointee.firstOut
        while link != noSlot {
            body(NodeID(data.nodes[data.links[link].pointee.target].pointee.id))
            link = data.links[link].pointee.nextOut
        }
    }

    /// Appends the snapshots of a node; returns false if the forest does not have the node, or knows only its id.
    package func appendSnapshot(of id: NodeID, to result: inout [NodeSnapshot]) -> Bool {
        guard let slot = data.slot(of: id), data.nodes[slot].pointee.has(.reported) else { return false }
        append(slot, to: &result)
        return true
    }

    private func append(_ slot: UInt32, to result: inout [NodeSnapshot]) {
        let record = data.nodes[slot].pointee
        var snapshot = NodeSnapshot(id: NodeID(record.id), kind: record.kind)
        let origin = data.originID(of: slot)
        if record.has(.hasParent) { snapshot.parent = origin } else { snapshot.creator = origin }
        snapshot.isExternal = record.has(.external)
        snapshot.isSeparate = record.handlerFlags.contains(.isSeparate)
        snapshot.site = record.site
        snapshot.label = data.texts[record.label]
        snapshot.executor = record.executor
        snapshot.thread = record.thread
        if record.has(.createdKnown) { snapshot.created = record.created } else { snapshot.seen = record.created }
        snapshot.queued = record.queued ?? 0
        snapshot.started = record.started ?? 0
        snapshot.ended = record.ended ?? 0
        snapshot.settled = record.settled ?? 0
        snapshot.settlement = record.settlement
        snapshot.cancelRequested = record.has(.cancelRequested)
        if record.has(.released) { snapshot.flags.insert(.released) }
        if record.has(.settledAgain) { snapshot.flags.insert(.settledAgain) }
        if record.has(.unhandled) { snapshot.flags.insert(.unhandled) }
        if record.has(.byViewer) { snapshot.flags.insert(.byViewer) }
        if record.handlerFlags.contains(.hasBlocked) { snapshot.flags.insert(.hasBlocked) }
        if record.handlerFlags.contains(.hasMisusedAwait) { snapshot.flags.insert(.hasMisusedAwait) }
        if record.isSuspended { snapshot.flags.insert(.suspended) }
        snapshot.remoteParent = data.remoteParents[slot]
        guard record.extra != noSlot else { return result.append(snapshot) }
        let extra = data.extras[record.extra].pointee
        snapshot.summary = data.texts[extra.summary]
        snapshot.renameCount = UInt64(extra.renameCount)
        snapshot.switched = extra.switched
        snapshot.cancelRequestedAt = extra.cancelRequestedAt
        snapshot.canceller = data.texts[extra.canceller]
        appendLinks(extra.firstOut, of: snapshot, to: &result)
    }

    private func appendLinks(_ first: UInt32, of whole: NodeSnapshot, to result: inout [NodeSnapshot]) {
        var snapshot = whole
        var link = first
        while link != noSlot {
            let record = data.links[link].pointee
            let target = NodeID(data.nodes[record.target].pointee.id)
            let isFull =
                record.kind == .member
                ? snapshot.members.count == Self.memberLimit : snapshot.adopted != .none
            if isFull {
                result.append(snapshot)
                snapshot = whole
            }
            if record.kind == .member {
                snapshot.members.append(target)
                snapshot.memberTimes.append(record.time)
            } else {
                (snapshot.adopted, snapshot.adoptedAt) = (target, record.time)
            }
            link = record.nextOut
        }
        result.append(snapshot)
    }
}

// MARK: Applying

extension ForestData {
    func apply(_ snapshot: NodeSnapshot) {
        guard let slot = insertNew(snapshot) ?? updateOrInsert(snapshot) else { return }
        let node = nodes[slot]
        if snapshot.cancelRequested, snapshot.cancelRequestedAt == 0 { node.pointee.bits.insert(.cancelRequested) }
        if snapshot.flags.contains(.released) { node.pointee.bits.insert(.released) }
        if snapshot.flags.contains(.settledAgain) { node.pointee.bits.insert(.settledAgain) }
        if snapshot.flags.contains(.unhandled) { node.pointee.bits.insert(.unhandled) }
        if snapshot.flags.contains(.byViewer) { node.pointee.bits.insert(.byViewer) }
        if snapshot.flags.contains(.hasBlocked) { node.pointee.handlerFlags.insert(.hasBlocked) }
        if snapshot.flags.contains(.hasMisusedAwait) { node.pointee.handlerFlags.insert(.hasMisusedAwait) }
        if node.pointee.hasFault { noteFault(slot) }
        if snapshot.renameCount != 0, let label = snapshot.label { rename(slot, label, count: snapshot.renameCount) }
        setRemoteParent(slot, snapshot.remoteParent)
        applySteps(of: snapshot, slot)
        applyLinks(of: snapshot, slot)
        refresh(slot)
    }

    /// Inserts a node that the forest does not have, as its `created` event would. Most snapshots are of such nodes.
    /// Returns nil if the node is in the forest or was evicted, or if there is no room. Also returns nil for a snapshot
    /// without an id, without a creation time, or with its own id as its origin.
    private func insertNew(_ snapshot: NodeSnapshot) -> UInt32? {
        let origin = snapshot.parent == .none ? snapshot.creator : snapshot.parent
        guard snapshot.created != 0, snapshot.id != .none, origin != snapshot.id, nodes.count < limits.nodeLimit,
            ids.findCachingPage(snapshot.id) == noSlot
        else { return nil }
        var record = NodeRecord(id: snapshot.id.rawValue, created: snapshot.created)
        record.bits = [.createdKnown, .reported]
        if snapshot.parent != .none { record.bits.insert(.hasParent) }
        if snapshot.isExternal { record.bits.insert(.external) }
        if snapshot.isSeparate { record.handlerFlags = .isSeparate }
        record.kind = snapshot.kind
        record.site = snapshot.site
        record.resync = resyncGeneration
        if let label = snapshot.label, snapshot.renameCount == 0 { record.label = texts.intern(label) }
        record.state = record.derivedState
        return insert(record, origin: origin, at: snapshot.created)
    }

    /// Updates a node as its events would have, or inserts a node with an unknown creation time.
    private func updateOrInsert(_ snapshot: NodeSnapshot) -> UInt32? {
        var earliest = snapshot.created
        if earliest == 0 {
            let times = [snapshot.seen, snapshot.queued, snapshot.started, snapshot.ended, snapshot.settled]
            earliest = times.filter { $0 != 0 }.min() ?? now
        }
        let isLive = snapshot.settlement == .pending
        guard let slot = ensureReportedSlot(of: snapshot.id, at: earliest, isLive: isLive) else { return nil }
        let node = nodes[slot]
        node.pointee.bits.insert(.reported)
        if snapshot.created != 0 { setCreated(slot, snapshot.created) }
        let hadParent = node.pointee.has(.hasParent)
        if snapshot.parent != .none { setHasParent(slot) }
        if snapshot.isExternal { node.pointee.bits.insert(.external) }
        if snapshot.isSeparate { setSeparate(slot) }
        applyCreationFacts(
            slot, kind: snapshot.kind, site: snapshot.site, label: snapshot.renameCount == 0 ? snapshot.label : nil)
        if snapshot.parent != .none {
            setOrigin(slot, snapshot.parent, at: node.pointee.created)
        } else if !hadParent {
            setOrigin(slot, snapshot.creator, at: node.pointee.created)
        }
        return slot
    }

    private func applySteps(of snapshot: NodeSnapshot, _ slot: UInt32) {
        let node = nodes[slot]
        if snapshot.queued != 0 { applyQueued(slot, snapshot.queued, snapshot.executor) }
        if node.pointee.executor == 0 {
            countLoad(slot, node.pointee.state, isAdded: false)
            node.pointee.executor = snapshot.executor
            countLoad(slot, node.pointee.state, isAdded: true)
        }
        if snapshot.started != 0 { applyStarted(slot, snapshot.started, snapshot.thread) }
        if snapshot.switched != 0 {
            applySwitch(slot, snapshot.switched, isSuspended: snapshot.flags.contains(.suspended), snapshot.thread)
        }
        if node.pointee.thread == 0 { node.pointee.thread = snapshot.thread }
        if snapshot.ended != 0 { applyEnded(slot, snapshot.ended) }
        if snapshot.cancelRequestedAt != 0 {
            applyCancelRequest(slot, snapshot.cancelRequestedAt, by: snapshot.canceller)
        }
        var isNew = false
        if snapshot.settlement != .pending {
            isNew = settle(slot, snapshot.settlement, snapshot.settled == 0 ? now : snapshot.settled)
        }
        if let summary = snapshot.summary { setSummary(slot, summary, replacing: isNew) }
        if snapshot.flags.contains(.handlerEnded) { endHandler(slot) }
    }

    /// Ends a node's handler, because its `ended` event was lost. If that event arrives later, it corrects the time,
    /// because the earliest time wins.
    private func endHandler(_ slot: UInt32) {
        let node = nodes[slot]
        guard !node.pointee.isEnded else { return }
        if !node.pointee.isStarted {
            guard node.pointee.isQueued, node.pointee.settlement == .pending else { return }
            applyStarted(slot, now, 0)
        }
        applyEnded(slot, now)
    }

    private func applyLinks(of snapshot: NodeSnapshot, _ slot: UInt32) {
        if snapshot.adopted != .none {
            link(slot, snapshot.adopted, .adoption, snapshot.adoptedAt == 0 ? now : snapshot.adoptedAt)
        }
        for (index, member) in snapshot.members.enumerated() {
            let time = index < snapshot.memberTimes.count ? snapshot.memberTimes[index] : now
            link(slot, member, .member, time)
        }
    }
}
