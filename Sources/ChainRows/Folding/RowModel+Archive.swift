import ChainEvents
import ChainModel

// Archiving: settled chains leave the live ones after a delay, as one row each.
extension RowModel {
    /// Enqueues a settled chain to be archived after one of the delays of ``ArchiveDelay/all``.
    mutating func enqueue(_ entry: NodeQueue.Entry, _ linger: UInt64, in forest: borrowing ChainForest) {
        archiveQueues[ArchiveDelay.all.firstIndex(of: linger) ?? 0].append(entry, in: forest)
    }

    /// Returns whether a settled chain is to be archived now.
    package func hasDue(now: UInt64) -> Bool { archiveQueues.contains { $0.hasDue(now: now) } }

    /// Whether anything but what holds the selection is to be archived or folded later.
    package var awaitsDeadlines: Bool {
        finishedQueue.count > finishedQueue.postponedCount || archiveQueues.contains { $0.count > $0.postponedCount }
    }

    /// The cost of archiving in a tick: 8 a chain, 1 an entry of an evicted chain.
    private static let archiveBudget = 32_000
    private static let archiveCost = 7

    /// The index of the queue with the earliest deadline that has passed.
    private func firstDue(now: UInt64) -> Int? {
        archiveQueues.indices.filter { archiveQueues[$0].hasDue(now: now) }.min {
            archiveQueues[$0].first!.deadline < archiveQueues[$1].first!.deadline
        }
    }

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
        while budget > 0, let queue = firstDue(now: now) {
            for next in archiveQueues[queue].prefix(Self.prefetchCount) { prefetch(next.node, in: forest) }
            for _ in 0..<Self.prefetchCount where archiveQueues[queue].hasDue(now: now) {
                archiveFirst(of: queue, &budget, in: forest, now: now, pinned: pinned)
            }
        }
    }

    private mutating func archiveFirst(
        of queue: Int, _ budget: inout Int, in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?
    ) {
        guard let entry = archiveQueues[queue].first else { return }
        archiveQueues[queue].removeFirst()
        budget -= 1
        let root = entry.node
        guard forest.contains(entry.id, at: root), slotOf[root.rawValue] != 0 else { return }
        budget -= Self.archiveCost
        let slot = Int(slotOf[root.rawValue] - 1)
        guard forest.chain(of: root).settled != nil, !slots.has(.archived, slot) else {
            return slots.set(.awaitsArchive, false, slot)
        }
        guard root != pinned else {
            let later = now &+ ArchiveDelay.postponed
            return archiveQueues[queue].append(
                .init(deadline: later, node: root, id: entry.id, isPostponed: true), in: forest)
        }
        slots.set(.awaitsArchive, false, slot)
        setArchived(root, true, in: forest)
        slots.set(.folded, true, slot)
        updateWeight(root, in: forest)
    }
}
