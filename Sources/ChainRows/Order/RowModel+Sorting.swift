import ChainModel

// The order as time passes: sorts in slices, repositioned chains, growing durations.
extension RowModel {
    /// Advances the order if a second of `wall` has passed. Also advances it at each call if `isClockStopped`, because
    /// `wall` may then stand still. Returns whether rows may have moved. `now` is the moment on the screen.
    mutating func tickOrder(now: UInt64, wall: UInt64, isClockStopped: Bool) -> Bool {
        let second = wall / 1_000_000_000
        guard isClockStopped || second != order.second else { return false }
        order.second = second
        return advanceOrder(at: now)
    }

    /// Continues a sort for the budget of a slice divided by `divisor`, and repositions changed chains; returns whether
    /// rows may have moved.
    mutating func continueOrder(in forest: borrowing ChainForest, now: UInt64, divisor: Int) -> Bool {
        let isMoved = continueSorting(in: forest, now: now, budget: Self.sortBudget / divisor)
        return repositionOutdated(in: forest) || isMoved
    }

    /// Advances the order to a moment: compares growing durations at that moment, and makes all changed chains due to
    /// be repositioned. Returns whether rows may have moved.
    package mutating func advanceOrder(at now: UInt64) -> Bool {
        order.dueCount = order.outdated.count
        guard order.shown.column.isDuration || order.wanted.sortsSiblings else { return false }
        guard now != order.moment else { return false }
        order.moment = now
        if let merge = list.merge {
            list.merge = WeightedSortedList.Merge(moment: now, isDescending: merge.isDescending)
            matchList.merge = list.merge
        }
        if order.wanted.sortsSiblings {
            cachedRows = [:]
            cachedMatchRows = [:]
        }
        return true
    }

    /// Repositions the chains that are due, a limited number in each call; returns whether any were due.
    @discardableResult
    mutating func repositionOutdated(in forest: borrowing ChainForest) -> Bool {
        guard order.dueCount > 0 else { return false }
        // Fewer during a sort, because it takes most of the slice, and gives all chains new positions.
        let limit = order.isSorting ? Self.repositionLimit / 4 : Self.repositionLimit
        let count = min(order.dueCount, limit)
        for index in 0..<count {
            if index.isMultiple(of: Self.prefetchCount) {
                for next in order.outdated.contents.dropFirst(index).prefix(Self.prefetchCount) {
                    prefetch(next, in: forest)
                }
            }
            let root = order.outdated[index]
            let number = slotOf[root.rawValue]
            // Skipped if the root was evicted, because another node may have its index.
            guard number != 0, slots.has(.outdated, Int(number - 1)), isStillRoot(root, in: forest) else { continue }
            slots.set(.outdated, false, Int(number - 1))
            reposition(of: root, in: forest)
        }
        order.outdated.removeFirst(count)
        order.dueCount -= count
        return true
    }

    /// Continues a sort; returns whether it is done and the lists are in the new order.
    @discardableResult
    mutating func continueSorting(in forest: borrowing ChainForest, now: UInt64, budget: Int) -> Bool {
        guard var pendingSort = order.pendingSort else { return false }
        // Removed from the order, because a second reference to the sort's storage would copy it at the next change.
        order.pendingSort = nil
        order.catchUpHighWater = max(order.catchUpHighWater, pendingSort.pendingCount)
        guard pendingSort.step(self, in: forest, budget: budget) else {
            order.pendingSort = pendingSort
            return false
        }
        let isDuration = pendingSort.rank.order.column.isDuration
        let merge =
            isDuration ? WeightedSortedList.Merge(moment: now, isDescending: pendingSort.rank.order.isDescending) : nil
        order.moment = now
        order.retiredStorage += pendingSort.scratch + [slots.keys.ranks, list, matchList]
        slots.keys = pendingSort.keys
        order.rank = pendingSort.rank
        order.groups = pendingSort.groups
        list = pendingSort.list
        matchList = pendingSort.matchList
        // The sort has listed all matches so far, so no walk has to list them.
        collection = nil
        list.merge = merge
        matchList.merge = merge
        list.screenOrder = order.isGrouped ? order.groups.screenOrder : []
        matchList.screenOrder = list.screenOrder
        return true
    }
}
