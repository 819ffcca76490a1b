import ChainModel

// Long work in slices: rebuilding from a large forest, weighing each chain after all chains were folded or unfolded,
// and reading long chains into their lists. (To weigh a chain is to count its rows.) Chains that come on the screen
// before their slice are weighed and read immediately.
extension RowModel {
    /// A pass over all node indices that existed when the pass began.
    struct Pass {
        /// The next index.
        var next: UInt32
        /// How many indices are left.
        var left: UInt32
        /// The number of indices, at which the pass wraps to 0.
        var bound: UInt32
        /// Whether the pass also adds new chains and removes evicted chains.
        var isRebuild: Bool

        mutating func step() {
            next = next + 1 == bound ? 0 : next + 1
            left -= 1
        }

        /// Returns whether the pass has still to reach an index.
        func isAhead(_ index: UInt32) -> Bool {
            index < bound && (index >= next ? index - next : index + bound - next) < left
        }
    }

    /// The costs of passing an index, of weighing a chain, and of reading a node into a list, in units of 5 ns.
    private static let costs = (index: 1, chain: 120, node: 12)
    /// The budget of a slice, in units of 5 ns.
    static let slice = 400_000
    /// The budget of the part of a pass that is done immediately when the pass begins, in units of 5 ns.
    static let firstSlice = 1_200_000
    /// How many nodes a slice tests against the filter, which takes 2 ms.
    static let scanBudget = 5_000

    /// Forests of at most this many nodes are read immediately, not in slices.
    static let smallForest = 20_000

    /// The kinds of long work. `reading` is weighing chains and building the lists of long chains.
    package enum WorkKind: CaseIterable { case sorting, filtering, reading, freeing }

    /// Whether there is long work of any kind.
    package var hasWork: Bool { WorkKind.allCases.contains { hasWork($0) } }

    /// Returns whether there is long work of a kind.
    package func hasWork(_ kind: WorkKind) -> Bool {
        switch kind {
        case .sorting: order.hasWork
        case .filtering: isScanning && !(order.pendingSort?.isCrowded ?? false)
        case .reading: isReading
        case .freeing: order.hasRetiredStorage
        }
    }

    /// Does a slice of work: at most 2 ms, divided by `divisor`. (A slice of freeing frees one part, whatever `divisor`
    /// is.) Returns whether rows may have moved.
    package mutating func work(
        _ kind: WorkKind, in forest: borrowing ChainForest, now: UInt64, divisor: Int
    ) -> Bool {
        switch kind {
        case .sorting: return continueOrder(in: forest, now: now, divisor: divisor)
        case .filtering: return scan(in: forest, budget: Self.scanBudget / divisor)
        case .reading: return work(in: forest, now: now, budget: Self.slice / divisor)
        case .freeing:
            _ = order.retiredStorage.popLast()
            return false
        }
    }

    /// Whether chains are still to be read or weighed.
    var isReading: Bool { pass != nil || !unfinishedLists.isEmpty }

    /// Returns whether the pass has still to reach a chain.
    func isPending(_ root: NodeIndex) -> Bool { pass?.isAhead(root.rawValue) ?? false }

    /// Begins a pass, and does the first part of it immediately. `now` is for rebuilds only.
    mutating func beginPass(isRebuild: Bool, in forest: borrowing ChainForest, now: UInt64 = 0) {
        // Begins at the index of a running pass, because each part of a forest that arrives in parts begins a pass.
        let bound = UInt32(forest.indexBound)
        let next = pass.map { $0.next < bound ? $0.next : 0 } ?? 0
        pass = Pass(next: next, left: bound, bound: bound, isRebuild: isRebuild || pass?.isRebuild == true)
        readBudget = Self.firstReadCount
        _ = work(in: forest, now: now, budget: Self.firstSlice)
    }

    /// Does a slice of the pass and of reading lists; returns whether there was anything to do.
    mutating func work(in forest: borrowing ChainForest, now: UInt64, budget: Int) -> Bool {
        readBudget = Self.firstReadCount
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
            if pass.isRebuild { dropIfEvicted(index, in: forest) }
            guard forest.contains(index) else { continue }
            if pass.isRebuild, Folds.isLarge(index, in: forest) { noteLarge(index, in: forest) }
            guard forest.isRoot(index) else { continue }
            rest -= Self.costs.chain
            if pass.isRebuild {
                updateChain(index, in: forest, now: now)
                rest -= Self.costs.node * noteStates(under: index, in: forest, now: now)
            } else if slotOf[index.rawValue] != 0 {
                updateWeight(index, in: forest)
            }
        }
        while rest > 0, let listIndex = unfinishedLists.last {
            guard listIndex < longChains.lists.count, let root = longChains.lists[listIndex]?.root,
                !longChains.lists[listIndex]!.isComplete
            else {
                unfinishedLists.removeLast()
                continue
            }
            let budget = min(Self.readCount, 1 + rest / Self.costs.node)
            rest -= Self.costs.node * longChains.build(listIndex, budget: budget, in: forest, folds, filter)
            if slotOf[root.rawValue] != 0 { updateWeight(root, in: forest) }
        }
        noteListedLarge(in: forest)
        return true
    }

    /// Removes the chain at an index if its root is no root any more, because a rebuild has no list of evictions.
    private mutating func dropIfEvicted(_ index: NodeIndex, in forest: borrowing ChainForest) {
        let number = slotOf[index.rawValue]
        guard number != 0 else { return }
        if !Self.isRoot(index, id: slots.id(Int(number - 1)), in: forest) { drop(index) }
    }

    /// Updates the weight of a chain if a pass has still to reach it, or removes the key if it is old; returns whether
    /// rows may have moved.
    mutating func updateIfPending(_ key: RootKey, in forest: borrowing ChainForest) -> Bool {
        guard pass != nil else { return false }
        guard let root = forest.index(of: NodeID(key.id)), forest.isRoot(root), self.key(of: root) == key else {
            list.remove(key)
            matchList.remove(key)
            return true
        }
        guard isPending(root) else { return false }
        let old = shown.weight(of: key)
        updateWeight(root, in: forest)
        return shown.weight(of: key) != old
    }

    /// Rebuilds from a whole forest. The user's folds, the tags and the matches of nodes that are still in the forest
    /// stay.
    mutating func rebuild(from forest: borrowing ChainForest, now: UInt64) {
        cachedRows = [:]
        cachedMatchRows = [:]
        forgetForeign()
        forgetLists()
        pendingLarge = [:]
        folds.forgetAbsent(in: forest)
        // In a long chain a new node would have unfolded the finished nodes around it; a rebuild lists no new nodes.
        for node in Array(folds.finished.keys)
        where forest.rootAndNodeCount(of: node).nodeCount > Self.autoFoldLimit { folds.setFinished(node, nil) }
        filter.restart()
        guard forest.totals.nodeCount <= Self.smallForest else {
            beginPass(isRebuild: true, in: forest, now: now)
            return
        }
        pass = nil
        slots = ChainTable()
        slotOf.removeAll()
        beginOrderAnew()
        archiveQueue.removeAll()
        settledUnfolded = []
        lastUnfolded = nil
        folds.forgetFinished()
        finishedQueue.removeAll()
        queuedIDs.removeAll()
        unfoldedCount = 0
        for root in forest.roots {
            updateChain(root, in: forest, now: now)
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
