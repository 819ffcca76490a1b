// SPDX-License-Identifier: MIT

/// Eviction: of whole settled chains, of settled leaves of live and revived chains, and of the settled beginning of
/// long chains. A *revived* chain was settled and became live again, or came from a merge, a split or a trimmed root.
extension ChainForest {
    /// Evicts settled nodes that are past the limits, in the order in which they settled, and returns the number of
    /// evicted nodes. Call it once for each frame.
    ///
    /// - Parameter budget: about how many nodes and queue entries are handled at most, so that no frame waits.
    @discardableResult
    public mutating func evictSettled(now: UInt64, budget: Int = 4096) -> Int {
        makeUnique()
        return data.evictSettled(now: now, budget: budget)
    }

    /// Evicts as ``evictSettled(now:budget:)`` does, and calls `willEvict` with the forest before anything leaves it.
    package mutating func evictSettled(
        now: UInt64, budget: Int, willEvict: (Departure, ChainForest) -> Void
    ) {
        makeUnique()
        let forest = self
        withoutActuallyEscaping(willEvict) { willEvict in
            data.willEvict = { willEvict($0, forest) }
            _ = data.evictSettled(now: now, budget: budget)
            data.willEvict = nil
        }
    }

    /// Whether ``evictSettled(now:budget:)`` may evict the settled beginning of a chain that has too many nodes.
    public var hasLongChains: Bool { !data.longChains.isEmpty }
}

extension ForestData {
    func enqueueRoot(_ slot: UInt32) {
        guard let entry = evictionEntry(of: slot) else { return }
        if settledChains.count >= evictionLimit { dropStale(in: \.settledChains, isRoot: true) }
        settledChains.append(entry)
    }

    /// The number of entries of an eviction queue at which stale and repeated entries are dropped: twice the number of
    /// nodes, at least 16,384.
    var evictionLimit: Int { max(16_384, 2 * nodes.count) }

    /// The number of entries of the queues of what failed: one more than the limit, because an entry is added first.
    var failedLimit: Int { limits.failedChainLimit + 1 }

    private func dropStale(in queue: ReferenceWritableKeyPath<ForestData, EvictionQueue>, isRoot: Bool) {
        var entries = EvictionQueue()
        swap(&entries, &self[keyPath: queue])
        var seen: Set<UInt32> = []
        entries.removeAll { isStale($0, isRoot: isRoot) || !seen.insert($0.slot).inserted }
        swap(&entries, &self[keyPath: queue])
    }

    func enqueueLeaf(_ slot: UInt32) {
        guard let entry = evictionEntry(of: slot) else { return }
        if settledLeaves.count >= evictionLimit { dropStale(in: \.settledLeaves, isRoot: false) }
        settledLeaves.append(entry)
    }

    /// Makes an entry for a node, and marks the node as queued; nil if the node is queued already.
    private func evictionEntry(of slot: UInt32) -> EvictionQueue.Entry? {
        let node = nodes[slot]
        guard !node.pointee.has(.isQueuedForEviction) else { return nil }
        node.pointee.bits.insert(.isQueuedForEviction)
        return .init(slot: slot, id: UInt32(truncatingIfNeeded: node.pointee.id), time: now)
    }

    /// Enqueues a settled node without children.
    func enqueueIfEvictable(_ slot: UInt32) {
        let node = nodes[slot]
        guard node.pointee.childCount == 0, !node.pointee.state.isLive else { return }
        if node.pointee.has(.isRoot) { enqueueRoot(slot) } else { enqueueLeaf(slot) }
    }

    func enqueueLeaves(under top: UInt32) {
        var cursor = top
        while cursor != noSlot {
            if !nodes[cursor].pointee.has(.isRoot) { enqueueIfEvictable(cursor) }
            cursor = nextInPreOrder(cursor, within: top)
        }
    }

    func enqueueIfLong(of chain: UInt32) {
        let record = chains[chain]
        chainHighWater = max(chainHighWater, record.pointee.nodeCount)
        guard record.pointee.nodeCount > limits.chainNodeLimit else { return }
        guard longChains.last != record.pointee.root else { return }
        // Remove duplicates, because chains that grow side by side enqueue themselves in turn.
        if longChains.count >= longChainLimit {
            var seen: Set<UInt32> = []
            longChains.removeAll { !seen.insert($0).inserted }
        }
        longChains.append(record.pointee.root)
        longChainHighWater = max(longChainHighWater, longChains.count)
    }

    /// The most entries of the list of long chains: about twice as many as there can be long chains at once.
    var longChainLimit: Int { 64 + 2 * (nodes.count / max(1, limits.chainNodeLimit)) }

    func evictSettled(now: UInt64, budget: Int) -> Int {
        let before = totals.evictedCount
        var budget = budget
        evictSettledChains(now, &budget)
        evictSettledLeaves(now, &budget)
        trimLongChains(&budget)
        updateOldestLive()
        return Int(totals.evictedCount - before)
    }

    private var isFull: Bool { nodes.count >= limits.nodeLimit }

    private func isAged(_ entry: EvictionQueue.Entry, _ now: UInt64) -> Bool {
        now >= entry.time && now - entry.time >= limits.ageLimit
    }

    /// Returns whether an entry's node is gone, is no longer queued, or belongs in the other queue.
    func isStale(_ entry: EvictionQueue.Entry, isRoot: Bool) -> Bool {
        guard isOccupied(entry.slot) else { return true }
        let node = nodes[entry.slot]
        return UInt32(truncatingIfNeeded: node.pointee.id) != entry.id || !node.pointee.has(.isQueuedForEviction)
            || node.pointee.has(.isRoot) != isRoot
    }

    /// Notes in a node's chain that the node has a fault.
    func noteFault(_ slot: UInt32) {
        let chain = nodes[slot].pointee.chain
        if chain != noSlot { chains[chain].pointee.hasFault = true }
    }

    // MARK: Chains

    /// Returns whether the next chain to evict is the first of ``failedChains`` or of ``settledChains``; nil if no
    /// chain is to be evicted.
    private func nextChainIsFailed(_ now: UInt64) -> Bool? {
        let isOver = settledChainNodeCount > limits.settledNodeLimit || isFull
        if failedChains.count > 0 {
            let areTooMany = settledChains.count == 0 || failedChains.nodeCount > limits.settledNodeLimit / 2
            if failedChains.count > limits.failedChainLimit || (isOver && areTooMany) { return true }
        }
        guard let entry = settledChains.first, isOver || isAged(entry, now) else { return nil }
        return false
    }

    private func evictSettledChains(_ now: UInt64, _ budget: inout Int) {
        var turn = 0
        while budget > 0, let isFailed = nextChainIsFailed(now) {
            if turn & 15 == 0 { prefetch(settledChains.next(16)) }
            turn += 1
            budget -= 1
            let entry = isFailed ? failedChains.first! : settledChains.first!
            func removeFirst() { if isFailed { failedChains.removeFirst() } else { settledChains.removeFirst() } }
            if isStale(entry, isRoot: true) {
                removeFirst()
                continue
            }
            let node = nodes[entry.slot]
            let chain = node.pointee.chain
            let isSettled = !isLive(root: entry.slot)
            let settled = chain == noSlot ? 0 : chains[chain].pointee.settled
            if isExempt(entry.slot) {
                // The chain is enqueued again when the pin is removed.
                removeFirst()
                node.pointee.bits.remove(.isQueuedForEviction)
            } else if isSettled, settled <= entry.time {
                if !isFailed, isEvictedLast(root: entry.slot) {
                    removeFirst()
                    failedChains.append(entry, nodeCount: nodeCount(root: entry.slot))
                    continue
                }
                willEvict?(.chain(NodeIndex(rawValue: entry.slot)))
                guard evictSmallChain(entry.slot, &budget) || evictChain(entry.slot, &budget) else { continue }
                removeFirst()
            } else {
                removeFirst()
                node.pointee.bits.remove(.isQueuedForEviction)
                guard isSettled else { continue }
                // The chain became live again after the entry was made, and has settled since: it is queued again, with
                // the time of that settlement.
                node.pointee.bits.insert(.isQueuedForEviction)
                settledChains.append(.init(slot: entry.slot, id: entry.id, time: settled))
            }
        }
    }

    /// Returns whether a settled chain failed or has a fault.
    func isEvictedLast(root: UInt32) -> Bool {
        let chain = nodes[root].pointee.chain
        guard chain != noSlot else {
            return ChainOutcome(of: nodes[root].pointee).isFailure || nodes[root].pointee.hasFault
        }
        let record = chains[chain]
        return record.pointee.outcome.isFailure || record.pointee.hasFault || record.pointee.counts[.abandoned] > 0
    }

    // MARK: Leaves

    /// Returns whether a settled leaf failed or has a fault.
    func isEvictedLast(leaf: UInt32) -> Bool { isRejected(leaf) || nodes[leaf].pointee.hasFault }

    /// Returns whether the next leaf to evict is the first of ``failedLeaves`` or of ``settledLeaves``; nil if no leaf
    /// is to be evicted.
    private func nextLeafIsFailed(_ now: UInt64) -> Bool? {
        let isOver = settledLeaves.count + failedLeaves.count > limits.settledLeafLimit || isFull
        if failedLeaves.count > 0 {
            let areTooMany = settledLeaves.count == 0 || failedLeaves.count > limits.settledLeafLimit / 2
            if failedLeaves.count > limits.failedChainLimit || (isOver && areTooMany) { return true }
        }
        guard let entry = settledLeaves.first, isOver || isAged(entry, now) else { return nil }
        return false
    }

    private func evictSettledLeaves(_ now: UInt64, _ budget: inout Int) {
        var awaited: [UInt32] = []
        // Awaited nodes are enqueued again after the loop, so that the loop ends.
        defer { for slot in awaited { enqueueIfEvictable(slot) } }
        while budget > 0, let isFailed = nextLeafIsFailed(now) {
            let entry = isFailed ? failedLeaves.first! : settledLeaves.first!
            budget -= 1
            if isFailed { failedLeaves.removeFirst() } else { settledLeaves.removeFirst() }
            guard !isStale(entry, isRoot: false) else { continue }
            if !isFailed, isEvictedLast(leaf: entry.slot), isEvictableLeaf(entry.slot) {
                failedLeaves.append(entry)
                continue
            }
            nodes[entry.slot].pointee.bits.remove(.isQueuedForEviction)
            guard !isAwaited(entry.slot) else {
                awaited.append(entry.slot)
                continue
            }
            evictUpwards(from: entry, now, &budget)
        }
    }

    /// Evicts a leaf, and the settled nodes above it that become leaves. A node above that was rejected or has a fault is
    /// enqueued as a leaf.
    private func evictUpwards(from entry: EvictionQueue.Entry, _ now: UInt64, _ budget: inout Int) {
        var cursor = entry.slot
        while isEvictableLeaf(cursor) {
            let above = nodes[cursor].pointee.treeParent
            evict(cursor, leavesCount: true)
            budget -= 1
            let settled = nodes[above].pointee.settled ?? now
            guard budget > 0, settled <= entry.time, !nodes[above].pointee.has(.isRoot), !isAwaited(above),
                !isEvictedLast(leaf: above)
            else { return enqueueIfEvictable(above) }
            cursor = above
        }
    }

    private func isEvictableLeaf(_ slot: UInt32) -> Bool {
        let node = nodes[slot]
        guard !node.pointee.state.isLive, node.pointee.childCount == 0, !node.pointee.has(.isRoot) else { return false }
        let record = chains[node.pointee.chain]
        if isExempt(record.pointee.root) { return false }
        // A chain that settled only once is evicted as a whole. Other chains keep their first rejected node, which is
        // shown.
        let goesWhole = !record.pointee.isLive && !nodes[record.pointee.root].pointee.has(.evictsLeaves)
        return !goesWhole && record.pointee.firstRejected != slot
    }

    /// Evicts settled roots of long chains, as long as the root has one child, which takes its place.
    private func trimLongChains(_ budget: inout Int) {
        if longChains.count > 1 {
            var seen: Set<UInt32> = []
            longChains.removeAll { !seen.insert($0).inserted }
        }
        var index = 0
        while index < longChains.count {
            var root = longChains[index]
            while budget > 0, canTrim(root) {
                budget -= 1
                root = trimRoot(root)
            }
            if isOccupied(root), nodes[root].pointee.has(.isRoot), nodes[root].pointee.chain != noSlot,
                chains[nodes[root].pointee.chain].pointee.nodeCount > limits.chainNodeLimit
            {
                longChains[index] = root
                index += 1
            } else {
                longChains.swapAt(index, longChains.count - 1)
                longChains.removeLast()
            }
        }
    }

    private func canTrim(_ root: UInt32) -> Bool {
        guard isOccupied(root), nodes[root].pointee.has(.isRoot), nodes[root].pointee.chain != noSlot else {
            return false
        }
        return !nodes[root].pointee.state.isLive && nodes[root].pointee.childCount == 1
            && chains[nodes[root].pointee.chain].pointee.nodeCount > limits.chainNodeLimit
    }
}
