// SPDX-License-Identifier: MIT

extension ChainForest {
    /// Applies a batch: names, then snapshots, then events, then frames, then the resync mark.
    ///
    /// - Parameter isLast: Whether no other part of the batch follows. Names that no node uses yet are kept until the
    ///   last part.
    public mutating func apply(_ batch: EventBatch, isLast: Bool = true) {
        makeUnique()
        data.apply(batch, isLast: isLast)
    }

    /// Marks nodes as *cancel requested* when the viewer sends the command, before the program confirms. Ignores
    /// unknown ids.
    public mutating func markCancelRequested(_ ids: some Sequence<NodeID>) {
        makeUnique()
        for id in ids {
            guard let slot = data.slot(of: id) else { continue }
            data.nodes[slot].pointee.bits.insert(.cancelMarkedHere)
            data.recordChange(slot, .facts)
        }
    }

    /// Undoes ``markCancelRequested(_:)`` after the program refused the command.
    public mutating func unmarkCancelRequested(_ ids: some Sequence<NodeID>) {
        makeUnique()
        for id in ids {
            guard let slot = data.slot(of: id) else { continue }
            data.nodes[slot].pointee.bits.remove(.cancelMarkedHere)
            data.recordChange(slot, .facts)
        }
    }
}

extension ForestData {
    func apply(_ batch: EventBatch, isLast: Bool) {
        guard batch.process == process else { return }
        now = max(now, batch.time)
        applyTables(of: batch)
        for snapshot in batch.nodes { apply(snapshot) }
        batch.events.withUnsafeBufferPointer { events in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.prefetchCount) { slots in
                slots.initialize(repeating: noSlot)
                let prefetches = nodes.count >= Self.prefetchMinimum
                var next = 0
                while next < events.count {
                    let end = min(next + Self.prefetchCount, events.count)
                    if prefetches { prefetch(for: events[next..<end], into: slots) }
                    for index in next..<end { apply(events[index], batch, found: slots[index - next]) }
                    next = end
                }
            }
        }
        totals.eventCount += UInt64(batch.events.count)
        if let frames = batch.frames { apply(frames) }
        apply(batch.resync)
        if isLast { boundTables() }
        countOutcomes()
        updateOldestLive()
        for id in referenced {
            // Enqueue nodes that are only referenced; reported nodes enter the queues when they settle.
            if let slot = slot(of: id), !nodes[slot].pointee.has(.reported) { enqueueIfEvictable(slot) }
        }
        referenced.removeAll(keepingCapacity: true)
    }

    private func applyTables(of batch: EventBatch) {
        sites.merge(batch.sites) { _, new in new }
        threads.merge(batch.threads) { old, new in
            if old != new { threadRenameCount += 1 }
            return new
        }
        // The name is empty for a thread without a name that reuses the number of an ended thread.
        for (thread, name) in batch.threads where name.isEmpty { threads[thread] = nil }
        executors.merge(batch.executors) { _, new in new }
        loss.madeCount = max(loss.madeCount, batch.loss.madeCount)
        loss.deliveredCount = max(loss.deliveredCount, batch.loss.deliveredCount)
        loss.lostInRings = max(loss.lostInRings, batch.loss.lostInRings)
        loss.lostAtClient = max(loss.lostAtClient, batch.loss.lostAtClient)
        log.includesBatch = true
    }

    // MARK: Events

    /// Applies an event. `found` is what the prefetch found: the slot of the event's node, or of a created node's
    /// parent or creator; ``noSlot`` if that node was unknown at the time of the prefetch.
    @inline(__always)
    private func apply(_ event: ChainEvent, _ batch: EventBatch, found: UInt32) {
        if event.kind == .created { return create(event, batch, parent: found) }
        guard let slot = ensureReportedSlot(of: event.node, at: event.time, found: found) else { return }
        switch event.kind {
        case .created: break
        case .queued: applyQueued(slot, event.time, event.detail)
        case .started: applyStarted(slot, event.time, event.thread)
        case .ended: applyEnded(slot, event.time)
        case .linked: link(slot, event.other, .member, event.time)
        case .adopted: link(slot, event.other, .adoption, event.time)
        case .fulfilled: settle(slot, .fulfilled, event, batch)
        case .rejected: settle(slot, .rejected, event, batch)
        case .cancelled: settle(slot, .cancelled, event, batch)
        case .abandoned: settle(slot, .abandoned, event, batch)
        case .skipped: settle(slot, event.flags.contains(.error) ? .skippedRejected : .skippedFulfilled, event, batch)
        case .cancelRequested:
            if event.flags.contains(.byViewer) { nodes[slot].pointee.bits.insert(.byViewer) }
            applyCancelRequest(slot, event.time, by: batch.text(of: event))
        case .blocked: nodes[slot].pointee.handlerFlags.insert(.hasBlocked)
        case .settledAgain:
            nodes[slot].pointee.bits.insert(.settledAgain)
            noteFault(slot)
        case .unhandled:
            nodes[slot].pointee.bits.insert(.unhandled)
            noteFault(slot)
            if let text = batch.text(of: event) { setSummary(slot, text, replacing: false) }
        case .released:
            nodes[slot].pointee.bits.insert(.released)
            settle(slot, .unknown, event.time)
        case .renamed: if let text = batch.text(of: event) { rename(slot, text, count: event.renameCount) }
        case .remoteParent: setRemoteParent(slot, batch.text(of: event).flatMap { NodeKey(text: $0) })
        case .resumed: applySwitch(slot, event.time, isSuspended: false, event.thread)
        case .suspended: applySwitch(slot, event.time, isSuspended: true, event.thread)
        case .awaited: applyAwaited(event)
        case .awaitEnded: applyAwaitEnded(event)
        case .stalled: applyStalled(event)
        case .stallEnded: applyStallEnded(event)
        case .waitsFor: applyWaitsFor(slot, event)
        case .heldBy: applyHeldBy(slot, event)
        case .awaitMisused:
            // The fault belongs to the handler that tried to wait, if that handler is known.
            let culprit = event.other == .none ? slot : ensureReportedSlot(of: event.other, at: event.time) ?? slot
            nodes[culprit].pointee.handlerFlags.insert(.hasMisusedAwait)
            noteFault(culprit)
            if culprit != slot { refresh(culprit) }
        }
        refresh(slot)
    }

    @inline(__always)
    private func create(_ event: ChainEvent, _ batch: EventBatch, parent: UInt32) {
        let hasParent = event.flags.contains(.hasParent)
        let origin = event.other == event.node ? NodeID.none : event.other
        let known = ids.findCachingPage(event.node)
        if known == evictedSlot, !ids.isForgotten(event.node) { return }
        if known < evictedSlot {
            return recreate(known, event, batch, origin: origin, hasParent: hasParent)
        }
        guard event.node != .none, hasRoom() else { return }
        var record = NodeRecord(id: event.node.rawValue, created: event.time)
        record.bits = event.flags.contains(.late) ? .reported : [.createdKnown, .reported]
        if hasParent { record.bits.insert(.hasParent) }
        if event.flags.contains(.external) { record.bits.insert(.external) }
        if event.flags.contains(.separateChain) { record.handlerFlags = .isSeparate }
        record.kind = event.nodeKind
        record.site = event.site
        record.resync = resyncGeneration
        if event.text != 0, let text = batch.text(of: event) { record.label = texts.intern(text) }
        record.state = record.derivedState
        insert(record, origin: origin, at: event.time, parent: parent)
    }

    /// Applies the `created` event of a known node.
    private func recreate(
        _ slot: UInt32, _ event: ChainEvent, _ batch: EventBatch, origin: NodeID, hasParent: Bool
    ) {
        let node = nodes[slot]
        node.pointee.bits.insert(.reported)
        node.pointee.resync = resyncGeneration
        if hasParent { setHasParent(slot) }
        if event.flags.contains(.external) { node.pointee.bits.insert(.external) }
        if event.flags.contains(.separateChain) { setSeparate(slot) }
        applyCreationFacts(slot, kind: event.nodeKind, site: event.site, label: batch.text(of: event))
        if event.flags.contains(.late) {
            _ = ensureReportedSlot(of: event.node, at: event.time)
        } else {
            setCreated(slot, event.time)
        }
        setOrigin(slot, origin, at: event.time)
        refresh(slot)
    }

    // MARK: Steps, each a join

    func applyQueued(_ slot: UInt32, _ time: UInt64, _ executor: ExecutorID) {
        let node = nodes[slot]
        if let known = node.pointee.queued, known <= time { return }
        countLoad(slot, node.pointee.state, isAdded: false)
        node.pointee.queued = time
        if executor != 0 { node.pointee.executor = executor }
        countLoad(slot, node.pointee.state, isAdded: true)
    }

    func applyStarted(_ slot: UInt32, _ time: UInt64, _ thread: ThreadID) {
        let node = nodes[slot]
        if let known = node.pointee.started, known <= time { return }
        node.pointee.started = time
        // A Swift task has the thread of its last run.
        if thread != 0, !node.pointee.handlerFlags.contains(.isSwitching) { node.pointee.thread = thread }
    }

    func applyEnded(_ slot: UInt32, _ time: UInt64) {
        let node = nodes[slot]
        if let known = node.pointee.ended, known <= time { return }
        node.pointee.ended = time
    }

    @inline(__always)
    private func settle(_ slot: UInt32, _ rank: Settlement, _ event: ChainEvent, _ batch: EventBatch) {
        if event.flags.contains(.handlerEnded) { applyEnded(slot, event.time) }
        if event.flags.contains(.byViewer) { nodes[slot].pointee.bits.insert(.byViewer) }
        let isNew = settle(slot, rank, event.time)
        if isNew, event.text != 0, let text = batch.text(of: event) { setSummary(slot, text, replacing: true) }
    }

    /// Applies a settlement if its rank is higher than the known rank, or if the ranks are equal and its time is
    /// earlier. Returns whether it was applied.
    @discardableResult @inline(__always)
    func settle(_ slot: UInt32, _ rank: Settlement, _ time: UInt64) -> Bool {
        let node = nodes[slot]
        let known = node.pointee.settlement
        if rank < known { return false }
        let before = node.pointee.settled
        if rank == known, let before, before <= time { return false }
        let outcome = ChainOutcome(of: node.pointee)
        node.pointee.settlement = rank
        node.pointee.settled = time
        forgetFrames(of: slot)
        forgetTaskWaits(of: slot)
        if outcome != .live { outcomeChanged(of: slot, from: outcome) }
        // The state may stay the same: if only the time is corrected, or if a node that was only referenced settles as
        // *unknown*.
        if known != .pending || node.pointee.state == .unknown { recordChange(slot, .state) }
        if known != .pending {
            rejectionChanged(slot)
            settlementChanged(slot, from: before ?? time)
        } else if node.pointee.chain != noSlot {
            // Updated here and not in `count(_:from:to:)`, because the state of a node that was only referenced does
            // not change if it settles as *unknown*.
            let record = chains[node.pointee.chain]
            record.pointee.settled = max(record.pointee.settled, node.pointee.settled ?? time)
        }
        return true
    }

    /// Applies a request to cancel a node. The earliest request wins; of several requests at the same time, a request
    /// that names its canceller wins.
    func applyCancelRequest(_ slot: UInt32, _ time: UInt64, by canceller: String?) {
        nodes[slot].pointee.bits.insert(.cancelRequested)
        let extra = ensureExtra(of: slot)
        let (known, text) = (extras[extra].pointee.cancelRequestedAt, extras[extra].pointee.canceller)
        if known != 0, known < time || known == time && (canceller == nil || text != noSlot) { return }
        extras[extra].pointee.cancelRequestedAt = time
        guard canceller != nil || text != noSlot else { return }
        if let canceller {
            texts.replace(&extras[extra].pointee.canceller, with: canceller)
        } else {
            texts.release(text)
            extras[extra].pointee.canceller = noSlot
        }
        recordChange(slot, [.facts, .description])
    }

    /// Sets a node's summary; if `replacing` is false, only if the node has no summary.
    func setSummary(_ slot: UInt32, _ text: String, replacing: Bool) {
        let extra = ensureExtra(of: slot)
        if extras[extra].pointee.summary == noSlot || replacing {
            texts.replace(&extras[extra].pointee.summary, with: text)
            recordChange(slot, [.facts, .description])
        }
    }

    /// Updates a node's state and the counts that depend on it.
    @inline(__always)
    func refresh(_ slot: UInt32) {
        let node = nodes[slot]
        let (old, new) = (node.pointee.state, node.pointee.derivedState)
        guard old != new else { return recordChange(slot, .facts) }
        node.pointee.state = new
        count(slot, from: old, to: new)
        recordChange(slot, [.state, .facts])
    }
}
