import ChainEvents

/// What the forest forgets: whole settled chains; settled leaves of chains that are live again and again;
/// the settled beginning of chains without end.
extension ChainForest {
    mutating func enqueueRoot(_ slot: UInt32) {
        guard let entry = evictionEntry(of: slot) else { return }
        if settledChains.count >= evictionLimit { dropStale(in: \.settledChains, isRoot: true) }
        settledChains.append(entry)
    }

    /// How many entries a queue of what can be evicted has at most: a node has one valid entry, and when there are twice
    /// as many the stale ones go.
    var evictionLimit: Int { max(16_384, 2 * nodes.count) }

    private mutating func dropStale(in queue: WritableKeyPath<ChainForest, EvictionQueue>, isRoot: Bool) {
        var entries = EvictionQueue()
        swap(&entries, &self[keyPath: queue])
        entries.removeAll { isStale($0, isRoot: isRoot) }
        swap(&entries, &self[keyPath: queue])
    }

    mutating func enqueueLeaf(_ slot: UInt32) {
        guard let entry = evictionEntry(of: slot) else { return }
        if settledLeaves.count >= evictionLimit { dropStale(in: \.settledLeaves, isRoot: false) }
        settledLeaves.append(entry)
    }

    /// Of a node that is not in a queue yet.
    private mutating func evictionEntry(of slot: UInt32) -> EvictionQueue.Entry? {
        let node = nodes[slot]
        guard !node.pointee.has(.awaitsEviction) else { return nil }
        node.pointee.bits.insert(.awaitsEviction)
        return .init(slot: slot, id: UInt32(truncatingIfNeeded: node.pointee.id), time: now)
    }

    mutating func enqueueIfEvictable(_ slot: UInt32) {
        let node = nodes[slot]
        guard node.pointee.childCount == 0, !node.pointee.state.isLive else { return }
        if node.pointee.has(.isRoot) { enqueueRoot(slot) } else { enqueueLeaf(slot) }
    }

    mutating func enqueueLeaves(under top: UInt32) {
        var cursor = top
        while cursor != noSlot {
            if !nodes[cursor].pointee.has(.isRoot) { enqueueIfEvictable(cursor) }
            cursor = following(cursor, within: top)
        }
    }

    mutating func noteLength(of chain: UInt32) {
        let record = chains[chain]
        guard record.pointee.nodeCount > limits.chainNodeLimit else { return }
        guard longChains.last != record.pointee.root else { return }
        // Several chains may grow side by side: each is looked at once.
        if longChains.count >= longChainLimit {
            var seen: Set<UInt32> = []
            longChains.removeAll { !seen.insert($0).inserted }
        }
        longChains.append(record.pointee.root)
        longChainHighWater = max(longChainHighWater, longChains.count)
    }

    /// How many entries the list of long chains has at most: so many chains can be long at one time, and as many more.
    var longChainLimit: Int { 64 + 2 * (nodes.count / max(1, limits.chainNodeLimit)) }

    /// Evicts settled nodes that are past the limits, first settled first, in at most `budget` small steps, so that a
    /// frame is never held up; call it once a frame. Returns how many nodes went.
    @discardableResult
    public mutating func retain(now: UInt64, budget: Int = 4096) -> Int {
        makeUnique()
        let before = totals.evictedCount
        var budget = budget
        retainChains(now, &budget)
        retainLeaves(now, &budget)
        shedBeginnings(&budget)
        return Int(totals.evictedCount - before)
    }

    private func isDue(_ entry: EvictionQueue.Entry, _ now: UInt64) -> Bool {
        nodes.count >= limits.nodeLimit || (now >= entry.time && now - entry.time >= limits.ageLimit)
    }

    private func isStale(_ entry: EvictionQueue.Entry, isRoot: Bool) -> Bool {
        guard isTaken(entry.slot) else { return true }
        let node = nodes[entry.slot]
        return UInt32(truncatingIfNeeded: node.pointee.id) != entry.id || !node.pointee.has(.awaitsEviction)
            || node.pointee.has(.isRoot) != isRoot
    }

    private mutating func retainChains(_ now: UInt64, _ budget: inout Int) {
        var turn = 0
        while budget > 0, let entry = settledChains.first,
            settledChainNodeCount > limits.settledNodeLimit || isDue(entry, now)
        {
            if turn & 15 == 0 { warmed ^= warmth(of: settledChains.next(16)) }
            turn += 1
            budget -= 1
            if isStale(entry, isRoot: true) {
                settledChains.removeFirst()
                continue
            }
            let node = nodes[entry.slot]
            let chain = node.pointee.chain
            let isSettled = chain == noSlot ? !node.pointee.state.isLive : !chains[chain].pointee.isLive
            let settled = chain == noSlot ? 0 : chains[chain].pointee.settled
            if isSettled, settled <= entry.time {
                guard evictSmallChain(entry.slot, &budget) || evictChain(entry.slot, &budget) else { continue }
                settledChains.removeFirst()
            } else {
                settledChains.removeFirst()
                node.pointee.bits.remove(.awaitsEviction)
                guard isSettled else { continue }
                // It was live again since: its turn comes by when it settled last.
                node.pointee.bits.insert(.awaitsEviction)
                settledChains.append(.init(slot: entry.slot, id: entry.id, time: settled))
            }
        }
    }

    /// Whether all of it went; else the next call goes on.
    private mutating func evictChain(_ root: UInt32, _ budget: inout Int) -> Bool {
        var cursor = root
        while true {
            while nodes[cursor].pointee.firstChild != noSlot { cursor = nodes[cursor].pointee.firstChild }
            let above = nodes[cursor].pointee.treeParent
            let isLast = cursor == root
            evict(cursor, leavesCount: false)
            budget -= 1
            if isLast { return true }
            // A link that went with it may have moved others; then what is left is looked at again.
            guard rootSlot(of: above) == root, !chains[nodes[root].pointee.chain].pointee.isLive else {
                return true
            }
            guard budget > 0 else { return false }
            cursor = above
        }
    }

    /// Takes a chain of few nodes without links away at once; false where it is none.
    private mutating func evictSmallChain(_ root: UInt32, _ budget: inout Int) -> Bool {
        let chain = nodes[root].pointee.chain
        let count = chain == noSlot ? 1 : Int(chains[chain].pointee.nodeCount)
        guard count <= 32 else { return false }
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 32) { slots in
            var (cursor, end) = (root, 0)
            while cursor != noSlot {
                let extra = nodes[cursor].pointee.extra
                if extra != noSlot, extras[extra].pointee.hasLinks { return false }
                slots[end] = cursor
                end += 1
                cursor = following(cursor, within: root)
            }
            roots.remove(root, nodes)
            totals.chainCount -= 1
            settledChainNodeCount -= count
            if chain != noSlot { chains.free(chain) }
            // From the last on: who stands under another goes before it.
            for slot in slots[..<end].reversed() {
                ids.remove(NodeID(nodes[slot].pointee.id))
                noteEvicted(slot, nodes[slot].pointee)
                forget(slot)
            }
            budget -= count
            return true
        }
    }

    private mutating func retainLeaves(_ now: UInt64, _ budget: inout Int) {
        while budget > 0, let entry = settledLeaves.first,
            settledLeaves.count > limits.settledLeafLimit || isDue(entry, now)
        {
            budget -= 1
            settledLeaves.removeFirst()
            guard !isStale(entry, isRoot: false) else { continue }
            nodes[entry.slot].pointee.bits.remove(.awaitsEviction)
            var cursor = entry.slot
            while isEvictableLeaf(cursor) {
                let above = nodes[cursor].pointee.treeParent
                evict(cursor, leavesCount: true)
                budget -= 1
                let settled = nodes[above].pointee.settled ?? now
                guard budget > 0, settled <= entry.time, !nodes[above].pointee.has(.isRoot) else {
                    enqueueIfEvictable(above)
                    break
                }
                cursor = above
            }
        }
    }

    private func isEvictableLeaf(_ slot: UInt32) -> Bool {
        let node = nodes[slot]
        guard !node.pointee.state.isLive, node.pointee.childCount == 0, !node.pointee.has(.isRoot) else { return false }
        let record = chains[node.pointee.chain]
        // A chain that settled once and for all goes as a whole; a live one keeps its first rejection to be shown.
        let goesWhole = !record.pointee.isLive && !nodes[record.pointee.root].pointee.has(.revived)
        return !goesWhole && record.pointee.firstRejected != slot
    }

    private mutating func shedBeginnings(_ budget: inout Int) {
        if longChains.count > 1 {
            var seen: Set<UInt32> = []
            longChains.removeAll { !seen.insert($0).inserted }
        }
        var index = 0
        while index < longChains.count {
            var root = longChains[index]
            while budget > 0, canShed(root) {
                budget -= 1
                root = shed(root)
            }
            if isTaken(root), nodes[root].pointee.has(.isRoot), nodes[root].pointee.chain != noSlot,
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

    private func canShed(_ root: UInt32) -> Bool {
        guard isTaken(root), nodes[root].pointee.has(.isRoot), nodes[root].pointee.chain != noSlot else { return false }
        return !nodes[root].pointee.state.isLive && nodes[root].pointee.childCount == 1
            && chains[nodes[root].pointee.chain].pointee.nodeCount > limits.chainNodeLimit
    }

    /// Evicts a root with one child, which is the root then.
    private mutating func shed(_ root: UInt32) -> UInt32 {
        let child = nodes[root].pointee.firstChild
        let chain = nodes[root].pointee.chain
        rememberOrigin(child)
        unlinkSibling(child)
        nodes[child].pointee.bits.subtract(.awaitsEviction)
        nodes[child].pointee.bits.formUnion([.isRoot, .revived])
        roots.insert(child, nodes)
        totals.chainCount += 1
        // The root stands alone when it goes: its links may move the rest elsewhere.
        tally(chains[chain].pointee, -1)
        chains[chain].pointee.root = child
        chains[chain].pointee.subtract(nodes[root].pointee.state)
        chains[chain].pointee.evictedCount &+= 1
        if chains[chain].pointee.firstRejected == root { forgetRejected(of: chains[chain]) }
        tally(chains[chain].pointee, 1)
        nodes[root].pointee.chain = noSlot
        settledChainNodeCount += 1
        note(child, [.moved, .summary])
        evict(root, leavesCount: true, newRoot: child)
        let rest = nodes[child].pointee.chain
        if nodes[child].pointee.has(.isRoot), rest == noSlot || !chains[rest].pointee.isLive { enqueueRoot(child) }
        return child
    }

    /// Takes away a node without children, which has settled.
    private mutating func evict(_ slot: UInt32, leavesCount: Bool, newRoot: UInt32? = nil) {
        // First, so that nobody whom its links let go is placed under it.
        ids.remove(NodeID(nodes[slot].pointee.id))
        if nodes[slot].pointee.extra != noSlot { removeLinks(of: slot) }
        let record = nodes[slot].pointee
        noteEvicted(slot, record, newRoot: newRoot)
        assert(!record.state.isLive, "who is live is part of an executor's load")
        if record.treeParent != noSlot {
            if leavesCount { countEvicted(slot, under: record.treeParent) }
            unlinkSibling(slot)
        } else {
            roots.remove(slot, nodes)
            totals.chainCount -= 1
        }
        if record.chain == noSlot {
            settledChainNodeCount -= 1
        } else {
            let chain = chains[record.chain]
            chain.pointee.subtract(record.state)
            if leavesCount { chain.pointee.evictedCount &+= 1 }
            if !chain.pointee.isLive { settledChainNodeCount -= 1 }
            if chain.pointee.firstRejected == slot { forgetRejected(of: chain) }
            if chain.pointee.nodeCount == 0 { chains.free(record.chain) } else { note(chain.pointee.root, .summary) }
        }
        forget(slot)
    }

    /// Gives up what is kept of a node that stands nowhere any more and was noted as evicted.
    private mutating func forget(_ slot: UInt32) {
        let node = nodes[slot]
        totals.counts.subtract(node.pointee.state)
        totals.evictedCount += 1
        texts.release(node.pointee.label)
        if node.pointee.extra != noSlot { freeExtra(node.pointee.extra) }
        node.pointee.id = 0
        nodes.free(slot)
    }

    private mutating func freeExtra(_ index: UInt32) {
        let extra = extras[index].pointee
        texts.release(extra.summary)
        texts.release(extra.canceller)
        if extra.evicted != noSlot { evictedCounts.free(extra.evicted) }
        assert(extra.childCounts == noSlot, "who goes has no children")
        extras.free(index)
    }

    /// Adds a node, and those that went from under it before, to what its parent tells of the gone.
    private mutating func countEvicted(_ slot: UInt32, under parent: UInt32) {
        var counts = EvictedCounts()
        let own = nodes[slot].pointee.extra
        if own != noSlot, extras[own].pointee.evicted != noSlot {
            counts = evictedCounts[extras[own].pointee.evicted].pointee
        }
        counts.add(nodes[slot].pointee.state)
        let extra = extra(of: parent)
        if extras[extra].pointee.evicted == noSlot {
            extras[extra].pointee.evicted = evictedCounts.allocate(counts)
        } else {
            evictedCounts[extras[extra].pointee.evicted].pointee += counts
        }
    }
}
