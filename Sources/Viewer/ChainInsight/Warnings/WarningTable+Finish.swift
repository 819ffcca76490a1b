// SPDX-License-Identifier: MIT

import ChainModel

/// The end of a sweep.
extension WarningTable {
    mutating func finish(_ forest: ChainForest, _ deadlocks: DeadlockSearch, _ now: UInt64) {
        findRaceLosers(forest, now)
        findThreadDeadlocks(forest, deadlocks, now)
        findTooManyThreads(now)
        findStarvedPool(forest)
        guard var done = sweep else { return }
        sweep = nil
        pause = Self.pause(after: done)
        // If no node is live, nothing can become overdue.
        if forest.totals.counts.liveCount == 0 { hasChangedSinceWholeSweep = false }
        nextDue = done.nextDue
        held = [:]
        heldSlots.removeAll()
        for kind in WarningKind.all where rules.isEnabled(kind) {
            if kind.isFault {
                if done.findsFaults, kind != .lostEvents { addMissed(kind, done.found[kind.index], forest) }
                continue
            }
            let index = kind.index
            done.found[index].keepOldest()
            let all = done.found[index]
            // The dismissal of a warning about the whole program ends with its condition.
            if all.count == 0 { dismissed.remove(Warning.ID(kind: kind, node: .none)) }
            // Each warning is tested once more, because its node may have changed after its slice of the sweep.
            let valid = all.warnings.filter { warning in
                guard warning.node != .none else { return !isDismissed(warning.id) }
                guard !isDismissed(warning.id), let index = forest.index(of: warning.node) else { return false }
                return rules.holds(warning, of: forest.node(index), forest, now: now)
            }
            let count = valid.count + (all.count - all.warnings.count)
            let found = valid.map { described($0, forest) }
            if lists[index].replace(found, count: count, at: now) { revision += 1 }
            for warning in valid where warning.node != .none {
                held[warning.node, default: 0] |= kind.bit
                if let index = forest.index(of: warning.node) { _ = heldSlots.insert(index.rawValue) }
            }
        }
        let roots = Set(depths.keys.filter { forest.index(of: $0).map { forest.isRoot($0) } ?? false })
        if roots.count != depths.count { depths = depths.filter { roots.contains($0.key) } }
    }

    /// Adds the faults that the sweep found; changes did not list their nodes. The new count is the earlier count or
    /// the sweep's count, whichever is greater, because both counts may include the same nodes.
    private mutating func addMissed(_ kind: WarningKind, _ found: WarningSweep.Found, _ forest: ChainForest) {
        let before = lists[kind.index].count
        for warning in found.warnings where lists[kind.index].kept.count < WarningList.limit {
            if lists[kind.index].add(described(warning, forest)) { revision += 1 }
        }
        if lists[kind.index].setCount(max(before, found.count)) { revision += 1 }
    }

    private func described(_ warning: Warning, _ forest: ChainForest) -> Warning {
        guard let index = forest.index(of: warning.node) else { return warning }
        var warning = warning
        describe(&warning, forest.node(index), forest)
        return warning
    }

    private mutating func findRaceLosers(_ forest: ChainForest, _ now: UInt64) {
        var kept: Set<NodeID> = []
        for id in races {
            guard let race = forest.index(of: id) else { continue }
            var hasLosers = false
            for link in forest.targets(of: race) where link.role == .hasMember && forest.state(of: link.node).isLive {
                hasLosers = true
                let view = forest.node(link.node)
                var outcome = WarningSweep.Outcome()
                sweep!.record(
                    rules.raceLoserRunning(view, race: forest.node(race), forest, now: now), .raceLoserRunning, view,
                    &outcome)
                if let due = outcome.due { sweep!.noteDue(at: due) }
            }
            if hasLosers { kept.insert(id) }
        }
        races = kept
    }

    /// Searches for deadlocks that involve waiting threads.
    private mutating func findThreadDeadlocks(
        _ forest: ChainForest, _ deadlocks: DeadlockSearch, _ now: UInt64
    ) {
        guard rules.isEnabled(.deadlock) else { return }
        var steps = 0
        for wait in forest.waits where steps < 100_000 {
            guard let waiter = forest.index(of: wait.waiter) else { continue }
            guard now >= wait.since, now - wait.since >= WarningRules.grace else {
                sweep!.noteDue(at: wait.since &+ WarningRules.grace)
                continue
            }
            guard let cycle = deadlocks.cycle(from: waiter, in: forest, steps: &steps),
                let warning = DeadlockSearch.warning(of: cycle, in: forest)
            else { continue }
            record(deadlock: warning)
        }
    }

    private mutating func findStarvedPool(_ forest: ChainForest) {
        let (count, since) = sweep!.queuedTasks
        let threads = sweep!.taskThreads
        guard count > threads.count else { return }
        // If only the main thread runs a task, the pool has threads to spare, and the tasks wait for the main actor.
        let main =
            threads.count == 1 ? threads.first.flatMap { forest.threads[$0.key] == "main" ? $0.value : nil } : nil
        sweep!.found[WarningKind.starvedPool.index].add(
            Warning(.starvedPool, .none, since: since, amount: UInt64(count), other: main ?? .none))
    }

    private mutating func findTooManyThreads(_ now: UInt64) {
        let count = UInt64(sweep!.threads.count)
        guard rules.isEnabled(.tooManyThreads), count > rules.options[.tooManyThreads] else { return }
        sweep!.found[WarningKind.tooManyThreads.index].add(Warning(.tooManyThreads, .none, since: now, amount: count))
    }
}
