import ChainEvents
import ChainModel

/// One look at everything, as far as it has come.
struct WarningSweep: Sendable {
    /// The warnings of one kind that were found: the oldest are kept.
    struct Found: Sendable {
        var warnings: [Warning] = []
        var count = 0

        mutating func add(_ warning: Warning) {
            count += 1
            warnings.append(warning)
            if warnings.count >= 2 * WarningList.limit { bound() }
        }

        mutating func bound() {
            guard warnings.count > WarningList.limit else { return }
            warnings.sort { $0.since != $1.since ? $0.since < $1.since : $0.node < $1.node }
            warnings.removeLast(warnings.count - WarningList.limit)
        }
    }

    /// The next index to look at.
    var cursor: UInt32 = 0
    /// Whether marks are looked for.
    var findsMoments: Bool
    var found = Array(repeating: Found(), count: WarningKind.allCases.count)
    /// Threads that are in a handler.
    var threads: Set<ThreadID> = []
    var nextDue: UInt64?
    /// Roots of chains with more nodes than may be deep.
    var longChains: [NodeID] = []
    var depth: DepthSearch?

    static let threadLimit = 65_536
    static let longChainLimit = 1_000

    init(findsMoments: Bool) { self.findsMoments = findsMoments }

    mutating func take(_ verdict: WarningVerdict) {
        switch verdict {
        case .no: break
        case .later(let due): nextDue = min(nextDue ?? due, due)
        case .holds(let warning): found[warning.kind.place].add(warning)
        }
    }
}

extension WarningTable {
    /// The least time between the beginnings of two looks, in nanoseconds.
    private static let interval: UInt64 = 500_000_000
    /// Free slots that cost as much as one node.
    private static let freeSlotsPerNode = 16

    /// Begins a look at everything where it is due, and goes on with it.
    mutating func goOn(_ forest: borrowing ChainForest, _ now: UInt64, _ budget: Int) {
        if sweep == nil {
            let isDue = isStale || misses || nextDue.map { now >= $0 } ?? false
            guard isDue, sweepBegan.map({ now >= $0 &+ Self.interval }) ?? true else { return }
            sweep = WarningSweep(findsMoments: misses)
            (isStale, misses, sweepBegan) = (false, false, now)
        }
        var rest = budget * Self.freeSlotsPerNode
        let bound = UInt32(forest.indexBound)
        let rings = RingSearch(forest)
        while rest > 0, let next = sweep?.cursor, next < bound {
            let index = NodeIndex(rawValue: next)
            rest -= forest.contains(index) ? examine(index, forest, rings, now) * Self.freeSlotsPerNode : 1
            sweep?.cursor = next + 1
        }
        guard rest > 0, (sweep?.cursor ?? 0) >= bound else { return }
        var depthBudget = rest / Self.freeSlotsPerNode
        guard measureDepths(forest, budget: &depthBudget) else { return }
        finish(forest, rings, now)
    }

    /// Looks at one node and says what that cost.
    private mutating func examine(
        _ index: NodeIndex, _ forest: borrowing ChainForest, _ rings: borrowing RingSearch, _ now: UInt64
    ) -> Int {
        let view = forest.node(index)
        var cost = 1
        if sweep!.findsMoments {
            let kinds = rules.moments(of: view)
            for kind in WarningKind.allCases where kinds & kind.bit != 0 {
                let warning = Warning(kind, view.id, since: rules.since(kind, view, now: now))
                if !isDismissed(warning.id) { sweep!.found[kind.place].add(warning) }
            }
            if rules.isDecided(view) { noteRace(view, forest) }
        }
        if rules.occupiesThread(view) {
            if view.thread != 0, sweep!.threads.count < WarningSweep.threadLimit { sweep!.threads.insert(view.thread) }
            sweep!.take(rules.blockedWorker(view, forest, now: now))
            sweep!.take(rules.longHandler(view, forest, now: now))
            cost += 6
        }
        if forest.childCount(of: index) > 0, forest.isRoot(index), rules.tells(.deepChain) {
            cost += 2
            noteLength(view, forest)
        }
        guard view.isLive else { return cost }
        switch view.state {
        case .queued: sweep!.take(rules.longQueueWait(view, now: now))
        default:
            sweep!.take(rules.neverSettled(view, forest, now: now))
            cost += 2
        }
        if view.marks.contains(.cancelRequested) {
            sweep!.take(rules.cancellationIgnored(view, forest, now: now))
            cost += 20
        }
        if view.state == .pending, rules.tells(.ringOfWaits) { cost += seekRing(view, forest, rings, now) }
        return cost
    }

    /// What was made just now may be a ring by chance: half of it was told.
    private mutating func seekRing(
        _ view: NodeView, _ forest: borrowing ChainForest, _ rings: borrowing RingSearch, _ now: UInt64
    ) -> Int {
        guard RingSearch.mayBegin(view, forest) else { return 2 }
        guard now >= view.created, now - view.created >= WarningRules.grace else {
            sweep!.take(.later(view.created &+ WarningRules.grace))
            return 2
        }
        var steps = 2
        if let ring = rings.ring(from: view.index, in: forest, steps: &steps),
            let warning = RingSearch.warning(of: ring, in: forest)
        {
            note(ring: warning)
        }
        return steps * 4
    }

    /// Each ring once, whoever leads into it.
    private mutating func note(ring warning: Warning) {
        let place = warning.kind.place
        guard !sweep!.found[place].warnings.contains(where: { $0.node == warning.node }) else { return }
        sweep!.found[place].add(warning)
    }

    // MARK: Depth

    private mutating func noteLength(_ view: NodeView, _ forest: borrowing ChainForest) {
        let chain = forest.chain(of: view.index)
        guard chain.liveCount > 0, chain.nodeCount > rules.options.depthLimit,
            sweep!.longChains.count < WarningSweep.longChainLimit
        else { return }
        sweep!.longChains.append(view.id)
    }

    /// Looks through long chains that have grown or shrunk; whether all are done.
    private mutating func measureDepths(_ forest: borrowing ChainForest, budget: inout Int) -> Bool {
        while let id = sweep!.depth?.root ?? sweep!.longChains.last {
            guard let root = forest.index(of: id), forest.isRoot(root) else {
                leave(id)
                continue
            }
            let count = forest.chain(of: root).nodeCount
            if sweep!.depth == nil, let known = depths[id], abs(known.nodeCount - count) * 16 < count {
                if known.isDeep { find(deep: root, forest) }
                leave(id)
                continue
            }
            if sweep!.depth == nil { sweep!.depth = DepthSearch(root, in: forest) }
            guard let isDeep = sweep!.depth!.step(forest, deeperThan: rules.options.depthLimit, budget: &budget) else {
                return false
            }
            depths[id] = (count, isDeep)
            if isDeep { find(deep: root, forest) }
            leave(id)
        }
        return true
    }

    private mutating func leave(_ root: NodeID) {
        sweep!.depth = nil
        sweep!.longChains.removeAll { $0 == root }
    }

    private mutating func find(deep root: NodeIndex, _ forest: borrowing ChainForest) {
        let view = forest.node(root)
        let limit = UInt64(max(0, rules.options.depthLimit))
        sweep!.found[WarningKind.deepChain.place].add(
            Warning(.deepChain, view.id, since: view.created, amount: limit))
    }

    // MARK: The end

    private mutating func finish(_ forest: borrowing ChainForest, _ rings: borrowing RingSearch, _ now: UInt64) {
        seekLosers(forest, now)
        seekThreadRings(forest, rings, now)
        countThreads(now)
        guard var done = sweep else { return }
        sweep = nil
        nextDue = done.nextDue
        held = [:]
        for kind in WarningKind.allCases where rules.tells(kind) {
            if kind.isMoment {
                if done.findsMoments, kind != .lostEvents { supply(kind, done.found[kind.place], forest) }
                continue
            }
            let place = kind.place
            done.found[place].bound()
            let all = done.found[place]
            // Slices ago it may have been otherwise.
            let valid = all.warnings.filter { warning in
                guard warning.node != .none else { return true }
                guard !isDismissed(warning.id), let index = forest.index(of: warning.node) else { return false }
                return holds(warning, forest.node(index), forest, now)
            }
            let count = valid.count + (all.count - all.warnings.count)
            let found = valid.map { withNames($0, forest) }
            if lists[place].replace(found, count: count, at: now) { revision += 1 }
            for warning in valid where warning.node != .none { held[warning.node, default: 0] |= kind.bit }
        }
        let seen = Set(depths.keys.filter { forest.index(of: $0).map { forest.isRoot($0) } ?? false })
        if seen.count != depths.count { depths = depths.filter { seen.contains($0.key) } }
    }

    /// Takes in those whose moment was missed; who was counted before is not counted again.
    private mutating func supply(_ kind: WarningKind, _ found: WarningSweep.Found, _ forest: borrowing ChainForest) {
        let before = lists[kind.place].count
        for warning in found.warnings where lists[kind.place].kept.count < WarningList.limit {
            if lists[kind.place].add(withNames(warning, forest)) { revision += 1 }
        }
        if lists[kind.place].setCount(max(before, found.count)) { revision += 1 }
    }

    private func withNames(_ warning: Warning, _ forest: borrowing ChainForest) -> Warning {
        guard let index = forest.index(of: warning.node) else { return warning }
        var warning = warning
        remember(&warning, forest.node(index), forest)
        return warning
    }

    private mutating func seekLosers(_ forest: borrowing ChainForest, _ now: UInt64) {
        var kept: Set<NodeID> = []
        for id in races {
            guard let race = forest.index(of: id) else { continue }
            var hasLosers = false
            for link in forest.links(of: race) where link.role == .hasMember && forest.state(of: link.node).isLive {
                hasLosers = true
                sweep!.take(
                    rules.raceLoserRunning(forest.node(link.node), race: forest.node(race), forest, now: now))
            }
            if hasLosers { kept.insert(id) }
        }
        races = kept
    }

    /// Rings that go through threads that wait.
    private mutating func seekThreadRings(
        _ forest: borrowing ChainForest, _ rings: borrowing RingSearch, _ now: UInt64
    ) {
        guard rules.tells(.ringOfWaits) else { return }
        var steps = 0
        for wait in forest.waits where steps < 100_000 {
            guard let waiter = forest.index(of: wait.waiter) else { continue }
            guard now >= wait.since, now - wait.since >= WarningRules.grace else {
                sweep!.take(.later(wait.since &+ WarningRules.grace))
                continue
            }
            guard let ring = rings.ring(from: waiter, in: forest, steps: &steps),
                let warning = RingSearch.warning(of: ring, in: forest)
            else { continue }
            note(ring: warning)
        }
    }

    private mutating func countThreads(_ now: UInt64) {
        let count = sweep!.threads.count
        guard rules.tells(.tooManyThreads), count > rules.options.threadLimit else { return }
        sweep!.take(.holds(Warning(.tooManyThreads, .none, since: now, amount: UInt64(count))))
    }
}
