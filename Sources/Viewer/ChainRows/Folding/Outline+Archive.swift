// SPDX-License-Identifier: MIT

import ChainModel

// Archiving: a settled chain folds to one row with the next tick, and moves to the archived chains after a delay. The
// chain of the selection does neither. As long as no chain is live, the unfolded chain that settled last does neither.
extension Outline {
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
            // Enqueue it again, because `archive` dropped its entry while it stayed open.
            if forest.contains(old.id, at: old.node), let slot = chains.slot(of: old.node) {
                enqueueForArchive(slot, deadline: now)
            }
        }
        lastUnfolded = last
        let pinned = selected.map { forest.root(of: $0) }
        for root in settledUnfolded where root != pinned && root != last?.node {
            guard let slot = chains.slot(of: root), chains.isCurrent(slot, in: forest), !chains.has(.folded, slot),
                forest.chain(of: root).settled != nil, !foreign.isLive(root)
            else { continue }
            if !chains.has(.archived, slot) { unfoldedCount -= 1 }
            chains.set(.folded, true, slot)
            weigh(slot, in: forest)
        }
        settledUnfolded.removeAll(keepingCapacity: true)
        return true
    }

    /// An entry of the queue of chains to archive.
    struct ArchiveEntry {
        /// In nanoseconds of the program's clock.
        var deadline: UInt64
        let slot: UInt32
        let id: UInt64
    }

    /// Enqueues a chain to be archived, if it has no entry yet. Deadlines of parallel threads arrive some microseconds
    /// out of order; a chain may wait for the entries before it.
    mutating func enqueueForArchive(_ slot: UInt32, deadline: UInt64) {
        guard !chains.has(.awaitsArchive, slot) else { return }
        chains.set(.awaitsArchive, true, slot)
        archiveLimit = max(archiveLimit, 2 * chains.count)
        if archiveQueue.count >= archiveLimit {
            archiveQueue.removeAll { chains[$0.slot].id != $0.id || !chains.has(.awaitsArchive, $0.slot) }
        }
        archiveQueue.append(ArchiveEntry(deadline: deadline, slot: slot, id: chains[slot].id))
        archiveHighWater = max(archiveHighWater, archiveQueue.count)
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
        var done = Tidying(isMoved: false, vacatedRow: nil)
        if let due = [archiveQueue.first, postponed.first].compactMap({ $0?.deadline }).min(), due <= now {
            done.isMoved = true
            let root = watched.map { forest.root(of: $0) }
            let old = root.flatMap { isElsewhere($0) ? nil : key(ofRoot: $0) }
            let row = old.flatMap { firstRow(of: $0)?.row }
            archive(in: forest, now: now, pinned: selected.map { forest.root(of: $0) })
            if old != nil, root.flatMap({ key(ofRoot: $0) }) != old { done.vacatedRow = row }
        }
        if foldSettled(in: forest, now: now, selected: selected) { done.isMoved = true }
        follow(selected, in: forest)
        foldTime = max(foldTime, now)
        for (slot, deadline) in foldDeadlines where deadline <= foldTime {
            noteShape(slot)
            weighLater(slot)
        }
        if weighNoted(in: forest) { done.isMoved = true }
        return done
    }

    /// Archives settled chains past their deadline, except `pinned`, within the budget of a tick.
    mutating func archive(in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?) {
        if let first = postponed.first, first.deadline <= now {
            for entry in postponed { archiveQueue.append(entry) }
            postponed = []
        }
        var budget = Self.archiveBudget
        while budget > 0, let first = archiveQueue.first, first.deadline <= now {
            archiveQueue.removeFirst()
            budget -= 1
            guard chains[first.slot].id == first.id, chains.isCurrent(first.slot, in: forest) else { continue }
            budget -= Self.archiveCost
            archive(first, in: forest, now: now, pinned: pinned)
        }
    }

    /// Archives a chain, or postpones that.
    private mutating func archive(
        _ entry: ArchiveEntry, in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?
    ) {
        let (slot, root) = (entry.slot, chains.root(entry.slot))
        chains.set(.awaitsArchive, false, slot)
        // The chain that stays open is enqueued again by `foldSettled` when it no longer stays open.
        guard let settled = forest.chain(of: root).settled, !chains.has(.archived, slot), !foreign.isLive(root),
            lastUnfolded?.id.rawValue != entry.id
        else { return }
        // Its deadline is later than the entry's if the chain was live again after it was enqueued.
        guard settled &+ Self.archiveDelay <= now else {
            return enqueueForArchive(slot, deadline: min(settled &+ Self.archiveDelay, now &+ Self.archiveDelay))
        }
        guard root != pinned else {
            chains.set(.awaitsArchive, true, slot)
            let deadline = now &+ Self.postponedArchiveDelay
            return postponed.append(ArchiveEntry(deadline: deadline, slot: slot, id: entry.id))
        }
        setArchived(slot, true, in: forest)
        chains.set(.folded, true, slot)
        if chains[slot].rows != 1 { weigh(slot, in: forest) }
    }
}
