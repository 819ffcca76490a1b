// SPDX-License-Identifier: MIT

import ChainModel

// The order of the chains. Changed chains are repositioned once a second, so that rows do not jump about. A new order
// is made in slices beside the old order; so is an order by durations that grow, once a second.
extension Outline {
    /// How many chains a slice puts into a new order, or repositions: some 1.5 ms.
    static let sortSlice = 2_500
    /// How many chains are put into a new order as soon as it is set.
    static let firstSortSlice = 500
    /// How many chains a second may be put into an order by growing durations: 4 % of a processor.
    static let resortLimit = 80_000

    /// An order that is being made.
    struct PendingOrder {
        var chains: SortedChains
        /// The slots that are still to be put into the order. What changes behind the cursor is put in at once.
        var cursor: Cursor
    }

    // MARK: Setting the order

    /// Whether chains are grouped by call site.
    package var isGrouped: Bool { sorted.order.isGrouped }
    /// Whether a new order is being made; rows are in the old order until the new order is done.
    package var isSorting: Bool { pending.map { $0.chains.order != sorted.order } ?? false }

    /// Sets the order, and puts `count` chains into it. A small forest is sorted immediately, a large forest in slices.
    package mutating func setOrder(
        _ wanted: TreeOrder, in forest: borrowing ChainForest, now: UInt64, count: Int = 500
    ) {
        if wanted.sortsSiblings || wantedOrder.sortsSiblings {
            orderMoment = now
            walked.rows = [:]
        }
        wantedOrder = wanted
        pending = nil
        var (shown, new) = (sorted.order, wanted)
        // Compared without the order of siblings, because the lists hold roots only.
        (shown.sortsSiblings, new.sortsSiblings) = (false, false)
        guard shown != new else { return }
        let rank = SortRank(order: wanted, moment: now, like: sample(of: forest), in: forest)
        beginSort(rank, in: forest, count: count)
    }

    /// Returns 64 to 127 of the roots, evenly spread, or all roots if there are fewer.
    private func sample(of forest: borrowing ChainForest) -> [NodeIndex] {
        let count = forest.roots.count
        return stride(from: 0, to: count, by: max(1, count / 64)).map { forest.roots[forest.roots.index(at: $0)] }
    }

    private mutating func beginSort(_ rank: SortRank, in forest: borrowing ChainForest, count: Int) {
        pending = PendingOrder(chains: SortedChains(rank), cursor: Cursor(end: Int(chains.bound)))
        continueSorting(in: forest, count: count)
    }

    /// Puts the next `count` chains into the pending order; shows the order once all are in it. Returns whether it is
    /// shown now.
    @discardableResult
    mutating func continueSorting(in forest: borrowing ChainForest, count: Int) -> Bool {
        // Taken out, because a second reference to the lists would copy them at the next change.
        guard var sort = pending else { return false }
        pending = nil
        for _ in 0..<count {
            guard let slot = sort.cursor.step() else { break }
            guard !sort.chains.isListed(slot), chains.isCurrent(slot, in: forest) else { continue }
            let (chain, isMatch) = (chains[slot], chains.has(.isListedMatch, slot))
            let matchRows = isMatch ? sorted.rows(of: slot, id: chain.id)[true] : 0
            sort.chains.place(slot, chain, rows: RowCounts(listedRows(chain), matchRows), in: forest)
            chains.set(.outdated, false, slot)
        }
        guard sort.cursor.isDone else {
            pending = sort
            return false
        }
        sorted = sort.chains
        outdated.removeAll { !chains.has(.outdated, $0) }
        return true
    }

    /// The number of rows of a chain in the list of all chains: none if it is drawn in another program's tree.
    func listedRows(_ chain: ChainTable.Chain) -> Int { chain.bits.contains(.elsewhere) ? 0 : Int(chain.rows) }

    /// Changes the order that is shown, and the order that is being made.
    mutating func inOrders(_ change: (inout SortedChains) -> Void) {
        change(&sorted)
        if pending != nil { change(&pending!.chains) }
    }

    // MARK: Changes of chains

    /// Puts a new chain into the lists.
    mutating func noteAdded(_ slot: UInt32, in forest: borrowing ChainForest) {
        sorted.place(slot, chains[slot], rows: RowCounts(1, 0), in: forest)
        if pending.map({ !$0.cursor.isAhead(slot) }) == true {
            pending!.chains.place(slot, chains[slot], rows: RowCounts(1, 0), in: forest)
        }
    }

    /// Updates the group's counts, and notes a chain to be repositioned, after the counts of the chain changed.
    mutating func noteChange(_ slot: UInt32, _ chain: ChainSummary) {
        guard eventsMoveChains else { return }
        inOrders { $0.count(slot, as: chain.status) }
        markOutdated(slot)
    }

    /// Whether an event may move a chain, in the order of the lists or in the order that is being made.
    private var eventsMoveChains: Bool {
        sorted.order.column != .start || sorted.order.isGrouped || wantedOrder.column != .start
            || wantedOrder.isGrouped
    }

    /// Notes a chain to be repositioned, because its root's row may show something else. Does nothing in an order in
    /// which no event moves a chain.
    mutating func markOutdated(_ slot: UInt32) {
        guard eventsMoveChains, !chains.has(.outdated, slot) else { return }
        chains.set(.outdated, true, slot)
        outdated.append(slot)
    }

    /// Moves a chain to the archived chains, or back from them.
    mutating func setArchived(_ slot: UInt32, _ isArchived: Bool, in forest: borrowing ChainForest) {
        guard chains.has(.archived, slot) != isArchived else { return }
        chains.set(.archived, isArchived, slot)
        if !chains.has(.folded, slot) { unfoldedCount += isArchived ? -1 : 1 }
        if sorted.order.column == .start { reposition(slot, in: forest) } else { markOutdated(slot) }
    }

    /// Moves a chain to the position that follows from the present state of the forest.
    private mutating func reposition(_ slot: UInt32, in forest: borrowing ChainForest) {
        let chain = chains[slot]
        inOrders { if $0.isListed(slot) { $0.place(slot, chain, in: forest) } }
    }

    // MARK: Time

    /// Advances the filter and the order, and counts the rows of changed chains; returns whether rows may have moved.
    ///
    /// `now` is the moment on the screen, in nanoseconds of the program's clock; `wall` is the time of day, in
    /// nanoseconds. `isClockStopped` is true while `now` does not advance by itself. In that case `wall` may stand
    /// still, too, so the order advances at each call.
    package mutating func tick(
        in forest: borrowing ChainForest, now: UInt64, wall: UInt64, isClockStopped: Bool
    ) -> Bool {
        filter.tick(now)
        self.wall = isClockStopped ? .max : wall
        let isChanged = weighNoted(in: forest)
        let second = wall / 1_000_000_000
        guard isClockStopped || second != orderSecond else { return isChanged }
        orderSecond = second
        return advanceOrder(in: forest, at: now) || isChanged
    }

    /// Advances the order to a moment: compares growing durations at that moment, and repositions the changed chains,
    /// in slices if they are many. Returns whether rows may have moved.
    package mutating func advanceOrder(in forest: borrowing ChainForest, at now: UInt64) -> Bool {
        let isNew = now != orderMoment
        orderMoment = now
        if wantedOrder.sortsSiblings, isNew { for key in walked.rows.keys { walked.rows[key]!.isStale = true } }
        guard sorted.order.column.isDuration else {
            if !outdated.isEmpty, repositioning.isEmpty {
                (repositioning, outdated) = (outdated, [])
                repositionOutdated(in: forest, count: Self.firstSortSlice)
                return true
            }
            return isNew && wantedOrder.sortsSiblings
        }
        guard isNew && forest.totals.counts.liveCount > 0 || outdatedCount > 0, pending == nil else { return false }
        resortDelay -= 1
        guard resortDelay <= 0 else { return false }
        resortDelay = chains.count / Self.resortLimit
        var rank = sorted.rank
        rank.moment = now
        beginSort(rank, in: forest, count: Self.firstSortSlice)
        return true
    }

    /// How many chains wait to be repositioned, or have waited until they were removed.
    var outdatedCount: Int { outdated.count + repositioning.count }

    /// Repositions the next changed chains, a limited number in each call.
    mutating func repositionOutdated(in forest: borrowing ChainForest, count: Int) {
        var rest = count
        while rest > 0, let slot = repositioning.popLast() {
            guard chains.has(.outdated, slot), chains.isCurrent(slot, in: forest) else { continue }
            rest -= 1
            chains.set(.outdated, false, slot)
            reposition(slot, in: forest)
        }
    }

    /// Continues a sort, and repositions changed chains; returns whether rows may have moved.
    mutating func continueOrder(in forest: borrowing ChainForest, divisor: Int) -> Bool {
        let count = max(1, Self.sortSlice / divisor)
        if !repositioning.isEmpty {
            repositionOutdated(in: forest, count: pending == nil ? count : count / 4)
            if pending == nil { return true }
        }
        return continueSorting(in: forest, count: count)
    }

    // MARK: The newest chain

    /// Returns the newest shown chain that is not archived, else the newest shown chain; nil if no shown chain is
    /// found.
    ///
    /// Only the newest 1,000 roots are searched, unless ungrouped chains are in the order of their start and one of
    /// them is not archived.
    package func newestChain(in forest: borrowing ChainForest) -> (root: NodeIndex, isUnarchived: Bool)? {
        if let slot = newestUnarchived { return (chains.root(slot), true) }
        var archived: NodeIndex?
        for root in forest.roots.reversed().prefix(Self.newestLimit) {
            guard chains.slot(of: root) != nil, !filter.hidesUnmatched || matchCount(of: root) > 0 else { continue }
            if !isArchived(root) { return (root, true) }
            if archived == nil { archived = root }
        }
        return archived.map { ($0, false) }
    }

    /// How many roots ``newestChain(in:)`` searches at most.
    private static let newestLimit = 1_000

    /// The slot of the newest shown chain that is not archived. Nil if there is none, or if chains are grouped or are
    /// not in the order of their start.
    private var newestUnarchived: UInt32? {
        guard sorted.order.column == .start, !sorted.order.isGrouped else { return nil }
        let firstArchived = ChainList.Key(rank: Rank.made(section: 1, 0), id: 0)
        let line = sorted.groups[0].list.nearest(
            to: sorted.order.isInverted ? firstArchived : nil, forward: !sorted.order.isInverted,
            isFiltered: filter.hidesUnmatched)
        guard let line, line.key < firstArchived, chains[line.slot].id == line.key.id else { return nil }
        return line.slot
    }
}
