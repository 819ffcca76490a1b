import ChainEvents
import ChainModel

// Archiving: a settled chain folds to one row at once, and leaves the live ones after a moment.
extension RowModel {
    /// Returns whether a settled chain is to be archived now.
    package func hasDue(now: UInt64) -> Bool { archiveQueue.hasDue(now: now) }

    /// Folds the chains that settled since the last tick, except the one of `selected` and, while nothing is live, the
    /// one that settled last; returns whether there was any.
    mutating func foldSettled(in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?) -> Bool {
        let isAnyLive = forest.totals.liveChainCount > 0
        guard !settledOpen.isEmpty || isAnyLive && lastOpen != nil else { return false }
        let last = isAnyLive ? nil : lastSettled(in: forest)
        if let old = lastOpen, old != last {
            settledOpen.append(old.node)
            // It was left out when it was due.
            archiveQueue.append(.init(deadline: now, node: old.node, id: old.id), in: forest)
        }
        lastOpen = last
        let pinned = selected.map { forest.root(of: $0) }
        for root in settledOpen where root != pinned && root != last?.node { foldSettled(root, in: forest) }
        settledOpen.removeAll(keepingCapacity: true)
        return true
    }

    /// The chain that settled last, of those that did so unfolded.
    private func lastSettled(in forest: borrowing ChainForest) -> OpenChain? {
        var last = lastOpen.flatMap { forest.contains($0.id, at: $0.node) ? $0 : nil }
        var latest = last.flatMap { forest.chain(of: $0.node).settled } ?? 0
        for root in settledOpen where forest.contains(root) && forest.isRoot(root) {
            guard let settled = forest.chain(of: root).settled, settled >= latest else { continue }
            (last, latest) = (OpenChain(node: root, id: forest.id(of: root)), settled)
        }
        return last
    }

    private mutating func foldSettled(_ root: NodeIndex, in forest: borrowing ChainForest) {
        guard forest.contains(root), forest.isRoot(root), forest.chain(of: root).settled != nil,
            slotOf[root.rawValue] != 0
        else { return }
        let slot = Int(slotOf[root.rawValue] - 1)
        guard !slots.has(.folded, slot) else { return }
        if !slots.has(.archived, slot) { openCount -= 1 }
        slots.set(.folded, true, slot)
        dropCachedRows(root, slot)
        updateWeight(root, in: forest)
    }

    /// The cost of archiving in a tick: 8 a chain, 1 an entry of an evicted chain.
    private static let archiveBudget = 32_000
    private static let archiveCost = 7

    /// Archives settled chains, but for the one of `selected`. Returns the row where the chain of `watched` began, if
    /// that chain was archived.
    package mutating func archive(
        in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?, watched: NodeIndex?
    ) -> Int? {
        let pinned = selected.map { forest.root(of: $0) }
        guard let root = watched.map({ forest.root(of: $0) }) else {
            archive(in: forest, now: now, pinned: pinned)
            return nil
        }
        let old = key(of: root)
        let row = old.flatMap { firstRow(of: $0)?.row }
        archive(in: forest, now: now, pinned: pinned)
        return key(of: root) == old ? nil : row
    }

    /// Archives chains past their deadline.
    mutating func archive(in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?) {
        var budget = Self.archiveBudget
        while budget > 0, archiveQueue.hasDue(now: now) {
            for next in archiveQueue.prefix(Self.prefetchCount) { prefetch(next.node, in: forest) }
            for _ in 0..<Self.prefetchCount where archiveQueue.hasDue(now: now) {
                archiveFirst(&budget, in: forest, now: now, pinned: pinned)
            }
        }
    }

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
        guard forest.chain(of: root).settled != nil, !slots.has(.archived, slot) else {
            return slots.set(.awaitsArchive, false, slot)
        }
        // Enqueued again when another takes its place.
        if lastOpen?.id == entry.id { return }
        guard root != pinned else {
            let later = now &+ ArchiveDelay.postponed
            return archiveQueue.append(
                .init(deadline: later, node: root, id: entry.id, isPostponed: true), in: forest)
        }
        slots.set(.awaitsArchive, false, slot)
        setArchived(root, true, in: forest)
        slots.set(.folded, true, slot)
        updateWeight(root, in: forest)
    }
}
