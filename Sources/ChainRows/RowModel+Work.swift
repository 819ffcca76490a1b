import ChainEvents
import ChainModel

// Long work goes in slices, one a tick: reading a large forest anew, weighing every chain after all were folded, and
// reading long chains into their lists. What comes on the screen in the meantime is done at once.
extension RowModel {
    /// A pass over all nodes that were there when it began, once around.
    struct Pass {
        /// The next index to look at.
        var next: UInt32
        /// How many are left, and where it goes on with 0.
        var left: UInt32
        var bound: UInt32
        /// Whether chains may have come and gone, too.
        var isRebuild: Bool

        mutating func step() {
            next = next + 1 == bound ? 0 : next + 1
            left -= 1
        }

        func isAhead(_ index: UInt32) -> Bool {
            index < bound && (index >= next ? index - next : index + bound - next) < left
        }
    }

    /// What work costs, in units of some 5 ns: an index that is looked at, one of a chain that is weighed, one of a
    /// node that is read into a list.
    private static let costs = (index: 1, chain: 120, node: 12)
    /// What a tick may cost, and what is done at once.
    static let slice = 400_000
    static let firstSlice = 1_200_000
    /// Nodes that a slice tests against the filter: some 2 ms.
    static let scanBudget = 5_000

    /// Forests of at most so many nodes are read anew at once.
    static let smallForest = 20_000

    /// The kinds of long work.
    package enum WorkKind: CaseIterable { case sorting, filtering, reading, freeing }

    /// Whether there is long work of any kind.
    package var hasWork: Bool { WorkKind.allCases.contains { hasWork($0) } }

    /// Returns whether there is long work of a kind.
    package func hasWork(_ kind: WorkKind) -> Bool {
        switch kind {
        case .sorting: order.hasWork
        case .filtering: filter.hasWork
        case .reading: isReading
        case .freeing: order.hasSpent
        }
    }

    /// Does a slice of work, 2 ms at most, or one of `share` parts of it; returns whether rows may have moved.
    package mutating func work(
        _ kind: WorkKind, in forest: borrowing ChainForest, now: UInt64, share: Int
    ) -> Bool {
        switch kind {
        case .sorting: return workOnOrder(in: forest, now: now, share: share)
        case .filtering: return scan(in: forest, budget: Self.scanBudget / share)
        case .reading: return work(in: forest, now: now, budget: Self.slice / share)
        case .freeing:
            _ = order.spent.popLast()
            return false
        }
    }

    /// Whether chains are still to be read or weighed.
    var isReading: Bool { pass != nil || !unread.isEmpty }

    /// Whether a chain is still to be weighed.
    func isPending(_ root: NodeIndex) -> Bool { pass?.isAhead(root.rawValue) ?? false }

    /// Begins a pass, and does as much of it as is done at once.
    mutating func beginPass(isRebuild: Bool, in forest: borrowing ChainForest, now: UInt64 = 0) {
        // One that is under way goes on from where it is: a forest that is told by and by is read meanwhile.
        let bound = UInt32(forest.indexBound)
        let next = pass.map { $0.next < bound ? $0.next : 0 } ?? 0
        pass = Pass(next: next, left: bound, bound: bound, isRebuild: isRebuild || pass?.isRebuild == true)
        readLeft = Self.firstRead
        _ = work(in: forest, now: now, budget: Self.firstSlice)
    }

    /// Does a slice of what is to be done; true if there was anything.
    mutating func work(in forest: borrowing ChainForest, now: UInt64, budget: Int) -> Bool {
        readLeft = Self.firstRead
        guard isReading else { return false }
        var rest = budget
        while rest > 0, let pass {
            let index = NodeIndex(rawValue: pass.next)
            guard pass.left > 0 else {
                self.pass = nil
                break
            }
            self.pass!.step()
            rest -= Self.costs.index
            if pass.isRebuild { checkSlot(of: index, in: forest) }
            guard forest.contains(index) else { continue }
            if pass.isRebuild, Folds.isLarge(index, in: forest) { noteLarge(index, in: forest) }
            guard forest.isRoot(index) else { continue }
            rest -= Self.costs.chain
            if pass.isRebuild {
                touch(index, in: forest, now: now)
                rest -= Self.costs.node * noteStates(under: index, in: forest, now: now)
            } else if slotOf[index.rawValue] != 0 {
                reweigh(index, in: forest)
            }
        }
        while rest > 0, let l = unread.last {
            guard l < lists.lists.count, let root = lists.lists[l]?.root, !lists.lists[l]!.isComplete else {
                unread.removeLast()
                continue
            }
            let budget = min(4_096, 1 + rest / Self.costs.node)
            rest -= Self.costs.node * lists.build(l, budget: budget, in: forest, folds, filter)
            if slotOf[root.rawValue] != 0 { reweigh(root, in: forest) }
        }
        noteLarge(in: forest)
        return true
    }

    /// Drops a chain that is gone without its having been heard.
    private mutating func checkSlot(of index: NodeIndex, in forest: borrowing ChainForest) {
        let number = slotOf[index.rawValue]
        guard number != 0 else { return }
        if !Self.isRoot(index, id: slots.id(Int(number - 1)), in: forest) { drop(index) }
    }

    /// Whether a chain's weight was not what it is while a pass is under way; weighs it, or drops it.
    mutating func isStale(_ key: RootKey, in forest: borrowing ChainForest) -> Bool {
        guard pass != nil else { return false }
        guard let root = forest.index(of: NodeID(key.id)), forest.isRoot(root), self.key(of: root) == key else {
            list.remove(key)
            matchList.remove(key)
            return true
        }
        guard isPending(root) else { return false }
        let old = shown.weight(of: key)
        reweigh(root, in: forest)
        return shown.weight(of: key) != old
    }

    /// Reads the whole forest anew; folds, tags and matches of nodes that are still there stay.
    mutating func rebuild(from forest: borrowing ChainForest, now: UInt64) {
        shapes = [:]
        matchShapes = [:]
        forgetLists()
        waitingLarge = [:]
        folds.forgetAbsent(in: forest)
        filter.lookAgain()
        guard forest.totals.nodeCount <= Self.smallForest else {
            beginPass(isRebuild: true, in: forest, now: now)
            return
        }
        pass = nil
        slots = ChainTable()
        slotOf.removeAll()
        beginOrderAnew()
        for queue in dues.indices { dues[queue].removeAll() }
        folds.finished = [:]
        tidies.removeAll()
        tidyOwners.removeAll()
        openCount = 0
        for root in forest.roots {
            touch(root, in: forest, now: now)
            _ = noteStates(under: root, in: forest, now: now)
        }
        for index in 0..<UInt32(forest.indexBound) {
            let node = NodeIndex(rawValue: index)
            if forest.contains(node), Folds.isLarge(node, in: forest) { noteLarge(node, in: forest) }
        }
        for node in Array(folds.marked.keys) + Array(folds.large.keys) { noteFolds(in: forest.root(of: node), forest) }
        sortAnew(in: forest, now: now)
    }
}
