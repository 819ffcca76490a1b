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
            // Enqueue it again, because `archiveFirst` dropped its entry while it stayed open.
            if forest.contains(old.id, at: old.node), let slot = chains.slot(of: old.node) {
                enqueueForArchive(slot, deadline: now)
            }
        }
        lastUnfolded = last
        let pinned = selected.map { forest.root(of: $0) }
        for root in settledUnfolded where root != pinned && root != last?.node { foldSettled(root, in: forest) }
        settledUnfolded.removeAll(keepingCapacity: true)
        return true
    }

    /// An entry of the queue of chains to archive.
    struct ArchiveEntry {
        /// In nanoseconds of the program's clock.
        var deadline: UInt64
        var slot: UInt32
        var id: UInt64
        /// Whether the deadline was postponed because the selection was in the chain.
        var isPostponed = false
    }

    /// Enqueues a chain to be archived, if it has no entry yet.
    mutating func enqueueForArchive(_ slot: UInt32, deadline: UInt64, isPostponed: Bool = false) {
        guard !chains.has(.awaitsArchive, slot) else { return }
        chains.set(.awaitsArchive, true, slot)
        let entry = ArchiveEntry(deadline: deadline, slot: slot, id: chains[slot].id, isPostponed: isPostponed)
        if isPostponed { postponedCount += 1 }
        archiveLimit = max(archiveLimit, 2 * chains.count)
        if archiveQueue.count >= archiveLimit { dropStaleEntries() }
        // Not always the last, because deadlines of parallel threads arrive some microseconds out of order.
        var index = archiveQueue.count
        let least = max(0, index - Self.archiveSearchLimit)
        while index > least, archiveQueue[index - 1].deadline > deadline { index -= 1 }
        archiveQueue.insert(entry, at: index)
        archiveHighWater = max(archiveHighWater, archiveQueue.count)
    }

    /// The most entries that a new one is compared with.
    private static let archiveSearchLimit = 64

    /// Drops the entries of chains that were evicted.
    private mutating func dropStaleEntries() {
        let kept = archiveQueue.contents.filter { chains[$0.slot].id == $0.id && chains.has(.awaitsArchive, $0.slot) }
        archiveQueue = Queue(kept)
        postponedCount = kept.count { $0.isPostponed }
    }

    private func hasDueChain(_ now: UInt64) -> Bool { archiveQueue.first.map { $0.deadline <= now } ?? false }

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
        guard let slot = chains.slot(of: root), chains.isCurrent(slot, in: forest),
            forest.chain(of: root).settled != nil, !foreign.isLive(root), !chains.has(.folded, slot)
        else { return }
        if !chains.has(.archived, slot) { unfoldedCount -= 1 }
        chains.set(.folded, true, slot)
        weigh(slot, in: forest)
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
        var done = Tidying(isMoved: hasDueChain(now), vacatedRow: nil)
        if done.isMoved { done.vacatedRow = archive(in: forest, now: now, selected: selected, watched: watched) }
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
        let old = key(ofRoot: root)
        let row = old.flatMap { firstRow(of: $0)?.row }
        archive(in: forest, now: now, pinned: pinned)
        return key(ofRoot: root) == old ? nil : row
    }

    /// Archives settled chains past their deadline, except `pinned`, within the budget of a tick.
    mutating func archive(in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?) {
        var budget = Self.archiveBudget
        while budget > 0, hasDueChain(now) { archiveFirst(&budget, in: forest, now: now, pinned: pinned) }
    }

    /// Archives the chain of the queue's first entry, or postpones it.
    private mutating func archiveFirst(
        _ budget: inout Int, in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?
    ) {
        guard let entry = archiveQueue.popFirst() else { return }
        if entry.isPostponed { postponedCount -= 1 }
        budget -= 1
        let (slot, root) = (entry.slot, chains.root(entry.slot))
        guard chains[slot].id == entry.id, chains.isCurrent(slot, in: forest) else { return }
        budget -= Self.archiveCost
        chains.set(.awaitsArchive, false, slot)
        guard let settled = forest.chain(of: root).settled, !chains.has(.archived, slot), !foreign.isLive(root) else {
            return
        }
        // The chain that stays open is enqueued again by `foldSettled` when it no longer stays open.
        if lastUnfolded?.id.rawValue == entry.id { return }
        let deadline = settled &+ Self.archiveDelay
        // This deadline is later than the entry's if the chain was live again after it was enqueued.
        guard deadline <= now else { return enqueueForArchive(slot, deadline: deadline) }
        guard root != pinned else {
            return enqueueForArchive(slot, deadline: now &+ Self.postponedArchiveDelay, isPostponed: true)
        }
        setArchived(slot, true, in: forest)
        chains.set(.folded, true, slot)
        if chains[slot].rows != 1 { weigh(slot, in: forest) }
    }
}
