import ChainEvents
import ChainModel

/// What a look that is through amounts to.
extension WarningTable {
    mutating func finish(_ forest: borrowing ChainForest, _ rings: borrowing DeadlockSearch, _ now: UInt64) {
        seekLosers(forest, now)
        seekThreadRings(forest, rings, now)
        countThreads(now)
        guard var done = sweep else { return }
        sweep = nil
        pause = Self.pause(after: done)
        // Who has settled is held up by nobody.
        if forest.totals.counts.liveCount == 0 { isBehind = false }
        nextDue = done.nextDue
        held = [:]
        heldSlots.removeAll()
        for kind in WarningKind.all where rules.tells(kind) {
            if kind.isFault {
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
                return rules.holds(warning, of: forest.node(index), forest, now: now)
            }
            let count = valid.count + (all.count - all.warnings.count)
            let found = valid.map { withNames($0, forest) }
            if lists[place].replace(found, count: count, at: now) { revision += 1 }
            for warning in valid where warning.node != .none {
                held[warning.node, default: 0] |= kind.bit
                if let index = forest.index(of: warning.node) { _ = heldSlots.insert(index.rawValue) }
            }
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
            for link in forest.targets(of: race) where link.role == .hasMember && forest.state(of: link.node).isLive {
                hasLosers = true
                let view = forest.node(link.node)
                var outcome = WarningSweep.Outcome()
                sweep!.take(
                    rules.raceLoserRunning(view, race: forest.node(race), forest, now: now), .raceLoserRunning, view,
                    &outcome)
                if let due = outcome.due { sweep!.await(due) }
            }
            if hasLosers { kept.insert(id) }
        }
        races = kept
    }

    /// Rings that go through threads that wait.
    private mutating func seekThreadRings(
        _ forest: borrowing ChainForest, _ rings: borrowing DeadlockSearch, _ now: UInt64
    ) {
        guard rules.tells(.deadlock) else { return }
        var steps = 0
        for wait in forest.waits where steps < 100_000 {
            guard let waiter = forest.index(of: wait.waiter) else { continue }
            guard now >= wait.since, now - wait.since >= WarningRules.grace else {
                sweep!.await(wait.since &+ WarningRules.grace)
                continue
            }
            guard let ring = rings.ring(from: waiter, in: forest, steps: &steps),
                let warning = DeadlockSearch.warning(of: ring, in: forest)
            else { continue }
            note(ring: warning)
        }
    }

    private mutating func countThreads(_ now: UInt64) {
        let count = sweep!.threads.count
        guard rules.tells(.tooManyThreads), count > rules.options.threadLimit else { return }
        sweep!.found[WarningKind.tooManyThreads.place].add(
            Warning(.tooManyThreads, .none, since: now, amount: UInt64(count)))
    }
}
