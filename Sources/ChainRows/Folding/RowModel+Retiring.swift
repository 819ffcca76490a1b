import ChainEvents
import ChainModel

// How settled chains leave the live ones.
extension RowModel {
    /// Lets a settled chain wait for its retirement, in the queue of a duration of ``Linger/all``.
    mutating func enqueue(_ entry: NodeQueue.Entry, _ linger: UInt64, in forest: borrowing ChainForest) {
        dues[Linger.all.firstIndex(of: linger) ?? 0].append(entry, in: forest)
    }

    /// Returns whether a settled chain is to be archived.
    package func hasDue(now: UInt64) -> Bool { dues.contains { $0.hasDue(now: now) } }

    /// Whether anything but what the user is in is to be archived or folded later.
    package var hasAnyDue: Bool {
        tidies.count > tidies.putOffCount || dues.contains { $0.count > $0.putOffCount }
    }

    /// What retiring chains may cost in a tick: a chain costs 8, one that is gone 1.
    private static let retireBudget = 32_000
    private static let retireCost = 7

    /// The index of the queue with the earliest entry that is due.
    private func firstDue(now: UInt64) -> Int? {
        dues.indices.filter { dues[$0].hasDue(now: now) }.min { dues[$0].first!.deadline < dues[$1].first!.deadline }
    }

    /// Archives settled chains, but for the one of `selected`. Returns the row where the chain of `watched` began, if that
    /// chain was archived.
    package mutating func retire(
        in forest: borrowing ChainForest, now: UInt64, selected: NodeIndex?, watched: NodeIndex?
    ) -> Int? {
        let pinned = selected.map { forest.root(of: $0) }
        guard let root = watched.map({ forest.root(of: $0) }) else {
            retire(in: forest, now: now, pinned: pinned)
            return nil
        }
        let old = key(of: root)
        let row = old.flatMap { firstRow(of: $0)?.row }
        retire(in: forest, now: now, pinned: pinned)
        return key(of: root) == old ? nil : row
    }

    /// Archives chains that have been settled for long enough.
    mutating func retire(in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?) {
        var budget = Self.retireBudget
        while budget > 0, let queue = firstDue(now: now) {
            warm(dues[queue].prefix(Self.warmCount), in: forest)
            for _ in 0..<Self.warmCount where dues[queue].hasDue(now: now) {
                retireFirst(of: queue, &budget, in: forest, now: now, pinned: pinned)
            }
        }
    }

    private mutating func retireFirst(
        of queue: Int, _ budget: inout Int, in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?
    ) {
        guard let entry = dues[queue].first else { return }
        dues[queue].removeFirst()
        budget -= 1
        let root = entry.node
        guard forest.contains(entry.id, at: root), slotOf[root.rawValue] != 0 else { return }
        budget -= Self.retireCost
        let place = Int(slotOf[root.rawValue] - 1)
        guard forest.chain(of: root).settled != nil, !slots.has(.retired, place) else {
            return slots.set(.due, false, place)
        }
        guard root != pinned else {
            let later = now &+ Linger.putOff
            return dues[queue].append(.init(deadline: later, node: root, id: entry.id, isPutOff: true), in: forest)
        }
        slots.set(.due, false, place)
        setRetired(root, true, in: forest)
        slots.set(.folded, true, place)
        reweigh(root, in: forest)
    }

    private mutating func warm(_ next: ArraySlice<NodeQueue.Entry>, in forest: borrowing ChainForest) {
        for entry in next { warmed ^= warmth(of: entry.node) ^ forest.warmth(of: entry.node) }
        for entry in next { warmed ^= placeWarmth(of: entry.node) }
    }
}
