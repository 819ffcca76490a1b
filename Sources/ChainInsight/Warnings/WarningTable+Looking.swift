import ChainEvents
import ChainModel

/// Looks at those who changed or are due, a slice at a time.
extension WarningTable {
    /// The least time between the beginnings of two looks, in nanoseconds: more where they are long, so that they take a
    /// few hundredths of a core at most.
    private static let interval: UInt64 = 500_000_000, longestInterval: UInt64 = 2_000_000_000
    private static let pausePerNode: UInt64 = 10_000
    /// The most between two looks at everything while something changes: what others do to a node that does not change
    /// itself is seen by then.
    private static let wholeInterval: UInt64 = 30_000_000_000
    /// What a node costs, a free slot being 1 and a word of the watch list 2.
    private static let nodeCost = 16, wordCost = 2
    /// Of more combinators than so many that have one member, the look at everything finds the rest.
    private static let holderLimit = 1_000
    /// To go through more members than so many, to the first that has not settled, costs so much, about.
    private static let fewMembers = 16, manyMembersCost = 500

    /// Begins a look where it is due, and goes on with it.
    mutating func goOn(_ forest: borrowing ChainForest, _ now: UInt64, _ budget: Int) {
        if sweep == nil, !begin(now) { return }
        watch.reserve(forest.indexBound)
        var rest = budget * Self.nodeCost
        let rings = DeadlockSearch(forest)
        while rest > 0, sweep!.bits != 0 || sweep!.cursor < watch.wordCount {
            if sweep!.bits == 0 {
                let taken = watch.take(sweep!.cursor, at: now, isWhole: sweep!.isWhole)
                sweep!.bits = taken.bits
                if taken.areOthersLeft { sweep!.await(now) }
                rest -= Self.wordCost
            }
            lookThroughWord(forest, rings, now, &rest)
            guard sweep!.bits == 0 else { break }
            if let due = watch.due(sweep!.cursor) { sweep!.await(due) }
            sweep!.cursor += 1
        }
        guard rest > 0 else { return }
        var depthBudget = rest / Self.nodeCost
        guard measureDepths(forest, budget: &depthBudget) else { return }
        finish(forest, rings, now)
    }

    /// From the beginning of a look to that of the next one.
    static func pause(after sweep: WarningSweep) -> UInt64 {
        // One at everything is followed by small ones.
        sweep.isWhole ? interval : min(longestInterval, max(interval, sweep.nodeCount * pausePerNode))
    }

    /// Begins a look if one is due.
    private mutating func begin(_ now: UInt64) -> Bool {
        // Who waits for another is not held up before that one has settled: half of the limit is soon enough to see it.
        let interval = max(Self.interval, min(Self.wholeInterval, rules.options.neverSettledLimit / 2))
        let isWhole = misses || (isBehind && wholeBegan.map { now >= $0 &+ interval } ?? true)
        guard isStale || isWhole || nextDue.map({ now >= $0 }) ?? false,
            sweepBegan.map({ now >= $0 &+ pause }) ?? true
        else { return false }
        sweep = WarningSweep(isWhole: isWhole, findsMoments: misses)
        if isWhole { (isBehind, wholeBegan) = (false, now) }
        (isStale, misses, sweepBegan) = (false, false, now)
        return true
    }

    /// Looks at the nodes of a word as far as the budget goes.
    private mutating func lookThroughWord(
        _ forest: borrowing ChainForest, _ rings: borrowing DeadlockSearch, _ now: UInt64, _ rest: inout Int
    ) {
        var ahead = sweep!.bits
        while ahead != 0 {
            warmed ^= forest.warmth(of: NodeIndex(rawValue: UInt32(sweep!.cursor << 6 | ahead.trailingZeroBitCount)))
            ahead &= ahead &- 1
        }
        while sweep!.bits != 0, rest > 0 {
            let slot = UInt32(sweep!.cursor << 6 | sweep!.bits.trailingZeroBitCount)
            sweep!.bits &= sweep!.bits &- 1
            let index = NodeIndex(rawValue: slot)
            guard forest.contains(index) else {
                rest -= 1
                continue
            }
            let outcome = examine(index, forest, rings, now)
            sweep!.nodeCount += 1
            if outcome.isWatched { watch.insert(slot) }
            if let due = outcome.due { watch.insert(slot, at: due) }
            rest -= outcome.cost * Self.nodeCost
        }
    }

    /// A look goes to a node that changed.
    @inline(__always)
    mutating func watch(_ entry: ForestChanges.Entry, _ forest: borrowing ChainForest) {
        let slot = entry.index.rawValue
        if !entry.traits.contains(.unfinished) {
            watch.remove(slot)
        } else if entry.state == .waiting || entry.state == .queued {
            // Nothing holds of these before they are older: most go on before somebody looks. Who is looked at each time,
            // because something holds already, still is.
            let isFresh = !entry.changes.isDisjoint(with: [.created, .state]) && !heldSlots.contains(slot)
            watch.insertLater(slot, keepsNext: !isFresh)
        } else {
            watch.insert(slot)
        }
        if entry.traits.contains(.root), rules.tells(.deepChain),
            forest.nodeCount(ofRoot: entry.index) > rules.options.depthLimit
        {
            watch.insert(slot)
        }
    }

    /// The next look goes to those who had a node for a member that has settled: they do not change, but wait for another
    /// one now, who may wait for them.
    mutating func watchHolders(of member: NodeIndex, _ forest: borrowing ChainForest) {
        guard rules.tells(.deadlock) else { return }
        for link in forest.holders(of: member, limit: Self.holderLimit)
        where link.role == .memberOf && forest.state(of: link.node) == .pending { watch.insert(link.node.rawValue) }
    }

    /// Looks at one node.
    private mutating func examine(
        _ index: NodeIndex, _ forest: borrowing ChainForest, _ rings: borrowing DeadlockSearch, _ now: UInt64
    ) -> WarningSweep.Outcome {
        let view = forest.node(index)
        var outcome = WarningSweep.Outcome()
        if sweep!.findsMoments { findMoments(view, forest, now) }
        if rules.occupiesThread(view) {
            outcome.isWatched = true
            if view.thread != 0, sweep!.threads.count < WarningSweep.threadLimit { sweep!.threads.insert(view.thread) }
            sweep!.take(rules.blockedWorker(view, forest, now: now), .blockedWorker, view, &outcome)
            sweep!.take(rules.longHandler(view, forest, now: now), .longHandler, view, &outcome)
            outcome.cost += 6
        }
        if rules.tells(.deepChain), forest.nodeCount(ofRoot: index) > rules.options.depthLimit {
            outcome.cost += 2
            if noteLength(view, forest) { outcome.isWatched = true }
        }
        guard view.isLive else { return outcome }
        if view.state == .queued {
            sweep!.take(rules.longQueueWait(view, now: now), .longQueueWait, view, &outcome)
        } else {
            sweep!.take(rules.neverSettled(view, forest, now: now), .neverSettled, view, &outcome)
            outcome.cost += 2
        }
        if view.isCancelRequested {
            sweep!.take(rules.cancellationIgnored(view, forest, now: now), .cancellationIgnored, view, &outcome)
            outcome.isWatched = true
            outcome.cost += 4
        }
        if view.state == .pending, rules.tells(.deadlock) { seekRing(view, forest, rings, now, &outcome) }
        return outcome
    }

    private mutating func findMoments(_ view: NodeView, _ forest: borrowing ChainForest, _ now: UInt64) {
        let kinds = rules.moments(of: view)
        for kind in WarningKind.all where kinds & kind.bit != 0 {
            let warning = Warning(kind, view.id, since: rules.since(kind, view, now: now))
            if !isDismissed(warning.id) { sweep!.found[kind.place].add(warning) }
        }
        if rules.isDecided(view) { noteRace(view, forest) }
    }

    /// What was made just now may be a ring by chance: half of it was told. Once there is none, the last link that makes
    /// one changes a node in it, or a member's settlement does (``watchHolders(of:_:)``).
    private mutating func seekRing(
        _ view: NodeView, _ forest: borrowing ChainForest, _ rings: borrowing DeadlockSearch, _ now: UInt64,
        _ outcome: inout WarningSweep.Outcome
    ) {
        let blocker = forest.blocker(of: view.index, memberLimit: Self.fewMembers)
        if blocker.node == nil {
            guard blocker.reason == .member else { return }
            outcome.cost += Self.manyMembersCost
        }
        guard now >= view.created, now - view.created >= WarningRules.grace else {
            return outcome.await(view.created &+ WarningRules.grace)
        }
        var steps = 2
        if let ring = rings.ring(from: view.index, in: forest, steps: &steps),
            let warning = DeadlockSearch.warning(of: ring, in: forest)
        {
            note(ring: warning)
            outcome.isWatched = true
        }
        outcome.cost += steps * 4
    }

    /// Each ring once, whoever leads into it.
    mutating func note(ring warning: Warning) {
        let place = warning.kind.place
        guard !sweep!.found[place].warnings.contains(where: { $0.node == warning.node }) else { return }
        sweep!.found[place].add(warning)
    }
}
