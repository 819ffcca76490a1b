import ChainModel

// Archiving: a settled chain folds to one row with the next tick, and moves to the archived chains after a delay. The
// chain of the selection does neither. As long as no chain is live, the unfolded chain that settled last does neither.
extension RowModel {
    /// Folds the chains that have settled since the last tick, and the chain ``lastUnfolded`` once it no longer stays
    /// open. Returns whether there were chains to examine.
    ///
    /// The chain of `selected` stays open. As long as no chain is live, the chain that settled last stays open, too.
    mutating func foldSettled(in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?) -> Bool {
        let isAnyLive = forest.totals.liveChainCount > 0
        guard !settledUnfolded.isEmpty || isAnyLive && lastUnfolded != nil else { return false }
        let last = isAnyLive ? nil : lastSettled(in: forest)
        if let old = lastUnfolded, old != last {
            settledUnfolded.append(old.node)
            // Enqueue it again, because `archiveFirst` dropped its entry while it stayed open.
            if forest.contains(old.id, at: old.node), isStillRoot(old.node, in: forest) {
                enqueueForArchive(old.node, Int(slotOf[old.node.rawValue] - 1), deadline: now, in: forest)
            }
        }
        lastUnfolded = last
        let pinned = selected.map { forest.root(of: $0) }
        for root in settledUnfolded where root != pinned && root != last?.node { foldSettled(root, in: forest) }
        settledUnfolded.removeAll(keepingCapacity: true)
        return true
    }

    /// Enqueues a chain to be archived, if it has no entry yet.
    mutating func enqueueForArchive(
        _ root: NodeIndex, _ slot: Int, deadline: UInt64, in forest: borrowing ChainForest
    ) {
        guard !slots.has(.awaitsArchive, slot) else { return }
        slots.set(.awaitsArchive, true, slot)
        archiveQueue.append(.init(deadline: deadline, node: root, id: NodeID(slots.id(slot))), in: forest)
    }

    /// Returns the chain that settled last, among ``lastUnfolded`` and the chains in ``settledUnfolded``.
    private func lastSettled(in forest: borrowing ChainForest) -> UnfoldedChain? {
        var last = lastUnfolded.flatMap { forest.contains($0.id, at: $0.node) ? $0 : nil }
        var latest = last.flatMap { forest.chain(of: $0.node).settled } ?? 0
        for root in settledUnfolded where forest.contains(root) && forest.isRoot(root) {
            guard let settled = forest.chain(of: root).settled, settled >= latest else { continue }
            (last, latest) = (UnfoldedChain(node: root, id: forest.id(of: root)), settled)
        }
        return last
    }

    /// Folds a chain, if it is still settled and unfolded.
    private mutating func foldSettled(_ root: NodeIndex, in forest: borrowing ChainForest) {
        guard forest.contains(root), forest.isRoot(root), forest.chain(of: root).settled != nil,
            slotOf[root.rawValue] != 0, !foreign.isLive(root)
        else { return }
        let slot = Int(slotOf[root.rawValue] - 1)
        guard !slots.has(.folded, slot) else { return }
        if !slots.has(.archived, slot) { unfoldedCount -= 1 }
        slots.set(.folded, true, slot)
        dropCachedRows(root, slot)
        updateWeight(root, in: forest)
    }

    /// The budget of archiving in a tick. A chain costs 8; the entry of an evicted chain costs 1.
    private static let archiveBudget = 32_000
    /// The cost of a chain besides 1 for its entry.
    private static let archiveCost = 7

    /// What ``tidy(in:now:selected:watched:)`` did.
    package struct Tidying {
        /// Whether rows may have moved.
        package var isMoved: Bool
        /// The former first row of the watched chain, if that chain was archived.
        package var vacatedRow: Int?
    }

    /// Archives settled chains past their deadline, and folds settled chains, finished nodes, and nodes with many
    /// children. Leaves out the chain of `selected`, and nodes with `selected` inside. If the chain of `watched` moves,
    /// the result has its former row.
    package mutating func tidy(
        in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?, watched: NodeIndex?
    ) -> Tidying {
        var done = Tidying(isMoved: archiveQueue.hasDue(now: now), vacatedRow: nil)
        if done.isMoved { done.vacatedRow = archive(in: forest, now: now, selected: selected, watched: watched) }
        if autoFold(in: forest, now: now, selected: selected) { done.isMoved = true }
        return done
    }

    /// Archives settled chains past their deadline, except the chain of `selected`. Returns the former first row of the
    /// chain of `watched`, if that chain was archived.
    private mutating func archive(
        in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?, watched: NodeIndex?
    ) -> Int? {
        let pinned = selected.map { forest.root(of: $0) }
        guard let root = watched.map({ forest.root(of: $0) }), !isElsewhere(root) else {
            archive(in: forest, now: now, pinned: pinned)
            return nil
        }
        let old = key(of: root)
        let row = old.flatMap { firstRow(of: $0)?.row }
        archive(in: forest, now: now, pinned: pinned)
        return key(of: root) == old ? nil : row
    }

    /// Archives settled chains past their deadline, except `pinned`, within the budget of a tick.
    mutating func archive(in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?) {
        var budget = Self.archiveBudget
        while budget > 0, archiveQueue.hasDue(now: now) {
            for next in archiveQueue.prefix(Self.prefetchCount) { prefetch(next.node, in: forest) }
            for _ in 0..<Self.prefetchCount where archiveQueue.hasDue(now: now) {
                archiveFirst(&budget, in: forest, now: now, pinned: pinned)
            }
        }
    }

    /// Archives the chain of the queue's first entry, or postpones it.
    private mutating func archiveFirst(
        _ budget: inout Int, in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?
    ) {
        guard let entry = archiveQueue.first else { return }
        archiveQueue.removeFirst()
        budget -= 1
        let root = entry.node
        guard forest.contains(entry.id, at: root), slotOf[root.rawValue] != 0 else { return }
        budget -= Self.archiveCost
        let slot = Int(slotOf[root.rawValue] - 1)
        slots.set(.awaitsArchive, false, slot)
        guard let settled = forest.chain(of: root).settled, !slots.has(.archived, slot), !foreign.isLive(root) else {
            return
        }
        // The chain that stays open is enqueued again by `foldSettled` when it no longer stays open.
        if lastUnfolded?.id == entry.id { return }
        let deadline = settled &+ ArchiveDelay.settled
        // This deadline is later than the entry's if the chain was live again after it was enqueued.
        guard deadline <= now else { return enqueueForArchive(root, slot, deadline: deadline, in: forest) }
        guard root != pinned else {
            slots.set(.awaitsArchive, true, slot)
            let later = now &+ ArchiveDelay.postponed
            return archiveQueue.append(
                .init(deadline: later, node: root, id: entry.id, isPostponed: true), in: forest)
        }
        setArchived(root, true, in: forest)
        slots.set(.folded, true, slot)
        updateWeight(root, in: forest)
    }
}
